package yaml

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// style is how a text is written.
type style byte

const (
	plain style = iota
	single
	double
	literal
)

// traits decide the style of a text.
type traits struct {
	breaks    bool // it has line breaks
	newline   bool // one of them is \n
	indicator bool // it looks like other YAML syntax
	special   bool // it has characters to escape, or spaces before a break
	afterward bool // a space follows a break
	edge      bool // it begins or ends with a space or a break
	trailing  bool // it ends with a space
}

// inert are the characters that decide nothing, wherever they stand within a text.
var inert = func() (table [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		table[c] = c != ':' && c != '#'
	}
	return table
}()

// traitsOf returns the traits of a text. Almost all of its characters are inert: the loop looks
// at the others.
func traitsOf(s []byte) (t traits) {
	if len(s) == 0 {
		return t
	}
	t.indicator = begins(s)
	t.trailing = s[len(s)-1] == ' '
	t.edge = t.trailing || s[0] == ' '
	for i := 0; ; {
		for i < len(s) && inert[s[i]] {
			i++
		}
		if i == len(s) {
			return t
		}
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(s[i:])
		}
		behind := i + size
		switch {
		case r == ':':
			t.indicator = t.indicator || behind == len(s) || s[behind] == ' ' || s[behind] == '\t'
		case r == '#':
			before, _ := utf8.DecodeLastRune(s[:i])
			t.indicator = t.indicator || i == 0 || before == ' ' || before == '\t' || before == 0 || isBreak(before)
		case isBreak(r):
			t.breaks = true
			t.newline = t.newline || r == '\n'
			t.edge = t.edge || i == 0 || behind == len(s)
			t.special = t.special || i > 0 && s[i-1] == ' '
			t.afterward = t.afterward || behind < len(s) && s[behind] == ' '
		}
		t.special = t.special || !printable(r)
		i = behind
	}
}

// begins reports whether a text begins like other YAML syntax.
func begins(s []byte) bool {
	switch s[0] {
	case '[', ']', '{', '}', ',', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return true
	case '?', '-':
		return len(s) == 1 || s[1] == ' ' || s[1] == '\t' || bytes.HasPrefix(s, []byte("---"))
	}
	return bytes.HasPrefix(s, []byte("..."))
}

// isBreak reports whether a rune breaks a line, in YAML 1.1.
func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// printable reports whether a rune needs no escape.
func printable(r rune) bool {
	switch {
	case r < 0x7f:
		return r >= ' ' || r == '\n'
	case r < 0xa0, r > 0xffff:
		return false
	}
	return r != 0xfeff && r != 0xfffe && r != 0xffff
}

// maxSimpleKey is the length of the longest key without a question mark.
const maxSimpleKey = 128

// styleOf chooses the style of a text. A simple key stands on one line with its value.
func styleOf(s []byte, t traits, simpleKey bool) style {
	wanted := plain
	switch {
	case t.newline:
		wanted = literal
	case !isText(s):
		wanted = double
	}
	switch {
	case simpleKey && t.breaks:
		return double
	case wanted == literal && (t.trailing || t.special || simpleKey):
		return double
	case wanted != plain:
		return wanted
	case len(s) > 0 && (t.edge || t.afterward || t.special || t.breaks || t.indicator):
		if t.afterward || t.special {
			return double
		}
		return single
	}
	return plain
}

// words are the texts that mean null, a boolean, infinity or NaN.
var words = func() map[string]bool {
	all := make(map[string]bool)
	for _, word := range []string{
		"", "~", "null", "Null", "NULL", "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON",
		"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF",
		".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF",
	} {
		all[word] = true
	}
	return all
}()

// longestWord is the length of the longest of them.
const longestWord = 5

// isText reports whether YAML reads an unquoted text as a string.
func isText(s []byte) bool {
	if len(s) <= longestWord && words[string(s)] {
		return false
	}
	c := s[0]
	if c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') || slices.ContainsFunc(s, notNumeric) {
		return true
	}
	text := string(s)
	if c == '.' {
		_, err := strconv.ParseFloat(text, 64)
		return err != nil
	}
	return !isTime(text) && !isNumber(text) && !sexagesimal().MatchString(text)
}

// notNumeric reports whether a byte occurs in no number and no time.
func notNumeric(c byte) bool {
	switch {
	case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		return false
	}
	return strings.IndexByte("+-._:,xXoOtTZ ", c) < 0
}

// sexagesimal is the form of YAML 1.1's numbers to base 60.
var sexagesimal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)
})

// times are the forms of a time.
var times = []string{"2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999", "2006-1-2"}

// isTime reports whether a text is a time, whose year has four digits.
func isTime(text string) bool {
	if len(text) < 5 || text[4] != '-' {
		return false
	}
	for _, c := range []byte(text[:4]) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return slices.ContainsFunc(times, func(form string) bool {
		_, err := time.Parse(form, text)
		return err == nil
	})
}

// decimal is the form of a number with a fraction or an exponent.
var decimal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
})

// isNumber reports whether a text is a number of any base, with underscores or without.
func isNumber(text string) bool {
	text = strings.ReplaceAll(text, "_", "")
	if isWhole(text, 0) {
		return true
	}
	if decimal().MatchString(text) {
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			return true
		}
	}
	if digits, ok := strings.CutPrefix(text, "0b"); ok { // even after a second sign
		return isWhole(digits, 2)
	}
	if digits, ok := strings.CutPrefix(text, "-0b"); ok {
		_, err := strconv.ParseInt("-"+digits, 2, 64)
		return err == nil
	}
	return false
}

func isWhole(text string, base int) bool {
	_, err := strconv.ParseInt(text, base, 64)
	if err != nil {
		_, err = strconv.ParseUint(text, base, 64)
	}
	return err == nil
}

// appendNumber appends a JSON number like kubectl, which converts it more than once: a float
// that JSON prints without a point and an exponent becomes an integer. ok is false if the number
// is too large for any type.
func appendNumber(dst, token []byte) (out []byte, ok bool) {
	text := string(token)
	if bytes.IndexByte(token, '.') < 0 {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return strconv.AppendInt(dst, n, 10), true
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return dst, false
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		text := strconv.FormatFloat(f, 'f', -1, 64)
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return strconv.AppendInt(dst, n, 10), true
		}
		if isWhole(text, 10) {
			return append(dst, text...), true
		}
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64), true
}
