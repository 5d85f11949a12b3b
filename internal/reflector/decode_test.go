package reflector

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestUnreadAudit checks that a comparison tolerates that the store lacks what could not be read, and no other object.
func TestUnreadAudit(t *testing.T) {
	for name, c := range map[string]struct {
		list, audit string
		differences int
		unaudited   error
	}{
		"the same one":     {"+a@1 +!c@3", ".a@1 .c@3", 0, nil},
		"another one":      {"+a@1 +!c@3", ".a@1 .d@3", 1, nil},
		"both":             {"+a@1 +!c@3", ".a@1 .c@3 .d@3", 1, nil},
		"it was deleted":   {"+a@1 +!c@3", ".a@1", 0, nil},
		"read in the end":  {"+a@1 +!c@3 ~c@4", ".a@1 .c@4", 0, nil},
		"and then missing": {"+a@1 +!c@3 ~c@4 -!c@5", ".a@1 .c@5", 1, nil},
		"an older version": {"+a@1 +c@2 ~!c@3", ".a@1 .c@3", 0, nil},
		"without a name":   {"+a@1 +broken", ".a@1 .d@3", 0, errUnnamed},
		"or more than it":  {"+a@1 +broken", ".a@1 .d@3 .e@4", 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lines := []string{"watch-list - → " + c.list + " @5! hang", "audit 5 → " + c.audit + " ?5"}
				if c.differences > 0 {
					lines = append(lines, "watch-list - → +a@1 @6! hang")
				}
				g := newRig(t, lines)
				defer g.start(t.Context())()
				synctest.Wait()
				g.Audit()
				time.Sleep(time.Second)
				synctest.Wait()
				s := g.State()
				if s.Differences != c.differences || c.differences == 0 && s.Unaudited != c.unaudited {
					t.Errorf("%d differences, %v", s.Differences, s.Unaudited)
				}
			})
		})
	}
}

// TestUnreadRationed has an object that cannot be read change every ten seconds for an hour. It is counted and leaves the
// store, the others go on, and few lists are fetched because of it.
func TestUnreadRationed(t *testing.T) {
	for name, c := range map[string]struct{ change, gone string }{
		"named":    {"~!c@%d", "-!c@%d"},
		"unnamed":  {"~broken%d", ""},
		"bookmark": {"@ ~a@%d", ""},
		"no event": {".c@%d", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var lines []string
				for list := range 20 {
					line := fmt.Sprintf("any → +a@1 +b@2 +c@3 @%d!", 10000*(list+1))
					for i := range 720 {
						line += " 10s " + fmt.Sprintf(c.change, 10000*(list+1)+2*i+1) + fmt.Sprintf(" ~b@%d", 10000*(list+1)+2*i+2)
					}
					lines = append(lines, line)
				}
				g := newRig(t, lines)
				g.server.loose = true
				defer g.start(t.Context())()
				time.Sleep(time.Hour)
				synctest.Wait()
				s := g.State()
				if s.Relists < 1 || s.Relists > 6 || s.Rejected < 300 || s.Phase != Watching {
					t.Errorf("%d lists, %d rejected, %v", s.Relists, s.Rejected, s.Phase)
				}
				if lost := name != "bookmark"; lost != (s.Unread == 1) {
					t.Errorf("%d unread", s.Unread)
				}
				if got := g.sink.String(); c.gone != "" && strings.Contains(got, "c@") || !strings.Contains(got, "b@"+s.Version) {
					t.Errorf("%s at %s", got, s.Version)
				}
			})
		})
	}
}

// TestUnreadEnds checks that nothing is unread once the object can be read, is deleted, or is no longer in a list.
func TestUnreadEnds(t *testing.T) {
	for name, end := range map[string]string{"read": "+c@9", "deleted": "-c@9", "deleted, not read": "-!c@9"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t, []string{"watch-list - → +a@1 +!c@2 @5! 1s " + end + " hang"})
				defer g.start(t.Context())()
				synctest.Wait()
				if n := g.State().Unread; n != 1 {
					t.Errorf("%d unread", n)
				}
				time.Sleep(2 * time.Second)
				if s := g.State(); s.Unread != 0 || s.Version != "9" || s.Relists > 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}
