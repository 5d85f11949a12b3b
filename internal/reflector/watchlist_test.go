package reflector

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// TestBookmarkLostAmongChanges shows that objects that are created later are no part of the initial
// list: on a busy cluster, one after another would otherwise put off the list that follows where the
// bookmark was lost. A list that takes long to arrive is waited for.
func TestBookmarkLostAmongChanges(t *testing.T) {
	for name, c := range map[string]struct {
		words []string
		lists int
	}{
		"lost":          {busy(6), 1},
		"takes long":    {append(slices.Clone(initial(20)), "~a1@100", "@100!", "hang"), 0},
		"with changes":  {append(slices.Clone(initial(20)), "~a1@100", "+b@101", "~a1@102", "@102!", "hang"), 0},
		"without words": {append(slices.Clone(initial(3)), "hang"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lists := 0
				server := &server{t: t}
				g := newRig(t, nil, func(o *Options[thing]) {
					o.Source = SourceFunc(func(_ context.Context, r wire.Request) (Stream, error) {
						switch {
						case r.Verb == wire.Watch && r.SendInitialEvents:
							return &stream{server: server, words: slices.Clone(c.words)}, nil
						case r.Verb == wire.Watch:
							return &stream{server: server, words: []string{"hang"}}, nil
						}
						lists++
						return &stream{server: server, words: []string{".a@200", "?200"}}, nil
					})
				})
				stop := g.start(t.Context())
				defer stop()
				time.Sleep(90 * time.Second)
				synctest.Wait()
				if s := g.State(); lists != c.lists || s.Phase != Watching {
					t.Errorf("%d lists, want %d; %+v", lists, c.lists, s)
				}
			})
		})
	}
}

// initial is a list of n objects that arrive three seconds apart.
func initial(n int) (words []string) {
	for i := range n {
		words = append(words, fmt.Sprintf("+a%d@%d", i, i+1), "3s")
	}
	return words
}

// busy is a list without its bookmark, and what then happens for two minutes: something is created
// every three seconds.
func busy(n int) []string {
	words := initial(n)
	for i := range 40 {
		words = append(words, fmt.Sprintf("~a1@%d", 101+2*i), fmt.Sprintf("+b%d@%d", i, 102+2*i), "3s")
	}
	return append(words, "hang")
}
