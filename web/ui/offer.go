package ui

// Offer is an entry of the palette.
type Offer struct {
	Action Action
	Value  string
	Text   string
	Hint   string   // type of the entry, or its shortcut
	Names  []string // further names that find it
	State  string   // of an object, with its tone
	Tone   string
}

// What the palette can be limited to, as the value of OpenPalette.
const (
	Contexts = "context" // to switch to
	Facets   = "group"   // to group by
	Kinds    = "who-can" // to ask who can use them
)
