package timeline

import (
	"strconv"
	"strings"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/message"
	"watchglass/internal/object/tree"
)

// Lengths of texts, in bytes.
const (
	mostValue = 60
	mostWords = 300
)

// clean returns a text for one line: what can't be printed, as control and bidirectional characters,
// is a replacement character, and the end is cut off.
func clean(s string, most int) string {
	cut := false
	for i := range s {
		if i > most {
			s, cut = s[:i], true
			break
		}
	}
	ok := true
	for _, c := range s {
		ok = ok && strconv.IsPrint(c)
	}
	if !ok {
		s = strings.Join(strings.Fields(strings.Map(func(c rune) rune {
			switch {
			case c == '\n', c == '\t', c == '\r':
				return ' '
			case !strconv.IsPrint(c):
				return '\uFFFD'
			}
			return c
		}, s)), " ")
	}
	if cut {
		return s + "…"
	}
	return strings.Clone(s)
}

// grew reports whether a number has become larger.
func grew(f field) bool {
	before, _ := strconv.ParseInt(f.before, 10, 64)
	after, _ := strconv.ParseInt(f.after, 10, 64)
	return after > before && f.before != ""
}

// words returns what a change is for people, and the fields that it is of.
func (r *reader) words(c *history.Change, e *Entry) (words, fields string) {
	var all, paths []string
	for i := range r.said {
		f := &r.said[i]
		paths = append(paths, f.path)
		if f.fold {
			continue
		}
		if one := r.fieldWords(c, e, f); one != "" {
			all = append(all, one)
		}
	}
	if len(paths) == 0 {
		return "managed fields and versions", ""
	}
	fields = r.intern([]byte(strings.Join(paths, ", ")))
	if len(all) == 0 {
		return r.intern([]byte(clean(fields, mostWords))), fields
	}
	return clean(strings.Join(all, ", "), mostWords), fields
}

// later reports whether a time in a text is later than another. A rollback brings back an earlier one, or none.
func later(before, after string) bool {
	from, err := time.Parse(time.RFC3339, before)
	to, err2 := time.Parse(time.RFC3339, after)
	if err != nil || err2 != nil {
		return after != ""
	}
	return to.After(from)
}

// fieldWords returns what the change of a field is for people; "" if another field says it.
func (r *reader) fieldWords(c *history.Change, e *Entry, f *field) string {
	name, condition := conditionOf(f.path)
	switch {
	case strings.HasSuffix(f.path, "].restartCount") && grew(*f):
		return restartWords(r.kind.Root(c.After), f.path)
	case condition:
		return conditionWords(r.kind.Root(c.After), name, f)
	case f.path == "metadata.deletionTimestamp":
		return "deletion requested"
	case strings.HasSuffix(f.path, "annotations[kubectl.kubernetes.io/restartedAt]"):
		if later(f.before, f.after) {
			return "restart requested"
		}
		return "pod template as before a restart"
	case f.path == "spec.unschedulable" && r.kind.Name == "Node":
		if f.after == "true" {
			return "cordoned"
		}
		return "uncordoned"
	case r.secret:
		return short(f.path) + " changed"
	}
	return f.words(short(f.path))
}

// words returns how the field changed, under a name.
func (f *field) words(name string) string {
	if f.empty && f.before != "" {
		return name + " emptied, was " + clean(f.before, mostValue)
	}
	return valueWords(name, f.before, f.after)
}

// valueWords returns how a value changed: "replicas 3 → 5".
func valueWords(name, before, after string) string {
	if strings.HasSuffix(name, "image") {
		if repository, tag, ok := strings.Cut(before, ":"); ok && strings.HasPrefix(after, repository+":") && !strings.ContainsAny(tag, "/@") {
			after = after[len(repository)+1:] // nginx:1.27 → 1.28
		}
	}
	before, after = clean(before, mostValue), clean(after, mostValue)
	switch {
	case before == "" && after == "":
		return name + " changed"
	case before == "":
		return name + " set to " + after
	case after == "":
		return name + " removed, was " + before
	}
	return name + " " + before + " → " + after
}

// short returns the name of a field without where it stands: "image", "label app".
func short(path string) string {
	at := path
	for _, prefix := range []string{"spec.", "status.", "template.", "spec.", "metadata."} {
		at = strings.TrimPrefix(at, prefix)
	}
	for _, m := range [][2]string{{"labels[", "label "}, {"annotations[", "annotation "}, {"conditions[", "condition "}} {
		if rest, ok := strings.CutPrefix(at, m[0]); ok {
			if name, ok := strings.CutSuffix(rest, "]"); ok {
				return m[1] + clean(name, mostValue)
			}
		}
	}
	if rest, ok := strings.CutPrefix(at, "containers["); ok {
		if _, field, ok := strings.Cut(rest, "]."); ok {
			at = field
		}
	}
	return clean(at, mostValue)
}

// restartWords returns how the last run of a container ended.
func restartWords(root tree.Node, path string) string {
	list, rest, _ := strings.Cut(strings.TrimPrefix(path, "status."), "[")
	name := strings.TrimSuffix(rest, "].restartCount")
	for s := range root.Get("status").Get(list).Elements() {
		if s.Get("name").Text() != name {
			continue
		}
		words := name + ": "
		ended := s.At("lastState.terminated")
		if !ended.Exists() {
			return words + "restarted"
		}
		if reason := ended.Get("reason").Text(); reason != "" {
			words += reason + ", "
		}
		return words + "exit code " + ended.Get("exitCode").Text()
	}
	return name + ": restarted"
}

// conditionWords returns how a condition changed: "Ready → NotReady: kubelet stopped posting node
// status".
func conditionWords(root tree.Node, name string, f *field) string {
	words, whole := f.words(name), strings.HasSuffix(f.path, "]")
	switch {
	case whole:
		words = name + " removed"
	case name == "Ready":
		words = readyWord(f.before) + " → " + readyWord(f.after)
	}
	c := condition(root, name)
	if !c.Exists() {
		return words
	}
	if whole {
		words = name + " set to " + clean(c.Get("status").Text(), mostValue)
	}
	why := c.Get("message").Text()
	if why == "" {
		why = c.Get("reason").Text()
	}
	if good := name == "Ready" && f.after == "True"; why != "" && !good {
		words += ": " + strings.TrimSuffix(lowerFirst(why), ".")
	}
	return words
}

// condition returns a condition of an object by its type; absent if there is none.
func condition(root tree.Node, name string) tree.Node {
	for c := range root.At("status.conditions").Elements() {
		if c.Get("type").Text() == name {
			return c
		}
	}
	return tree.Node{}
}

// readyWord returns what a status of the condition Ready is called.
func readyWord(status string) string {
	switch status {
	case "True":
		return "Ready"
	case "False":
		return "NotReady"
	case "":
		return "none"
	}
	return status
}

// lowerFirst returns a sentence for the middle of another: "Kubelet stopped" begins in lower case, a
// name such as "OOMKilled" doesn't.
func lowerFirst(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && (s[1] < 'A' || s[1] > 'Z') {
		return string(s[0]|0x20) + s[1:]
	}
	return s
}

// eventWords returns what an event says: "BackOff: Back-off restarting failed container".
func eventWords(root tree.Node) string {
	said := root.Get("message").Text()
	if said == "" {
		said = root.Get("note").Text()
	}
	words := root.Get("reason").Text()
	if said != "" && words != "" {
		words += ": "
	}
	words += message.Lead(said)
	if n := eventCount(root); n > 1 {
		words += " (×" + strconv.FormatInt(n, 10) + ")"
	}
	return clean(words, mostWords)
}

// eventCount returns how often an event has happened.
func eventCount(root tree.Node) (n int64) {
	n = 1
	for _, path := range []string{"count", "series.count", "deprecatedCount"} {
		if of, err := strconv.ParseInt(root.At(path).Text(), 10, 64); err == nil {
			n = max(n, of)
		}
	}
	return n
}
