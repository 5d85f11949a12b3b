package web

import (
	"slices"

	"watchglass/internal/view"
)

// mixture is what the list knows about its rows if they are of several kinds. The page then names a
// row by its UID, which says what the row is about, and the hub by its key.
type mixture struct {
	keys map[string]string // the hub's keys of the rows received, by UID
	name int               // index of rowName, plus 1; 0 if there is none
}

// rowName is the column with the name of the row itself, which is not that of an object.
const rowName = "Key"

// mostKeys is how many keys are remembered; then they are collected anew.
const mostKeys = 10_000

// adapt makes a patch of a list of several kinds like those of other lists: the keys of its rows name
// their objects, and no column shows the rows' own names.
func (l *list) adapt(patch *view.Patch) {
	if !l.address.mixed() {
		return
	}
	own := func(c view.Column) bool { return c.Name == rowName }
	if patch.Columns != nil {
		l.mixed.name = slices.IndexFunc(patch.Columns, own) + 1
		patch.Columns, patch.Known = slices.DeleteFunc(slices.Clone(patch.Columns), own), slices.DeleteFunc(slices.Clone(patch.Known), own)
	}
	if l.mixed.keys == nil || len(l.mixed.keys) > mostKeys {
		l.mixed.keys = make(map[string]string)
	}
	patch.Rows = slices.Clone(patch.Rows)
	for i := range patch.Rows {
		row := &patch.Rows[i]
		l.mixed.keys[row.UID] = row.Key
		if row.Key = row.UID; l.mixed.name > 0 && l.mixed.name <= len(row.Cells) {
			row.Cells = slices.Delete(slices.Clone(row.Cells), l.mixed.name-1, l.mixed.name)
		}
	}
}

// hubKey returns the hub's key of a row. It is the UID of one that has never been received.
func (l *list) hubKey(key string) string {
	if own := l.mixed.keys[key]; own != "" {
		return own
	}
	return key
}
