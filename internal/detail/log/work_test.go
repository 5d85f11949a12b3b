package log

import (
	"strings"
	"testing"

	"watchglass/internal/query"
)

// stepsOf returns in how many steps a view looks at 2 MB of lines, each of a text again and again.
func stepsOf(t *testing.T, unit, filter string) (steps int) {
	t.Helper()
	s := NewStore(Default)
	source := s.NewSource("shop", "web")
	source.Open(start, false)
	for range 128 {
		source.Write([]byte(stamped(start, strings.Repeat(unit, (longest-64)/len(unit)))))
	}
	s.Merge(start)
	v := NewView(s)
	v.Ask(Query{Filter: filterOf(t, filter), Columns: 100})
	for more := true; more; steps++ {
		more = v.Step(1 << 20)
	}
	if v.looked != 128 {
		t.Fatalf("it looked at %d lines", v.looked)
	}
	return steps
}

// TestStepWork checks that lines that take more work to read take more steps.
func TestStepWork(t *testing.T) {
	plain := stepsOf(t, "plain text ", "")
	for _, unit := range []string{` x=["`, ` x=[{`} {
		if steps := stepsOf(t, unit, "field:value"); steps < 2*plain {
			t.Errorf("%q is read in %d steps, plain text in %d", unit, steps, plain)
		}
	}
}

// TestSaveWork checks that a file whose lines are rarely shown comes in pieces, of which none takes much work.
func TestSaveWork(t *testing.T) {
	s := NewStore(Default)
	source := s.NewSource("shop", "web")
	source.Open(start, false)
	for i := range 2000 {
		text := "a=b\n"
		if i%1000 == 999 {
			text = "a=c\n"
		}
		source.Write([]byte(stamped(start, strings.Repeat("x=1 ", 20)+strings.TrimSpace(text))))
	}
	s.Merge(start)
	v := NewView(s)
	v.Ask(Query{Filter: filterOf(t, "a:c")}) // no line was looked at yet
	file, more, pieces := []byte(nil), true, 0
	save := v.Save(Export{})
	for ; more; pieces++ {
		file, more = save.Next(file, 10_000)
	}
	if strings.Count(string(file), "\n") != 2 || pieces < 5 {
		t.Errorf("%d pieces: %s", pieces, file)
	}
	text, whole := v.Lines(0, s.End(), Export{}, 10_000)
	if string(text) != string(file) || !whole {
		t.Errorf("whole %t: %s", whole, text)
	}
}

// TestMostFrequent checks the order, in which equal counts are by name.
func TestMostFrequent(t *testing.T) {
	all := []query.ValueCount{{Text: "d", Count: 1}, {Text: "b", Count: 3}, {Text: "c", Count: 1}, {Text: "a", Count: 3}, {Text: "e", Count: 2}}
	var got strings.Builder
	for _, c := range mostFrequent(all, 4) {
		got.WriteString(c.Text)
	}
	if got.String() != "abec" {
		t.Error(got.String())
	}
}
