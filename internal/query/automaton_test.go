package query

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// expression writes a random regular expression.
func (a author) expression(depth int) string {
	if depth == 0 || a.IntN(4) == 0 {
		return pick(a, "a", "b", "ab", "-", "1", "K", "é", ".", `\d`, `\s`, `\S`, `\w`, `\W`, `[ab]`, `[^a]`, `[^\s]`, "^", "$", `\b`, `\B`, `\A`, `\z`, `(?-i:A)`, `\pL`, " ", "")
	}
	one := a.expression(depth - 1)
	switch a.IntN(6) {
	case 0:
		return "(" + one + "|" + a.expression(depth-1) + ")"
	case 1:
		return "(?:" + one + ")" + pick(a, "*", "+", "?", "{2}", "{1,2}", "*?")
	default:
		return one + a.expression(depth-1)
	}
}

// TestAutomaton holds expressions to Go's regexp. In a row each cell is like a
// line, that dots and spaces pass.
func TestAutomaton(t *testing.T) {
	r := author{rand.New(rand.NewPCG(1, 3)), t}
	matched, all := 0, 0
	for range 3000 {
		source := r.expression(4)
		if checkExpression(source, span{}) != nil {
			continue
		}
		field, row := fieldExpression(source), rowExpression(source, false)
		oracle := regexp.MustCompile("(?ims)" + strings.ReplaceAll(source, " ", `[ \n]`))
		for range 20 {
			var b strings.Builder
			for range r.IntN(9) {
				b.WriteString(pick(r, "a", "b", "A", "B", "1", "-", " ", "k", "K", "é", "É", "日", "Ω", "ω", "\n", "\n"))
			}
			text := b.String()
			want := oracle.MatchString(text)
			if got := row(strings.ReplaceAll(text, "\n", "\x1f")); got != want {
				t.Fatalf("%q in the row %q: %v", source, text, got)
			}
			text = strings.ReplaceAll(text, "\n", "")
			if got, want := field(text), oracle.MatchString(text); got != want {
				t.Fatalf("%q in %q: %v", source, text, got)
			}
			if all++; want {
				matched++
			}
		}
	}
	if matched < all/10 || matched > all*9/10 {
		t.Errorf("%d of %d match", matched, all)
	}
}

// TestAutomatonStates holds that an expression with more states than are kept is
// still right, and keeps no more.
func TestAutomatonStates(t *testing.T) {
	const source = "a[ab]{12}b"
	_, prog := compile(source)
	a, oracle := newAutomaton(prog, 0), regexp.MustCompile(source)
	r := rand.New(rand.NewPCG(1, 4))
	for range 300 {
		text := make([]byte, 200)
		for i := range text {
			text[i] = "ab"[r.IntN(2)]
		}
		for from := 0; from < len(text); from += 17 {
			if part := string(text[from:min(from+15, len(text))]); a.in(part) != oracle.MatchString(part) {
				t.Fatal(part)
			}
		}
		if len(a.states) > mostStates {
			t.Fatal(len(a.states))
		}
	}
}

// TestWide checks that an expression that has seen letters beyond ASCII computes nothing for further ones: a log
// may be in any language.
func TestWide(t *testing.T) {
	text := ""
	for r := rune(0x4e00); r < 0x5200; r++ {
		text += string(r)
	}
	for _, source := range []string{`[0-9]{2,}x`, `(é|日)+x`, `\pL+[0-9]`, `[^x]{3}y|.z`} {
		line, err := ParseLine(source, true)
		if err != nil {
			t.Fatal(err)
		}
		text := "x y z " + text
		if n := testing.AllocsPerRun(3, func() { line.In(text) }); n > 0 {
			t.Errorf("%s: %v allocations for 1,024 letters", source, n)
		}
	}
}
