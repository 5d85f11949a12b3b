package query

import (
	"strings"

	"watchglass/internal/slots"
)

// source says where a row has a field's value.
type source uint8

const (
	inCell source = iota
	inLabel
	inList
	inNamespace
	inName
)

// subject describes where a row has a field's value, and how it compares.
type subject struct {
	source
	column int
	kind   Kind
	key    string // of a label
	list   List

	between  string // separates the values of a cell
	textOnly bool   // see Column
}

// subject resolves a field's name. Columns take precedence over owner and image, since people
// see the columns.
func (s Schema) subject(n name) (subject, error) {
	if key, ok := strings.CutPrefix(n.text, LabelPrefix); ok {
		return subject{source: inLabel, key: key}, nil
	}
	switch {
	case s.Open:
	case n.text == "name":
		return subject{source: inName}, nil
	case n.text == "ns" && s.Namespaced:
		return subject{source: inNamespace}, nil
	}
	for i, c := range s.Columns {
		if FieldName(c.Name) == n.text {
			return subject{column: i, kind: c.Kind, between: c.Between, textOnly: c.TextOnly}, nil
		}
	}
	switch {
	case s.Open:
		return subject{source: inLabel, key: n.text}, nil
	case n.text == "owner":
		return subject{source: inList, list: Owners}, nil
	case n.text == "image" && s.Images:
		return subject{source: inList, list: Images}, nil
	}
	return subject{}, s.unknown(n)
}

// kind returns how the values of a field compare.
func (s Schema) kind(field string) Kind {
	of, err := s.subject(name{text: field})
	if err != nil {
		return TextColumn
	}
	return of.kind
}

// any returns a match for rows where is holds for the value, or for one of several values.
func (s subject) any(is func(text string) bool) bound {
	switch s.source {
	case inLabel:
		has := func(l Labels) bool {
			value, ok := l.Lookup(s.key)
			return ok && is(value)
		}
		return bound{func(r Row, _ int64) bool { return has(r) }, cell, labelled(has)}
	case inList:
		return s.items(is, func(string) bool { return false })
	case inNamespace:
		return bound{remembered(NamespaceCode, func(r Row) bool { return is(r.Namespace()) }), cheap, ofTexts(NamespaceCode, is)}
	case inName:
		return bound{func(r Row, _ int64) bool { return is(r.Name()) }, cheap, nil}
	}
	if s.between != "" {
		one := is
		is = func(text string) bool {
			for more := true; more; {
				var value string
				if value, text, more = strings.Cut(text, s.between); one(value) {
					return true
				}
			}
			return false
		}
	}
	m := bound{remembered(s.column, func(r Row) bool { return is(r.Cell(s.column)) }), cell, nil}
	if s.textOnly {
		m.sets = ofTexts(s.column, is)
	}
	return m
}

// remembered returns a match that calls is once per code, since many rows share a value.
// Rows without a code are tested each time.
func remembered(column int, is func(r Row) bool) match {
	const yes, no = 1, 2
	var known []uint8 // by code
	return func(r Row, _ int64) bool {
		code := int(r.Code(column))
		if code == 0 {
			return is(r)
		}
		if code >= len(known) {
			known = append(known, make([]uint8, code+64-len(known))...)
		}
		if known[code] == 0 {
			if known[code] = no; is(r) {
				known[code] = yes
			}
		}
		return known[code] == yes
	}
}

// items returns a match for rows where, for one value of a list, exact holds for the whole
// value, or loose holds for the value or one of its short forms.
func (s subject) items(loose, exact func(string) bool) bound {
	if s.source != inList { // a column with the name of a list
		return s.any(func(text string) bool { return loose(text) || exact(text) })
	}
	shorter := ownerForms
	if s.list == Images {
		shorter = imageForms
	}
	is := func(value string) bool { return exact(value) || shorter(value, loose) }
	imagesAndOwners, was, known := "", false, false // of the previous row, which mostly has the same ones
	return bound{func(r Row, _ int64) bool {
		if k := r.ImagesAndOwners(); !known || k != imagesAndOwners {
			imagesAndOwners, was, known = k, r.Any(s.list, is), true
		}
		return was
	}, cell, func(rows Sets) *slots.Bits { return rows.Listed(s.list, is) }}
}

// none reports whether the value is "<none>".
func (v value) none() bool { return v.kind == literal && v.text == "<none>" }

// duration returns the length of a row's span in seconds, up to now if it has not ended. It
// returns false if there is no start.
func (s subject) duration(r Row, now int64) (seconds float64, ok bool) {
	start, end := r.Span(s.column)
	if end == 0 {
		end = now
	}
	return float64(end - start), start != 0
}

// ownerForms reports whether is holds for Kind/name, or for the name alone.
func ownerForms(owner string, is func(string) bool) bool {
	_, name, _ := strings.Cut(owner, "/")
	return is(owner) || is(name)
}

// imageForms reports whether is holds for an image or one of its short forms: without the
// first parts of its path, its digest, or its tag.
func imageForms(image string, is func(string) bool) bool {
	for {
		last := strings.LastIndexByte(image, '/') + 1
		bare, _, _ := strings.Cut(image[last:], "@")
		untagged, _, _ := strings.Cut(bare, ":")
		if is(image) || is(image[:last+len(bare)]) || is(image[:last+len(untagged)]) {
			return true
		}
		_, rest, ok := strings.Cut(image, "/")
		if !ok {
			return false
		}
		image = rest
	}
}

// test returns a function that reports whether a text has the value. In a number column, 0.5
// equals 500m, but 1/1 does not equal 2/2.
func (v value) test(kind Kind) func(text string) bool {
	switch v.kind {
	case glob:
		parts := strings.Split(lower(v.text), "*")
		return func(text string) bool { return globbed(parts, text) }
	case expression:
		return fieldExpression(v.text)
	}
	if level, ok := parseLevel(v.text); ok && kind == LevelColumn {
		return func(text string) bool {
			n, ok := parseLevel(text)
			return ok && n == level
		}
	}
	if number, ok := parseNumber(v.text); ok && kind == NumberColumn && !strings.Contains(v.text, "/") {
		return func(text string) bool {
			n, ok := parseNumber(text)
			return ok && n == number
		}
	}
	return func(text string) bool { return equalFold(v.text, text) }
}

// globbed reports whether a text consists of these parts with any text between them.
func globbed(parts []string, text string) bool {
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !equalFold(text[:len(first)], first) || !equalFold(text[len(text)-len(last):], last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := indexFold(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return true
}

// indexFold returns the position of a word in a text, ignoring the case of ASCII letters; -1
// if it is not there.
func indexFold(text, word string) int {
	for i := 0; i+len(word) <= len(text); i++ {
		if equalFold(text[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

// equalFold reports whether texts are equal, ignoring the case of ASCII letters.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if fold[a[i]] != fold[b[i]] {
			return false
		}
	}
	return true
}
