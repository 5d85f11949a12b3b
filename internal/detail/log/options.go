package log

import (
	"strings"

	"watchglass/internal/query"
)

// AllContainers selects all containers.
const AllContainers = "*"

// DefaultTail is how many lines a log begins with.
const DefaultTail = 1000

// Options are the page's options for the logs of an object.
type Options struct {
	Seq       int    `json:"seq"`
	Container string `json:"container,omitempty"` // empty: kubectl's default container
	Previous  bool   `json:"previous,omitempty"`
	Since     int64  `json:"since,omitempty"` // seconds; if set, there is no tail
	All       bool   `json:"all,omitempty"`   // from the beginning
	Filter    string `json:"filter,omitempty"`
	Search    string `json:"search,omitempty"`
	Columns   int    `json:"columns,omitempty"` // where lines wrap; 0 for no wrapping
	Offset    int    `json:"offset,omitempty"`  // of the window, in rows
	Limit     int    `json:"limit,omitempty"`
	Follow    bool   `json:"follow,omitempty"` // the window stays at the end
	Paused    bool   `json:"paused,omitempty"`
	Cleared   int    `json:"cleared,omitempty"` // how often the log was cleared
	Seek      *Seek  `json:"seek,omitempty"`
	// From and To narrow the log to lines from one time and before another, in nanoseconds; 0 for any.
	From int64 `json:"from,omitempty"`
	To   int64 `json:"to,omitempty"`
	// Bars is how many bars there is room for in a histogram; 0 for none.
	Bars int `json:"bars,omitempty"`
	// Raw shows lines as they are.
	Raw bool `json:"raw,omitempty"`
	// Open are the ids of the expanded lines.
	Open []uint64 `json:"open,omitempty"`
	// Complete asks for the fields that a filter can be completed with.
	Complete *Complete `json:"complete,omitempty"`
}

// Complete asks for the names of fields or, if one is named, for its values.
type Complete struct {
	Field string `json:"field,omitempty"`
}

// Seek requests a search hit.
type Seek struct {
	Seq  int    `json:"seq"`
	From uint64 `json:"from"`
	Back bool   `json:"back,omitempty"`
}

// SaveOptions request lines for a file, or to copy.
type SaveOptions struct {
	Copy   bool   `json:"copy,omitempty"` // the lines between two positions
	From   uint64 `json:"from,omitempty"`
	To     uint64 `json:"to,omitempty"`
	Export Export `json:"export"`
}

// SaveResult is the answer once all requested lines are sent.
type SaveResult struct {
	// Lost is how many lines were dropped before they could be sent; if they are to be copied, 1 says that there are more.
	Lost uint64 `json:"lost,omitempty"`
}

// Same reports whether both options select the same lines.
func (o Options) Same(other Options) bool {
	return o.Container == other.Container && o.Previous == other.Previous && o.Since == other.Since && o.All == other.All
}

// Term is a search as typed: a word, or an expression between slashes.
type Term struct {
	Line  *query.Line
	Wrong *Wrong
}

// ParseTerm parses a term. An expression without an end may still be incomplete, so it is
// parsed as far as it goes.
func ParseTerm(source string) (t Term) {
	rest, expression := strings.CutPrefix(source, "/")
	if expression {
		rest = strings.TrimSuffix(rest, "/")
	}
	if rest == "" {
		return Term{}
	}
	line, err := query.ParseLine(rest, expression)
	if wrong, ok := err.(*query.Error); ok {
		at := len(source) - len(strings.TrimPrefix(source, "/"))
		t.Wrong = &Wrong{From: wrong.From + at, To: wrong.To + at, Message: wrong.Message, Want: wrong.Want}
	}
	t.Line = line
	return t
}

// Same reports whether both ask for the same.
func (c *Complete) Same(other *Complete) bool {
	return c == other || c != nil && other != nil && *c == *other
}
