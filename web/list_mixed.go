package web

import (
	"strings"

	"watchglass/internal/view"
)

// mixture is what the list knows about its rows if they are of several kinds. The page then names a
// row by its UID, which says what the row is about, and the hub by its key.
type mixture struct {
	keys map[string]string // the hub's keys of the rows received, by UID
	name int               // index of the column rowName; -1 if there is none
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
	if patch.Columns != nil {
		patch.Columns, l.mixed.name = withoutRowName(patch.Columns)
		patch.Known, _ = withoutRowName(patch.Known)
	}
	if l.mixed.keys == nil || len(l.mixed.keys) > mostKeys {
		l.mixed.keys = make(map[string]string)
	}
	patch.Rows = append([]view.Row(nil), patch.Rows...)
	for i := range patch.Rows {
		row := &patch.Rows[i]
		l.mixed.keys[row.UID] = row.Key
		row.Key = row.UID
		if at := l.mixed.name; at >= 0 && at < len(row.Cells) {
			row.Cells = append(append([]string(nil), row.Cells[:at]...), row.Cells[at+1:]...)
		}
	}
}

// withoutRowName returns columns without that of the rows' own names, and its index.
func withoutRowName(columns []view.Column) (out []view.Column, at int) {
	at = -1
	for i, c := range columns {
		if c.Name == rowName {
			at = i
		} else {
			out = append(out, c)
		}
	}
	return out, at
}

// hubKey returns the hub's key of a row. It is derived for one that has not been received, such as
// that of an object in the address.
func (l *list) hubKey(key string) string {
	if key == "" || !l.address.mixed() {
		return key
	}
	if own := l.mixed.keys[key]; own != "" {
		return own
	}
	of := l.address.objectOf(key)
	_, reason, _ := strings.Cut(key, "/"+of.Name+"/")
	of.Name = of.Resource + ":" + of.Name + ":" + reason
	return of.Key()
}
