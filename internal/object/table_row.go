package object

import (
	"time"

	"watchglass/internal/object/encoded"
)

// Row appends an object to dst as the row of a Table that Decode makes the same object of. Its body, or
// what the Table had of it, is the packed bytes; without them, it is the metadata. Any goroutine may
// call it.
func (d *Decoder) Row(dst []byte, o *Object) []byte {
	d.mu.Lock()
	columns, table := d.columns, d.table
	d.mu.Unlock()
	body := o.Packed()
	if body == nil {
		body = o.Stub(nil)
	}
	texts := make([]string, len(table.cell)+1)
	text, instant, place := 0, 0, 0
	for i := range columns[:max(len(columns)-len(d.extras), 0)] {
		switch kind := columns[i].Kind; {
		case kind == NameCell:
			continue
		case place < len(table.cell) && table.cell[place] < len(texts):
			texts[table.cell[place]] = o.serverText(text, instant, &columns[i], table.dates[place])
			fallthrough
		default:
			text, instant, place = text+1, instant+kind.instants(), place+1
		}
	}
	dst = append(dst, `{"cells":[`...)
	for i, s := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = encoded.AppendString(dst, s)
	}
	return append(append(append(dst, `],"object":`...), body...), '}')
}

// serverText returns a cell as the server would have to print it for the same cell to be made of it.
func (o *Object) serverText(text, instant int, c *Column, date tableDate) string {
	printed := o.PrintedText(text)
	if c.Kind != AgeCell || date.source == noDate {
		return printed
	}
	switch at := o.instant(instant); {
	case printed == approximately:
		return time.Unix(at, 0).UTC().Format(approximately + time.RFC3339)
	case printed == "" && at == 0, printed != "" && printed != unknown && printed[0] != '<':
		return printed
	}
	return unknown // Decode reads the date itself
}

// Stub appends to dst what is left of an object without packed bytes: its metadata in JSON.
func (o *Object) Stub(dst []byte) []byte {
	dst = encoded.AppendString(append(dst, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":`...), o.Name())
	for _, m := range [...][2]string{{`,"namespace":`, o.Namespace()}, {`,"uid":`, o.UID()}, {`,"resourceVersion":`, o.Version()}} {
		if m[1] != "" {
			dst = encoded.AppendString(append(dst, m[0]...), m[1])
		}
	}
	if o.created != 0 {
		dst = encoded.AppendString(append(dst, `,"creationTimestamp":`...), time.Unix(o.created, 0).UTC().Format(time.RFC3339))
	}
	sign := `,"labels":{`
	for key, value := range o.labels.All() {
		dst = encoded.AppendString(append(encoded.AppendString(append(dst, sign...), key), ':'), value)
		sign = ","
	}
	if sign == "," {
		dst = append(dst, '}')
	}
	return append(dst, "}}"...)
}
