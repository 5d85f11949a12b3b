package logs

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/detail/log"
	logline "watchglass/internal/detail/log/line"
	"watchglass/web/grid"
	"watchglass/web/words"
)

// line returns a row as it is painted.
func (l *state) line(r log.Row) grid.Line {
	out := grid.Line{Gutter: l.before(r), Action: string(Pick), Value: strconv.FormatUint(r.Position, 10)}
	if r.Opens {
		out.Click, out.Of = string(Expand), strconv.FormatUint(r.ID, 10)
		if r.Kind == log.LineRow && r.Part == 0 {
			out.Open = strconv.FormatBool(r.Open)
		}
	}
	looks := []string{}
	if len(l.names) > 0 {
		looks = append(looks, "from"+strconv.Itoa(r.Source%8))
	}
	if r.Note {
		looks = append(looks, "told")
	}
	if r.Bad {
		looks = append(looks, "bad")
	}
	if l.picking && r.Position >= l.picked && r.Position <= l.picks {
		looks = append(looks, "picked")
	}
	if f := l.doc.Found; f != nil && f.Hit >= 0 && f.Position == r.Position && l.ask.Search != "" {
		looks = append(looks, "current")
	}
	out.Look = strings.Join(looks, " ")
	out.Spans = l.lead(out.Spans, r)
	for _, s := range r.Spans {
		out.Spans = append(out.Spans, grid.Span{Text: s.Text, Look: lookClass(s.Style, s.Hit)})
	}
	switch {
	case r.More > 0:
		out.Spans = append(out.Spans, grid.Span{Text: " … " + strconv.Itoa(r.More) + " more bytes", Look: "note"})
	case r.Goes:
		out.Spans = append(out.Spans, grid.Span{Text: " … line exceeds 16 KB, continued below", Look: "note"})
	case r.Folded > 0 && !r.Open && r.Part == 0:
		out.Spans = append(out.Spans, grid.Span{Text: " ▸ " + words.CountOf(r.Folded, "more line"), Look: "note"})
	}
	return out
}

// lead appends what stands before the message: the time, and the level.
func (l *state) lead(spans []grid.Span, r log.Row) []grid.Span {
	indent := l.indent()
	stamp := ""
	if r.Time != 0 && r.Part == 0 && r.Kind != log.BranchRow {
		switch at := time.Unix(0, r.Time).UTC(); {
		case l.times:
			stamp = at.Format("2006-01-02 15:04:05.000Z ")
		case l.ask.Raw:
		case l.wide:
			stamp = at.Format("15:04:05.000 ")
		default:
			stamp = at.Format("15:04:05 ")
		}
	}
	if stamp != "" {
		spans, indent = append(spans, grid.Span{Text: stamp, Look: "time"}), indent[len(stamp):]
	}
	if r.Level != logline.None && r.Part == 0 && r.Kind == log.LineRow && len(indent) == levelColumns {
		name := r.Level.String()
		return append(spans, grid.Span{Text: strings.ToUpper(name), Look: "level " + name}, grid.Span{Text: indent[len(name):]})
	}
	if indent != "" {
		spans = append(spans, grid.Span{Text: indent})
	}
	return spans
}

// indent returns spaces for what stands before the message.
func (l *state) indent() string {
	n := 0
	switch {
	case l.times:
		n = timeColumns
	case l.ask.Raw:
	case l.wide:
		n = clockColumns
	default:
		n = shortColumns
	}
	if l.levels && !l.ask.Raw {
		n += levelColumns
	}
	return strings.Repeat(" ", n)
}

// before returns a row's gutter: the source's name, or the line number.
func (l *state) before(r log.Row) string {
	text := ""
	switch {
	case r.Part > 0:
		text = "↪"
	case r.Kind == log.BranchRow:
	case r.Source < len(l.names):
		text = l.names[r.Source]
	case l.names == nil:
		text = strconv.FormatUint(r.Position+1, 10)
		return strings.Repeat(" ", max(l.gutter-len(text), 0)) + text
	}
	return text + strings.Repeat(" ", max(l.gutter-grid.Width([]grid.Span{{Text: text}}), 0))
}

// lookClass returns the CSS classes of a look.
func lookClass(look log.Style, hit bool) string {
	if look == 0 {
		return map[bool]string{true: "hit"}[hit]
	}
	var classes []string
	letters, behind := look.Colour()
	if look&log.Inverse != 0 {
		letters, behind = behind, cmp.Or(letters, 17)
		letters = cmp.Or(letters, 17)
	}
	if letters > 0 {
		classes = append(classes, "c"+strconv.Itoa(letters))
	}
	if behind > 0 {
		classes = append(classes, "b"+strconv.Itoa(behind))
	}
	for _, a := range [...]struct {
		look log.Style
		name string
	}{{log.Bold, "bold"}, {log.Dim, "faint"}, {log.Italic, "italic"}, {log.Underline, "under"}, {log.Struck, "struck"}} {
		if look&a.look != 0 {
			classes = append(classes, a.name)
		}
	}
	if hit {
		classes = append(classes, "hit")
	}
	return strings.Join(classes, " ")
}
