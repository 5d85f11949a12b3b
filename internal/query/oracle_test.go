//go:build !js

package query

import (
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
)

// FuzzSelector holds the selector to apimachinery's: it takes the same texts,
// and selects the same objects.
func FuzzSelector(f *testing.F) {
	for _, text := range []string{"", "a=b", "a==b,c!=d", "a in (b,c),!d", "x>5,y<6", "a notin ()", "in in (in)", "a.b/c", "a,b", "!a", "a=,b", "a==,", "a in (,)", "(", "a=b=c", "a in (b))", "a !=b", "a=!b", "a<>b", "!!a", "a in b", "a=b,,c", ",a"} {
		f.Add(text)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var words = strings.Fields("a b app in notin ( ) , = == != ! > < 5 -7 a/b x.y/z _ - A9 a..b")
	for range 500 {
		var text string
		for range 1 + r.IntN(9) {
			text += words[r.IntN(len(words))] + []string{"", " "}[r.IntN(2)]
		}
		f.Add(text)
	}
	sets := []set{{}, {"a": "b"}, {"a": "", "b": "c"}, {"x": "5", "y": "-7"}, {"app": "in", "in": "notin"}, {"a/b": "A9", "x.y/z": "5"}}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "\x00") {
			return // apimachinery stops reading there
		}
		want, wantErr := labels.Parse(text)
		got, err := ParseSelector(text)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: apimachinery says %v, we say %v", text, wantErr, err)
		}
		if err != nil {
			return
		}
		for _, s := range sets {
			if got.Matches(s) != want.Matches(labels.Set(s)) {
				t.Fatalf("%q on %v: apimachinery says %v", text, s, want.Matches(labels.Set(s)))
			}
		}
	})
}
