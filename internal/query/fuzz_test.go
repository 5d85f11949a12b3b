package query

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// FuzzParse holds that no text breaks anything: an error stands in the text; a
// filter is the same again when it has been written, and its rows are the same;
// facets and suggestions leave it readable.
func FuzzParse(f *testing.F) {
	for _, filter := range filters(f) {
		f.Add(filter[0], "ns", len(filter[0])/2)
	}
	for line := range strings.Lines(wrongText) {
		filter, _, _ := strings.Cut(line, " ⇒ ")
		f.Add(filter, "Running", len(filter))
	}
	f.Add("J=web or -l app= app=JJJ(JJJ", "ns", 0)
	f.Add("/(^^^^^^^^0})a{90+0/", "nu", 92)
	all := pods(f)
	values := podValues(all)
	f.Fuzz(func(t *testing.T, text, value string, cursor int) {
		for _, s := range Complete(text, cursor, podSchema, values) {
			if s.From < 0 || s.From > s.To || s.To > len(text) {
				t.Fatalf("%q at %d: %+v", text, cursor, s)
			}
		}
		inForce(t, value, text)
		filter, err := Parse(text)
		if !inside(err, text) {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			if got := Include(text, "ns", value); got != text {
				t.Fatalf("%q became %q", text, got)
			}
			return
		}
		again, err := Parse(filter.String())
		if err != nil || !reflect.DeepEqual(plainly(again), plainly(filter)) {
			t.Fatalf("%q is %q, which is another: %v", text, filter.String(), err)
		}
		m, err := Bind(filter, podSchema)
		if !inside(err, text) {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil {
			sameRows(t, m, again, all)
		}
		clicked(t, filter, text, value)
	})
}

// inForce holds that what applies is always a filter that is understood, and that the
// parts of a text have all of it but the spaces between.
func inForce(t *testing.T, before, text string) {
	f, as, err := InForce(before, text, bindable)
	if again, wrong := understood(as, bindable); wrong != nil || again.String() != f.String() {
		t.Fatalf("%q behind %q: %q is in force, which is %q: %v", text, before, as, again, wrong)
	}
	if !inside(err, text) {
		t.Fatalf("%q: %v", text, err)
	}
	if m := Meanwhile(as, text); m != as && len(m) > len(text) {
		t.Fatalf("%q: meanwhile %q", text, m)
	}
	end := 0
	for _, part := range parts(text) {
		if part.from < end || part.to <= part.from || strings.Trim(text[end:part.from], " \t\r\n") != "" {
			t.Fatalf("%q: %v", text, parts(text))
		}
		end = part.to
	}
	if strings.Trim(text[end:], " \t\r\n") != "" {
		t.Fatalf("%q: %v", text, parts(text))
	}
}

// inside reports whether an error, if it is one, stands in the text.
func inside(err error, text string) bool {
	var e *Error
	return err == nil || errors.As(err, &e) && e.From >= 0 && e.From <= e.To && e.To <= len(text) && e.Message != ""
}

func sameRows(t *testing.T, m *Matcher, again Filter, all []*pod) {
	other, err := Bind(again, podSchema)
	if err != nil {
		t.Fatalf("%q: %v", again, err)
	}
	for _, p := range all {
		matches := m.Match(p, now)
		if but, _ := m.MatchBut(p, now); but != matches || other.Match(p, now) != matches {
			t.Fatalf("%q on %s: %v", again, p.id, matches)
		}
	}
}

func clicked(t *testing.T, filter Filter, text, value string) {
	rest := filter.restOf("ns")
	included := Include(text, "ns", value)
	excluded := Exclude(text, "ns", value)
	for _, text := range []string{included, excluded, Clear(included, "ns", value), Clear(excluded, "ns", value)} {
		if got, err := Parse(text); err != nil || !slices.EqualFunc(got.restOf("ns"), rest, func(a, b node) bool { return reflect.DeepEqual(a, b) }) {
			t.Fatalf("%q became %q: %v", filter, text, err)
		}
	}
	if in, out := mustParse(t, included).Facet("ns"); !hasFold(in, value) || hasFold(out, value) {
		t.Fatalf("%q does not choose %q", included, value)
	}
	if in, out := mustParse(t, excluded).Facet("ns"); hasFold(in, value) || !hasFold(out, value) {
		t.Fatalf("%q does not leave %q out", excluded, value)
	}
}
