package problem

import (
	"strings"

	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// words returns what is wrong with a group of objects, without how many they are: the part that they
// share or, of one object, all.
func words(f found, row Row, own bool) string {
	switch {
	case own:
		return f.Words
	case row.Count == 1:
		return containerLast(f.Words)
	}
	return f.Short()
}

// containerLast returns words with the container behind what is wrong with it, which a narrow list
// then shows.
func containerLast(words string) string {
	for _, which := range [...]string{"container ", "init container "} {
		if rest, ok := strings.CutPrefix(words, which); ok {
			if name, what, ok := strings.Cut(rest, ": "); ok {
				return what + ", " + which + name
			}
		}
	}
	return words
}

// add adds what an event says, unless the words say it: in front, where the row's reason says the
// rest.
func (r *Row) add(message string) {
	message = strings.TrimPrefix(message, "Error creating: ")
	switch {
	case message == "" || strings.Contains(r.Words, message):
	case r.Reason == "Unschedulable": // its condition has the same, in order
	case r.Reason == "ImagePullBackOff":
		if !strings.HasPrefix(message, "Error: ") && !strings.Contains(r.Words, ": ") {
			r.Words = text.Join(r.Words, ": ", text.Specific(message, ""))
		}
	case r.Reason == "ContainerCreating":
		r.Words = text.Join(message, ", ", strings.TrimPrefix(strings.TrimPrefix(r.Words, r.Reason), ", "))
	case r.Reason == "BelowDesired":
		r.Words = text.Clip(message, text.Most-len(r.Words)-len(", ")) + ", " + r.Words
	default:
		r.Words = text.Join(r.Words, ": ", message)
	}
}

// hint adds how a pod of a failed Job ended, in place of a message that does not say so.
func (o *owner) hint(row *Row, f found) {
	if f.of.ID.Resource != kinds.Jobs || !text.Listed(" BackoffLimitExceeded Retrying FailedIndexes ", row.Reason) {
		return
	}
	for _, h := range o.hints {
		if by, _ := h.of.Object.ControllingOwner(); by.Name == f.of.ID.Name {
			if row.Reason == "BackoffLimitExceeded" { // its message says no more
				row.Words = row.Reason
			}
			row.Words = text.Join(row.Words, ", ", containerLast(h.Words))
			row.Pod, row.Container, row.Evidence = h.of.ID.Name, h.Container, row.Evidence+", "+h.Evidence
			return
		}
	}
}

// addShare adds how many of how many objects a row stands for, if that says more than one object.
func (r *Row) addShare(f found) {
	if r.Count <= 1 && r.Of <= 1 {
		return
	}
	share := ", " + text.Decimal(int64(r.Count))
	if r.Of > 0 {
		share += " of " + text.Decimal(int64(r.Of))
	}
	share += " " + strings.ToLower(f.of.kindName)
	if r.Count != 1 || r.Of > 1 {
		share += "s"
	}
	r.Words = text.Clip(r.Words, text.Most-len(share)) + share
}
