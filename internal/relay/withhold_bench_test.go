//go:build !js

package relay

import (
	"bytes"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkWithhold drops the managedFields of a pod, and the values of a Secret.
func BenchmarkWithhold(b *testing.B) {
	raw, err := os.ReadFile("../object/testdata/pod.pb")
	if err != nil {
		b.Fatal(err)
	}
	var pod corev1.Pod
	managed := []metav1.ManagedFieldsEntry{{Manager: "kubelet", Operation: "Update", APIVersion: "v1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:phase":{}}}`)}}
	sent, err := openEnvelope(raw)
	if err != nil || pod.Unmarshal(sent.raw) != nil {
		b.Fatal(err)
	}
	pod.ManagedFields = managed
	secret := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s", Namespace: "n", Labels: map[string]string{"app": "web"}, Annotations: map[string]string{"a": "b"}, ManagedFields: managed}, Type: "Opaque", Data: map[string][]byte{"password": []byte("secret"), "ca.crt": bytes.Repeat([]byte("x"), 2000)}}
	for kind, of := range map[string]interface{ Marshal() ([]byte, error) }{"Pod": &pod, "Secret": &secret} {
		raw, err := of.Marshal()
		if err != nil {
			b.Fatal(err)
		}
		e, w, out := envelope{typeMetaOf("v1", kind), raw}, withhold{}, []byte(nil)
		b.Run(kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if out, err = w.protobuf(out[:0], e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
