package ui

// Memory is what a browser keeps for the page, also when it is closed.
type Memory interface {
	// Remember stores a text under a name, and reports whether that succeeded. Recall returns the text, or "".
	Remember(name, text string) bool
	Recall(name string) string
}
