//go:build !js

package relay

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/object"
)

// withhold takes out of an object what the tab must not, or need not, have.
// It works on the bytes as they stand, protobuf and JSON alike.
type withhold struct {
	secret        bool // names of keys without their values
	managedFields bool // kept, on request

	meta, part, obj []byte // scratch
}

// lastApplied repeats a Secret's values in an annotation.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// The numbers of the fields that matter. Metadata is field 1 of every kind.
var (
	fieldMetadata      = protowire.Number(object.FieldNumber("v1", "Secret", "metadata"))
	fieldAnnotations   = protowire.Number(object.FieldNumber("v1", "Secret", "metadata.annotations"))
	fieldManagedFields = protowire.Number(object.FieldNumber("v1", "Secret", "metadata.managedFields"))
	fieldData          = protowire.Number(object.FieldNumber("v1", "Secret", "data"))
	fieldStringData    = protowire.Number(object.FieldNumber("v1", "Secret", "stringData"))
)

// magic begins every protobuf object.
var magic = []byte("k8s\x00")

// envelope is what stands around a protobuf object: its kind, and its message.
type envelope struct{ typeMeta, raw []byte }

func openEnvelope(payload []byte) (e envelope, err error) {
	body, ok := bytes.CutPrefix(payload, magic)
	if !ok {
		return e, fmt.Errorf("%w: no protobuf envelope", object.ErrMalformed)
	}
	err = eachField(body, func(number protowire.Number, value, _ []byte) {
		switch number {
		case 1:
			e.typeMeta = value
		case 2:
			e.raw = value
		}
	})
	if err == nil && (e.typeMeta == nil || e.raw == nil) {
		err = fmt.Errorf("%w: an empty envelope", object.ErrMalformed)
	}
	return e, err
}

// eachField calls f with every field of a message: the value of one that has
// bytes, and the field as it stands.
func eachField(msg []byte, f func(number protowire.Number, value, field []byte)) error {
	for len(msg) > 0 {
		number, typ, n := protowire.ConsumeTag(msg)
		if n < 0 {
			return fmt.Errorf("%w: %v", object.ErrMalformed, protowire.ParseError(n))
		}
		size := protowire.ConsumeFieldValue(number, typ, msg[n:])
		if size < 0 {
			return fmt.Errorf("%w: %v", object.ErrMalformed, protowire.ParseError(size))
		}
		var value []byte
		if typ == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(msg[n:])
		}
		f(number, value, msg[:n+size])
		msg = msg[n+size:]
	}
	return nil
}

// typeMetaOf is the protobuf of a kind.
func typeMetaOf(apiVersion, kind string) []byte {
	b := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), apiVersion)
	return protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), kind)
}

var secretTypeMeta = typeMetaOf("v1", "Secret")

// protobuf appends an object with its envelope, without what is withheld.
func (w *withhold) protobuf(dst []byte, e envelope) ([]byte, error) {
	secret := w.secret || bytes.Equal(e.typeMeta, secretTypeMeta)
	w.obj = w.obj[:0]
	var failed error
	err := eachField(e.raw, func(number protowire.Number, value, field []byte) {
		switch {
		case number == fieldMetadata:
			if err := w.metadata(value, secret); err != nil {
				failed = err
			}
			w.obj = protowire.AppendBytes(protowire.AppendTag(w.obj, number, protowire.BytesType), w.meta)
		case secret && (number == fieldData || number == fieldStringData):
			if err := w.keyOnly(value); err != nil {
				failed = err
			}
			w.obj = protowire.AppendBytes(protowire.AppendTag(w.obj, number, protowire.BytesType), w.part)
		default:
			w.obj = append(w.obj, field...)
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return dst, err
	}
	dst = append(dst, magic...)
	dst = protowire.AppendBytes(protowire.AppendTag(dst, 1, protowire.BytesType), e.typeMeta)
	return protowire.AppendBytes(protowire.AppendTag(dst, 2, protowire.BytesType), w.obj), nil
}

func (w *withhold) metadata(meta []byte, secret bool) error {
	w.meta = w.meta[:0]
	return eachField(meta, func(number protowire.Number, value, field []byte) {
		if number == fieldManagedFields && !w.managedFields {
			return
		}
		if secret && number == fieldAnnotations && bytes.Contains(value, []byte(lastApplied)) {
			return
		}
		w.meta = append(w.meta, field...)
	})
}

// keyOnly keeps the key of a map's entry.
func (w *withhold) keyOnly(entry []byte) error {
	w.part = w.part[:0]
	return eachField(entry, func(number protowire.Number, _, field []byte) {
		if number == 1 {
			w.part = append(w.part, field...)
		}
	})
}

// json appends an object in JSON, without what is withheld.
func (w *withhold) json(dst, obj []byte) ([]byte, error) {
	secret, err := isSecretJSON(obj)
	if err != nil {
		return dst, err
	}
	secret = secret || w.secret
	if !secret && (w.managedFields || !bytes.Contains(obj, []byte("managedFields"))) {
		return append(dst, obj...), nil
	}
	return rewrite(dst, obj, func(dst []byte, key string, value []byte) ([]byte, bool, error) {
		switch {
		case key == "metadata":
			dst, err := w.metadataJSON(dst, value, secret)
			return dst, true, err
		case secret && (key == "data" || key == "stringData"):
			dst, err := keysOnlyJSON(dst, value)
			return dst, true, err
		}
		return append(dst, value...), true, nil
	})
}

// isSecretJSON reports whether an object calls itself a Secret. Of one that is
// malformed nobody can tell.
func isSecretJSON(obj []byte) (bool, error) {
	if !bytes.Contains(obj, []byte(`"Secret"`)) {
		return false, nil
	}
	var apiVersion, kind string
	err := object.Members(obj, func(key string, value []byte) error {
		switch key {
		case "apiVersion":
			apiVersion = string(value)
		case "kind":
			kind = string(value)
		}
		return nil
	})
	return apiVersion == `"v1"` && kind == `"Secret"`, err
}

func (w *withhold) metadataJSON(dst, meta []byte, secret bool) ([]byte, error) {
	if string(meta) == "null" {
		return append(dst, meta...), nil
	}
	return rewrite(dst, meta, func(dst []byte, key string, value []byte) ([]byte, bool, error) {
		switch {
		case key == "managedFields" && !w.managedFields:
			return dst, false, nil
		case key == "annotations" && secret && string(value) != "null":
			dst, err := rewrite(dst, value, func(dst []byte, key string, value []byte) ([]byte, bool, error) {
				return append(dst, value...), key != lastApplied, nil
			})
			return dst, true, err
		}
		return append(dst, value...), true, nil
	})
}

func keysOnlyJSON(dst, data []byte) ([]byte, error) {
	if string(data) == "null" {
		return append(dst, data...), nil
	}
	return rewrite(dst, data, func(dst []byte, key string, _ []byte) ([]byte, bool, error) {
		return append(dst, `""`...), true, nil
	})
}

// rewrite appends a JSON object with the values that f gives, and without the
// members that it does not want.
func rewrite(dst, obj []byte, f func(dst []byte, key string, value []byte) ([]byte, bool, error)) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	err := object.Members(obj, func(key string, value []byte) error {
		at := len(dst)
		if !first {
			dst = append(dst, ',')
		}
		dst = append(object.AppendString(dst, key), ':')
		out, wanted, err := f(dst, key, value)
		if dst = out; !wanted {
			dst = dst[:at]
			return err
		}
		first = false
		return err
	})
	return append(dst, '}'), err
}

// row appends a row of a Table: its cells, and its object without what is
// withheld.
func (w *withhold) row(dst, row []byte) ([]byte, error) {
	return rewrite(dst, row, func(dst []byte, key string, value []byte) ([]byte, bool, error) {
		switch key {
		case "cells":
			return append(dst, value...), true, nil
		case "object":
			if string(value) == "null" {
				return dst, false, nil
			}
			dst, err := w.json(dst, value)
			return dst, true, err
		}
		return dst, false, nil
	})
}
