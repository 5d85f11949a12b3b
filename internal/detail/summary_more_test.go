package detail

import (
	"strings"
	"testing"

	"watchglass/internal/wire"
)

// TestDeny shows that a row names what can't be listed and who said so. The row is bounded, and
// there is none if everything can be listed.
func TestDeny(t *testing.T) {
	var s Summary
	if s.Deny(nil); len(s.Sections) != 0 {
		t.Errorf("%+v", s)
	}
	all := []Denial{
		{"pods", &wire.Status{Origin: wire.FromAPIServer, Message: "no pods for you"}},
		{"leases", &wire.Status{Origin: wire.FromProxy, Message: strings.Repeat("no ", mostText)}},
	}
	s.Deny(all)
	got := spoken(s)
	if len(got) != 2 || !strings.Contains(got[0], "pods can't be listed") || !strings.Contains(got[0], "apiserver: no pods for you") || !strings.Contains(got[1], "leases can't be listed") {
		t.Error(got)
	}
	if n := len(strings.Join(got, "")); n > 2*mostText {
		t.Errorf("%d bytes", n)
	}
	two := Summary{Sections: []Section{{Title: "a"}, {Title: "b"}}}
	two.Deny(all[:1])
	if got := spoken(two); len(got) != 1 || !strings.HasPrefix(got[0], "a/") {
		t.Error(got)
	}
}
