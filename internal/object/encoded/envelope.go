package encoded

import "google.golang.org/protobuf/encoding/protowire"

// Magic begins every object in protobuf. What begins otherwise is JSON.
const Magic = "k8s\x00"

// IsProtobuf reports whether an object is in protobuf.
func IsProtobuf(payload []byte) bool {
	return len(payload) >= len(Magic) && string(payload[:len(Magic)]) == Magic
}

// Open returns the type of an object in protobuf, and its message.
func Open(payload []byte) (apiVersion, kind, message []byte, err error) {
	if !IsProtobuf(payload) {
		return nil, nil, nil, ErrMalformed
	}
	typ, message, err := Pair(payload[len(Magic):])
	if err == nil {
		apiVersion, kind, err = Pair(typ)
	}
	return apiVersion, kind, message, err
}

// AppendEnvelope appends what is before the length of the message of an object in protobuf.
func AppendEnvelope(dst []byte, apiVersion, kind string) []byte {
	var typ []byte
	for i, text := range []string{apiVersion, kind} {
		typ = protowire.AppendString(protowire.AppendTag(typ, protowire.Number(i+1), protowire.BytesType), text)
	}
	dst = protowire.AppendBytes(protowire.AppendTag(append(dst, Magic...), 1, protowire.BytesType), typ)
	return protowire.AppendTag(dst, 2, protowire.BytesType)
}

// Row returns the cells of a row of a Table and the object in it. A payload without cells is the object.
func Row(payload []byte) (cells, obj []byte, err error) {
	obj = payload
	err = Members(payload, func(key string, value []byte) error {
		switch key {
		case "cells":
			cells = value
		case "object":
			obj = value
		}
		return nil
	})
	if cells == nil {
		obj = payload
	}
	return cells, obj, err
}
