package history

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// checkScript checks that a script leads from one text to another, and back, however often its differ was
// used.
func checkScript(t *testing.T, d *differ, a, b []byte) (size int) {
	t.Helper()
	both, one := d.append(nil, a, b, true), d.append([]byte("x"), a, b, false)[1:]
	if got, ok := apply(slices.Clone(a), both, true); !ok || !bytes.Equal(got, b) {
		t.Fatalf("forward: %q → %q: %q, %v", a, b, got, ok)
	}
	if got, ok := apply(slices.Clone(b), both, false); !ok || !bytes.Equal(got, a) {
		t.Fatalf("back: %q ← %q: %q, %v", a, b, got, ok)
	}
	if got, ok := patch([]byte("x"), a, one); !ok || !bytes.Equal(got[1:], b) {
		t.Fatalf("one way: %q → %q: %q, %v", a, b, got, ok)
	}
	checkKept(t, one, a, b)
	if len(both) > len(a)+len(b)+16 || len(one) > len(b)+16 {
		t.Fatalf("%d and %d bytes for %d and %d", len(both), len(one), len(a), len(b))
	}
	return len(one)
}

// checkKept checks that parts of a text which a delta is said to keep are where they are said to be.
func checkKept(t *testing.T, delta, a, b []byte) {
	t.Helper()
	for from := 0; from <= len(a); from += 1 + len(a)/16 {
		for to := from; to <= len(a); to += 1 + len(a)/8 {
			if nowFrom, nowTo, ok := Kept(delta, from, to); ok && (nowFrom < 0 || nowTo > len(b) || !bytes.Equal(a[from:to], b[nowFrom:nowTo])) {
				t.Fatalf("%q → %q keeps %d to %d at %d to %d", a, b, from, to, nowFrom, nowTo)
			}
		}
	}
}

// TestKept checks that a part is kept if places before and behind it change, and not if the delta touches it or what is
// directly beside it.
func TestKept(t *testing.T) {
	a := []byte("0123456789abcdefghij the part ABCDEFGHIJKLMNOPQRST")
	from := bytes.Index(a, []byte("the part"))
	to := from + len("the part")
	for name, c := range map[string]struct {
		b    string
		kept bool
	}{
		"nothing changes":            {string(a), true},
		"both sides change":          {"0123x456789abcdefghij the part ABCDEFGHIJKyMNOPQRST", true},
		"before it something is cut": {"0123789abcdefghij the part ABCDEFGHIJKLMNOPQRST", true},
		"it changes":                 {"0123456789abcdefghij the Part ABCDEFGHIJKLMNOPQRST", false},
		"something precedes it":      {"0123456789abcdefghij xthe part ABCDEFGHIJKLMNOPQRST", false},
		"something follows it":       {"0123456789abcdefghij the partx ABCDEFGHIJKLMNOPQRST", false},
		"it is gone":                 {"0123456789abcdefghij  ABCDEFGHIJKLMNOPQRST", false},
	} {
		delta := new(differ).append(nil, a, []byte(c.b), false)
		nowFrom, nowTo, kept := Kept(delta, from, to)
		if kept != c.kept || kept && c.b[nowFrom:nowTo] != "the part" {
			t.Errorf("%s: kept %v, %d to %d", name, kept, nowFrom, nowTo)
		}
	}
}

// TestDelta checks that texts which are alike have short scripts: of one that has grown in the middle,
// of one with the parts of another, and of one that is too long to be searched.
func TestDelta(t *testing.T) {
	d := new(differ)
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	text := random(4000)
	long := bytes.Repeat(random(999), 1<<11)
	for name, c := range map[string]struct {
		a, b []byte
		most int
	}{
		"same":        {text, text, 0},
		"nothing":     {nil, nil, 0},
		"from none":   {nil, text, 4005},
		"to none":     {text, nil, 5},
		"one byte":    {text, slices.Concat(text[:50], []byte{text[50] + 1}, text[51:]), 5},
		"inserted":    {text, slices.Concat(text[:2000], random(300), text[2000:]), 310},
		"removed":     {text, slices.Concat(text[:2000], text[2300:]), 10},
		"both":        {text, slices.Concat(text[:500], random(100), text[500:3000], text[3200:]), 120},
		"replaced":    {text, slices.Concat(text[:1000], random(100), text[1200:]), 110},
		"long":        {long, slices.Concat(long[:100], random(10), long[100:]), 20},
		"repeating":   {[]byte(strings.Repeat("ab", 2000)), []byte(strings.Repeat("ab", 1000) + "x" + strings.Repeat("ab", 1000)), 10},
		"other texts": {text, random(4000), 4010},
	} {
		if size := checkScript(t, d, c.a, c.b); size > c.most {
			t.Errorf("%s: %d bytes", name, size)
		}
	}
}

// FuzzDelta checks scripts of any two texts.
func FuzzDelta(f *testing.F) {
	f.Add([]byte("some text that goes on for a while"), []byte("some more text that goes on for a while"))
	f.Add([]byte{}, []byte{0})
	f.Add(bytes.Repeat([]byte{0}, 100), bytes.Repeat([]byte{0}, 90))
	d := new(differ)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		checkScript(t, d, a, b)
		checkScript(t, d, slices.Concat(a, b, a), slices.Concat(b, a))
	})
}

// FuzzScript checks that what is no script does no harm.
func FuzzScript(f *testing.F) {
	f.Add([]byte("some text"), []byte{1, 2, 3, 4, 5})
	f.Add([]byte("some text"), []byte{0xff, 0xff, 0xff, 0xff, 0x7f, 3, 0xff})
	f.Fuzz(func(t *testing.T, text, script []byte) {
		for _, forward := range []bool{true, false} {
			if got, _ := apply(slices.Clone(text), script, forward); len(got) > len(text)+len(script) {
				t.Errorf("%d bytes of %d and %d", len(got), len(text), len(script))
			}
		}
		if got, _ := patch(nil, text, script); len(got) > len(text)+len(script) {
			t.Errorf("%d bytes of %d and %d", len(got), len(text), len(script))
		}
		if got, ok := patch(nil, text, script); ok {
			checkKept(t, script, text, got)
		}
	})
}
