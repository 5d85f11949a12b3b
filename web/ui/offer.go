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
