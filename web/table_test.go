package web

import (
	"testing"

	"watchglass/web/past"
	"watchglass/web/ui"
)

// actor is a part with the commands that it consists of.
type actor []ui.Command

func (a actor) Commands() []ui.Command { return a }

// TestTable checks that commands of one ID share the handler of the first, and that the page does not start if two have
// one, or none.
func TestTable(t *testing.T) {
	said := ""
	say := func(value string) { said += value }
	for name, c := range map[string]struct {
		all   actor
		fails bool
	}{
		"values": {actor{{ID: "say", Value: "a", Run: say}, {ID: "say", Value: "b"}}, false},
		"no ID":  {actor{{Run: say}, {Run: say}}, false},
		"two":    {actor{{ID: "say", Run: say}, {ID: "say", Run: say}}, true},
		"none":   {actor{{ID: "say", Value: "a"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if failed := recover() != nil; failed != c.fails {
					t.Errorf("it fails: %t", failed)
				}
			}()
			said = ""
			table := newTable(c.all)
			for _, command := range table.all {
				command.Act(command.Value)
			}
			if name == "values" && said != "ab" {
				t.Error(said)
			}
		})
	}
}

// TestNarrowestKey checks that a key in a place goes before the same key elsewhere, and that keys that scroll are the
// browser's outside of the list.
func TestNarrowestKey(t *testing.T) {
	g := still()
	for _, c := range []struct {
		key    ui.Key
		action ui.Action
		value  string
		title  string
	}{
		{ui.Key{Name: "ArrowDown", Field: ui.TimeSlider}, past.MovePast, "-1", ""},
		{ui.Key{Name: "ArrowUp", Field: ui.TimeSlider}, past.MovePast, "1", ""},
		{ui.Key{Name: "ArrowDown", InGrid: true}, "down", "", "Next row"},
		{ui.Key{Name: "h"}, past.GoBack, "", "Go back in time"},
		{ui.Key{Name: "h", Field: "list-lanes"}, ui.NoAction, "", "Timeline: go back to the mark's time"},
		{ui.Key{Name: "j", Field: "list-lanes"}, "down", "", "Next row"},
	} {
		if got := g.table.ofKey(c.key); got == nil || got.ID != c.action || got.Value != c.value || got.Title != c.title {
			t.Errorf("%+v: %+v", c.key, got)
		}
	}
	if got := g.table.ofKey(ui.Key{Name: "ArrowDown"}); got != nil {
		t.Errorf("%+v", got)
	}
}
