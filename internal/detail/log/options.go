package log

import (
	"encoding/binary"
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
	Take      *Take  `json:"take,omitempty"`
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

// Take requests a piece of a file or of copied text, by number; the pieces are requested in
// order.
type Take struct {
	Seq    int    `json:"seq"`
	Number int    `json:"number"`
	Copy   bool   `json:"copy,omitempty"` // the lines between two positions
	From   uint64 `json:"from,omitempty"`
	To     uint64 `json:"to,omitempty"`
	Export Export `json:"export"`
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

// The kinds of messages from the worker to the page.
const (
	documentMark = 'w'
	pieceMark    = 'p'
)

// Piece is a piece of a file or of copied text.
type Piece struct {
	Seq, Number int
	Last        bool
	Cut         bool   // instead of Last: the rest cannot come, since its lines are gone
	Lost        uint64 // lines dropped before they could be written
	Text        []byte
}

// What follows a piece.
const (
	goesOn = iota
	isLast
	isCut
)

// Append appends the piece to bytes.
func (p *Piece) Append(b []byte) []byte {
	end := uint64(goesOn)
	if p.Cut {
		end = isCut
	} else if p.Last {
		end = isLast
	}
	b = append(b, pieceMark)
	for _, n := range []uint64{uint64(p.Seq), uint64(p.Number), end, p.Lost} {
		b = binary.AppendUvarint(b, n)
	}
	return append(b, p.Text...)
}

// Parse parses a message from the worker: a document or a piece.
func Parse(doc []byte) (*Document, *Piece, error) {
	if len(doc) > 0 && doc[0] == documentMark {
		d, err := ParseDocument(doc[1:])
		return d, nil, err
	}
	if len(doc) == 0 || doc[0] != pieceMark {
		return nil, nil, errDocument
	}
	r := reader{rest: doc[1:]}
	p := &Piece{Seq: int(r.number()), Number: int(r.number())}
	end := r.number()
	p.Last, p.Cut, p.Lost = end == isLast, end == isCut, r.number()
	if p.Text = r.rest; r.bad {
		return nil, nil, errDocument
	}
	return nil, p, nil
}

// Mark appends the document to bytes, for Parse.
func (d *Document) Mark(b []byte) ([]byte, error) { return d.Append(append(b, documentMark)) }
