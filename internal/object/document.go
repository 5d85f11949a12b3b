package object

import (
	"bytes"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/tree"
)

// Whole reports whether an object keeps everything it was decoded from: the rows of a Table may
// contain only the metadata.
func (k Kind) Whole(o *Object) bool {
	raw := o.Packed()
	if raw == nil || raw[0] != '{' {
		return raw != nil
	}
	return kindIn(raw) == k.Name
}

// kindIn returns the kind that an object in JSON names.
func kindIn(doc []byte) string {
	return tree.FromJSON(doc).Get("kind").Text()
}

// OnlyMetadata reports whether only the metadata of an object is kept.
func OnlyMetadata(o *Object) bool {
	raw := o.Packed()
	return raw != nil && raw[0] == '{' && kindIn(raw) == "PartialObjectMetadata"
}

// Document returns an object of the kind in JSON, as the apiserver would write it, from its
// packed bytes; nil if it has none. If only its metadata is kept, that is all the document has.
func (k Kind) Document(o *Object) ([]byte, error) {
	raw := o.Packed()
	if OnlyMetadata(o) {
		return k.metadataDocument(raw)
	}
	if raw == nil || raw[0] == '{' {
		return bytes.Clone(raw), nil
	}
	root := k.node(raw)
	if !root.Exists() {
		return nil, ErrKind
	}
	doc := k.beginDocument()
	at := len(doc)
	doc, err := root.AppendJSON(doc)
	if len(doc) == at+len("{}") {
		return append(doc[:at], '}'), err
	}
	doc[at] = ','
	return doc, err
}

// metadataDocument returns the metadata of a PartialObjectMetadata as an object of the kind.
func (k Kind) metadataDocument(partial []byte) ([]byte, error) {
	doc := k.beginDocument()
	err := encoded.Members(partial, func(key string, value []byte) error {
		if key == "metadata" {
			doc = append(append(doc, `,"metadata":`...), value...)
		}
		return nil
	})
	return append(doc, '}'), err
}

// beginDocument returns the beginning of an object in JSON.
func (k Kind) beginDocument() []byte {
	return encoded.AppendString(append(encoded.AppendString([]byte(`{"kind":`), k.Name), `,"apiVersion":`...), k.APIVersion())
}
