package object

import (
	"slices"
	"time"

	"watchglass/internal/object/encoded"
)

// A printerBuilder builds a printer. Each method adds a column together with the function that
// prints its cells, so the two always match. Each decoder has a builder of its own, so these
// functions may keep scratch memory.
//
// The methods are not inlined: otherwise their closures would be compiled again for each column
// of each kind, which added 50 KB to what the browser loads.
type printerBuilder struct {
	columns  []Column
	paths    paths
	cells    []cell
	images   []int
	priority int // of the columns added next
}

// cell prints the cell of one column.
type cell func(v *Values, o *Object, r *row)

// namedPrinter returns a builder that starts with the object's name, as nearly all do.
//
//go:noinline
func namedPrinter() *printerBuilder { return new(printerBuilder).name() }

// printer returns the finished printer.
func (s *printerBuilder) printer() *printer {
	cells := s.cells
	s.paths.add(metadataPaths[metaName]) // a builder may need no path of its own
	return &printer{columns: s.columns, paths: &s.paths, images: s.images, print: func(v *Values, o *Object, r *row) {
		for _, print := range cells {
			print(v, o, r)
		}
	}}
}

// wide makes the columns added next show only when wide.
func (s *printerBuilder) wide() *printerBuilder {
	s.priority = 1
	return s
}

// always makes the columns added next always show.
func (s *printerBuilder) always() *printerBuilder {
	s.priority = 0
	return s
}

func (s *printerBuilder) name() *printerBuilder {
	s.columns = append(s.columns, Column{Name: "Name", Kind: NameCell, Priority: s.priority})
	return s
}

// cell adds a column with its own print function.
//
//go:noinline
func (s *printerBuilder) cell(name string, kind CellKind, print cell) *printerBuilder {
	s.columns = append(s.columns, Column{Name: name, Kind: kind, Priority: s.priority})
	s.cells = append(s.cells, print)
	return s
}

// age adds a column with the object's age.
//
//go:noinline
func (s *printerBuilder) age() *printerBuilder {
	return s.cell("Age", AgeCell, func(_ *Values, o *Object, r *row) { r.instant(o.created) })
}

// created adds a column with the creation time as a text, as the server prints kinds for which
// it has no columns.
//
//go:noinline
func (s *printerBuilder) created() *printerBuilder {
	return s.cell("Created At", TextCell, func(_ *Values, o *Object, r *row) {
		var at time.Time
		if o.created != 0 {
			at = time.Unix(o.created, 0).UTC()
		}
		r.next()
		r.text = at.AppendFormat(r.text, time.RFC3339)
	})
}

// text adds a column with a text, or with none where it is empty.
//
//go:noinline
func (s *printerBuilder) text(name, path, none string) *printerBuilder {
	slot := s.paths.add(path)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) { r.cellOr(v.Bytes(slot), none) })
}

// optional adds a column with a text that may be empty, or with none where the field is
// missing.
//
//go:noinline
func (s *printerBuilder) optional(name, path, none string) *printerBuilder {
	slot := s.paths.add(path)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		if r.cell(v.Bytes(slot)); !v.Has(slot) {
			r.orLiteral(none)
		}
	})
}

// number adds a column with a number, which is 0 where it is missing.
//
//go:noinline
func (s *printerBuilder) number(name, path string) *printerBuilder {
	slot := s.paths.add(path)
	return s.cell(name, NumberCell, func(v *Values, _ *Object, r *row) { r.number(v.Int(slot)) })
}

// numberIn adds a column with a number in a message, or with none where the message is missing.
//
//go:noinline
func (s *printerBuilder) numberIn(name, message, path, none string) *printerBuilder {
	in, slot := s.paths.add(message), s.paths.add(path)
	return s.cell(name, NumberCell, func(v *Values, _ *Object, r *row) {
		if r.next(); v.Has(in) {
			r.integer(v.Int(slot))
		} else {
			r.literal(none)
		}
	})
}

// pair adds a column with two fields of a message, separated by a slash, or with none where the
// message is missing.
//
//go:noinline
func (s *printerBuilder) pair(name, message, first, second, none string) *printerBuilder {
	in, a, b := s.paths.add(message), s.paths.add(message+"."+first), s.paths.add(message+"."+second)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		if r.next(); !v.Has(in) {
			r.literal(none)
			return
		}
		r.add(v.Bytes(a))
		r.literalThen("/", v.Bytes(b))
	})
}

// texts adds a column with all texts of a list, or with none where it is empty.
//
//go:noinline
func (s *printerBuilder) texts(name, path, none string) *printerBuilder {
	slot := s.paths.add(path)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		r.next()
		if r.listValues(v.All(slot)); !v.Has(slot) {
			r.literal(none)
		}
	})
}

// count adds a column with the number of values that some paths have together.
//
//go:noinline
func (s *printerBuilder) count(name string, paths ...string) *printerBuilder {
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

// replicas adds a column like "2/3". If the wanted number is missing, it is 1.
//
//go:noinline
func (s *printerBuilder) replicas(name, path, of string) *printerBuilder {
	is, wants := s.paths.add(path), s.paths.add(of)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) { r.fraction(v.Int(is), v.IntOr(wants, 1)) })
}

// flag adds a column with a boolean in kubectl's words.
//
//go:noinline
func (s *printerBuilder) flag(name, path, unset, no, yes string) *printerBuilder {
	slot := s.paths.add(path)
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		r.next()
		switch {
		case !v.Has(slot):
			r.orLiteral(unset)
		case v.Int(slot) == 0:
			r.orLiteral(no)
		default:
			r.orLiteral(yes)
		}
	})
}

// boolean adds a column with a boolean, which is false where it is missing.
func (s *printerBuilder) boolean(name, path string) *printerBuilder {
	return s.flag(name, path, "false", "false", "true")
}

// defaultName adds a column with the name, which marks the object as the default if one of the
// annotations does.
func (s *printerBuilder) defaultName(annotations ...string) *printerBuilder {
	var marks []func(v *Values) ([]byte, bool)
	for _, key := range annotations {
		marks = append(marks, s.annotation(key))
	}
	return s.cell("Name", TextCell, func(v *Values, _ *Object, r *row) {
		r.cell(v.Bytes(metaName))
		for _, mark := range marks {
			if is, _ := mark(v); string(is) == "true" {
				r.literal(" (default)")
				return
			}
		}
	})
}

// containers adds columns with the names and images of the containers of a pod's spec.
func (s *printerBuilder) containers(spec string) *printerBuilder {
	for _, c := range []struct{ column, field string }{{"Containers", "name"}, {"Images", "image"}} {
		slot := s.paths.add(spec + ".containers[]." + c.field)
		s.cell(c.column, TextCell, func(v *Values, _ *Object, r *row) {
			r.next()
			r.listValues(v.All(slot))
		})
	}
	s.images = imageSlots(&s.paths, spec)
	return s
}

// annotation returns a function that finds an annotation.
//
//go:noinline
func (s *printerBuilder) annotation(key string) func(v *Values) (text []byte, found bool) {
	slot := s.paths.add("metadata.annotations{}")
	return func(v *Values) ([]byte, bool) {
		for _, entry := range v.All(slot) {
			if name, text, _ := encoded.Pair(entry.Bytes); string(name) == key {
				return text, true
			}
		}
		return nil, false
	}
}

// firstOf returns a field of the first list element in which another field has the given value,
// and whether there is such an element.
func firstOf(v *Values, field int, is string, text int) ([]byte, bool) {
	i := slices.IndexFunc(v.All(field), func(f Value) bool { return string(f.Bytes) == is })
	if i < 0 {
		return nil, false
	}
	found, _ := v.At(text, v.All(field)[i].Elem)
	return found.Bytes, true
}
