package object

import (
	"strings"
	"time"

	"watchglass/internal/object/tree"
	"watchglass/internal/query"
)

// dateSource says where the instants of a date column come from, so that the tab can store them
// and print ages itself. A Table prints most dates as ages, which are outdated a second after
// it was made.
type dateSource uint8

// The sources of dates.
const (
	noDate      dateSource = iota
	datePrinted            // the printed age, if there is nothing better
	dateCreated            // metadata.creationTimestamp
	dateAt                 // a path
)

// tableDate says how to read a date column of a Table.
type tableDate struct {
	source   dateSource
	path     query.Path // of dateAt
	declared bool       // declared by the Table
}

// A column's description says what it shows, unless somebody wrote another. The apiserver
// describes creation columns with the field's own documentation, and columns of custom
// resources with the path in the definition.
const (
	createdDescription = "CreationTimestamp is a timestamp representing the server time when this object was created."
	pathDescription    = "Custom resource definition column (in JSONPath format): "
)

// createdPath is the path of the creation timestamp in a definition.
const createdPath = ".metadata.creationTimestamp"

// dateOf returns how to read a column. It uses the column's definition in the Table or, if that
// does not say, its path in the CustomResourceDefinition. The apiserver declares its own ages
// as strings; any other string stays a string, whatever its column is called.
func dateOf(c Column, typ, description, defined string) tableDate {
	path, declared := strings.CutPrefix(description, pathDescription)
	created := strings.HasPrefix(description, createdDescription)
	switch {
	case typ != "date" && !(typ == "string" && created) && !(c.Name == "Age" && description == ""):
		return tableDate{}
	case created:
		path = createdPath
	case !declared:
		path = defined
	}
	date := tableDate{declared: declared || created, source: datePrinted}
	if path == createdPath {
		date.source = dateCreated
	} else if p, err := query.ParsePath(path); err == nil {
		date.source, date.path = dateAt, p
	}
	return date
}

// column returns the path for Column.path, which distinguishes columns; empty if the Table does
// not declare it.
func (t tableDate) column() string {
	if t.source == dateCreated {
		return createdPath
	}
	return t.path.String()
}

// needsBody reports whether the date is outside the metadata.
func (t tableDate) needsBody() bool { return t.source == dateAt && t.path.Names()[0] != "metadata" }

// date adds a date: the instant, plus a text if it is not printed as an age or is not exact.
// printed is the server's cell; if it is empty, so is the added one.
func (r *row) date(t tableDate, o *Object, obj tree.Node, printed string, now int64) {
	r.next()
	if at, err := time.Parse(time.RFC3339, printed); err == nil { // a server that does not print ages
		r.add([]byte(printed))
		r.time(at.Unix())
		return
	}
	if at, err := time.Parse(approximately+time.RFC3339, printed); err == nil { // Decoder.Row printed it
		r.literal(approximately)
		r.time(at.Unix())
		return
	}
	switch {
	case printed == "":
		r.time(0)
	case t.source == dateCreated:
		r.exactInstant(o.created)
	case t.source != dateAt || !r.dateAtPath(t.path, obj):
		r.approximateInstant(printed, now)
	}
}

// dateAtPath adds the date at a path, parsed as the apiserver parses it, and reports whether there
// is one.
func (r *row) dateAtPath(path query.Path, obj tree.Node) (found bool) {
	path.Find(obj, func(n tree.Node) {
		if found {
			return // the server prints the first
		}
		found = true
		text := n.Text()
		if text == "" || text == "null" {
			r.exactInstant(0)
			return
		}
		at, err := time.Parse(time.RFC3339, text)
		switch {
		case err != nil:
			r.literal("<invalid>")
			r.time(0)
		case at.IsZero():
			r.exactInstant(0)
		default:
			r.exactInstant(at.Unix())
		}
	})
	return found
}

// exactInstant adds a known instant; 0 is none.
func (r *row) exactInstant(at int64) {
	if at == 0 {
		r.literal(unknown)
	}
	r.time(at)
}

// approximateInstant adds the instant computed from a printed age, which is as exact as the age's
// unit.
func (r *row) approximateInstant(printed string, now int64) {
	seconds, ok := parseAge(printed)
	if !ok {
		r.add([]byte(printed))
		r.time(0)
		return
	}
	r.literal(approximately)
	r.time(now - seconds)
}

// A Definition lists the columns of a CustomResourceDefinition, one per line: the column's
// name, a tab, and its path. It is a string so that it can be compared.
type Definition string

// ReadDefinition reads the columns of one version from a CustomResourceDefinition in JSON.
func ReadDefinition(doc []byte, version string) Definition {
	var out []byte
	query.PathOf("spec", "versions").Each().Find(tree.FromJSON(doc), func(v tree.Node) {
		if v.Get("name").Text() == version {
			query.PathOf("additionalPrinterColumns").Each().Find(v, func(c tree.Node) {
				out = append(append(out, plain(c.Get("name").Text())...), '\t')
				out = append(append(out, plain(c.Get("jsonPath").Text())...), '\n')
			})
		}
	})
	return Definition(out)
}

// Dates reports whether the definition has the path of a date column for which the Table has
// none, and whether such a date is outside the metadata.
func (d Definition) Dates(columns []Column) (dated, body bool) {
	for i, c := range columns {
		if !c.dated || c.path != "" {
			continue
		}
		date := dateOf(c, "date", "", d.path(i-1, c.Name))
		dated = dated || date.source != datePrinted
		body = body || date.needsBody()
	}
	return dated, body
}

// path returns the path of the column at a place after the name, if the definition has that
// column there.
func (d Definition) path(place int, name string) string {
	rest := string(d)
	for ; rest != "" && place > 0; place-- {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	first, _, _ := strings.Cut(rest, "\n")
	column, path, _ := strings.Cut(first, "\t")
	if place < 0 || column != plain(name) {
		return ""
	}
	return path
}
