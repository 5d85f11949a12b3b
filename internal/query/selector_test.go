package query

import (
	"errors"
	"testing"
)

// set is a set of labels.
type set map[string]string

func (s set) Lookup(key string) (string, bool) { v, ok := s[key]; return v, ok }

func TestSelector(t *testing.T) {
	web := set{"app": "web", "tier": "a", "size": "7", "example.com/x": "", "in": "y"}
	for text, want := range map[string]bool{
		"": true, " ": true, "app=web": true, "app==web": true, "app = web , tier=a": true, "app=db": false, "app!=db": true, "none!=db": true,
		"app in (db, web)": true, "app notin (db,web)": false, "none notin (x)": true, "app": true, "!app": false, "! none": true,
		"size>6": true, "size<7": false, "app>1": false, "none<1": false, "example.com/x": true, "example.com/x=": true, "app=": false,
		"app in (web,)": true, "none in ()": false, "example.com/x in ()": true, "in in (y)": true, "in=y": true, "app=web,!none,size>3": true,
	} {
		s, err := ParseSelector(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := s.Matches(web); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestSelectorErrors(t *testing.T) {
	for text, want := range map[string]string{
		"app in":      `found the end at character 7, expected '('`,
		"app in (a":   `found the end at character 10, expected ',' or ')'`,
		"app=a b":     `found "b" at character 7, expected ',' or the end`,
		"app=a,":      `found the end at character 7, expected a label or '!' after ','`,
		"=a":          `found "=" at character 1, expected a label`,
		"app(a)":      `found "(" at character 4, expected '=', '==', '!=', 'in', 'notin', '>' or '<'`,
		"app>x":       `found "x" at character 5, expected a whole number`,
		"app==(a)":    `found "(" at character 6, expected a value`,
		"!":           `found the end at character 2, expected a label`,
		"app=-a":      `found "-a" at character 5, expected a label value: at most 63 letters, digits, '-', '_' and '.'`,
		"a/b/c=x":     `found "a/b/c" at character 1, expected a label name: at most 63 letters, digits, '-', '_' and '.', optionally after a domain and '/'`,
		"app in (a b": `found "b" at character 11, expected ',' or ')'`,
	} {
		_, err := ParseSelector(text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
