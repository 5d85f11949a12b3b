package log

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"

	"watchglass/internal/detail/log/line"
	"watchglass/internal/query"
)

// Head is the part of a Document besides its rows.
type Head struct {
	Seq      int     `json:"seq"`            // of the options that it answers
	Age      int     `json:"age"`            // grows when the query changes, since the rows are then different ones
	Rows     int     `json:"rows"`           // in all
	Lines    int     `json:"lines"`          // the same, before wrapping
	Gone     uint64  `json:"gone,omitempty"` // rows dropped since then: the others moved up by that many
	Offset   int     `json:"offset"`
	Paused   bool    `json:"paused,omitempty"`  // false also if the lines of the pause are gone
	Waiting  int     `json:"waiting,omitempty"` // lines pending behind a pause
	Held     int     `json:"held"`              // lines kept, shown or not
	Received uint64  `json:"received"`
	Dropped  Dropped `json:"dropped"`
	Busy     bool    `json:"busy,omitempty"` // some lines were not looked at yet
	Hits     int     `json:"hits,omitempty"`
	Wrong    *Wrong  `json:"wrong,omitempty"`  // an error in the filter
	Astray   *Wrong  `json:"astray,omitempty"` // an error in the search
	Found    *Found  `json:"found,omitempty"`
	Sources  []State `json:"sources,omitempty"`
	// Said is one message for all sources, if no source says more.
	Said string `json:"said,omitempty"`
	// More is how many further sources no stream was opened for.
	More int `json:"more,omitempty"`
	// Pods is the number of pods.
	Pods int `json:"pods,omitempty"`
	// Usual is the container of a pod that is read if none is named. Failed says that it was chosen
	// because it failed.
	Usual  string `json:"usual,omitempty"`
	Failed bool   `json:"failed,omitempty"`
	// Levels is how many lines there are of each level, whatever the filter says of levels.
	Levels [line.Levels]int `json:"levels"`
	// Fields are the fields, or the values of the field that was asked for, with counts.
	Fields *Fields `json:"fields,omitempty"`
}

// Fields are what a filter can be completed with.
type Fields struct {
	Of    string             `json:"of"`    // the field whose values these are; empty for the names of fields
	Lines int                `json:"lines"` // that were counted: the last ones
	All   []query.ValueCount `json:"all,omitempty"`
}

// Wrong says where an expression is wrong, in bytes, and what was expected.
type Wrong struct {
	From    int    `json:"from"`
	To      int    `json:"to"`
	Message string `json:"message"`
	Want    string `json:"want"`
}

// Found is the result of a Seek.
type Found struct {
	Seq      int    `json:"seq"`
	Hit      int    `json:"hit"` // its ordinal; -1 if none
	Row      int    `json:"row"`
	Position uint64 `json:"position"`
}

// The states of a source.
const (
	Connecting = "connecting"
	Live       = "live"
	Waiting    = "waiting" // the container has not started
	Ended      = "ended"
	Denied     = "denied"
	Away       = "away" // a server on the way does not answer
	Gone       = "gone" // the pod is deleted, or no longer belongs to the owner
)

// State is the state of one source.
type State struct {
	Pod       string `json:"pod"`
	Container string `json:"container"`
	State     string `json:"state"` // one of the states above
	Said      string `json:"said,omitempty"`
	Lines     uint64 `json:"lines,omitempty"`
	Dropped   uint64 `json:"dropped,omitempty"`
	Earlier   bool   `json:"earlier,omitempty"` // lines before the first may have been rotated away
}

// Document is what the worker sends to the page: a window of rows, and a head about all of
// them.
type Document struct {
	Head
	Histogram *Histogram // nil if no line has a time, or none was asked for
	Window    []Row
}

// Same reports whether both are the same.
func (f *Fields) Same(other *Fields) bool {
	if f == nil || other == nil {
		return f == other
	}
	return f.Of == other.Of && slices.Equal(f.All, other.All)
}

var errDocument = errors.New("the log document is corrupt")

const (
	rowNote = 1 << iota
	rowBad
	rowGoes
	rowOpens
	rowOpen
)

// Append appends the document to bytes: its head as JSON, then its rows.
func (d *Document) Append(b []byte) ([]byte, error) {
	head, err := json.Marshal(d.Head)
	if err != nil {
		return nil, err
	}
	b = appendText(b, string(head))
	b = d.Histogram.append(b)
	b = binary.AppendUvarint(b, uint64(len(d.Window)))
	for i := range d.Window {
		b = d.Window[i].append(b)
	}
	return b, nil
}

func (r *Row) append(b []byte) []byte {
	bits := 0
	for i, set := range [...]bool{r.Note, r.Bad, r.Goes, r.Opens, r.Open} {
		if set {
			bits |= rowNote << i
		}
	}
	b = append(b, byte(bits), byte(r.Level), byte(r.Kind))
	b = binary.AppendUvarint(b, r.Position)
	b = binary.AppendUvarint(b, r.ID)
	b = binary.AppendVarint(b, r.Time)
	for _, n := range []int{r.Source, r.Part, r.More, r.Folded, len(r.Spans)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, s := range r.Spans {
		look := uint64(s.Style) << 1
		if s.Hit {
			look |= 1
		}
		b = appendText(binary.AppendUvarint(b, look), s.Text)
	}
	return b
}

// append appends the histogram, or nothing but its width of 0.
func (h *Histogram) append(b []byte) []byte {
	if h == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(h.Width)), uint64(h.From))
	b = binary.AppendUvarint(b, uint64(len(h.Bars)))
	for _, bar := range h.Bars {
		n := uint64(bar.Lines) << 2
		if bar.Gap {
			n |= 1
		}
		if bar.Unknown {
			n |= 2
		}
		b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, n), uint64(bar.Warn)), uint64(bar.Fail))
	}
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// ParseDocument parses what Append wrote.
func ParseDocument(doc []byte) (*Document, error) {
	r := reader{rest: doc}
	d := &Document{}
	if err := json.Unmarshal([]byte(r.text()), &d.Head); err != nil || r.bad {
		return nil, errDocument
	}
	d.Histogram = r.histogram()
	for range r.count() {
		d.Window = append(d.Window, r.row())
		if r.bad {
			return nil, errDocument
		}
	}
	if r.bad || len(r.rest) > 0 {
		return nil, errDocument
	}
	return d, nil
}

// reader reads numbers and texts until the first error.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// count reads a number of items that take at least one byte each.
func (r *reader) count() int {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.count()
	text := string(r.rest[:n])
	r.rest = r.rest[n:]
	return text
}

func (r *reader) histogram() *Histogram {
	width := int64(r.number())
	if width <= 0 {
		return nil
	}
	h := &Histogram{Width: width, From: int64(r.number())}
	for range r.count() {
		n := r.number()
		h.Bars = append(h.Bars, Bar{Lines: int(n >> 2), Gap: n&1 != 0, Unknown: n&2 != 0, Warn: int(r.number()), Fail: int(r.number())})
	}
	return h
}

func (r *reader) row() (row Row) {
	if len(r.rest) < 3 {
		r.bad = true
		return row
	}
	bits := r.rest[0]
	row.Level, row.Kind = line.Level(r.rest[1]), Kind(r.rest[2])
	r.rest = r.rest[3:]
	row.Note, row.Bad, row.Goes = bits&rowNote != 0, bits&rowBad != 0, bits&rowGoes != 0
	row.Opens, row.Open = bits&rowOpens != 0, bits&rowOpen != 0
	row.Position, row.ID = r.number(), r.number()
	time := r.number()
	row.Time = int64(time>>1) ^ -int64(time&1)
	row.Source, row.Part, row.More, row.Folded = int(r.number()), int(r.number()), int(r.number()), int(r.number())
	for range r.count() {
		look := r.number()
		row.Spans = append(row.Spans, Run{Text: r.text(), Style: Style(look >> 1), Hit: look&1 != 0})
	}
	return row
}
