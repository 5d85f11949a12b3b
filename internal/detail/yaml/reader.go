package yaml

import (
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"
)

// Row is a row on the screen: a line or a part of one.
type Row struct {
	Line  int  // from 0
	First bool // first row of the line
	Spans []Span
	Fold  Fold
	Fresh bool // it has just changed
}

// Fold is the fold state of a row.
type Fold uint8

// The fold states.
const (
	NoFold Fold = iota
	Unfolded
	Folded
)

const (
	// clipped is how many columns are shown of a line that is not wrapped. A web page cannot
	// handle arbitrarily long lines.
	clipped = 1000
	// FreshFor is how long a changed line is marked.
	FreshFor = 4 * time.Second
)

// Reader shows the successive versions of a text, and keeps folds and search. It is for one
// goroutine.
type Reader struct {
	yaml   *YAML
	wrap   int             // columns; 0 for no wrapping
	turned map[uint64]bool // nodes that the user folded or unfolded
	rows   []part
	find   string
	hits   []Hit
	hit    int // the current one
	fresh  []int
	until  time.Time // when the lines stop being fresh
}

// part is a row: a piece of a line.
type part struct {
	line     int32
	from, to uint32
}

// NewReader returns a Reader with an empty text.
func NewReader() *Reader { return &Reader{yaml: blank(), turned: make(map[uint64]bool)} }

// maxText is how many bytes a text may have.
const maxText = 8 << 20

// Show shows another version of the object, in JSON. Folds are kept, and changed lines are marked
// unless it is the first version. With an error, the version before stays.
func (r *Reader) Show(doc []byte, now time.Time) error {
	before := r.yaml
	after, err := Write(doc, maxText)
	if err != nil || after.text == before.text {
		return err
	}
	r.yaml, r.fresh = after, nil
	if before.text != "" {
		r.fresh, r.until = Changed(before, after), now.Add(FreshFor)
	}
	r.hits = r.yaml.Find(r.find)
	r.hit = min(r.hit, max(len(r.hits)-1, 0))
	r.layout()
	return nil
}

// Fade unmarks lines that are no longer fresh, and reports whether there were any.
func (r *Reader) Fade(now time.Time) bool {
	if len(r.fresh) == 0 || now.Before(r.until) {
		return false
	}
	r.fresh = nil
	return true
}

// Text returns the current text.
func (r *Reader) Text() *YAML { return r.yaml }

// Wrap wraps lines at so many columns; 0 turns wrapping off.
func (r *Reader) Wrap(columns int) {
	if columns != r.wrap {
		r.wrap = columns
		r.layout()
	}
}

// Rows returns the number of rows.
func (r *Reader) Rows() int { return len(r.rows) }

// closed reports whether the node that begins at a line is folded.
func (r *Reader) closed(line int) bool {
	at := r.yaml.lines[line].fold
	if at < 0 {
		return false
	}
	n := &r.yaml.nodes[at]
	turned := r.turned[n.id]
	return r.yaml.folds(n) != turned
}

// ToggleFold folds or unfolds the node that begins at a line. If none begins there, it folds the node
// around the line. It returns the line at which the node begins.
func (r *Reader) ToggleFold(line int) int {
	if line < 0 || line >= len(r.yaml.lines) {
		return line
	}
	at := r.yaml.lines[line].fold
	if at < 0 {
		if at = r.around(line); at <= 0 {
			return line
		}
	}
	n := &r.yaml.nodes[at]
	r.toggle(n)
	r.layout()
	return int(n.first)
}

func (r *Reader) toggle(n *node) {
	if r.turned[n.id] {
		delete(r.turned, n.id)
	} else {
		r.turned[n.id] = true
	}
}

// around returns the innermost node that begins before a line and whose fold contains it.
func (r *Reader) around(line int) int32 {
	nodes := r.yaml.nodes
	at := int32(sort.Search(len(nodes), func(i int) bool { return nodes[i].first > int32(line) })) - 1
	for at > 0 && (nodes[at].first == int32(line) || nodes[at].last < int32(line) || r.yaml.lines[nodes[at].first].fold != at) {
		at = nodes[at].parent
	}
	return at
}

// FoldAll folds all nodes of several lines, except top-level ones that have children, or
// unfolds all nodes.
func (r *Reader) FoldAll(fold bool) {
	clear(r.turned)
	for _, l := range r.yaml.lines {
		if l.fold < 0 {
			continue
		}
		n := &r.yaml.nodes[l.fold]
		want := fold && (n.parent > 0 || n.children == 0)
		if r.yaml.folds(n) != want {
			r.turned[n.id] = true
		}
	}
	r.layout()
}

// layout computes the rows.
func (r *Reader) layout() {
	y := r.yaml
	r.rows = r.rows[:0]
	for i := 0; i < len(y.lines); i++ {
		r.lay(i)
		if r.closed(i) {
			i = int(y.nodes[y.lines[i].fold].last)
		}
	}
}

// lay adds the rows of a line.
func (r *Reader) lay(i int) {
	size := int(r.yaml.lines[i].size)
	if r.wrap == 0 {
		r.rows = append(r.rows, r.clip(i, size))
		return
	}
	text := r.yaml.Line(i)
	for from := 0; from == 0 || from < size; {
		to := from + take(text[from:], r.wrap)
		r.rows = append(r.rows, part{int32(i), uint32(from), uint32(to)})
		if from = to; size == 0 {
			return
		}
	}
}

// clip returns the piece shown of a line that is not wrapped: its beginning, or the part around
// the current hit.
func (r *Reader) clip(i, size int) part {
	if size <= clipped {
		return part{int32(i), 0, uint32(size)}
	}
	text, from := r.yaml.Line(i), 0
	if h := r.current(); h.Line == i && h.End > clipped/2 {
		from = h.At - clipped/4
		for from > 0 && !utf8.RuneStart(text[from]) {
			from--
		}
	}
	return part{int32(i), uint32(from), uint32(from + take(text[from:], clipped))}
}

// Window returns at most limit rows from an offset on.
func (r *Reader) Window(offset, limit int) []Row {
	offset = min(max(offset, 0), len(r.rows))
	some := r.rows[offset:min(offset+max(limit, 0), len(r.rows))]
	out := make([]Row, 0, len(some))
	for n, p := range some {
		at, last := offset+n, int(p.line)
		row := Row{Line: last, First: at == 0 || r.rows[at-1].line != p.line, Spans: r.spans(p)}
		fold := r.yaml.lines[p.line].fold
		if fold >= 0 {
			row.Fold = Unfolded
		}
		if r.closed(row.Line) {
			row.Fold, last = Folded, int(r.yaml.nodes[fold].last)
			if at+1 == len(r.rows) || r.rows[at+1].line != p.line {
				row.Spans = append(row.Spans, Span{" … " + r.yaml.extent(fold), moreLook})
			}
		}
		row.Fresh = r.isFresh(row.Line, last)
		out = append(out, row)
	}
	return out
}

func (r *Reader) isFresh(first, last int) bool {
	i, _ := slices.BinarySearch(r.fresh, first)
	return i < len(r.fresh) && r.fresh[i] <= last
}

// spans returns the pieces of a row.
func (r *Reader) spans(p part) []Span {
	line, tokens := r.yaml.Line(int(p.line)), r.yaml.tokensOf(int(p.line))
	at, begin := int(p.from), int(r.yaml.lines[p.line].at)
	var out []Span
	if r.wrap == 0 && at > 0 {
		out = append(out, Span{"… ", moreLook})
	}
	next := sort.Search(len(tokens), func(i int) bool { return int(tokens[i].at)-begin > at })
	for to := int(p.to); at < to; next++ {
		look, end := looks[plainRole], to
		if next > 0 {
			look = looks[tokens[next-1].role]
		}
		if next < len(tokens) {
			end = min(end, int(tokens[next].at)-begin)
		}
		out = r.hitSpans(out, line, int(p.line), at, end, look)
		at = end
	}
	if r.wrap == 0 && int(p.to) < len(line) {
		out = append(out, Span{" … " + size(len(line)-int(p.to)) + " more", moreLook})
	}
	return out
}

// The looks of hits.
const (
	hitLook     = "hit"
	currentLook = "hit current"
)

// hitSpans appends a piece of a line with its hits marked.
func (r *Reader) hitSpans(out []Span, line string, number, at, end int, look string) []Span {
	i := sort.Search(len(r.hits), func(i int) bool {
		h := r.hits[i]
		return h.Line > number || h.Line == number && h.End > at
	})
	for ; at < end; i++ {
		if i == len(r.hits) || r.hits[i].Line != number || r.hits[i].At >= end {
			return appendShown(out, line[at:end], look)
		}
		from, to := max(r.hits[i].At, at), min(r.hits[i].End, end)
		mark := hitLook
		if i == r.hit {
			mark = currentLook
		}
		out = appendShown(out, line[at:from], look)
		out = appendShown(out, line[from:to], strings.TrimSpace(look+" "+mark))
		at = to
	}
	return out
}

// Find searches for a text, and returns the row of the first hit from a line on, wrapping at
// the end; -1 if there is none.
func (r *Reader) Find(text string, line int) int {
	r.find, r.hits, r.hit = text, r.yaml.Find(text), 0
	for i, h := range r.hits {
		if h.Line >= line {
			r.hit = i
			break
		}
	}
	if len(r.hits) == 0 {
		r.layout()
		return -1
	}
	return r.reveal()
}

// Next moves by step hits, and returns the new hit's row, or -1.
func (r *Reader) Next(step int) int {
	n := len(r.hits)
	if n == 0 {
		return -1
	}
	r.hit = ((r.hit+step)%n + n) % n
	return r.reveal()
}

// Hits returns the number of the current hit, from 1, and how many there are.
func (r *Reader) Hits() (at, all int) {
	if len(r.hits) == 0 {
		return 0, 0
	}
	return r.hit + 1, len(r.hits)
}

func (r *Reader) current() Hit {
	if r.hit < len(r.hits) {
		return r.hits[r.hit]
	}
	return Hit{Line: -1}
}

// reveal unfolds the nodes around the current hit, and returns its row.
func (r *Reader) reveal() int {
	h := r.current()
	for at := r.around(h.Line); at > 0; at = r.yaml.nodes[at].parent {
		n := &r.yaml.nodes[at]
		if r.yaml.lines[n.first].fold == at && int(n.first) < h.Line && r.closed(int(n.first)) {
			r.toggle(n)
		}
	}
	r.layout()
	return r.RowOf(h.Line, h.At)
}

// RowOf returns the row that shows a position in a line, or the folded row that hides it.
func (r *Reader) RowOf(line, at int) int {
	i := sort.Search(len(r.rows), func(i int) bool {
		p := r.rows[i]
		return int(p.line) > line || int(p.line) == line && int(p.from) > at
	})
	return max(i-1, 0)
}

// LineOf returns the line of a row.
func (r *Reader) LineOf(row int) int {
	if row < 0 || row >= len(r.rows) {
		return 0
	}
	return int(r.rows[row].line)
}
