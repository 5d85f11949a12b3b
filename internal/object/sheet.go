package object

import (
	"slices"
	"time"
)

// A sheet draws up a printer: each method adds a column together with what prints
// its cells, so that the two cannot come apart. A sheet is drawn up for each
// decoder, and what prints may keep scratch memory.
//
// The methods are not inlined: what each of them makes would be compiled anew for
// each column of each kind, which cost 50 KB of what the browser loads.
type sheet struct {
	columns  []Column
	paths    paths
	cells    []cell
	images   []int
	priority int // of the columns to come
}

// cell prints the cell of one column.
type cell func(v *Values, o *Object, r *row)

// named returns a sheet that begins with the object's name, as nearly all do.
//
//go:noinline
func named() *sheet { return new(sheet).name() }

// printer is what has been drawn up.
func (s *sheet) printer() *printer {
	cells := s.cells
	s.paths.add(metadataPaths[metaName]) // a sheet may need no path of its own
	return &printer{columns: s.columns, paths: &s.paths, images: s.images, print: func(v *Values, o *Object, r *row) {
		for _, print := range cells {
			print(v, o, r)
		}
	}}
}

// wide has the columns to come show only when asked for.
func (s *sheet) wide() *sheet {
	s.priority = 1
	return s
}

// always has the columns to come always show.
func (s *sheet) always() *sheet {
	s.priority = 0
	return s
}

func (s *sheet) name() *sheet {
	s.columns = append(s.columns, Column{Name: "Name", Kind: NameCell, Priority: s.priority})
	return s
}

// cell adds a column that a kind prints in a way of its own.
//
//go:noinline
func (s *sheet) cell(name string, kind CellKind, print cell) *sheet {
	s.columns = append(s.columns, Column{Name: name, Kind: kind, Priority: s.priority})
	s.cells = append(s.cells, print)
	return s
}

// age is when the object was created.
//
//go:noinline
func (s *sheet) age() *sheet {
	return s.cell("Age", AgeCell, func(_ *Values, o *Object, r *row) { r.instant(o.created) })
}

// created is the same as a text: so the server prints the kinds that it has no
// columns for.
//
//go:noinline
func (s *sheet) created() *sheet {
	return s.cell("Created At", TextCell, func(_ *Values, o *Object, r *row) {
		var at time.Time
		if o.created != 0 {
			at = time.Unix(o.created, 0).UTC()
		}
		r.next()
		r.text = at.AppendFormat(r.text, time.RFC3339)
	})
}

// text is a text, or another where it is empty.
//
//go:noinline
func (s *sheet) text(name, path, none string) *sheet {
	slot := s.paths.add(path)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) { r.cellOr(v.Bytes(slot), none) })
}

// optional is a text that may be empty, or another where the field is not there.
//
//go:noinline
func (s *sheet) optional(name, path, none string) *sheet {
	slot := s.paths.add(path)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		if r.cell(v.Bytes(slot)); !v.Has(slot) {
			r.or(none)
		}
	})
}

// number is a number that is 0 where it is not there.
//
//go:noinline
func (s *sheet) number(name, path string) *sheet {
	slot := s.paths.add(path)
	return s.cell(name, NumberCell, func(v *Values, _ *Object, r *row) { r.number(v.Int(slot)) })
}

// numberIn is a number in a message, or a text where there is no such message.
//
//go:noinline
func (s *sheet) numberIn(name, message, path, none string) *sheet {
	in, slot := s.paths.add(message), s.paths.add(path)
	return s.cell(name, NumberCell, func(v *Values, _ *Object, r *row) {
		if r.next(); v.Has(in) {
			r.integer(v.Int(slot))
		} else {
			r.put(none)
		}
	})
}

// pair is two fields of a message with a slash between, or a text where there is no
// such message.
//
//go:noinline
func (s *sheet) pair(name, message, first, second, none string) *sheet {
	in, a, b := s.paths.add(message), s.paths.add(message+"."+first), s.paths.add(message+"."+second)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		if r.next(); !v.Has(in) {
			r.put(none)
			return
		}
		r.add(v.Bytes(a))
		r.then("/", v.Bytes(b))
	})
}

// texts are all the texts of a list, or another where it is empty.
//
//go:noinline
func (s *sheet) texts(name, path, none string) *sheet {
	slot := s.paths.add(path)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		r.next()
		if r.all(v.All(slot)); !v.Has(slot) {
			r.put(none)
		}
	})
}

// count is how many values some paths have together.
//
//go:noinline
func (s *sheet) count(name string, paths ...string) *sheet {
	var slots []int
	for _, path := range paths {
		slots = append(slots, s.paths.add(path))
	}
	return s.cell(name, NumberCell, func(v *Values, _ *Object, r *row) {
		n := 0
		for _, slot := range slots {
			n += v.Len(slot)
		}
		r.number(int64(n))
	})
}

// replicas is how many of how many there are. What does not say how many it wants
// wants one.
//
//go:noinline
func (s *sheet) replicas(name, path, of string) *sheet {
	is, wants := s.paths.add(path), s.paths.add(of)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) { r.fraction(v.Int(is), v.IntOr(wants, 1)) })
}

// flag is a boolean in kubectl's words.
//
//go:noinline
func (s *sheet) flag(name, path, unset, no, yes string) *sheet {
	slot := s.paths.add(path)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		r.next()
		switch {
		case !v.Has(slot):
			r.or(unset)
		case v.Int(slot) == 0:
			r.or(no)
		default:
			r.or(yes)
		}
	})
}

// yes is a boolean that is false where it is not there.
func (s *sheet) yes(name, path string) *sheet { return s.flag(name, path, "false", "false", "true") }

// defaultName is the name, and whether an annotation says that it is the one to take
// where none is named.
func (s *sheet) defaultName(annotations ...string) *sheet {
	var marks []func(v *Values) ([]byte, bool)
	for _, key := range annotations {
		marks = append(marks, s.annotation(key))
	}
	return s.cell("Name", TextCell, func(v *Values, _ *Object, r *row) {
		r.cell(v.Bytes(metaName))
		for _, mark := range marks {
			if is, _ := mark(v); string(is) == "true" {
				r.put(" (default)")
				return
			}
		}
	})
}

// containers are the names and images of the containers of a pod's spec.
func (s *sheet) containers(spec string) *sheet {
	for _, c := range []struct{ column, field string }{{"Containers", "name"}, {"Images", "image"}} {
		slot := s.paths.add(spec + ".containers[]." + c.field)
		s.cell(c.column, TextCell, func(v *Values, _ *Object, r *row) {
			r.next()
			r.all(v.All(slot))
		})
	}
	s.images = imageSlots(&s.paths, spec)
	return s
}

// annotation returns what finds an annotation.
//
//go:noinline
func (s *sheet) annotation(key string) func(v *Values) (text []byte, found bool) {
	slot := s.paths.add("metadata.annotations{}")
	return func(v *Values) ([]byte, bool) {
		for _, entry := range v.All(slot) {
			if name, text, _ := mapPair(entry.Bytes); string(name) == key {
				return text, true
			}
		}
		return nil, false
	}
}

// firstOf is the text of one field in the first element of a list in which another
// has a value, and whether there is such an element.
func firstOf(v *Values, field int, is string, text int) ([]byte, bool) {
	i := slices.IndexFunc(v.All(field), func(f Value) bool { return string(f.Bytes) == is })
	if i < 0 {
		return nil, false
	}
	found, _ := v.At(text, v.All(field)[i].Elem)
	return found.Bytes, true
}
