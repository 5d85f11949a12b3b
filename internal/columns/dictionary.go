package columns

import "strings"

// Dictionaries hold the texts of columns for several tables of the same kind of objects, such as those of the pages that
// show one list: each text is kept once, with what is known of it. They are for one goroutine at a time, and so are the
// tables. The zero value is empty.
type Dictionaries struct{ byName map[string]*Dictionary }

// Of returns the dictionary of a column.
func (d *Dictionaries) Of(name string) *Dictionary {
	one := d.byName[name]
	if one == nil {
		if d.byName == nil {
			d.byName = make(map[string]*Dictionary)
		}
		one = new(Dictionary)
		d.byName[name] = one
	}
	return one
}

// Dictionary gives texts codes, from 1. A text that no column has any more is dropped, and its code may be given to another.
type Dictionary struct {
	entries []entry // by code; the first is unused
	codes   map[string]uint32
	free    []uint32
	given   uint32 // how many codes have been given to texts
	values  map[string]*Values
}

// entry is a text with a code.
type entry struct {
	text       string
	columns    int32  // how many columns have it
	generation uint32 // of the code: how many codes had been given before
}

// Values returns numbers for the values in the texts, which all columns share under a name. They are as given the first time.
func (d *Dictionary) Values(name string, as Values) *Values {
	if d.values[name] == nil {
		if d.values == nil {
			d.values = make(map[string]*Values)
		}
		d.values[name] = &as
	}
	return d.values[name]
}

// code returns the code of a text, which a column is about to keep. Copied says that the text is part of a larger object in
// memory.
func (d *Dictionary) code(text string, copied bool) uint32 {
	if code, ok := d.codes[text]; ok {
		return code
	}
	if copied {
		text = strings.Clone(text)
	}
	if d.codes == nil {
		d.codes, d.entries = make(map[string]uint32), make([]entry, 1)
	}
	code := uint32(len(d.entries))
	if n := len(d.free); n > 0 {
		code, d.free = d.free[n-1], d.free[:n-1]
	} else {
		d.entries = append(d.entries, entry{})
	}
	d.given++
	d.entries[code] = entry{text: text, generation: d.given}
	d.codes[text] = code
	return code
}

// keep notes that one column more has a text.
func (d *Dictionary) keep(code uint32) { d.entries[code].columns++ }

// release notes that one column less has a text, and drops it with the last.
func (d *Dictionary) release(code uint32) {
	e := &d.entries[code]
	if e.columns--; e.columns > 0 {
		return
	}
	delete(d.codes, e.text)
	*e = entry{}
	d.free = append(d.free, code)
}
