package detail

import (
	"slices"
	"strings"

	"watchglass/internal/object"
)

// writer makes the sections of a summary, as a sheet says. A sheet is text, so that
// fifty kinds weigh little. Its lines are:
//
//	[Title]                           a section; [Title -] is folded to begin with
//	Name: text {path} text            a row; it is left away where all its paths are nothing
//	Name@list: {path}                 a row with a line for each element
//	|Title@list|Name {path}|>Name {path}  a table with a row for each element; > is of numbers
//	=Title@list|Name {@}|>Name {path}     a table with a row for each key of the maps at the paths;
//	                                  {@} is the key, {path} what the map has of it
//	!function path                    what a function makes of it
//
// A path is names with dots between, {} is the value itself. Behind it may stand
// how it is shown, {path:format argument}, and what is shown if it is not there,
// {path?none}.
type writer struct {
	root      Value
	more      More
	kind      string
	group     string
	version   string
	namespace string
	container Value // that is being written
	sections  []Section
}

func newWriter(v Value, more More) *writer {
	version := v.say("apiVersion")
	group, _, grouped := strings.Cut(version, "/")
	if !grouped {
		group = ""
	}
	return &writer{root: v, more: more, kind: v.say("kind"), group: group, version: version, namespace: v.say("metadata.namespace")}
}

// native reports that the kind is Kubernetes' own, and none of the same name.
func (w *writer) native() bool {
	_, ok := object.MessageOf(w.version, w.kind)
	return ok
}

// run writes what a sheet says of a value; sections that nothing is in are left away.
func (w *writer) run(sheet string, v Value) {
	for line := range strings.Lines(sheet) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "":
		case line[0] == '[':
			title, folded := strings.CutSuffix(line[1:len(line)-1], " -")
			w.section(title).Folded = folded
		case line[0] == '!':
			name, path, _ := strings.Cut(line[1:], " ")
			functionOf(name)(w, v.of(path))
		case line[0] == '|', line[0] == '=':
			w.table(line[1:], v, line[0] == '=')
		default:
			w.line(line, v)
		}
	}
}

// section begins one.
//
//go:noinline
func (w *writer) section(title string) *Section {
	w.sections = append(w.sections, Section{Title: title})
	return w.last()
}

// last is the section that is being written.
//
//go:noinline
func (w *writer) last() *Section {
	if len(w.sections) == 0 {
		w.sections = append(w.sections, Section{})
	}
	return &w.sections[len(w.sections)-1]
}

// inner is what a function writes into a section of its own, below the last.
func (w *writer) inner(title string, write func(*writer)) *Section {
	sub := *w
	sub.sections = []Section{{Title: title}}
	write(&sub)
	s := w.last()
	s.Sections = append(s.Sections, sub.sections...)
	return &s.Sections[len(s.Sections)-1]
}

// row adds one, if there is something in it.
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
func (w *writer) line(line string, v Value) {
	head, text, _ := strings.Cut(line, ": ")
	name, list, each := strings.Cut(head, "@")
	if !each {
		w.row(name, w.fill(text, v)...)
		return
	}
	var lines []Line
	for _, e := range v.of(list).List() {
		lines = append(lines, w.fill(text, e)...)
	}
	w.row(name, lines...)
}

// table writes one of a sheet, if it has rows: one for each element of a list, or for
// each key of the maps that there are in it.
func (w *writer) table(line string, v Value, keyed bool) {
	cells := strings.Split(line, "|")
	title, list, each := strings.Cut(cells[0], "@")
	t := Table{Title: title}
	for i, cell := range cells[1:] {
		name, text, _ := strings.Cut(cell, "{")
		name, right := strings.CutPrefix(strings.TrimSpace(name), ">")
		t.Columns = append(t.Columns, Column{Name: name, Right: right})
		cells[1+i] = "{" + text
	}
	elements := []Value{v}
	if each {
		elements = v.all(list)
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

func (w *writer) cells(texts []string, v Value) []Line {
	row := make([]Line, len(texts))
	for i, text := range texts {
		row[i] = join(w.fill(text, v), ", ")
	}
	return row
}

// keyPath stands for the key in the cells of a keyed table.
const keyPath = "@"

// keysOf returns the keys of all maps that the cells of a row name.
func keysOf(cells []string, v Value) []string {
	var keys []string
	for _, cell := range cells {
		if path := pathOf(cell); path != "" {
			keys = append(keys, v.of(path).Keys()...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// entry returns one row of a keyed table: by each path, whole and with its dots, what the
// map there has of the key. A format without a path is given the entry itself.
func entry(cells []string, v Value, key string) Value {
	out := map[string]any{keyPath: key}
	for _, cell := range cells {
		path := pathOf(cell)
		if path == "" || path == keyPath {
			continue
		}
		is := v.of(path)
		if members, ok := is.Any().(map[string]any); ok {
			is = Value{members[key]}
		}
		out[path] = is.Any()
	}
	return Value{out}
}

// pathOf returns the path of a cell that is one place.
func pathOf(cell string) string {
	path, _, _ := strings.Cut(strings.Trim(cell, "{}"), ":")
	return path
}

// addTable adds a table without the columns that nobody has anything in.
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

// fill puts what the paths of a text lead to into it: nothing if that is nothing. With
// a path go the words before it, and what follows it up to a space or a ~; all goes with
// a path that has a ! before it.
func (w *writer) fill(text string, v Value) []Line {
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
			line = append(line.look(Quiet, before), join(lines, ", ")...).look(Quiet, suffix)
			found = true
		}
		before = after
	}
	if !found {
		return nil
	}
	return []Line{line.look(Quiet, before)}
}

// place is what stands between braces.
func (w *writer) place(place string, v Value) []Line {
	place, none, _ := strings.Cut(place, "?")
	path, format, _ := strings.Cut(place, ":")
	format, arg, _ := strings.Cut(format, " ")
	lines := filled(formatOf(format).show(w, v.of(path), arg))
	if len(lines) == 0 && none != "" {
		return []Line{{{Text: none, Look: Quiet}}}
	}
	return lines
}

// of goes down a path with dots. This and what follows is not inlined: there are
// hundreds of places.
//
//go:noinline
func (v Value) of(path string) Value {
	if members, ok := v.is.(map[string]any); ok && members[path] != nil {
		return Value{members[path]} // of an entry, all of the path is the name
	}
	if path == "" {
		return v
	}
	for name := range strings.SplitSeq(path, ".") {
		v = v.At(name)
	}
	return v
}

// say is the text that a path leads to.
//
//go:noinline
func (v Value) say(path string) string { return v.of(path).Text() }

// all are the elements of the list that a path leads to.
//
//go:noinline
func (v Value) all(path string) []Value { return v.of(path).List() }

// text adds text to a line.
//
//go:noinline
func (l Line) text(s string) Line {
	if s == "" {
		return l
	}
	return append(l, Piece{Text: s})
}

// look adds text that looks like something.
//
//go:noinline
func (l Line) look(look, s string) Line {
	if s == "" {
		return l
	}
	return append(l, Piece{Text: s, Look: look})
}

// join makes one line of several.
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
