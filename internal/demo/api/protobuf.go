//go:build !js

package api

import (
	"encoding/binary"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/demo/store"
	"watchglass/internal/object/encoded"
)

// protobufForm writes stored objects unchanged, each in its envelope: four bytes of magic, then
// a runtime.Unknown. Field 1 of that is the kind, field 2 the object; fields 3 and 4 are empty.
type protobufForm struct{ kind *Kind }

// tail is the two empty fields.
var tail = protowire.AppendString(protowire.AppendTag(protowire.AppendString(protowire.AppendTag(nil, 3, protowire.BytesType), ""), 4, protowire.BytesType), "")

func (protobufForm) contentType(watch bool) string {
	if watch {
		return protobufType + ";stream=watch"
	}
	return protobufType
}

// appendHead appends an envelope up to the object, including the object's size.
func appendHead(b []byte, apiVersion, kind string, size int) []byte {
	typeMeta := protowire.SizeTag(1) + protowire.SizeBytes(len(apiVersion)) + protowire.SizeTag(2) + protowire.SizeBytes(len(kind))
	b = append(b, encoded.Magic...)
	b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.BytesType), uint64(typeMeta))
	b = protowire.AppendString(protowire.AppendTag(b, 1, protowire.BytesType), apiVersion)
	b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), kind)
	return protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.BytesType), uint64(size))
}

func envelope(b []byte, apiVersion, kind string, raw []byte) []byte {
	return append(append(appendHead(b, apiVersion, kind, len(raw)), raw...), tail...)
}

func appendBytes(b []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), value)
}

func (f protobufForm) object(b []byte, o *store.Object) ([]byte, error) {
	return envelope(b, f.kind.apiVersion(), f.kind.Name, o.Raw), nil
}

// list writes a list: field 1 is its metadata, field 2 the items. Nothing is encoded again: an
// item is a few bytes followed by what is stored.
func (f protobufForm) list(w io.Writer, objects []*store.Object, meta metav1.ListMeta) error {
	raw, err := meta.Marshal()
	if err != nil {
		return err
	}
	first := appendBytes(nil, 1, raw)
	size := len(first)
	for _, o := range objects {
		size += protowire.SizeTag(2) + protowire.SizeBytes(len(o.Raw))
	}
	if _, err := w.Write(append(appendHead(nil, f.kind.apiVersion(), f.kind.listName(), size), first...)); err != nil {
		return err
	}
	var b []byte
	for _, o := range objects {
		b = protowire.AppendVarint(protowire.AppendTag(b[:0], 2, protowire.BytesType), uint64(len(o.Raw)))
		if _, err := w.Write(b); err != nil {
			return err
		}
		if _, err := w.Write(o.Raw); err != nil {
			return err
		}
	}
	_, err = w.Write(tail)
	return err
}

func (f protobufForm) bookmark(meta metav1.ObjectMeta) ([]byte, error) {
	raw, err := emptyOf(f.kind, meta).Marshal()
	return envelope(nil, f.kind.apiVersion(), f.kind.Name, raw), err
}

func (protobufForm) status(s *metav1.Status) []byte {
	raw, _ := s.Marshal() // strings and numbers only, so it cannot fail
	return envelope(nil, "v1", "Status", raw)
}

// event appends a frame: its length in four bytes, then a WatchEvent. Field 1 of that is the
// type, field 2 a RawExtension whose field 1 is the object.
func (protobufForm) event(b []byte, name string, object []byte) []byte {
	extension := protowire.SizeTag(1) + protowire.SizeBytes(len(object))
	start := len(b)
	b = appendBytes(append(b, 0, 0, 0, 0), 1, []byte(name))
	b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.BytesType), uint64(extension))
	b = appendBytes(b, 1, object)
	binary.BigEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	return b
}

// emptyOf returns an object of a built-in kind that has only metadata.
func emptyOf(k *Kind, meta metav1.ObjectMeta) Message {
	obj := k.New()
	obj.SetResourceVersion(meta.ResourceVersion)
	obj.SetAnnotations(meta.Annotations)
	return obj
}
