package grid

import (
	"slices"
	"strconv"
	"strings"
)

// script collects steps for the page's painter, so that a frame takes one call. The parts of a
// step are separated by control characters, which no cell text contains.
type script struct{ steps []string }

const (
	betweenSteps = "\x1e"
	betweenArgs  = "\x1f"
	betweenParts = "\x1d"
)

var _ Painter = (*script)(nil)

func (s *script) step(parts ...string) {
	for i, p := range parts {
		parts[i] = plain(p)
	}
	s.steps = append(s.steps, strings.Join(parts, betweenArgs))
}

// plain removes the separators from a text. Only object names could contain them, and the
// apiserver admits no such name.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\x1e' || r == '\x1f' {
			return -1
		}
		return r
	}, text)
}

// take returns the collected steps as one text, and clears them.
func (s *script) take() string {
	out := strings.Join(s.steps, betweenSteps)
	s.steps = s.steps[:0]
	return out
}

func (s *script) Columns(columns []Column) {
	args := []string{"columns"}
	for _, c := range columns {
		args = append(args, strings.Join([]string{c.Name, class(c), strconv.Itoa(c.At + 1), flag(c.Link)}, betweenParts))
	}
	s.step(args...)
}

func (s *script) Busy(busy bool) { s.step("busy", strconv.FormatBool(busy)) }

func (s *script) Head(columns []Column, without []string, all int, sort string, descending bool) {
	args := []string{"head", "Drag to resize, double-click to reset", strconv.Itoa(all)}
	roomiest := slices.IndexFunc(columns, Column.named)
	if roomiest < 0 { // as in Events
		roomiest = max(slices.IndexFunc(columns, func(c Column) bool { return c.Wide }), 0)
	}
	for i, c := range columns {
		order := "none"
		if c.Name == sort {
			order = map[bool]string{false: "ascending", true: "descending"}[descending]
		}
		look, title := class(c), "Sort by "+c.Name
		if c.Note != "" {
			look, title = look+" noted", c.Note+" "+title
		}
		parts := []string{c.Name, look, strconv.Itoa(c.At + 1), order, strings.ToUpper(c.Title), title}
		if n := len(without); n > 0 && i == roomiest {
			parts[5] = "No room for " + strings.Join(without, ", ") + ". " + title
			parts = append(parts, "+"+strconv.Itoa(n))
		}
		args = append(args, strings.Join(parts, betweenParts))
	}
	s.step(args...)
}

func (s *script) Widths(columns []Column) {
	widths, characters, pixels := make([]string, len(columns)), 0, (len(columns)+1)*columnGap
	message := slices.ContainsFunc(columns, func(c Column) bool { return c.Wide && c.prose() })
	for i, c := range columns {
		switch {
		case c.Fixed > 0:
			widths[i] = strconv.Itoa(c.Fixed) + "px"
			pixels += c.Fixed
			continue
		case c.Wide:
			most := strconv.Itoa(max(c.Width, widestName)) + "ch"
			switch {
			case c.prose():
				most = "1fr"
			case message:
				most = strconv.Itoa(c.Width) + "ch" // the message gets the remaining width
			}
			widths[i] = "minmax(" + strconv.Itoa(c.Width) + "ch," + most + ")"
		default:
			widths[i] = strconv.Itoa(c.Width) + "ch"
		}
		characters += c.Width
	}
	s.step("widths", strings.Join(widths, " "), "calc("+strconv.Itoa(characters)+"ch + "+strconv.Itoa(pixels)+"px)")
}

// columnGap is the gap between columns, and before the first and after the last, in pixels. It
// must match the style sheet.
const columnGap = 14

func class(c Column) string {
	out := "cell"
	if c.Right {
		out += " right"
	}
	if c.Mono {
		out += " mono"
	}
	if c.Bar {
		out += " gauge"
	}
	if c.Glyph {
		out += " glyph"
	}
	if c.prose() {
		out += " prose"
	}
	return out
}

func (s *script) Length(rows int) { s.step("length", strconv.Itoa(rows)) }

func (s *script) Place(slot, index int, key, uid string) {
	s.step("place", strconv.Itoa(slot), strconv.Itoa(index), key, uid)
}

func (s *script) Link(slot int, address string) { s.step("link", strconv.Itoa(slot), address) }

func (s *script) Cell(slot, column int, c Cell) {
	args := []string{"cell", strconv.Itoa(slot), strconv.Itoa(column), c.Text, c.Title, string(c.Tone), glow(c.Glow), c.Prefix}
	if c.Bar != "" {
		args = append(args, c.Bar)
	}
	s.step(args...)
}

func (s *script) Mark(slot int, active, selected bool) {
	s.step("mark", strconv.Itoa(slot), flag(active), flag(selected))
}

func (s *script) Hide(slot int) { s.step("hide", strconv.Itoa(slot)) }

func (s *script) Paint() {}

// flag encodes a bool: "" is false.
func flag(v bool) string {
	if v {
		return "y"
	}
	return ""
}

// glowFor is how long a changed item glows, in milliseconds.
const glowFor = "900"

// glow returns how long something glows; "" if it does not.
func glow(v bool) string {
	if v {
		return glowFor
	}
	return ""
}
