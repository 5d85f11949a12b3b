package list

import (
	"slices"

	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// sortKeys are the keys that sort by a column.
var sortKeys = []ui.Command{
	{ID: ui.SortBy, Value: "Name", Keys: []string{"N"}, Title: "Sort by name"},
	{ID: ui.SortBy, Value: "Status", Keys: []string{"S"}, Title: "Sort by status"},
	{ID: ui.SortBy, Value: "Age", Keys: []string{"A"}, Title: "Sort by age"},
	{ID: ui.SortBy, Value: "Ready", Keys: []string{"R"}, Title: "Sort by ready"},
	{ID: ui.SortBy, Value: "Restarts", Keys: []string{"E"}, Title: "Sort by restarts"},
	{ID: ui.SortBy, Value: "Namespace", Keys: []string{"M"}, Title: "Sort by namespace"},
	{ID: ui.SortBy, Value: "Node", Keys: []string{"O"}, Title: "Sort by node"},
	{ID: ui.SortBy, Value: "IP", Keys: []string{"I"}, Title: "Sort by IP"},
}

// sortBy sorts by a column: ascending, then descending, then in the original order. A key may
// name a column that the kind does not have.
func (l *List) sortBy(column string) {
	column = l.columnLike(column)
	known := l.window.Known
	if l.window.Group != "" {
		known = l.window.Columns
	}
	if known != nil && !slices.ContainsFunc(known, func(c view.Column) bool { return c.Name == column }) {
		l.host.Notify("No column " + column + " in this list.")
		return
	}
	l.Rewind()
	l.host.Navigate(true, func(a *route.Address) {
		switch {
		case a.Sort != column:
			a.Sort, a.Descending = column, false
		case !a.Descending:
			a.Descending = true
		default:
			a.Sort, a.Descending = "", false // original order
		}
	})
	if l.host.Address().Sort == column {
		l.host.Columns().Reveal(column)
	}
}

// reverse reverses the order of the rows.
func (l *List) reverse() {
	l.Rewind()
	l.host.Navigate(true, func(a *route.Address) {
		column, descending := a.SortedBy()
		a.Sort, a.Descending = column, !descending
	})
}

// SortOffers returns the palette's entries for sorting, with the keys that do the same.
func (l *List) SortOffers() []ui.Offer {
	var all []ui.Offer
	if column, descending := l.host.Address().SortedBy(); column != "" {
		all = append(all, ui.Offer{Action: ReverseSort, Text: map[bool]string{false: "Sort descending", true: "Sort ascending"}[descending], Hint: column, Names: []string{"reverse"}})
	}
	columns := l.window.Columns
	if l.window.Group == "" { // the others show when the list is sorted by them
		columns = slices.Concat(columns, slices.DeleteFunc(slices.Clone(l.window.Known), l.host.Columns().Shows))
	}
	for _, c := range columns {
		o := ui.Offer{Action: ui.SortBy, Value: c.Name, Text: "Sort by " + c.Name}
		for _, b := range sortKeys {
			if l.columnLike(b.Value) == c.Name {
				o.Hint = b.Key()
			}
		}
		all = append(all, o)
	}
	return all
}

// alike are the columns by which a key sorts in lists that lack the key's own column, best first.
var alike = map[string][]string{"Status": {"Severity", "Phase", "State", "Type"}, "Restarts": {"Count"}}

// columnLike returns the column to sort by for a key's column: that one, or the one that stands for it
// in a list without it. For Age that is the first with ages, such as Last Seen of events.
func (l *List) columnLike(column string) string {
	known := l.window.Known
	has := func(name string) bool {
		return slices.ContainsFunc(known, func(c view.Column) bool { return c.Name == name })
	}
	if has(column) {
		return column
	}
	if i := slices.IndexFunc(known, view.Column.Aged); column == view.AgeColumn && i >= 0 {
		return known[i].Name
	}
	if i := slices.IndexFunc(alike[column], has); i >= 0 {
		return alike[column][i]
	}
	return column
}
