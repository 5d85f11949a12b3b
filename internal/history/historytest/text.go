package historytest

import (
	"fmt"
	"time"

	"watchglass/internal/history"
)

// Objects returns the objects of a stream at a moment by their keys, each as text.
func Objects(r history.Record, stream int, at time.Time) map[string]string {
	all := make(map[string]string)
	r.At(stream, at, func(o history.Object) bool { all[o.Key] = o.UID + " " + string(o.Payload); return true })
	return all
}

// Between returns the changes of a stream between two moments, the oldest first, each as text.
func Between(r history.Record, stream int, from, to time.Time) (all []string) {
	r.Between(stream, from, to, func(c history.Change) bool { all = append(all, Text(c)); return true })
	return all
}

// Text returns a change as text, with all that it has.
func Text(c history.Change) string {
	return fmt.Sprint(c.At.UnixMilli(), string(rune(c.Type)), c.Key, c.UID, "\n", string(c.Before), "\n", string(c.After))
}
