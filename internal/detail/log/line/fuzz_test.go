package line

import (
	"strings"
	"testing"
)

// FuzzLine checks that no line, whatever is in it, is read beyond its ends, and that both ways to
// its level agree.
func FuzzLine(f *testing.F) {
	for _, c := range formats {
		f.Add(c.text)
	}
	for _, trace := range traces {
		f.Add(trace)
	}
	for _, text := range []string{
		"\x1b[32mINFO\x1b[0m {\"level\":\"info\"}", "\xff\xfe{\"level\":\xff", `{"a":"\ud83d\ude00\ud83d","b":"\u12"}`, "{\"level\":\"error\\", `{"":""}`, "= = =", "a=\"", "[", "[[[[", "<", "<999>", "<19",
		strings.Repeat("[", 500), strings.Repeat(`{"a":`, 500), strings.Repeat("a=1 ", 500), strings.Repeat("{", 500) + "}", strings.Repeat(`\`, 99), "I1122 ", "I, [", "1:M ", "Nov", "2026-11-22", "2026-11-22T02:47:17", `" HTTP/1.1" 200`,
		"ERROR", "[error", "<info", "x\tinfo\t", "level=", "2026-11-22 02:47:17 - ",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var l Line
		l.Parse(text)
		if level := LevelOf(text); level != l.Level {
			t.Errorf("%q is %s, and then %s", text, level, l.Level)
		}
		inside := func(what string, p Part) {
			if p.From < 0 || p.From > p.To || p.To > len(text) {
				t.Fatalf("%q: %s is at %v", text, what, p)
			}
		}
		inside("the time", l.Time)
		inside("the message", l.Message)
		for _, f := range l.Fields {
			inside("a key", f.Key)
			inside("a value", f.Value)
			if f.NameOf(text) == "" && f.Kind == 0 && f.Value.Empty() {
				t.Errorf("%q: a field has no name", text)
			}
			l.Lookup(text, f.NameOf(text))
		}
		l.Lookup(text, "a.b.c")
		_ = l.Text(text)
		for _, m := range l.Tree(text) {
			if m.Depth > deepestShown {
				t.Errorf("%q is shown %d deep", text, m.Depth)
			}
		}
		var trace Trace
		for part := range strings.SplitSeq(text, "\n") {
			trace.Next(part)
		}
	})
}
