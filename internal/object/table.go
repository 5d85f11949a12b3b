package object

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/tree"
	"watchglass/internal/query"
)

// tableColumns maps the columns of a decoder, except the name, to the cells of the server's
// rows.
type tableColumns struct {
	cell  []int       // index of each in a row
	dates []tableDate // how to read each date column
}

// TableNeeds is what a Table's columns need to print their dates exactly.
type TableNeeds struct {
	Body       bool // whole objects in its rows
	Definition bool // the definition of the custom resource, since the Table does not say where a date is
}

// Needs returns what the columns that the server last sent need. Before that it is zero.
func (d *Decoder) Needs() TableNeeds {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.needs
}

// SetColumns applies the column definitions of the server's Table, which come before the first
// row, and reports whether they changed. The first column that is declared a name is the
// object's; others may name something else.
func (d *Decoder) SetColumns(payload []byte) (changed bool, err error) {
	var columns []Column
	var table tableColumns
	var needs TableNeeds
	n, named := 0, false
	err = encoded.Elements(payload, func(def []byte) error {
		c, date, isName, err := d.tableColumn(def, n)
		if err != nil {
			return err
		}
		if isName && !named {
			c, date = Column{Name: c.Name, Kind: NameCell, Priority: c.Priority}, tableDate{}
			named = true
		} else {
			table.cell, table.dates = append(table.cell, n), append(table.dates, date)
		}
		columns = append(columns, c)
		needs.Body = needs.Body || date.needsBody()
		needs.Definition = needs.Definition || date.source == datePrinted && !date.declared
		n++
		return nil
	})
	if err != nil {
		return false, err
	}
	if !named {
		columns = append([]Column{{Name: "Name", Kind: NameCell}}, columns...)
	}
	columns = columnsOf(d.extras, d.message, columns)
	if changed = !slices.Equal(columns, d.columns); changed {
		d.layout++
	}
	d.mu.Lock()
	d.columns, d.table, d.needs, d.defined = columns, table, needs, bytes.Clone(payload)
	d.mu.Unlock()
	d.markPlain()
	return changed, nil
}

// tableColumn parses the n-th column's definition.
func (d *Decoder) tableColumn(def []byte, n int) (c Column, date tableDate, isName bool, err error) {
	var typ, format, description string
	err = encoded.Members(def, func(key string, value []byte) error {
		text := encoded.Unquote(value)
		switch key {
		case "name":
			c.Name = text
		case "type":
			typ = text
		case "format":
			format = text
		case "description":
			description = text
		case "priority":
			n, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("%w: priority %q", encoded.ErrMalformed, value)
			}
			c.Priority = n
		}
		return nil
	})
	date = dateOf(c, typ, description, d.kind.Printing().Definition.path(n-1, c.Name))
	switch {
	case date.source != noDate:
		c.Kind, c.dated = AgeCell, true
		if date.declared {
			c.path = date.column()
		}
	case typ == "integer" || typ == "number":
		c.Kind = NumberCell
	}
	return c, date, format == "name", err
}

// metadata is the part of an object in JSON that is read.
type metadata struct {
	apiVersion, kind               string
	namespace, name, uid, version  string
	created, deleted               string
	labels, annotations, ownerRefs []byte
}

func (m *metadata) read(obj []byte) error {
	return encoded.Members(obj, func(key string, value []byte) error {
		switch key {
		case "apiVersion":
			m.apiVersion = encoded.Unquote(value)
		case "kind":
			m.kind = encoded.Unquote(value)
		case "metadata":
			return m.readMeta(value)
		}
		return nil
	})
}

func (m *metadata) readMeta(meta []byte) error {
	texts := map[string]*string{
		"namespace": &m.namespace, "name": &m.name, "uid": &m.uid, "resourceVersion": &m.version,
		"creationTimestamp": &m.created, "deletionTimestamp": &m.deleted,
	}
	return encoded.Members(meta, func(key string, value []byte) error {
		if into, ok := texts[key]; ok && string(value) != "null" {
			if value[0] != '"' {
				return fmt.Errorf("%w: metadata.%s is no text", encoded.ErrMalformed, key)
			}
			*into = encoded.Unquote(value)
		}
		switch key {
		case "labels":
			m.labels = value
		case "annotations":
			m.annotations = value
		case "ownerReferences":
			m.ownerRefs = value
		}
		return nil
	})
}

// decodeJSON decodes a Table row, {"cells": …, "object": …}, or an object.
func (d *Decoder) decodeJSON(payload []byte) (*Object, error) {
	cells, obj, err := encoded.Row(payload)
	if err != nil {
		return nil, err
	}
	var m metadata
	if err := m.read(obj); err != nil {
		return nil, err
	}
	if m.kind != "PartialObjectMetadata" && (m.kind != d.kind.Name || m.apiVersion != d.kind.APIVersion()) {
		return nil, fmt.Errorf("%w: %q %q, not %s %s", ErrKind, m.apiVersion, m.kind, d.kind.APIVersion(), d.kind.Name)
	}
	if m.name == "" {
		return nil, ErrNoName
	}
	o := &Object{deleting: m.deleted != "", layout: d.layout}
	if t, err := time.Parse(time.RFC3339, m.created); err == nil {
		o.created = t.Unix()
	}
	d.row.begin(o, []byte(m.namespace), []byte(m.name))
	if cells == nil {
		d.row.instant(o.created)
	} else if err := d.printRow(o, obj, cells); err != nil {
		return nil, err
	}
	for _, e := range d.extras {
		d.row.extra(e, tree.FromJSON(obj))
	}
	d.row.finish(o, []byte(m.uid), []byte(m.version))
	if o.labels, err = d.packLabelsJSON(m.labels); err != nil {
		return nil, err
	}
	if o.imagesAndOwners, err = d.packOwnersJSON(m.ownerRefs); err != nil {
		return nil, err
	}
	d.keep(o, obj)
	return o, nil
}

// longestRow is how many bytes of a row's cells are read. A custom resource may have any number of columns, each of
// them with a text of any length, and to read a cell is to look for it in all of them.
const longestRow = 64 << 10

// errEnough ends a scan.
var errEnough = errors.New("enough")

// readCells returns the cells of a row, in JSON, and whether they are all.
func readCells(cells []byte) (values [][]byte, all bool, err error) {
	size := 0
	err = encoded.Elements(cells, func(v []byte) error {
		if size += len(v); size > longestRow {
			return errEnough
		}
		values = append(values, v)
		return nil
	})
	if err == errEnough {
		return values, false, nil
	}
	return values, true, err
}

// printRow adds the server's cells, with instants for dates. What the server leaves empty stays
// empty, as in kubectl, and a cell that is not read says so.
func (d *Decoder) printRow(o *Object, obj, cells []byte) error {
	values, all, err := readCells(cells)
	if err != nil {
		return err
	}
	i, now := 0, time.Now().Unix()
	for _, c := range d.columns[:len(d.columns)-len(d.extras)] {
		if c.Kind == NameCell {
			continue
		}
		text, date := "", tableDate{} // no cell, if the server sent no columns
		if i < len(d.table.cell) {
			date = d.table.dates[i]
			switch at := d.table.cell[i]; {
			case at >= len(values) && !all:
				text = query.NotEvaluated
			case at < len(values) && string(values[at]) != "null":
				text = encoded.Unquote(values[at])
			}
		}
		i++
		switch {
		case date.source != noDate:
			d.row.date(date, o, tree.FromJSON(obj), text, now)
		case c.Kind == AgeCell: // the kind's Table has not sent its columns yet
			d.row.instant(o.created)
		default:
			d.row.cell([]byte(text))
		}
	}
	return nil
}

func (d *Decoder) packLabelsJSON(doc []byte) (Labels, error) {
	d.pack = d.pack[:0]
	if doc == nil || string(doc) == "null" {
		return "", nil
	}
	err := encoded.Members(doc, func(key string, value []byte) error {
		if value[0] != '"' {
			return fmt.Errorf("%w: label %s is no text", encoded.ErrMalformed, key)
		}
		d.pack = append(append(d.pack, key...), 0)
		d.pack = append(append(d.pack, encoded.Unquote(value)...), 0)
		return nil
	})
	return Labels(d.intern.get(d.pack)), err
}

// bookmarkJSON parses a bookmark: a Table with one row, or an object.
func bookmarkJSON(payload []byte) (version string, end bool, err error) {
	_, obj, err := encoded.Row(payload)
	if err != nil {
		return "", false, err
	}
	var m metadata
	if err := m.read(obj); err != nil || m.annotations == nil {
		return m.version, false, err
	}
	err = encoded.Members(m.annotations, func(key string, value []byte) error {
		end = end || key == endAnnotation && encoded.Unquote(value) == "true"
		return nil
	})
	return m.version, end, err
}
