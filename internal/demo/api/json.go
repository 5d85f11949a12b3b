//go:build !js

package api

import (
	"encoding/json"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"watchglass/internal/demo/store"
)

// jsonForm writes JSON: decoded from objects that are stored as protobuf, and unchanged for
// those stored as JSON.
type jsonForm struct{ kind *Kind }

func (jsonForm) contentType(bool) string { return jsonType }

func (f jsonForm) object(b []byte, o *store.Object) ([]byte, error) {
	body, err := f.encode(o, f.kind.GroupVersionKind())
	return append(b, body...), err
}

// encode returns an object as JSON. With an empty kind it omits apiVersion and kind, as in a
// list; a custom kind is always as stored.
func (f jsonForm) encode(o *store.Object, says schema.GroupVersionKind) ([]byte, error) {
	if f.kind.New == nil {
		return o.Raw, nil
	}
	obj, err := f.kind.Decode(o)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(says)
	return json.Marshal(obj)
}

func (f jsonForm) list(w io.Writer, objects []*store.Object, meta metav1.ListMeta) error {
	raw, err := json.Marshal(meta)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, `{"kind":%q,"apiVersion":%q,"metadata":%s,"items":[`, f.kind.listName(), f.kind.apiVersion(), raw); err != nil {
		return err
	}
	for i, o := range objects {
		item, err := f.encode(o, schema.GroupVersionKind{})
		if err != nil {
			return err
		}
		if i > 0 {
			item = append([]byte{','}, item...)
		}
		if _, err := w.Write(item); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "]}\n")
	return err
}

func (f jsonForm) bookmark(meta metav1.ObjectMeta) ([]byte, error) {
	if f.kind.New == nil {
		return json.Marshal(metav1.PartialObjectMetadata{
			TypeMeta: metav1.TypeMeta{Kind: f.kind.Name, APIVersion: f.kind.apiVersion()}, ObjectMeta: meta,
		})
	}
	obj := emptyOf(f.kind, meta)
	obj.GetObjectKind().SetGroupVersionKind(f.kind.GroupVersionKind())
	return json.Marshal(obj)
}

func (jsonForm) status(s *metav1.Status) []byte { return statusJSON(s) }

func (jsonForm) event(b []byte, name string, object []byte) []byte {
	return fmt.Appendf(b, "{\"type\":%q,\"object\":%s}\n", name, object)
}
