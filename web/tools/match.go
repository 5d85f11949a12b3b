package tools

import (
	"cmp"
	"strings"

	"watchglass/internal/sorting"
	"watchglass/web/ui"
)

// Best returns the entries that match a text, best match first; all of them for "". The first few
// begin with it.
func Best(text string, all []ui.Offer) (out []ui.Offer, begin int) {
	type ranked struct {
		ui.Offer
		rank int
	}
	var some []ranked
	for _, o := range all {
		rank := likely(text, strings.ToLower(o.Text))
		for _, name := range o.Names {
			rank = min(rank, likely(text, name))
		}
		if rank < unlikely {
			some = append(some, ranked{o, rank})
		}
	}
	sorting.StableBy(some, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	for _, o := range some {
		if out = append(out, o.Offer); o.rank <= beginning {
			begin++
		}
	}
	return out, begin
}

// beginning is the rank of names that begin with the text, unlikely that of names that do not match.
const (
	beginning = 1
	unlikely  = 4
)

// likely ranks a name: equal to the text, beginning with it, containing it, or containing
// its letters in order.
func likely(text, name string) int {
	switch {
	case name == text:
		return 0
	case strings.HasPrefix(name, text):
		return beginning
	case strings.Contains(name, text):
		return 2
	case inOrder(text, name):
		return 3
	}
	return unlikely
}

func inOrder(letters, name string) bool {
	for _, c := range letters {
		i := strings.IndexRune(name, c)
		if i < 0 {
			return false
		}
		name = name[i+1:]
	}
	return true
}
