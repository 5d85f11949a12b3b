package log

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"watchglass/internal/detail/log/line"
	"watchglass/internal/query"
)

// shownOf writes lines and returns what a view shows of them.
func shownOf(t *testing.T, q Query, open int, lines ...string) (v *View, rows []Row) {
	t.Helper()
	s := NewStore(Default)
	a := s.NewSource("web-1", "main")
	a.Open(start, false)
	for _, text := range lines {
		a.Write([]byte(stamped(start, text)))
	}
	s.Merge(start)
	v = NewView(s)
	v.Ask(q)
	v.Step(1 << 20)
	if open >= 0 {
		v.Expand([]uint64{s.at(uint64(open)).id()})
	}
	_, n, _ := v.Count()
	return v, v.Window(0, n)
}

// TestShape shows lines as message and fields.
func TestShape(t *testing.T) {
	for text, want := range map[string]string{
		`{"level":"warn","ts":1,"msg":"slow \u001b[1mquery\u001b[0m","rows":12,"sql":"select 1","none":"","at":{"b":1}}`: `slow <query>< rows=12 sql="select 1" none="" at={"b":1}>`,
		"\x1b[33mWARN\x1b[0m \x1b[31mred\x1b[0m text a=b":                                                                "<red> text< a=b>",
		"\x1b[31mred\x1b[0m plain": "<red> plain",
		"plain":                    "plain",
		"{}":                       "{}",
		`{"msg":"` + strings.Repeat("é", 150) + `","a":"` + strings.Repeat("é", 150) + `"}`: strings.Repeat("é", 150) + "< a=" + strings.Repeat("é", 100) + "…>",
		"2026-11-22 02:47:17 INFO": "2026-11-22 02:47:17 INFO",
		`"GET /x HTTP/1.1" 200 5`:  `"GET /x HTTP/1.1" 200 5`,
	} {
		_, rows := shownOf(t, Query{}, -1, text)
		got := ""
		for _, s := range rows[0].Spans {
			if s.Style != 0 {
				s.Text = "<" + s.Text + ">"
			}
			got += s.Text
		}
		if got != want {
			t.Errorf("%q shows as %q, want %q", text, got, want)
		}
		if _, raw := shownOf(t, Query{Raw: true}, -1, text); raw[0].Text() != plainText(text) {
			t.Errorf("%q shows as %q", text, raw[0].Text())
		}
	}
}

// TestExpand expands a line and what is folded under it, and folds them again.
func TestExpand(t *testing.T) {
	lines := []string{`{"level":"error","msg":"x","user":{"name":"ana"},"stack":"a\n\tb"}`, "\tat one", "\tat two", "next"}
	v, rows := shownOf(t, Query{}, 0, lines...)
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprint(r.Kind, r.Folded, r.Opens, r.Open, r.Position, " ", r.Text()))
	}
	want := []string{
		`0 2 true true 0 x user={"name":"ana"} stack="a\n\tb"`,
		"1 0 true true 0   user", "1 0 true true 0     name: ana", "1 0 true true 0   stack: a", "1 0 true true 0         b",
		"2 0 true true 1         at one", "2 0 true true 2         at two", "0 0 false false 3 next",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if rows[0].Level != line.Error || v.Levels() != [line.Levels]int{line.Error: 1, line.None: 1} {
		t.Error(rows[0].Level, v.Levels())
	}
	v.Expand(nil)
	if lines, n, _ := v.Count(); lines != 4 || n != 2 {
		t.Errorf("%d rows of %d lines", n, lines)
	}
	if v.Ask(Query{Search: ask(t, "two", false)}); v.Step(1<<20) || v.Hits() != 1 {
		t.Errorf("%d hits", v.Hits())
	}
	if _, at := v.Seek(9, false); at != 0 {
		t.Errorf("it is found at %d", at)
	}
}

// TestWithin shows a trace as a whole, because of its first line, or of that with another.
func TestWithin(t *testing.T) {
	lines := []string{"ERROR one", "\tat disk", "ERROR two", "\tat net", "plain"}
	for filter, want := range map[string]string{"disk": "ERROR one", "two": "ERROR two", "level:error !two": "ERROR one", "level:error": "ERROR one,ERROR two", "one net": "", "!ERROR": "plain", "pod:web-1 container:main plain": "plain"} {
		v, rows := shownOf(t, Query{Filter: filterOf(t, filter)}, -1, lines...)
		var got []string
		for _, r := range rows {
			got = append(got, lines[r.Position])
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s: %q, want %q", filter, got, want)
		}
		file, _ := v.Save(Export{}).Next(nil, 1<<20)
		for i, text := range lines[:2] {
			if saved := strings.Contains(string(file), text); saved != strings.Contains(want, "one") {
				t.Errorf("%s: line %d is saved: %t", filter, i, saved)
			}
		}
	}
}

// TestFields counts fields and values.
func TestFields(t *testing.T) {
	v, _ := shownOf(t, Query{}, -1, `{"level":"error","msg":"x","user":{"name":"ana"},"status":500}`, "INFO y status=200", "INFO z status=200")
	for field, want := range map[string][]query.ValueCount{
		"":          {{Text: "status", Count: 3}, {Text: "user", Count: 1}, {Text: "user.name", Count: 1}},
		"status":    {{Text: "200", Count: 2}, {Text: "500", Count: 1}},
		"level":     {{Text: "info", Count: 2}, {Text: "error", Count: 1}},
		"user.name": {{Text: "ana", Count: 1}},
		"none":      nil,
	} {
		if got := v.Fields(field); !reflect.DeepEqual(got.All, want) || got.Lines != 3 {
			t.Errorf("%s: %+v, want %+v", field, got, want)
		}
	}
}

// TestParseFilter applies the rest of a filter while a part of it is wrong.
func TestParseFilter(t *testing.T) {
	f, as, wrong := ParseFilter("", "level>=warn status>x")
	if f == nil || as != "level>=warn" || wrong == nil || wrong.From != 19 {
		t.Errorf("%v %q %+v", f, as, wrong)
	}
	if f, as, wrong := ParseFilter("", ""); f != nil || as != "" || wrong != nil {
		t.Errorf("%v %q %+v", f, as, wrong)
	}
	if _, as, wrong := ParseFilter("user:ana", `user:ana "back`); as != "user:ana" || wrong != nil {
		t.Errorf("%q %+v", as, wrong)
	}
}
