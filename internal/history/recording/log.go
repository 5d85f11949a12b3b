package recording

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/sorting"
)

// LogID returns the ID that Choices has of a log.
func LogID(l history.Log) string {
	id := l.Namespace + "/" + l.Pod + "/" + l.Container
	if l.Previous {
		id += "/previous"
	}
	return id
}

// LogContents is what a file would contain of a log, if it is chosen.
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
	tape, ok := w.tape.(history.Logged)
	if !ok {
		return nil
	}
	for _, l := range tape.Logs() {
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

// within returns the part of a log within the file's time. Lines are in order of time. A line without a
// time belongs to the previous line; without one, it is left out.
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

// logText redacts lines of a log, except their times.
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
	// shortestValue is the minimum length of a value that is replaced: shorter ones are in every line.
	shortestValue = 3
	// shortestInside is the minimum length of a value that is also replaced inside longer words.
	shortestInside = 8
)

// commonValues are values too common to be replaced.
var commonValues = []string{"true", "false", "null", "none", "trace", "debug", "info", "warn", "warning", "error", "fatal"}

// noteValue remembers a value that must not appear in a log line. A log line may also contain one line
// of the value, the part after its ":" or "=", or the value in JSON.
func (r *redactor) noteValue(value string) {
	if !r.HideValues || !r.collect || len(r.Logs) == 0 {
		return
	}
	r.noteText(value)
	if strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			r.notePart(line)
			if at := strings.IndexAny(line, ":="); at >= 0 {
				r.notePart(line[at+1:])
			}
		}
	}
	if _, rest, ok := strings.Cut(value, "://"); ok { // a URL may have a password
		if user, _, ok := strings.Cut(rest, "@"); ok {
			_, password, _ := strings.Cut(user, ":")
			r.noteText(password)
		}
	}
}

// notePart remembers a part of a value, unless it is short: files contain many common words.
func (r *redactor) notePart(text string) {
	if text = strings.Trim(text, " \t\r\n\"',;"); len(text) >= shortestInside {
		r.noteText(text)
	}
}

func (r *redactor) noteText(text string) {
	text = strings.TrimSpace(text)
	if len(text) < shortestValue || slices.Contains(commonValues, strings.ToLower(text)) {
		return
	}
	r.values[text] = true
	if doc, err := json.Marshal(text); err == nil && len(doc) > len(text)+2 {
		r.values[string(doc[1:len(doc)-1])] = true
	}
}

// withoutValues replaces the values of variables and ConfigMaps in a line, by the same words as in the
// objects.
func (r *redactor) withoutValues(line string) string {
	if len(r.values) == 0 {
		return line
	}
	if r.inside == nil {
		r.prepareValues()
	}
	line = r.inside.Replace(line)
	if len(r.whole) == 0 {
		return line
	}
	var out []byte
	done := 0
	for i := 0; i < len(line); {
		end := i
		for end < len(line) && isLetterOrDigit(line[end]) {
			end++
		}
		if word := line[i:end]; r.whole[word] {
			out = append(append(append(out, line[done:i]...), "value-"...), r.word(word)...)
			done = end
		}
		i = max(end, i+1)
	}
	return string(append(out, line[done:]...))
}

// prepareValues divides the collected values into those replaced anywhere, the longest first, and those
// replaced only as whole words.
func (r *redactor) prepareValues() {
	r.whole = make(map[string]bool)
	var inside []string
	for value := range r.values {
		if len(value) < shortestInside && strings.IndexFunc(value, func(c rune) bool { return c < 0x80 && !isLetterOrDigit(byte(c)) }) < 0 {
			r.whole[value] = true
		} else {
			inside = append(inside, value)
		}
	}
	sorting.By(inside, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(inside))
	for _, value := range inside {
		pairs = append(pairs, value, "value-"+r.word(value))
	}
	r.inside = strings.NewReplacer(pairs...)
}
