package log

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// got is a line as a splitter hands it on.
type got struct {
	time int64
	text string
	end  ending
}

// split splits a text in chunks of random sizes, or in one.
func split(text string, r *rand.Rand) (all []got) {
	s := &splitter{}
	to := func(time int64, line []byte, e ending) { all = append(all, got{time, string(line), e}) }
	for b := []byte(text); len(b) > 0; {
		n := len(b)
		if r != nil {
			n = min(1+r.IntN([]int{2, 30, 20_000, 100_000}[r.IntN(4)]), n)
		}
		chunk := slices.Clone(b[:n])
		s.write(chunk, to)
		clear(chunk) // it is the caller's
		b = b[n:]
	}
	s.flush(to)
	return all
}

func TestSplit(t *testing.T) {
	at := time.Date(2026, 11, 22, 2, 47, 17, 123456789, time.UTC)
	stamp := "2026-11-22T02:47:17.123456789Z "
	for text, want := range map[string][]got{
		"a\nb\r\nc":                               {{0, "a", newline}, {0, "b", crlf}, {0, "c", open}},
		stamp + "10%\r20%\r\n":                    {{at.UnixNano(), "10%", returned}, {at.UnixNano(), "20%", crlf}},
		stamp + "\n" + stamp + "x\n":              {{at.UnixNano(), "", newline}, {at.UnixNano(), "x", newline}},
		"2026-11-22T04:47:17.123456789+02:00 y\n": {{at.UnixNano(), "y", newline}},
		"\n\n":    {{0, "", newline}, {0, "", newline}},
		"a\r\r\n": {{0, "a", returned}, {0, "", crlf}},
		stamp + strings.Repeat("x", longest) + "\n":   {{at.UnixNano(), strings.Repeat("x", longest), newline}},
		stamp + strings.Repeat("x", longest) + "yz\n": {{at.UnixNano(), strings.Repeat("x", longest), cut}, {at.UnixNano(), "yz", newline}},
		strings.Repeat("x", longest-1) + "日\n":        {{0, strings.Repeat("x", longest-1), cut}, {0, "日", newline}},
	} {
		for seed := range uint64(20) {
			if got := split(text, rand.New(rand.NewPCG(seed, 1))); !slices.Equal(got, want) {
				t.Errorf("%.40q:\n%.200q, want\n%.200q", text, fmt.Sprint(got), fmt.Sprint(want))
			}
		}
	}
}

// FuzzSplit holds that chunks do not matter, and that lines with what ended them are
// the text.
func FuzzSplit(f *testing.F) {
	f.Add("2026-11-22T02:47:17.1Z a\r\nb\rc\n", uint64(1), 0)
	f.Add("x\ny", uint64(2), 40_000)
	f.Fuzz(func(t *testing.T, text string, seed uint64, pad int) {
		if pad = pad % 70_000; pad > 0 {
			text += strings.Repeat("pad\xe6\x97\xa5", pad/6) + text
		}
		want := split(text, nil)
		if got := split(text, rand.New(rand.NewPCG(seed, 2))); !slices.Equal(got, want) {
			t.Fatalf("chunks matter: %.300q, want %.300q", fmt.Sprint(got), fmt.Sprint(want))
		}
		var all strings.Builder
		timed := false
		for _, l := range want {
			all.WriteString(l.text + endings[l.end])
			timed = timed || l.time != 0
			if len(l.text) > longest || utf8.ValidString(text) && !utf8.ValidString(l.text) {
				t.Fatalf("%.100q", l.text)
			}
		}
		if !timed && !strings.Contains(text, "1970") && all.String() != text {
			t.Fatalf("%q is not %q", all.String(), text)
		}
	})
}

// FuzzStamp holds times against those of the library.
func FuzzStamp(f *testing.F) {
	for _, s := range []string{"2026-02-28T23:59:59.999999999Z", "2024-02-29T00:00:00Z", "2026-11-22T04:47:17.1+02:00", "1970-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-22T04:47:60Z", "2000-01-01T00:00:00.AZ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' }) || len(s) >= longestStamp {
			return
		}
		want, err := time.Parse(time.RFC3339Nano, s)
		at, n := stampOf([]byte(s + " text"))
		if n == 0 {
			if err == nil && want.Year() >= 1970 && want.Year() < 2200 && want.Format(time.RFC3339Nano) == s {
				t.Fatalf("%q was not read", s)
			}
			return
		}
		if err != nil || at != want.UnixNano() || n != len(s)+1 {
			t.Fatalf("%q: %d, %d, want %d %v", s, at, n, want.UnixNano(), err)
		}
	})
}
