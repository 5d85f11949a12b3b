package web

import (
	"slices"

	"watchglass/web/ui"
)

// table has the commands of all parts, in the order of the help. It never changes, so it needs no lock.
type table struct {
	all  []ui.Command
	byID map[ui.Action]*ui.Command // the first of each
}

// newTable collects the commands of parts. It panics if two have a handler for the same ID, or if none has one.
func newTable(parts ...ui.Actor) *table {
	t := &table{byID: make(map[ui.Action]*ui.Command)}
	for _, part := range parts {
		t.all = append(t.all, part.Commands()...)
	}
	for i := range t.all {
		c := &t.all[i]
		first := t.byID[c.ID]
		switch {
		case c.Handled() == (first != nil):
			panic("none or two commands handle " + string(c.ID))
		case first != nil:
			c.Do, c.Run = first.Do, first.Run
		case c.ID != ui.NoAction:
			t.byID[c.ID] = c
		}
	}
	return t
}

// ofKey returns the command that a key runs, or nil.
func (t *table) ofKey(k ui.Key) (found *ui.Command) {
	for i := range t.all {
		if c := &t.all[i]; c.Has(k) && (found == nil || c.Width() < found.Width()) {
			found = c
		}
	}
	return found
}

// keyed returns the command whose keys run an action with a value, outside of fields; nil if there is none.
func (t *table) keyed(action ui.Action, value string) *ui.Command {
	i := slices.IndexFunc(t.all, func(c ui.Command) bool {
		return c.ID == action && c.In == "" && len(c.Keys) > 0 && (value == "" || c.Value == value)
	})
	if i < 0 {
		return nil
	}
	return &t.all[i]
}

// offers returns the palette's entries for commands.
func (t *table) offers() (all []ui.Offer) {
	for i := range t.all {
		c := &t.all[i]
		o := ui.Offer{Action: c.ID, Value: c.Value, Text: c.Title, Hint: c.Key(), Names: c.Names}
		if c.Offer != nil && c.Offer(&o) {
			all = append(all, o)
		}
	}
	return all
}

// help returns the commands with keys and words, of those that a section of the help is about.
func (t *table) help(about func(c *ui.Command) bool) (all []*ui.Command) {
	for i := range t.all {
		if c := &t.all[i]; c.Title != "" && len(c.Keys) > 0 && about(c) {
			all = append(all, c)
		}
	}
	return all
}
