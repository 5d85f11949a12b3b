package route

import (
	"time"

	"watchglass/internal/view"
)

// SortedBy returns the column to sort by. Events without one are sorted by when they were last
// seen, newest first; problems by severity, worst first; groups by size, largest first.
func (a Address) SortedBy() (column string, descending bool) {
	if a.Sort == "" && a.Group != "" {
		return view.ObjectsColumn, true
	}
	if a.Sort == "" && a.Resource == TimelineID {
		return "Time", false
	}
	if a.Sort == "" && a.Mixed() {
		return "Severity", false
	}
	if a.Sort == "" && (a.Resource == "events" || a.Resource == "events.events.k8s.io") {
		return "Last Seen", false
	}
	return a.Sort, a.Descending
}

// Query returns the query for the worker, without the window.
func (a Address) Query() view.Query {
	column, descending := a.SortedBy()
	q := view.Query{Namespaces: a.Namespaces, Labels: a.Labels, Text: a.Filter, Sort: column, Descending: descending, Group: a.Group, Sum: a.Sum, Wide: a.Wide(), Columns: a.ColumnNames()}
	if a.Resource == TimelineID { // whole seconds, of which the last is shown, too
		const second = int64(time.Second)
		q.From, q.Until = a.Timeline.From/second, (a.Timeline.To+second-1)/second
	}
	return q
}
