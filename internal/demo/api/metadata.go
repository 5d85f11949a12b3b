//go:build !js

package api

import (
	"encoding/json"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/demo/store"
)

// metadataForm writes only the metadata of objects, in protobuf.
type metadataForm struct {
	protobufForm
	of *Kind
}

func newMetadataForm(of *Kind) metadataForm {
	return metadataForm{protobufForm{&Kind{Group: metav1.GroupName, Version: "v1", Name: "PartialObjectMetadata"}}, of}
}

func (f metadataForm) object(b []byte, o *store.Object) ([]byte, error) {
	part, err := f.part(o)
	if err != nil {
		return b, err
	}
	return f.protobufForm.object(b, part)
}

func (f metadataForm) list(w io.Writer, objects []*store.Object, meta metav1.ListMeta) error {
	parts := make([]*store.Object, len(objects))
	for i, o := range objects {
		part, err := f.part(o)
		if err != nil {
			return err
		}
		parts[i] = part
	}
	return f.protobufForm.list(w, parts, meta)
}

func (f metadataForm) bookmark(meta metav1.ObjectMeta) ([]byte, error) {
	raw, err := (&metav1.PartialObjectMetadata{ObjectMeta: meta}).Marshal()
	return envelope(nil, f.kind.apiVersion(), f.kind.Name, raw), err
}

// part returns the part of an object to write. Field 1 of a built-in kind is its metadata.
func (f metadataForm) part(o *store.Object) (*store.Object, error) {
	part := *o
	part.Raw = nil
	if f.of.New == nil {
		var m metav1.PartialObjectMetadata
		err := json.Unmarshal(o.Raw, &m)
		if err == nil {
			part.Raw, err = m.Marshal()
		}
		return &part, err
	}
	for raw := o.Raw; len(raw) > 0; {
		number, _, size := protowire.ConsumeField(raw)
		if size < 0 {
			return nil, fmt.Errorf("read %s %s: %w", f.of.ID(), o.Name, protowire.ParseError(size))
		}
		if number == 1 {
			part.Raw = append(part.Raw, raw[:size]...)
		}
		raw = raw[size:]
	}
	return &part, nil
}
