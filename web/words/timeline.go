package words

import (
	"slices"
	"strings"

	"watchglass/internal/history/timeline"
)

// Class is the words and the glyph of a class.
type Class struct {
	Class                   timeline.Class
	Glyph, Name, Some, Tone string
}

// Classes are the words and glyphs of the classes, the first drawn at the bottom: what needs
// somebody most.
var Classes = []Class{
	{timeline.Warned, "▲", "warning", "warnings", "warning"},
	{timeline.Restarted, "↻", "restart", "restarts", "warning"},
	{timeline.Condition, "◆", "node condition", "node conditions", "warning"},
	{timeline.RolledOut, "⇧", "rollout", "rollouts", ""},
	{timeline.Deleted, "−", "deleted", "deleted", ""},
	{timeline.Changed, "~", "changed", "changed", ""},
	{timeline.Added, "+", "added", "added", ""},
}

// ClassCounts says how many entries of each class there are: "3 warnings, 9 changed".
func ClassCounts(each []int) string {
	var parts []string
	for k, n := range each {
		if n > 0 {
			word := Classes[k].Some
			if n == 1 {
				word = Classes[k].Name
			}
			parts = append(parts, Count(n)+" "+word)
		}
	}
	return strings.Join(parts, ", ")
}

// ClassIndex returns the index of a class in Classes; -1 if it is not known.
func ClassIndex(class timeline.Class) int {
	return slices.IndexFunc(Classes, func(of Class) bool { return of.Class == class })
}

// GapReasons say why there is nothing to see. The reasons are those of package history.
var GapReasons = map[string]string{
	"closed": "not open", "away": "the tab was asleep or not connected", "relisted": "the watch was interrupted",
	"unread": "an object can't be read", "dropped": "older changes no longer fit into memory", "denied": "no permission",
}
