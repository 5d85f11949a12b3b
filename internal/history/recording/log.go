package recording

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"watchglass/internal/history"
	"watchglass/internal/sorting"
)

// LogID returns the name by which a log is chosen.
func LogID(l history.Log) string {
	id := l.Namespace + "/" + l.Pod + "/" + l.Container
	if l.Previous {
		id += "/previous"
	}
	return id
}

// LogContents is what a file would have of a log, if it is chosen.
type LogContents struct {
	ID        string `json:"id"`
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Container string `json:"container"`
	Previous  bool   `json:"previous,omitempty"`
	Lines     int    `json:"lines"`
	// Outside is how many lines are left out because they are before or after the file's time.
	Outside int  `json:"outside,omitempty"`
	Chosen  bool `json:"chosen,omitempty"`
}

// addLogs adds the logs to the preview, in the order of their IDs.
func (p *Preview) addLogs(w *walk, c Choices) error {
	record, ok := w.record.(history.LogRecord)
	if !ok {
		return nil
	}
	for _, l := range record.Logs() {
		if slices.Contains(c.Namespaces, l.Namespace) {
			continue
		}
		text := w.within(l.Text)
		one := LogContents{ID: LogID(l), Namespace: l.Namespace, Pod: l.Pod, Container: l.Container, Previous: l.Previous, Lines: lineCount(text)}
		one.Outside, one.Chosen = lineCount(l.Text)-one.Lines, slices.Contains(c.Logs, one.ID)
		if one.Chosen {
			p.Bytes += len(text)
		}
		if p.Logs = append(p.Logs, one); w.pause() != nil {
			return w.pause()
		}
	}
	sorting.By(p.Logs, func(a, b LogContents) int { return strings.Compare(a.ID, b.ID) })
	return nil
}

func lineCount(text []byte) int { return bytes.Count(text, []byte{'\n'}) }

// within returns the part of a log that is in the file's time. Lines are in order of time. One without a time
// belongs to the line before it, and is left out if there is none.
func (w *walk) within(text []byte) []byte {
	begin, end, at := -1, len(text), 0
	for line := range bytes.Lines(text) {
		stamp, _ := cutStamp(line)
		if t, err := time.Parse(time.RFC3339Nano, string(stamp)); err == nil {
			if t.After(w.to) {
				end = at
				break
			}
			if begin < 0 && !t.Before(w.from) {
				begin = at
			}
		}
		at += len(line)
	}
	if begin < 0 {
		return nil
	}
	return text[begin:end]
}

// cutStamp cuts the time off a line. The stamp is empty if the line has none.
func cutStamp(line []byte) (stamp, rest []byte) {
	stamp, _, _ = bytes.Cut(line, []byte{' '})
	stamp = bytes.TrimSpace(stamp)
	if _, err := time.Parse(time.RFC3339Nano, string(stamp)); err != nil {
		return nil, line
	}
	return stamp, line[len(stamp):]
}

// logText redacts lines of a log, but for their times.
func (r *redactor) logText(text []byte) string {
	if r.hide == 0 && !r.HideValues {
		return string(text)
	}
	out := make([]byte, 0, len(text))
	for line := range bytes.Lines(text) {
		stamp, rest := cutStamp(line)
		out = append(append(out, stamp...), r.text(r.withoutValues(string(rest)), true)...)
	}
	return string(out)
}

const (
	// shortestValue is the fewest bytes of a value that is looked for: what is shorter is in every line.
	shortestValue = 3
	// shortestInside is the fewest bytes of a value that is replaced within longer words, too.
	shortestInside = 8
)

// commonValues are values that say nothing when a line has them.
var commonValues = []string{"true", "false", "null", "none", "trace", "debug", "info", "warn", "warning", "error", "fatal"}

// matching says how a value is looked for.
type matching uint8

const (
	asWritten  matching = 1 << iota // else only as JSON has it
	ofVariable                      // in any text, not only in messages and lines
)

// noteValue remembers a value that must not be in a line, and if it is a variable's, in no text. A line may also have one
// line of it, what that line sets, or the value as JSON writes it.
func (r *redactor) noteValue(value string, variable bool) {
	if !r.HideValues || !r.collect {
		return
	}
	how := asWritten
	if variable {
		how |= ofVariable
	}
	r.noteText(value, how)
	if strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			r.notePart(line, how)
			if at := strings.IndexAny(line, ":="); at >= 0 {
				r.notePart(line[at+1:], how)
			}
		}
	}
	if _, rest, ok := strings.Cut(value, "://"); ok { // a URL may have a password
		if user, _, ok := strings.Cut(rest, "@"); ok {
			_, password, _ := strings.Cut(user, ":")
			r.noteText(password, how)
		}
	}
}

// notePart remembers a part of a value, unless it is short: a file has many common words.
func (r *redactor) notePart(text string, how matching) {
	if text = strings.Trim(text, " \t\r\n\"',;"); len(text) >= shortestInside {
		r.noteText(text, how)
	}
}

func (r *redactor) noteText(text string, how matching) {
	text = strings.TrimSpace(text)
	if len(text) < shortestValue || r.values[text]|how == r.values[text] || slices.Contains(commonValues, strings.ToLower(text)) {
		return
	}
	r.values[text] |= how
	for _, doc := range []string{quoted(text, true), quoted(text, false)} {
		r.values[doc[1:len(doc)-1]] |= how &^ asWritten
	}
}

// quoted returns a text as JSON has it, with or without what protects a page from it.
func quoted(text string, forPages bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(forPages)
	_ = e.Encode(text) // texts never fail to encode
	return strings.TrimSuffix(b.String(), "\n")
}

// withoutValues replaces the values of variables and ConfigMaps in a line. The same value gets the same
// word as in the objects.
func (r *redactor) withoutValues(line string) string {
	line = r.withoutLongValues(line)
	if len(r.whole) == 0 {
		return line
	}
	var out []byte
	done := 0
	for i := 0; i < len(line); {
		if n := escape(line[i:]); n > 0 && r.whole[line[i+n:valueEnd(line, i+n)]] {
			i += n
		}
		end := valueEnd(line, i)
		if word := line[i:end]; r.whole[word] {
			out = append(append(append(out, line[done:i]...), "value-"...), r.word(word)...)
			done = end
		}
		i = max(end, i+1)
	}
	return string(append(out, line[done:]...))
}

// withoutLongValues replaces those that are found inside words, too.
func (r *redactor) withoutLongValues(text string) string {
	if r.collect || len(r.values) == 0 {
		return text
	}
	if r.inside == nil {
		r.prepareValues()
	}
	return r.inside.Replace(text)
}

// withoutVariables replaces the long values of variables. Shorter ones are in words, versions and numbers by chance.
func (r *redactor) withoutVariables(text string) string {
	if r.collect || len(r.values) == 0 || len(text) < shortestInside {
		return text
	}
	if r.long == nil {
		r.prepareValues()
	}
	return r.long.Replace(text)
}

// valueEnd returns where the letters and digits end that begin at a place.
func valueEnd(line string, i int) int {
	if n := strings.IndexFunc(line[i:], notOfValue); n >= 0 {
		return i + n
	}
	return len(line)
}

func notOfValue(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }

// escape returns the length of the escape sequence that a text begins with: of a terminal's colour, of a text in JSON, or of
// a URL. It is 0 if there is none. The letters of one are not of the word behind it.
func escape(text string) int {
	n := 0
	switch text[0] {
	case '\x1b':
		n = 1
		if strings.HasPrefix(text[1:], "[") {
			n += escape(text[1:])
		}
	case '[':
		if at := strings.IndexFunc(text[1:], func(c rune) bool { return c != ';' && (c < '0' || c > '9') }); at > 0 && text[1+at] == 'm' {
			n = at + 2
		}
	case '%':
		n = 3
	case '\\':
		switch {
		case len(text) > 1 && text[1] == 'u':
			n = 6
		case len(text) > 1 && text[1] == 'x':
			n = 4
		default:
			n = 2
		}
	}
	return min(n, len(text))
}

// prepareValues divides the values that were found into those that are replaced anywhere, the longest first,
// and those that are replaced as whole words.
func (r *redactor) prepareValues() {
	r.whole = make(map[string]bool)
	var inside []string
	for value := range r.values {
		if len(value) < shortestInside && strings.IndexFunc(value, notOfValue) < 0 {
			r.whole[value] = true
		} else {
			inside = append(inside, value)
		}
	}
	sorting.By(inside, func(a, b string) int { return len(b) - len(a) })
	var all, long []string
	for _, value := range inside {
		pair := []string{value, "value-" + r.word(value)}
		if all = append(all, pair...); r.values[value]&ofVariable != 0 && len(value) >= shortestInside {
			long = append(long, pair...)
		}
	}
	r.inside, r.long = strings.NewReplacer(all...), strings.NewReplacer(long...)
}

// missing returns the gaps of a log that are in the file's time.
func (w *walk) missing(gaps []history.Gap) (all []gap) {
	for _, g := range gaps {
		if !g.To.After(w.from) || g.From.After(w.to) || len(all) == maxGaps {
			continue
		}
		all = append(all, gap{From: max(g.From.UnixMicro(), w.from.UnixMicro()), To: min(g.To.UnixMicro(), w.to.UnixMicro()), UID: g.UID})
	}
	return all
}

// missing reads the gaps of the log that was read last.
func (r *Reader) missing(payload []byte) error {
	var gaps []gap
	if about(payload, &gaps) != nil || len(gaps) > maxGaps || len(r.record.logs) == 0 {
		return errContent
	}
	l := &r.record.logs[len(r.record.logs)-1]
	l.Gaps, l.Known = r.record.gapsOf(gaps), true
	return nil
}
