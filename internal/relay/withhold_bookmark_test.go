//go:build !js

package relay

import (
	"bytes"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// testSecretsEnd checks that the bookmark that ends the list of Secrets still does so when it is
// rebuilt, and that it carries no other value. Without it every list of Secrets waits for 5 s.
func testSecretsEnd(t *testing.T) {
	of := func(value string) *corev1.Secret {
		s := &corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}}
		s.ResourceVersion, s.Annotations = "7", map[string]string{metav1.InitialEventsAnnotationKey: value}
		return s
	}
	for value, want := range map[string]bool{"true": true, canary: false} {
		s := of(value)
		raw, err := s.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		frames := watchFrames(t, metav1.WatchEvent{Type: "BOOKMARK", Object: runtime.RawExtension{Raw: seal(typeMetaOf("v1", "Secret"), raw)}})
		text, err := json.Marshal(metav1.WatchEvent{Type: "BOOKMARK", Object: runtime.RawExtension{Object: s}})
		if err != nil {
			t.Fatal(err)
		}
		for form, a := range map[string]struct {
			bytes []byte
			read  func(*unframer) error
		}{"protobuf": {frames, (*unframer).watchProtobuf}, "JSON": {text, (*unframer).watchJSON}} {
			events, err := collect(bytes.NewReader(a.bytes), a.read, withholdOf(wire.Request{Verb: wire.Watch, Version: "v1", Resource: "secrets"}))
			if err != nil || len(events) != 1 {
				t.Fatalf("%s: %v, %d events", form, err, len(events))
			}
			version, end, err := new(object.Decoder).Bookmark(events[0].Payload)
			if err != nil || version != "7" || end != want {
				t.Errorf("%s with %q: %q, end %t, %v", form, value, version, end, err)
			}
			if bytes.Contains(events[0].Payload, []byte(canary)) {
				t.Errorf("%s: the value passed: %q", form, events[0].Payload)
			}
		}
	}
}
