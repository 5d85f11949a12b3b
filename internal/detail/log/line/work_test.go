package line

import (
	"strings"
	"testing"
)

// TestUnclosed checks that a line that opens brackets and quotes again and again, and closes none, is shown as it
// is, and is not read to its end for each of them.
func TestUnclosed(t *testing.T) {
	const longest = 16 << 10
	for _, unit := range []string{` x=["`, ` x=[`, ` x=[{`, ` x={"`, ` x="\"`, ` x=["]"`, ` x=["",`, ` @=["`} {
		for _, before := range []string{"", "x=1", "{", "2026-11-22T02:47:17Z ERROR failed"} {
			text := before + strings.Repeat(unit, longest/len(unit))
			var l Line
			l.Parse(text)
			if len(l.Fields) > 0 || !strings.HasSuffix(text, l.Message.Of(text)) || l.Message.Empty() {
				t.Errorf("%q of %q has %d fields, and the message %.20q", unit, before, len(l.Fields), l.Message.Of(text))
			}
			if level := l.Level; level != LevelOf(text) || (level == Error) != strings.Contains(before, "ERROR") {
				t.Errorf("%q of %q is %s", unit, before, level)
			}
			if l.Work() > 16*len(text) {
				t.Errorf("%q of %q: %d bytes are read of %d", unit, before, l.Work(), len(text))
			}
		}
	}
}

// TestManyClosed checks that a long line whose brackets and quotes close is read, however many there are.
func TestManyClosed(t *testing.T) {
	for _, unit := range []string{`x=["a"] `, `x="a b" `, `x={"a":1} `, `x=[a `, `x=1 y=[1,2] `} {
		text := strings.Repeat(unit, 4)
		if !strings.HasSuffix(unit, "[a ") { // which few of a line do not
			text = strings.Repeat(unit, 1000)
		}
		var l Line
		l.Parse(text)
		if want := strings.Count(text, "="); len(l.Fields) != want && !strings.HasSuffix(unit, "[a ") {
			t.Errorf("%q has %d fields, not %d", unit, len(l.Fields), want)
		} else if len(l.Fields) < 4 {
			t.Errorf("%q has %d fields", unit, len(l.Fields))
		}
	}
}
