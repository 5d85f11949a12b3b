package detail

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"watchglass/internal/object"
)

// Summary is what there is to say of an object: data, which the page draws.
type Summary struct {
	Sections []Section `json:"s"`
	More     int       `json:"m,omitempty"` // pieces for which there was no room
}

// Section is some of it, under a title. A card is one of several of a kind, such
// as a container.
type Section struct {
	Title    string    `json:"t"`
	Badge    Line      `json:"b,omitempty"` // beside the title
	Rows     []Row     `json:"r,omitempty"`
	Tables   []Table   `json:"g,omitempty"`
	Sections []Section `json:"s,omitempty"`
	Card     bool      `json:"c,omitempty"`
	Folded   bool      `json:"f,omitempty"` // to begin with
	More     int       `json:"m,omitempty"` // rows and sections that are left away
}

// Row is a name and what it is, in one or more lines.
type Row struct {
	Name   string `json:"n"`
	Lines  []Line `json:"l,omitempty"`
	Indent int    `json:"i,omitempty"` // in a tree
	Chips  bool   `json:"c,omitempty"` // the lines are short, and alike
	Folded bool   `json:"f,omitempty"` // to begin with
	More   int    `json:"m,omitempty"` // lines that are left away
}

// Table is rows of the same columns.
type Table struct {
	Title   string   `json:"t,omitempty"`
	Columns []Column `json:"c"`
	Rows    [][]Line `json:"r,omitempty"`
	More    int      `json:"m,omitempty"` // rows that are left away
}

// Column is one of a table. Numbers are aligned.
type Column struct {
	Name  string `json:"n"`
	Right bool   `json:"r,omitempty"`
}

// Line is pieces, one behind the other.
type Line []Piece

// Piece is some text, or an instant, or a link.
type Piece struct {
	Text string   `json:"t,omitempty"`
	At   int64    `json:"a,omitempty"` // unix seconds: an instant, which is printed as an age that ticks, behind the text
	Look string   `json:"l,omitempty"` // how it looks; nothing is plain text
	Ref  *Ref     `json:"r,omitempty"` // the object that it names
	List *Listing `json:"q,omitempty"` // the list that it names
	Cut  int      `json:"c,omitempty"` // bytes that are left away
}

// Listing is a list of objects: those of a namespace that a selector selects.
type Listing struct {
	Resource  string `json:"r"`
	Namespace string `json:"n,omitempty"`
	Labels    string `json:"l,omitempty"`
	Filter    string `json:"q,omitempty"`
}

// Print is a piece's text; of an instant, how long ago that is, or how long until then.
func (p Piece) Print(now time.Time) string {
	if p.At == 0 {
		return p.Text
	}
	if p.At > now.Unix()+1 {
		return "in " + string(object.Cell{Kind: object.AgeCell, At: now.Unix()}.Append(nil, time.Unix(p.At, 0)))
	}
	return p.Text + string(object.Cell{Kind: object.AgeCell, At: p.At}.Append(nil, now)) + " ago"
}

// How pieces look. A status has the tone of its word; the next four are tones.
const (
	Code    = "code"
	Quiet   = "quiet"
	Status  = "status"
	OK      = "ok"
	Warning = "warning"
	Failed  = "failed"
	Pending = "pending"
)

// What of an object is shown at most. Nobody reads more of it here: YAML has it all.
const (
	mostName     = 320      // bytes of a name or title: any label's; a browser takes long to break one of thousands
	mostText     = 4 << 10  // bytes of a piece
	mostLines    = 100      // of a row
	mostRows     = 200      // of a section or a table
	mostSections = 64       // of a section
	mostPieces   = 2500     // of all
	mostBytes    = 96 << 10 // of all
)

// Summarize tells of an object what there is to tell, and of others what has to do
// with it, as far as it is known.
func Summarize(v Value, more More) Summary {
	w := newWriter(v, more)
	w.run(common, v)
	if i := slices.IndexFunc(kinds, func(s sheetOf) bool { return s.kind == w.kind }); i >= 0 && w.native() {
		w.run(kinds[i].text, v)
	} else {
		w.other()
	}
	s := Summary{Sections: kept(w.sections)}
	s.bound()
	return s
}

// kept are the sections that there is something in.
func kept(all []Section) []Section {
	out := all[:0]
	for _, s := range all {
		s.Sections = kept(s.Sections)
		if len(s.Rows)+len(s.Tables)+len(s.Sections)+len(s.Badge) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// bound cuts a summary to what a page can show without effort.
func (s *Summary) bound() {
	r := &room{pieces: mostPieces, bytes: mostBytes}
	s.Sections, _ = r.sections(s.Sections)
	s.More = r.lost
}

// room is how much may still be shown.
type room struct{ pieces, bytes, lost int }

func (r *room) sections(all []Section) ([]Section, int) {
	all, more := first(all, mostSections)
	for i := range all {
		s := &all[i]
		var rows, sections int
		s.Title = r.name(s.Title)
		s.Badge = r.line(s.Badge)
		s.Rows, rows = first(s.Rows, mostRows)
		for i := range s.Rows {
			r.row(&s.Rows[i])
		}
		for i := range s.Tables {
			r.table(&s.Tables[i])
		}
		s.Sections, sections = r.sections(s.Sections)
		s.More += rows + sections
	}
	return all, more
}

func (r *room) row(row *Row) {
	var more int
	row.Name = r.name(row.Name)
	row.Lines, more = first(row.Lines, mostLines)
	row.More += more
	for i := range row.Lines {
		row.Lines[i] = r.line(row.Lines[i])
	}
}

func (r *room) table(t *Table) {
	var more int
	t.Rows, more = first(t.Rows, mostRows)
	t.More += more
	for _, row := range t.Rows {
		for i := range row {
			row[i] = r.line(row[i])
		}
	}
}

// line leaves of a line what there is room for.
func (r *room) line(l Line) Line {
	for i := range l {
		if r.pieces <= 0 || r.bytes <= 0 {
			r.lost += len(l) - i
			return l[:i:i]
		}
		p := &l[i]
		text, cut := r.text(p.Text)
		if p.Text = text; cut > 0 {
			p.Ref, p.List = nil, nil // no name is so long
		}
		p.Cut += cut
		r.pieces--
	}
	return l
}

// name is a name, or its beginning.
func (r *room) name(s string) string {
	shown, cut := r.upTo(mostName, s)
	if cut > 0 {
		shown += "…"
	}
	return shown
}

// text is as much of a text as may be shown, in whole characters, and how much is left
// away.
func (r *room) text(s string) (shown string, cut int) { return r.upTo(mostText, s) }

func (r *room) upTo(most int, s string) (shown string, cut int) {
	if n := max(0, min(most, r.bytes)); len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s, cut = strings.Clone(s[:n]), len(s)-n
	}
	r.bytes -= len(s)
	return strings.Map(visible, s), cut
}

// visible is a character that shows as itself, and turns nothing around: instead of one
// that would not, that there is one.
func visible(c rune) rune {
	switch {
	case c == '\n' || c == '\t':
		return c
	case c < ' ':
		return c + '␀'
	case unicode.IsControl(c), c == '\u200e', c == '\u200f', c == '\u061c', '\u202a' <= c && c <= '\u202e', '\u2066' <= c && c <= '\u2069':
		return unicode.ReplacementChar
	}
	return c
}

// first are the first of some, and how many there are beside.
func first[T any](all []T, most int) ([]T, int) {
	if len(all) <= most {
		return all, 0
	}
	return all[:most:most], len(all) - most
}
