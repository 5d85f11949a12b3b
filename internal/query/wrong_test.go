package query

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"testing"
)

//go:embed testdata/wrong.txt
var wrongText string

// TestWrongFilters holds where filters are wrong, and the words for it; three
// dots say that the filter is only incomplete.
func TestWrongFilters(t *testing.T) {
	n := 0
	for line := range strings.Lines(wrongText) {
		filter, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ⇒ ")
		if !ok {
			continue
		}
		n++
		f, err := Parse(filter)
		if err == nil {
			_, err = Bind(f, podSchema)
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v", filter, err)
			continue
		}
		got := fmt.Sprintf("%d-%d %s", e.From, e.To, e.Message)
		if e.Want != "" {
			got += ": " + e.Want
		}
		if e.Incomplete {
			got += " …"
		}
		if got != want {
			t.Errorf("%q:\n%s, not\n%s", filter, got, want)
		}
	}
	if n < 40 {
		t.Fatal(n)
	}
}

// TestFieldsOfOtherKinds checks that what is not among a kind's columns is said with what is.
func TestFieldsOfOtherKinds(t *testing.T) {
	nodes := Schema{Columns: []Column{{Name: "Name"}, {Name: "Status"}, {Name: "Age", Kind: DurationColumn}, {Name: "OS-Image"}}}
	for filter, want := range map[string]string{
		"ns:a":         `at character 1: there is no field "ns" here, expected status, owner, name, age, os-image, label.app; or quotes around text`,
		"image:x":      `at character 1: there is no field "image" here, expected status, owner, name, age, os-image, label.app; or quotes around text`,
		"agee>3d":      `at character 1: there is no field "agee" here, expected age; or quotes around text`,
		"a os-image<3": `at character 3: os-image is text, which has no order, expected age, a label; or ':' instead`,
	} {
		_, err := Bind(mustParse(t, filter), nodes)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v", filter, err)
		}
	}
}

// TestDeepFilters holds that what is nested without end is an error, and not the
// end of the program.
func TestDeepFilters(t *testing.T) {
	for _, text := range []string{strings.Repeat("(", 1e6), strings.Repeat("!(", 1e6), strings.Repeat("(a or ", 1e5), strings.Repeat("not ", 1e5)} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%.20q… is a filter", text)
		}
	}
	if f, err := Parse(strings.Repeat("!", 1e6) + "a"); err != nil || f.String() != "a" {
		t.Errorf("%v %v", f, err)
	}
}
