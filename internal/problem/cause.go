package problem

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"watchglass/internal/object"
)

// Cause is one thing that is wrong with one object.
type Cause struct {
	Reason   string // short, as Kubernetes names it: "OOMKilled"
	Severity object.Tone
	Words    string // what is wrong: "container api: OOMKilled (limit 512Mi), exit code 137, 14 restarts"
	Brief    string // the part of Words that many pods share: "OOMKilled (limit 512Mi)"; "" is Words
	Evidence string // the field or event that says so
	Since    int64  // unix seconds

	// From and Until limit when it holds, in unix seconds; 0 is no limit.
	From, Until int64

	Tab       string // where to read on: a tab of the object's drawer
	Container string // whose logs explain it

	// Effect says that it follows from something else: it is left out while the pods of the same
	// owner have causes of their own, or cannot be created.
	Effect bool
	// Shortage is an Effect for which unready pods account even before they have causes.
	Shortage bool
	// Retried says that it is over once the owner has succeeded later: a failed job of a schedule.
	Retried bool

	// undated says that the object does not say since when, so that it counts from when it was
	// first seen. It holds from then on if it is final, else only after mayLack.
	undated, final bool
	// routine says that it begins unless its object changes again, as it does all the time.
	routine bool
	// moving says that it holds for a moment after each change, so that one that is not dated has to
	// last for a while here.
	moving bool
	// onNode is the node from which it follows if that is not ready; "" if it follows from none.
	onNode string
	// hint says that it is no row of its own, but says more about a failed Job.
	hint bool
	// over says that the object has ended: it explains nothing that is wrong with others.
	over bool
}

// holds reports whether the cause holds at a time, in unix seconds.
func (c *Cause) holds(now int64) bool {
	return (c.From == 0 || c.From <= now) && (c.Until == 0 || now < c.Until)
}

// mostGrace is the longest time that an object is given to become well, in seconds.
const mostGrace = 10 * 60

// waits reports whether the cause does not hold yet, but soon will.
func (c *Cause) waits(now int64) bool {
	return c.From > now && c.From <= now+mostGrace && !c.routine
}

// next returns when the cause begins or ceases to hold after now; 0 is never.
func (c *Cause) next(now int64) int64 {
	switch {
	case c.From > now:
		return c.From
	case c.Until > now:
		return c.Until
	}
	return 0
}

// brief returns the words for a group of objects.
func (c *Cause) brief() string {
	if c.Brief != "" {
		return c.Brief
	}
	return c.Words
}

// mostText is the longest text from the cluster that is shown, in bytes.
const mostText = 300

// clean returns a text for one line: cut to mostText bytes, without control characters.
func clean(s string) string {
	if isClean(s) {
		return s
	}
	if most := 4 * mostText; len(s) > most {
		s = s[:most]
	}
	return clip(strings.TrimSpace(strings.Map(printable, s)), mostText) // what is not UTF-8 is replaced, too
}

// clip cuts a text to a length in bytes, and says so once.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := max(most-len("…"), 0)
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRight(s[:n], " …:,") + "…"
}

// isClean reports whether a text is one that clean returns as it is, as nearly all are.
func isClean(s string) bool {
	if len(s) > mostText || s != "" && (s[0] == ' ' || s[len(s)-1] == ' ') {
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
