package ui

import (
	"slices"
	"strings"
)

// Command is something that the user can do. Clicks, keys, the help, the palette and tooltips take what they need of it
// from here. A zero field means: not so.
type Command struct {
	// ID is the data-action of the elements that run the command. Without one, only keys run it. Commands after the
	// first with the same ID have no handler: they run the first, with a value or by keys of their own.
	ID  Action
	Do  func()
	Run func(value string) // instead of Do, with the value of the element, or Value

	Keys  []string // as the browser names them; the page shows the first
	Value string   // that the keys and the palette pass
	In    string   // only while the focus is in this place: InText, InTabs, InBars, InLanes, InField or the name of a field
	Tab   string   // only while the focus is in this tab of the open object; the page sets it

	Title string   // in the help and the palette; without it, the help does not list the keys
	Names []string // that find it in the palette, too
	// Offer reports whether the palette offers the command here, and may change how. Nil: it never does.
	Offer func(o *Offer) bool

	OfTarget     bool // is about the object that keys act on, and waits for its row
	OfKind       bool // the keys pass the kind that has the focus in the sidebar
	KeepsPopover bool // an open popover stays open
	KeepsDialog  bool // an open dialog stays open after a click
}

// The places of keys that are no fields.
const (
	InText  = "text"       // a long text
	InTabs  = "tabs"       // the tab bar
	InBars  = "-histogram" // fields with bars, whose names end in it
	InLanes = "-lanes"     // fields with lanes below bars, likewise
	InField = "field"      // where the user types
)

// TimeSlider is the field, and the ID, of the slider that chooses a time.
const TimeSlider = "past-slider"

// HasBars reports whether a field has bars or lanes.
func HasBars(field string) bool {
	return strings.HasSuffix(field, InBars) || strings.HasSuffix(field, InLanes)
}

// Actor is a part that has commands.
type Actor interface {
	Commands() []Command
}

// Always offers a command everywhere.
func Always(*Offer) bool { return true }

// Nothing is what a key does that an open dialog keeps from the page behind it.
func Nothing() {}

// Around returns commands whose handlers run within a function.
func Around(all []Command, f func(run func())) []Command {
	for i, c := range all {
		if c.Handled() {
			all[i].Do, all[i].Run = nil, func(value string) { f(func() { c.Act(value) }) }
		}
	}
	return all
}

// Handled reports whether the command has a handler.
func (c *Command) Handled() bool { return c.Do != nil || c.Run != nil }

// Act runs the command with a value.
func (c *Command) Act(value string) {
	if c.Do != nil {
		c.Do()
	} else {
		c.Run(value)
	}
}

// Key returns the command's key as the page shows it; "" if it has none.
func (c *Command) Key() string {
	if len(c.Keys) == 0 {
		return ""
	}
	return KeyName(c.Keys[0])
}

// scrolling are the keys that scroll what has the focus, or press it. In the list and in tabs they are the page's.
var scrolling = []string{"ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "PageDown", "PageUp", "Enter"}

// Has reports whether a key runs the command where the focus is.
func (c *Command) Has(k Key) bool {
	if k.Command || !slices.Contains(c.Keys, k.Name) || !k.in(c.In) || c.Tab != "" && c.Tab != k.Drawer {
		return false
	}
	ours := c.In != "" || k.InGrid || c.Tab != "" && !k.OnCanvas
	return ours || !slices.Contains(scrolling, k.Name)
}

// Width ranks where the keys apply. Of the commands that have a key, the narrowest runs.
func (c *Command) Width() int {
	switch {
	case c.In != "" && c.In != InField:
		return 0
	case c.In != "":
		return 1
	case c.Tab != "":
		return 2
	}
	return 3
}

// in reports whether the focus is in a place. Where the user types, letters are no keys of the page.
func (k Key) in(place string) bool {
	switch place {
	case "":
		return !k.Typing
	case InText:
		return k.OnText
	case InTabs:
		return k.OnTab
	case InField:
		return k.Typing
	}
	return k.Field == place || strings.HasPrefix(place, "-") && strings.HasSuffix(k.Field, place)
}
