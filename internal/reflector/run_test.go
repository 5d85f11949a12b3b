package reflector

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// arrows are pairs of states, one after the other.
type arrows map[string]bool

// stateName returns the name of a state's type.
func stateName(s runState) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(fmt.Sprintf("%T", s), "reflector."), "[")
	return name
}

// follow runs a reflector like Run, and records its transitions.
func (a arrows) follow(ctx context.Context, r *Reflector[thing]) {
	var s runState = starting{}
	for ctx.Err() == nil {
		from := stateName(s)
		if s = r.step(ctx, s); ctx.Err() == nil {
			a[from+" → "+stateName(s)] = true
		}
	}
	r.abandon(s)
}

// documented returns the arrows in the package doc.
func documented(t *testing.T) arrows {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	a := arrows{}
	for _, m := range regexp.MustCompile(`(?m)^//\t(\w+) .* → (.*)$`).FindAllStringSubmatch(string(doc), -1) {
		for to := range strings.SplitSeq(m[2], ", ") {
			a[m[1]+" → "+to] = true
		}
	}
	return a
}

// TestArrows shows that the states follow each other as the package doc says, and in no other way.
func TestArrows(t *testing.T) {
	scripts := slices.AppendSeq(slices.Collect(maps.Values(conformance())), maps.Values(earliers()))
	for _, lines := range [][]string{
		append(slices.Clone(polling), "all 5 → 403"),
		{"watch-list - → after:5s mute", "short watch-list - → +a@1 @5! hang"},
		{"watch-list - → 400", "list 0 → .a@1 ?9,c1", "list - c1 → 429:2", "list - c1 → .b@2 ?9", "watch 9 → EOF"},
		{"watch-list - → 400", "list 0 → .a@1 ?9", "watch 9 → after:5s mute", "short watch 9 → 429:1", "short watch 9 → hang"},
		{begin + "EOF", "watch 5 → refused", "watch 5 → ok", "probe - → 429:2", "watch 5 → ok", "probe - → drop", "watch 5 → hang"},
		{"watch-list - → 400", "list 0 → .a@1 ?5", "watch 5 → refused", "watch 5 → ok", "probe - → 429:1S", "list 5 → .a@1 ?5"},
		{begin + "2s EOF", "watch 5 → ok"},
	} {
		scripts = append(scripts, script{lines: lines, within: time.Minute})
	}
	taken := arrows{}
	for _, c := range scripts {
		synctest.Test(t, func(t *testing.T) {
			g := newRig(t, slices.Clone(c.lines), leave(c.earlier))
			ctx, cancel := context.WithTimeout(t.Context(), max(c.within, time.Second))
			defer cancel()
			taken.follow(ctx, g.Reflector)
		})
	}
	want := documented(t)
	for arrow := range taken {
		if !want[arrow] {
			t.Errorf("%s is not in the package doc", arrow)
		}
	}
	for arrow := range want {
		if !taken[arrow] {
			t.Errorf("%s is in the package doc, and no script takes it", arrow)
		}
	}
}

// TestAbandon shows that a stream is closed that was accepted when the run was about to end.
func TestAbandon(t *testing.T) {
	for name, lines := range map[string][]string{
		"a watch-list":                {begin + "hang"},
		"a watch":                     {"watch-list - → 400", "list 0 → .a@1 ?5", "watch 5 → hang"},
		"a watch of a doubted server": {begin + "EOF", "watch 5 → refused", "watch 5 → hang"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t, lines)
				ctx, cancel := context.WithCancel(t.Context())
				open := g.options.Source.Open
				g.options.Source = SourceFunc(func(ctx context.Context, r wire.Request) (Stream, error) {
					s, err := open(ctx, r)
					if len(g.server.script) == 0 {
						cancel()
					}
					return s, err
				})
				g.Run(ctx)
				if _, alive := g.Age(time.Now()); g.server.open != 0 || alive {
					t.Errorf("%d streams stay open, alive %v", g.server.open, alive)
				}
			})
		})
	}
}
