package recording

import "slices"

// mostNamed is how many namespaces that were left out a header names. The others are counted.
const mostNamed = 100

// Limits of what a file says was left out or replaced, which is sent with each moment while it plays.
const (
	mostAltered    = 20
	longestAltered = 100
)

// alter adds what is left out and replaced to what was when the record was itself saved from a recording.
func (h *Header) alter(c *Choices) {
	before := slices.DeleteFunc(slices.Clone(h.Altered), func(s string) bool { return s == logsOut || s == mostLogsOut })
	h.Altered = before
	for _, s := range c.altered() {
		if !slices.Contains(before, s) {
			h.Altered = append(h.Altered, s)
		}
	}
	h.LeftOut = slices.Concat(h.LeftOut, c.Namespaces)
	slices.Sort(h.LeftOut)
	h.LeftOut = slices.Compact(h.LeftOut)
	if c.names() {
		h.Unnamed, h.LeftOut = h.Unnamed+len(h.LeftOut), nil
	}
	h.bound()
}

// bound limits what a header says was left out or replaced.
func (h *Header) bound() {
	h.Unnamed = max(h.Unnamed, 0)
	if slices.Contains(h.Altered, namespacesOut) && len(h.LeftOut) == 0 {
		h.Unnamed = max(h.Unnamed, 1) // older files do not say which
	}
	if more := len(h.LeftOut) - mostNamed; more > 0 {
		h.LeftOut, h.Unnamed = h.LeftOut[:mostNamed], h.Unnamed+more
	}
	h.Altered = h.Altered[:min(len(h.Altered), mostAltered)]
	for _, texts := range [][]string{h.Altered, h.LeftOut} {
		for i, s := range texts {
			texts[i] = s[:min(len(s), longestAltered)]
		}
	}
}

// Without returns the namespaces that were left out of the file, and how many others were, whose names are not in it.
func (t *Recording) Without() (namespaces []string, others int) { return t.LeftOut, t.Unnamed }

// What altered says of namespaces and logs.
const (
	namespacesOut = "some namespaces left out"
	logsOut       = "logs left out"
	mostLogsOut   = "logs left out but for chosen containers"
)
