package detail

import (
	"time"

	"watchglass/internal/object"
)

// Observation is a version of an object as this tab saw it.
type Observation struct {
	Object *object.Object
	// Columns are the columns of the object's cells.
	Columns []object.Column
	// At is when the version arrived; zero if it was there when the tab began to watch.
	At time.Time
	// Since is when changes may have been missing from before it arrived; zero if they were not.
	Since time.Time
}
