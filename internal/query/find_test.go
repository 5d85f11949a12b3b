package query

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFinder holds the finder against lower case and strings.Contains.
func TestFinder(t *testing.T) {
	for _, c := range []struct {
		text, word string
		want       bool
	}{
		{"team/web-1\x1fRunning", "running", true}, {"team/web-1\x1fRunning", "WEB", true}, {"CrashLoopBackOff", "backoff", true},
		{"xCrash", "xcr", true}, {"abc", "abcd", false}, {"", "a", false}, {"a", "", true}, {"a\x1fRunning", "arun", false}, {"abC", "abc", true},
		{"é", "é", true}, {"[", "{", false},
	} {
		if got := newFinder(c.word).in(c.text); got != c.want {
			t.Errorf("%q in %q: %v", c.word, c.text, got)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abAB-"[r.IntN(5)]
		}
		return string(b)
	}
	for range 50000 {
		text, word := letters(r.IntN(20)), letters(r.IntN(5))
		if got, want := newFinder(word).in(text), strings.Contains(strings.ToLower(text), strings.ToLower(word)); got != want {
			t.Fatalf("%q in %q: %v", word, text, got)
		}
	}
	if !newFinder(strings.Repeat("ab", 300)).in(strings.Repeat("AB", 301)) {
		t.Error("a long word")
	}
}
