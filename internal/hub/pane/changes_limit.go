package pane

import "watchglass/internal/detail"

// limit cuts a document to what it may hold. The requested comparisons come first,
// then the newest version; each says how many of its fields are left out.
func limit(shows *detail.Changes) {
	room := room{fields: changesFields, bytes: changesBytes}
	if shows.Compared != nil {
		room.cut(shows.Compared)
	}
	if r := shows.Revisions; r != nil && r.Compared != nil {
		room.cut(r.Compared)
	}
	for i := range shows.Versions {
		room.cut(&shows.Versions[i].Comparison)
	}
}

// room is how much more a document may hold.
type room struct{ fields, bytes int }

// cut shortens a comparison to the fields that there is room for. Other documents share the
// slice, so it is not written into.
func (r *room) cut(c *detail.Comparison) {
	kept := 0
	for _, f := range c.Fields {
		size := len(f.Path) + len(f.Before) + len(f.After)
		if r.fields == 0 || size > r.bytes {
			break
		}
		kept++
		r.fields--
		r.bytes -= size
	}
	c.More += len(c.Fields) - kept
	c.Fields = c.Fields[:kept:kept]
}
