//go:build !js

package relay

import (
	"bytes"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
)

// The fields of metadata that matter for objects that are not rebuilt. Metadata is field 1 of
// every kind.
var (
	fieldMetadata      = schema.FieldNumber("v1", "Secret", "metadata")
	fieldName          = schema.FieldNumber("v1", "Secret", "metadata.name")
	fieldManagedFields = schema.FieldNumber("v1", "Secret", "metadata.managedFields")
)

// envelope is a protobuf object with its kind.
type envelope struct{ typeMeta, raw []byte }

func openEnvelope(payload []byte) (e envelope, err error) {
	body, ok := bytes.CutPrefix(payload, []byte(encoded.Magic))
	if !ok {
		return e, fmt.Errorf("%w: no protobuf envelope", encoded.ErrMalformed)
	}
	e.typeMeta, e.raw, err = encoded.Pair(body)
	if err == nil && (e.typeMeta == nil || e.raw == nil) {
		err = fmt.Errorf("%w: an empty envelope", encoded.ErrMalformed)
	}
	return e, err
}

// appendBytes appends a field of type bytes.
func appendBytes(dst []byte, number int, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, protowire.Number(number), protowire.BytesType), value)
}

// typeMetaOf returns a kind in protobuf.
func typeMetaOf(apiVersion, kind string) []byte {
	return appendBytes(appendBytes(nil, 1, []byte(apiVersion)), 2, []byte(kind))
}

// aboutProtobuf reads the kind of an object. An object with two kinds is refused, since readers
// may choose either.
func aboutProtobuf(typeMeta []byte) (a about, err error) {
	a.values = true // in other groups the number of such a field is unknown
	said := 0
	f := encoded.FieldsOf(typeMeta)
	for f.Next() {
		switch f.Number {
		case 1:
			a.apiVersion = string(f.Bytes)
		case 2:
			a.kind = string(f.Bytes)
			said++
		}
	}
	if err = f.Err(); err == nil && (said != 1 || a.kind == "") {
		err = fmt.Errorf("%w: an object without a kind", encoded.ErrMalformed)
	}
	return a, err
}

// protobuf appends an object with its envelope, without what is withheld.
func (w *withhold) protobuf(dst []byte, e envelope) ([]byte, error) {
	a, err := aboutProtobuf(e.typeMeta)
	switch {
	case err != nil:
		return dst, err
	case strings.HasSuffix(a.kind, "List"): // its items would not be inspected
		return dst, fmt.Errorf("%w: a %s for an object", encoded.ErrMalformed, a.kind)
	case a.kind == "ConfigMap":
		if a.name, err = nameIn(e.raw); err != nil {
			return dst, err
		}
	}
	if r := w.rules(a); r != nil {
		w.obj, err = w.rebuild(w.obj[:0], e.raw, r)
	} else {
		w.obj, err = w.leaveManaged(w.obj[:0], e.raw)
	}
	if err != nil {
		return dst, err
	}
	return appendBytes(appendBytes(append(dst, encoded.Magic...), 1, e.typeMeta), 2, w.obj), nil
}

// nameIn returns the name of an object. Of several it is one of a release if there is any, since readers may choose
// either.
func nameIn(msg []byte) (name string, err error) {
	f := encoded.FieldsOf(msg)
	for f.Next() {
		if f.Number != fieldMetadata {
			continue
		}
		in := encoded.FieldsOf(f.Bytes)
		for in.Next() {
			if in.Number == fieldName && !strings.HasPrefix(name, helmRelease) {
				name = string(in.Bytes)
			}
		}
		if err = in.Err(); err != nil {
			return name, err
		}
	}
	return name, f.Err()
}

// leaveManaged appends a message without managedFields, unless they were requested.
func (w *withhold) leaveManaged(dst, msg []byte) ([]byte, error) {
	if w.managedFields {
		return append(dst, msg...), nil
	}
	f := encoded.FieldsOf(msg)
	for f.Next() {
		if f.Number != fieldMetadata {
			dst = append(dst, f.Raw()...)
			continue
		}
		w.meta = w.meta[:0]
		in := encoded.FieldsOf(f.Bytes)
		for in.Next() {
			if in.Number != fieldManagedFields {
				w.meta = append(w.meta, in.Raw()...)
			}
		}
		if err := in.Err(); err != nil {
			return dst, err
		}
		dst = appendBytes(dst, fieldMetadata, w.meta)
	}
	return dst, f.Err()
}

// rebuild appends the fields of a message that its rules let pass.
func (w *withhold) rebuild(dst, msg []byte, r *rules) ([]byte, error) {
	f := encoded.FieldsOf(msg)
	for f.Next() {
		switch what := r.byNumber[f.Number]; {
		case what == passes && (f.Type == protowire.BytesType || f.Type == protowire.VarintType):
			dst = append(dst, f.Raw()...)
		case what == 0, what == passes, f.Type != protowire.BytesType, what == asManaged && !w.managedFields:
		default:
			value, err := w.rebuilt(f.Bytes, what)
			if err != nil {
				return dst, err
			}
			dst = appendBytes(dst, f.Number, value)
		}
	}
	return dst, f.Err()
}

// rebuilt returns the rebuilt value of a field.
func (w *withhold) rebuilt(value []byte, what rule) ([]byte, error) {
	switch what {
	case asMetadata:
		return w.rebuild(nil, value, metadataRules)
	case asManaged:
		return w.rebuild(nil, value, managedRules)
	case asFields:
		return fieldsProtobuf(value)
	}
	key, note, err := encoded.Pair(value)
	if what == keysPass || !notePasses(string(key), string(note)) {
		note = nil
	}
	return appendBytes(appendBytes(nil, 1, key), 2, note), err
}

// fieldsProtobuf rebuilds a FieldsV1, which is JSON in its field 1.
func fieldsProtobuf(msg []byte) (out []byte, err error) {
	f := encoded.FieldsOf(msg)
	for f.Next() {
		if f.Number != 1 || f.Bytes == nil {
			continue
		}
		names, err := fieldsJSON(nil, f.Bytes, "", 0)
		if err != nil {
			return out, err
		}
		out = appendBytes(out, 1, names)
	}
	return out, f.Err()
}
