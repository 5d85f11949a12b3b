package words

import (
	"watchglass/internal/detail"
	"watchglass/internal/detail/diff"
)

// Folded says how many fields a collapsed version changed.
func Folded(c detail.Comparison) string {
	text := CountOf(len(c.Fields)+c.More, "field")
	if c.Short {
		text = "at least " + text
	}
	return text
}

// ChangeGlyphs mark the kinds of change. Titles repeat them in words.
var ChangeGlyphs = map[diff.Kind]string{diff.Added: "+", diff.Removed: "−", diff.Changed: "~", diff.Moved: "⇅"}
