package log

import (
	"encoding/binary"
	"strings"

	"watchglass/internal/query"
)

// AllContainers is the name of all of them.
const AllContainers = "*"

// DefaultTail is how many lines a log begins with.
const DefaultTail = 1000

// Options are what the page asks of the logs of an object.
type Options struct {
	Seq       int    `json:"seq"`
	Container string `json:"container,omitempty"` // nothing: the one that kubectl would take
	Previous  bool   `json:"previous,omitempty"`
	Since     int64  `json:"since,omitempty"` // seconds; with it there is no tail
	All       bool   `json:"all,omitempty"`   // from the beginning on
	Filter    string `json:"filter,omitempty"`
	Search    string `json:"search,omitempty"`
	Columns   int    `json:"columns,omitempty"` // where lines wrap; 0 if they do not
	Offset    int    `json:"offset,omitempty"`  // of the window, in rows
	Limit     int    `json:"limit,omitempty"`
	Follow    bool   `json:"follow,omitempty"` // the window is the end, wherever that is
	Paused    bool   `json:"paused,omitempty"`
	Cleared   int    `json:"cleared,omitempty"` // how often what is held was let go of
	Seek      *Seek  `json:"seek,omitempty"`
	Take      *Take  `json:"take,omitempty"`
}

// Seek asks for a line that the search has found.
type Seek struct {
	Seq  int    `json:"seq"`
	From uint64 `json:"from"`
	Back bool   `json:"back,omitempty"`
}

// Take asks for a piece of a file, or of what is copied: that of a number, after
// which comes the next.
type Take struct {
	Seq    int    `json:"seq"`
	Number int    `json:"number"`
	Copy   bool   `json:"copy,omitempty"` // the lines between two positions
	From   uint64 `json:"from,omitempty"`
	To     uint64 `json:"to,omitempty"`
	Export Export `json:"export"`
}

// Same reports whether the lines are the same ones.
func (o Options) Same(other Options) bool {
	return o.Container == other.Container && o.Previous == other.Previous && o.Since == other.Since && o.All == other.All
}

// Term is a filter or a search as it is typed: a word, or an expression between
// slashes; what begins with ! is not to be found.
type Term struct {
	Line   *query.Line
	Invert bool
	Wrong  *Wrong
}

// ParseTerm reads one. An expression that does not end may still be typed: it is read
// as far as it goes.
func ParseTerm(source string) (t Term) {
	rest := source
	if rest, t.Invert = strings.CutPrefix(source, "!"); rest == "" {
		return Term{}
	}
	rest, expression := strings.CutPrefix(rest, "/")
	at := len(source) - len(rest)
	if expression {
		rest = strings.TrimSuffix(rest, "/")
	}
	if rest == "" {
		return Term{}
	}
	line, err := query.ParseLine(rest, expression)
	if wrong, ok := err.(*query.Error); ok {
		t.Wrong = &Wrong{From: wrong.From + at, To: wrong.To + at, Message: wrong.Message, Want: wrong.Want}
	}
	t.Line = line
	return t
}

// The kinds of what the worker tells the page.
const (
	documentMark = 'w'
	pieceMark    = 'p'
)

// Piece is one of a file, or of what is copied.
type Piece struct {
	Seq, Number int
	Last        bool
	Lost        uint64 // lines that went before they could be written
	Text        []byte
}

// Append appends the piece to bytes.
func (p *Piece) Append(b []byte) []byte {
	last := uint64(0)
	if p.Last {
		last = 1
	}
	b = append(b, pieceMark)
	for _, n := range []uint64{uint64(p.Seq), uint64(p.Number), last, p.Lost} {
		b = binary.AppendUvarint(b, n)
	}
	return append(b, p.Text...)
}

// Parse reads what the worker tells: a document or a piece.
func Parse(doc []byte) (*Document, *Piece, error) {
	if len(doc) > 0 && doc[0] == documentMark {
		d, err := ParseDocument(doc[1:])
		return d, nil, err
	}
	if len(doc) == 0 || doc[0] != pieceMark {
		return nil, nil, errDocument
	}
	r := reader{rest: doc[1:]}
	p := &Piece{Seq: int(r.number()), Number: int(r.number()), Last: r.number() == 1, Lost: r.number()}
	if p.Text = r.rest; r.bad {
		return nil, nil, errDocument
	}
	return nil, p, nil
}

// Mark appends the document to bytes, for Parse.
func (d *Document) Mark(b []byte) ([]byte, error) { return d.Append(append(b, documentMark)) }
