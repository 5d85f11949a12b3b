package detail

import (
	"slices"
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/object/schema"
)

// writer writes the sections of a summary as a sheet describes them. A sheet is text, so that
// fifty kinds take little code. Its lines are:
//
//	[Title]                           a section; [Title -] is initially folded
//	Name: text {path} text            a row; omitted if all its paths are empty
//	Name@list: {path}                 a row with a line for each element
//	|Title@list|Name {path}|>Name {path}  a table with a row for each element; > marks numbers
//	=Title@list|Name {@}|>Name {path}     a table with a row for each key of the maps at the paths;
//	                                  {@} is the key, {path} the map's value for it
//	!function path                    the output of a function for the value
//
// A path is names separated by dots; {} is the value itself. A path may be followed by a
// format, {path:format argument}, and by a text to show if the value is absent, {path?none}.
type writer struct {
	root      document.Value
	more      More
	kind      string
	group     string
	version   string
	namespace string
	container document.Value            // being written
	siblings  map[string]document.Value // of the same pod or pod template, by name
	sections  []Section
}

func newWriter(v document.Value, more More) *writer {
	version := v.TextAt("apiVersion")
	group, _, grouped := strings.Cut(version, "/")
	if !grouped {
		group = ""
	}
	return &writer{root: v, more: more, kind: v.TextAt("kind"), group: group, version: version, namespace: v.TextAt("metadata.namespace")}
}

// native reports whether the kind is Kubernetes' own, not another group's kind of the same
// name.
func (w *writer) native() bool {
	_, ok := schema.Of(w.version, w.kind)
	return ok
}

// run applies a sheet to a value. Empty sections are omitted later.
func (w *writer) run(sheet string, v document.Value) {
	for line := range strings.Lines(sheet) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "":
		case line[0] == '[':
			title, folded := strings.CutSuffix(line[1:len(line)-1], " -")
			w.section(title).Folded = folded
		case line[0] == '!':
			name, path, _ := strings.Cut(line[1:], " ")
			functionOf(name)(w, v.Get(path))
		case line[0] == '|', line[0] == '=':
			w.table(line[1:], v, line[0] == '=')
		default:
			w.line(line, v)
		}
	}
}

// section begins a section.
//
//go:noinline
func (w *writer) section(title string) *Section {
	w.sections = append(w.sections, Section{Title: title})
	return w.last()
}

// last returns the section being written.
//
//go:noinline
func (w *writer) last() *Section {
	if len(w.sections) == 0 {
		w.sections = append(w.sections, Section{})
	}
	return &w.sections[len(w.sections)-1]
}

// inner lets a function write into a new section below the last one, and returns it.
func (w *writer) inner(title string, write func(*writer)) *Section {
	sub := *w
	sub.sections = []Section{{Title: title}}
	write(&sub)
	s := w.last()
	s.Sections = append(s.Sections, sub.sections...)
	return &s.Sections[len(s.Sections)-1]
}

// row adds a row unless it is empty.
//
//go:noinline
func (w *writer) row(name string, lines ...Line) {
	lines = filled(lines)
	if len(lines) > 0 {
		s := w.last()
		s.Rows = append(s.Rows, Row{Name: name, Lines: lines})
	}
}

//go:noinline
func filled(lines []Line) []Line {
	out := lines[:0]
	for _, l := range lines {
		if len(l) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// line writes a row of a sheet.
func (w *writer) line(line string, v document.Value) {
	head, text, _ := strings.Cut(line, ": ")
	name, list, each := strings.Cut(head, "@")
	if !each {
		w.row(name, w.fill(text, v)...)
		return
	}
	var lines []Line
	for _, e := range v.Get(list).List() {
		lines = append(lines, w.fill(text, e)...)
	}
	w.row(name, lines...)
}

// table writes a table of a sheet unless it is empty: with a row for each element of a list,
// or, if keyed, for each key of the maps in it.
func (w *writer) table(line string, v document.Value, keyed bool) {
	cells := strings.Split(line, "|")
	title, list, each := strings.Cut(cells[0], "@")
	t := Table{Title: title}
	for i, cell := range cells[1:] {
		name, text, _ := strings.Cut(cell, "{")
		name, right := strings.CutPrefix(strings.TrimSpace(name), ">")
		t.Columns = append(t.Columns, Column{Name: name, Right: right})
		cells[1+i] = "{" + text
	}
	elements := []document.Value{v}
	if each {
		elements = v.ListAt(list)
	}
	for _, e := range elements {
		if !keyed {
			t.Rows = append(t.Rows, w.cells(cells[1:], e))
			continue
		}
		for _, key := range keysOf(cells[1:], e) {
			t.Rows = append(t.Rows, w.cells(cells[1:], entry(cells[1:], e, key)))
		}
	}
	w.addTable(t)
}

func (w *writer) cells(texts []string, v document.Value) []Line {
	row := make([]Line, len(texts))
	for i, text := range texts {
		row[i] = join(w.fill(text, v), ", ")
	}
	return row
}

// keyPath stands for the key in the cells of a keyed table.
const keyPath = "@"

// keysOf returns the keys of all maps that a row's cells refer to.
func keysOf(cells []string, v document.Value) []string {
	var keys []string
	for _, cell := range cells {
		if path := pathOf(cell); path != "" {
			keys = append(keys, v.Get(path).Keys()...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// entry returns one row of a keyed table. It maps each path, as a whole with its dots, to the
// value for the key in the map at that path. A format without a path gets the entry itself.
func entry(cells []string, v document.Value, key string) document.Value {
	out := map[string]any{keyPath: key}
	for _, cell := range cells {
		path := pathOf(cell)
		if path == "" || path == keyPath {
			continue
		}
		is := v.Get(path)
		if members, ok := is.Any().(map[string]any); ok {
			is = document.Of(members[key])
		}
		out[path] = is.Any()
	}
	return document.Of(out)
}

// pathOf returns the path of a cell that consists of one placeholder.
func pathOf(cell string) string {
	path, _, _ := strings.Cut(strings.Trim(cell, "{}"), ":")
	return path
}

// addTable adds a table without its empty columns.
//
//go:noinline
func (w *writer) addTable(t Table) {
	if len(t.Rows) == 0 {
		return
	}
	for c := len(t.Columns) - 1; c >= 0; c-- {
		empty := true
		for _, row := range t.Rows {
			empty = empty && len(row[c]) == 0
		}
		if empty {
			t.Columns = append(t.Columns[:c:c], t.Columns[c+1:]...)
			for i, row := range t.Rows {
				t.Rows[i] = append(row[:c:c], row[c+1:]...)
			}
		}
	}
	s := w.last()
	s.Tables = append(s.Tables, t)
}

// fill replaces the placeholders of a text with their values; it returns nothing if all are
// empty. An empty value also removes the words before it, and what follows it up to a space or
// a ~. A path with a ! before it removes the whole line if its value is empty.
func (w *writer) fill(text string, v document.Value) []Line {
	var line Line
	found := false
	before, text, more := strings.Cut(text, "{")
	for more {
		place, after, _ := strings.Cut(text, "}")
		place, needed := strings.CutPrefix(place, "!")
		lines := w.place(place, v)
		if len(lines) > 0 && after == "" && before == "" && len(line) == 0 {
			return lines
		}
		if len(lines) == 0 && needed {
			return nil
		}
		after, text, more = strings.Cut(after, "{")
		suffix := ""
		if own, next, said := strings.Cut(after, "~"); said {
			suffix, after = own, next
		} else if end := strings.IndexByte(after, ' '); end >= 0 || !more {
			end = (end + len(after) + 1) % (len(after) + 1)
			suffix, after = after[:end], after[end:]
		}
		if len(lines) > 0 {
			if len(line) == 0 {
				before = strings.TrimLeft(before, " ")
			}
			line = append(line.styled(Quiet, before), join(lines, ", ")...).styled(Quiet, suffix)
			found = true
		}
		before = after
	}
	if !found {
		return nil
	}
	return []Line{line.styled(Quiet, before)}
}

// place returns the value of a placeholder, the text between braces.
func (w *writer) place(place string, v document.Value) []Line {
	place, none, _ := strings.Cut(place, "?")
	path, format, _ := strings.Cut(place, ":")
	format, arg, _ := strings.Cut(format, " ")
	lines := filled(formatOf(format).show(w, v.Get(path), arg))
	if len(lines) == 0 && none != "" {
		return []Line{{{Text: none, Style: Quiet}}}
	}
	return lines
}

// text adds text to a line.
//
//go:noinline
func (l Line) text(s string) Line {
	if s == "" {
		return l
	}
	return append(l, Span{Text: s})
}

// styled adds text in a style.
//
//go:noinline
func (l Line) styled(look, s string) Line {
	if s == "" {
		return l
	}
	return append(l, Span{Text: s, Style: look})
}

// join joins lines into one.
//
//go:noinline
func join(lines []Line, between string) Line {
	if len(lines) == 1 {
		return lines[0]
	}
	var out Line
	for i, l := range lines {
		if i > 0 {
			out = out.text(between)
		}
		out = append(out, l...)
	}
	return out
}
