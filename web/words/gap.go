package words

import (
	"watchglass/internal/port"
	"watchglass/internal/view"
)

// Gap says what some lists lack that the page rests on, and why. Lists that lack the same are named
// together. The cause is that of the first.
type Gap struct {
	Names        []string
	Words, Cause string
	Comes        bool // by itself
	Refused      bool // by the user's rights
}

// Text says what is missing. It names the lists, or so many of them.
func (g Gap) Text(most int) string { return FirstOf(g.Names, most) + ": " + g.Words + "." }

// GapsNamed is how many lists, or namespaces, a banner names.
const GapsNamed = 5

// GapOf says what a list lacks, in the form of a gap without names.
func GapOf(g view.Gap) Gap {
	out := Gap{Cause: g.Cause}
	switch g.State {
	case port.Denied:
		out.Words, out.Refused = "no permission to list", true
		if g.Only != "" {
			out.Words += " in " + FirstOf(SplitList(g.Only), GapsNamed)
		}
	case port.Gone:
		out.Words = "not served by this cluster"
	case port.Stale, port.Offline, port.Throttled:
		out.Words = g.State
	case view.Unread:
		if out.Words = CountOf(g.Unread, "object") + " can't be read"; g.Only != "" {
			out.Words, out.Refused = out.Words+", and only "+FirstOf(SplitList(g.Only), GapsNamed)+" could be", true
		}
	case view.Partial:
		out.Words = "known only for namespaces on screen or chosen"
		if only := SplitList(g.Only); len(only) > 0 {
			out.Words, out.Refused = "only "+FirstOf(only, GapsNamed)+" could be read", true
		}
	case port.Connecting:
		if g.Cause != "" {
			out.Words = "can't be listed"
			return out
		}
		fallthrough
	default:
		out.Words, out.Comes = "loading", g.Cause == ""
		if g.Unread > 0 {
			out.Words = "checking " + CountOf(g.Unread, "object")
		}
	}
	return out
}

// Lasting reports whether cells stay empty, or may be old.
func Lasting(g view.Gap) bool {
	return g.State != "" && !GapOf(g).Comes && (g.State != view.Partial || g.Only != "")
}
