package ui

import "strings"

// Key is a key press and where it happened.
type Key struct {
	Name    string // as the browser names it: "j", "ArrowDown", "Enter"
	Command bool   // with Ctrl, Alt or Meta: left to the browser
	Typing  bool   // the focus is in a field
	Field   string // name of that field
	InGrid  bool   // the focus is in the list
	Kind    string // focused kind in the sidebar
	Drawer  string // tab of the drawer, if the focus is in it
	OnTab   bool   // the focus is on the tab bar
	OnText  bool   // the focus is on a long text
	// OnCanvas is set if the focus is on the canvas of a graph, but on none of its objects.
	OnCanvas bool
}

// KeyName returns a key as help shows it.
func KeyName(k string) string {
	if name, ok := map[string]string{"ArrowDown": "↓", "ArrowUp": "↑", "Escape": "Esc", "PageDown": "PgDn", "PageUp": "PgUp", "ArrowLeft": "←", "ArrowRight": "→", " ": "Space"}[k]; ok {
		return name
	}
	if plain, ok := strings.CutPrefix(k, "Shift+"); ok {
		return "⇧" + KeyName(plain)
	}
	return k
}

// Tip returns words for a tooltip with a key, if there is one.
func Tip(words, key string) string {
	if key == "" {
		return words
	}
	return words + " (" + key + ")"
}
