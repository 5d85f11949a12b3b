package words

import (
	"testing"

	"watchglass/internal/detail/related"
)

// TestRelated checks that kinds that can't be listed are not counted as related objects.
func TestRelated(t *testing.T) {
	unlisted := related.Node{Kind: "Secret", Presence: related.Unknown}
	unread := related.Node{ID: related.ID{Name: "a"}, Presence: related.Unknown}
	for want, nodes := range map[string][]related.Node{
		"0 related":                          nil,
		"0 related, 1 kind can't be listed":  {unlisted},
		"2 related, 2 kinds can't be listed": {{}, unlisted, unread, unlisted},
		"8 related, 1 shown":                 {{}, {More: 7}},
	} {
		if got := Related(append([]related.Node{{}}, nodes...)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
