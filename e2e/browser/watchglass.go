package browser

import (
	"fmt"
	"time"
)

// What the page's own API tells, as expressions.
const (
	Inspected = "watchglass.inspect()"                     // an Inspection
	AllRows   = "watchglass.rows({offset: 0, limit: 1e6})" // Rows
)

// Inspection is what window.watchglass.inspect() tells.
type Inspection struct {
	Sources []struct {
		Resource, Namespace, Selector, Encoding string
		State                                   string
		Objects                                 int
		ResourceVersion                         string
		UpstreamAge                             float64
		Events, Bytes                           int64
		Resumes, Relists, Queue                 int
	}
	Memory struct{ Page, Worker int64 }
	// LongTasks are those of the page, in milliseconds from the navigation.
	LongTasks []LongTask
}

// LongTask is one that took the page 50 ms or more.
type LongTask struct{ Start, Duration float64 }

// Identity is one object, as list and snapshot tell it.
type Identity struct{ Namespace, Name, UID, ResourceVersion string }

// Snapshot is all objects of a resource at one version.
type Snapshot struct {
	ResourceVersion string
	Items           []Identity
}

// Rows is what the view on screen matches, as printed there.
type Rows struct {
	Total   int
	Columns []Column
	Rows    []Row
}

// Keys returns the rows' keys, in their order.
func (r Rows) Keys() []string {
	out := make([]string, 0, len(r.Rows))
	for _, row := range r.Rows {
		out = append(out, row.Key)
	}
	return out
}

// Column is one of them.
type Column struct {
	Name     string
	Priority int
}

// Row is one of them.
type Row struct {
	Key, UID string
	Cells    []string
}

// Inspect asks how the tab is.
func (t *Tab) Inspect() (Inspection, error) {
	return Eval[Inspection](t, Inspected)
}

// Snapshot asks for all objects of a resource.
func (t *Tab) Snapshot(resource string) (Snapshot, error) {
	return Eval[Snapshot](t, "watchglass.snapshot("+quote(resource)+")")
}

// Rows asks for all that the view matches.
func (t *Tab) Rows() (Rows, error) {
	return Eval[Rows](t, AllRows)
}

// State is the state that the document shows.
func (t *Tab) State() (string, error) {
	return Eval[string](t, `document.documentElement.dataset.state ?? ""`)
}

// AwaitState waits until the document shows a state.
func (t *Tab) AwaitState(state string, within time.Duration) error {
	if err := t.Await(`document.documentElement.dataset.state === `+quote(state), within); err != nil {
		now, _ := t.State()
		return fmt.Errorf("the state is %q, not %q: %w", now, state, err)
	}
	return nil
}

// Mark is when a performance mark was made, in milliseconds from the navigation.
func (t *Tab) Mark(name string) (float64, error) {
	return Eval[float64](t, `performance.getEntriesByName(`+quote(name)+`)[0]?.startTime ?? -1`)
}
