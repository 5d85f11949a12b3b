//go:build !js

package object

import (
	"encoding/json"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestMetadata checks that the metadata of an object of any kind has its identity and owners,
// in both encodings.
func TestMetadata(t *testing.T) {
	yes := true
	m := metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "a", Name: "order", UID: "u1", ResourceVersion: "7", Labels: map[string]string{"app": "web"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "cert-manager.io/v1", Kind: "CertificateRequest", Name: "web-1", UID: "u0", Controller: &yes}},
		},
	}
	raw, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	packed, err := (&runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: m.APIVersion, Kind: m.Kind}, Raw: raw}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, payload := range [][]byte{append([]byte("k8s\x00"), packed...), doc} {
		o, err := NewMetadataDecoder().Decode(payload)
		if err != nil {
			t.Fatal(err)
		}
		if o.Key() != "a/order" || o.UID() != "u1" || o.Version() != "7" || o.Labels().Get("app") != "web" || !o.Owned() || o.Packed() != nil {
			t.Errorf("%+v", o)
		}
		if want := []Owner{{"cert-manager.io", "CertificateRequest", "web-1", "u0", true}}; !reflect.DeepEqual(o.Owners(), want) {
			t.Errorf("%+v", o.Owners())
		}
	}
	if o, err := NewMetadataDecoder().Decode([]byte(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"x"}}`)); err != nil || o.Owned() {
		t.Error(err)
	}
}
