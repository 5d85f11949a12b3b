package words

import (
	"strings"

	"watchglass/internal/detail/related"
)

// Related says how many related objects there are and how many of them are shown. A kind
// that may not be listed is a node, but not an object.
func Related(nodes []related.Node) string {
	all, shown, unlisted := 0, 0, 0
	for _, n := range nodes[1:] {
		switch {
		case n.Presence == related.Unknown && n.Name == "":
			unlisted++
		case n.More > 0:
			all += n.More
		default:
			all, shown = all+1, shown+1
		}
	}
	text := Count(all) + " related"
	if all > shown {
		text += ", " + Count(shown) + " shown"
	}
	switch unlisted {
	case 0:
	case 1:
		text += ", 1 kind can't be listed"
	default:
		text += ", " + Count(unlisted) + " kinds can't be listed"
	}
	return text
}

// Searched summarizes which kinds were searched for owned objects; "" if all were.
func Searched(s related.SearchProgress) string {
	switch missed := len(s.Unasked) + len(s.Failed); {
	case s.Sweeping:
		return "Searching all kinds…"
	case s.Coming > 0:
		return "Searching…"
	case missed > 0:
		return CountOf(missed, "kind") + " not searched"
	case s.Swept > 0:
		return "Searched once: " + CountOf(s.Swept, "kind")
	}
	return ""
}

// NoEvents says of which objects there are no events: of all owned objects only if all kinds were searched for them.
func NoEvents(s related.SearchProgress) string {
	if len(s.Unasked)+len(s.Failed) > 0 {
		return "None for this object. Not all owned objects are known."
	}
	return "None for this object or the objects it owns."
}

// PluralOf returns the plural of a node's kind, as kubectl writes it.
func PluralOf(n related.Node) string {
	plural, _, _ := strings.Cut(n.Resource, ".")
	return plural
}
