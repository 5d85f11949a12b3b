package log

import (
	"strings"
	"unicode/utf8"

	"watchglass/internal/detail/log/line"
)

// The most that is shown of a value behind the message; an expanded line shows all of it.
const (
	mostValue  = 200
	mostNested = 80
)

// shaper turns lines into what is shown of them: the message, then the fields.
type shaper struct {
	parsed  line.Line
	message []byte
	looks   []Span
}

// read reads a line, for shape, branches and opens.
func (s *shaper) read(text string) { s.parsed.Parse(text) }

// shape returns what is shown of a line that was read, with its looks, valid until the next call. It
// is the line itself if nothing in it was recognised.
func (s *shaper) shape(text string, looks []Span) (string, []Span) {
	l := &s.parsed
	if l.Time.Empty() && l.Level == line.None && len(l.Fields) == 0 || l.Message.Empty() && len(l.Fields) == 0 {
		return text, looks
	}
	s.message, s.looks = s.message[:0], s.looks[:0]
	if l.Quoted {
		s.quoted(l.Text(text))
	} else {
		s.cut(text, looks, l.Message)
	}
	for _, f := range l.Fields {
		if !f.Within {
			s.field(text, f)
		}
	}
	return shared(s.message), s.looks
}

// quoted appends a message that had escapes. They may stand for colours.
func (s *shaper) quoted(message string) {
	if b := []byte(message); coded(b) && strings.IndexByte(message, 0x1b) >= 0 {
		s.message, s.looks = decode(s.message, s.looks, b)
		return
	}
	s.message = append(s.message, message...)
}

// cut appends a part of a line with its looks.
func (s *shaper) cut(text string, looks []Span, p line.Part) {
	s.message = append(s.message, text[p.From:p.To]...)
	start := 0
	for _, look := range looks {
		if from, to := max(start, p.From), min(look.End, p.To); from < to {
			s.looks = append(s.looks, Span{to - p.From, look.Style})
		}
		start = look.End
	}
}

// field appends a dimmed key=value.
func (s *shaper) field(text string, f line.Field) {
	before := len(s.message)
	if before > 0 {
		if len(s.looks) == 0 || s.looks[len(s.looks)-1].End < before {
			s.looks = append(s.looks, Span{before, 0})
		}
		s.message = append(s.message, ' ')
	}
	value, most := f.Value.Of(text), mostValue
	if f.Nested() {
		most = mostNested
	}
	s.message = append(append(s.message, f.NameOf(text)...), '=')
	quote := f.Kind == '"' && (value == "" || strings.ContainsAny(value, " =\"\\"))
	if quote {
		s.message = append(s.message, '"')
	}
	s.message = append(s.message, value[:fits(value, most)]...)
	if len(value) > most {
		s.message = append(s.message, "…"...)
	}
	if quote {
		s.message = append(s.message, '"')
	}
	if n := len(s.looks); n > 0 && s.looks[n-1].Style == Dim && s.looks[n-1].End == before {
		s.looks[n-1].End = len(s.message)
		return
	}
	s.looks = append(s.looks, Span{len(s.message), Dim})
}

// fits returns how much of a text is at most so long, without splitting a character.
func fits(s string, most int) int {
	if len(s) <= most {
		return len(s)
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return most
}

// branch is a row of an expanded line.
type branch struct {
	text  string
	spans []Span
}

// branches returns the fields of a line that was read as rows of a tree, with all their values.
func (s *shaper) branches(text string) (out []branch) {
	for _, m := range s.parsed.Tree(text) {
		indent := strings.Repeat("  ", m.Depth+1)
		head := indent + m.Key
		switch {
		case m.Key == "":
			head = indent + "-"
		case m.Value != "":
			head += ":"
		}
		for i, part := range strings.Split(m.Value, "\n") {
			switch {
			case i > 0:
				out = append(out, branch{text: indent + "  " + plainText(part)})
			case part == "" && m.Value == "":
				out = append(out, branch{head, []Span{{len(head), Dim}}})
			default:
				out = append(out, branch{head + " " + plainText(part), []Span{{len(head), Dim}}})
			}
		}
	}
	return out
}

// plainText returns a text without escapes.
func plainText(text string) string {
	if b := []byte(text); coded(b) {
		b, _ = decode(nil, nil, b)
		return string(b)
	}
	return text
}

// opens reports whether there is more to the line that was read than what is shown of it.
func (s *shaper) opens() bool { return len(s.parsed.Fields) > 0 }
