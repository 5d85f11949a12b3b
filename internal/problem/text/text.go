package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Most is the longest text from the cluster that is shown, in bytes.
const Most = 300

// Decimal prints a number.
func Decimal(n int64) string { return strconv.FormatInt(n, 10) }

// Count returns "1 restart" or "14 restarts".
func Count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Decimal(n) + " " + noun + "s"
}

// MostNames is how many names of a list are shown.
const MostNames = 3

// Names joins the first names of a list.
func Names(all []string) string {
	if more := len(all) - MostNames; more > 0 {
		return strings.Join(all[:MostNames], ", ") + " and " + Decimal(int64(more)) + " more"
	}
	return strings.Join(all, ", ")
}

// Join joins two texts, unless one is empty.
func Join(a, between, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}

// Reason returns a reason that can be part of an address.
func Reason(s string) string {
	if s = Clean(s); len(s) > 63 {
		s = s[:63]
	}
	out := []byte(s)
	for i, c := range out {
		if c <= ' ' || c == '/' || c == ':' || c >= 0x7f {
			out[i] = '-'
		}
	}
	return string(out)
}

// Listed reports whether a list of words, with a space around each, has a word.
func Listed(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// Clean returns a text for one line: cut to Most bytes, without control characters.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	if most := 4 * Most; len(s) > most {
		s = s[:most]
	}
	return Clip(strings.TrimSpace(strings.Map(printable, s)), Most) // what is not UTF-8 is replaced, too
}

// Clip cuts a text to a length in bytes, and says so once.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := max(most-len("…"), 0)
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRight(s[:n], " …:,") + "…"
}

// isClean reports whether a text is one that Clean returns as it is, as nearly all are.
func isClean(s string) bool {
	if len(s) > Most || s != "" && (s[0] == ' ' || s[len(s)-1] == ' ') {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// printable replaces line breaks with spaces, and drops characters that cannot be seen, such as those
// that change the direction of the text.
func printable(c rune) rune {
	switch {
	case c == '\n' || c == '\t' || c == '\r' || c == '\u2028' || c == '\u2029':
		return ' '
	case unicode.Is(unicode.Cf, c):
		return -1
	case unicode.IsControl(c):
		return unicode.ReplacementChar
	}
	return c
}
