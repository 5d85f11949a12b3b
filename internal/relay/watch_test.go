//go:build !js

package relay

import (
	"bytes"
	"encoding/binary"
	stdjson "encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/wire"
)

// sent is an event as apimachinery reads it.
type sent struct {
	name string
	obj  runtime.Object
}

// jsonSerializer reads objects like client-go.
var jsonSerializer = json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{})

// sentProtobuf returns the events at the beginning of a watch, as far as apimachinery could have
// written them.
func sentProtobuf(answer []byte) (events []sent) {
	for len(answer) >= 4 {
		size := uint64(binary.BigEndian.Uint32(answer))
		if size > uint64(len(answer)-4) {
			return events
		}
		frame := answer[4 : 4+size]
		var e metav1.WatchEvent
		if e.Unmarshal(frame) != nil {
			return events
		}
		obj, _, err := serializer.Decode(e.Object.Raw, nil, nil)
		if err != nil {
			return events
		}
		again, err := runtime.Encode(serializer, obj)
		written, also := e.Marshal()
		if err != nil || also != nil || !bytes.Equal(again, e.Object.Raw) || !bytes.Equal(written, frame) {
			return events // its own readers look behind the end of what is too short
		}
		events, answer = append(events, sent{e.Type, obj}), answer[4+size:]
	}
	return events
}

// sentJSON returns the events at the beginning of a watch, as far as apimachinery can read them and
// an apiserver could have sent them: apimachinery also accepts keys in capitals.
func sentJSON(answer []byte) (events []sent) {
	for d := stdjson.NewDecoder(bytes.NewReader(answer)); ; {
		var e map[string]stdjson.RawMessage
		if d.Decode(&e) != nil {
			return events
		}
		obj, kind, err := jsonSerializer.Decode(e["object"], nil, nil)
		said := members(e["object"])
		if err != nil || string(said["kind"]) != strconv.Quote(kind.Kind) || string(said["apiVersion"]) != strconv.Quote(kind.GroupVersion().String()) {
			return events
		}
		events = append(events, sent{string(bytes.Trim(e["type"], `"`)), obj})
	}
}

// withheld returns what the relay must send of an object.
func withheld(t *testing.T, obj runtime.Object) runtime.Object {
	t.Helper()
	m, err := meta.Accessor(obj)
	if err != nil {
		return obj // a Status, or a list
	}
	m.SetManagedFields(nil)
	switch o := obj.(type) {
	case *corev1.Secret:
		for key := range o.Data {
			o.Data[key] = nil
		}
		empty(o.StringData)
	case *corev1.ConfigMap:
		if !strings.HasPrefix(o.Name, helmRelease) {
			return obj
		}
		for key := range o.BinaryData {
			o.BinaryData[key] = nil
		}
		empty(o.Data)
	default:
		return obj
	}
	notes := m.GetAnnotations()
	for key, note := range notes {
		if !notePasses(key, note) {
			notes[key] = ""
		}
	}
	return obj
}

// empty replaces the values of a map with empty ones.
func empty(values map[string]string) {
	for key := range values {
		values[key] = ""
	}
}

// refused reports whether the relay refuses an object that apimachinery can read: a list, or an
// object with two kinds.
func refused(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "for an object") || strings.Contains(err.Error(), "without a kind"))
}

// sameEvent compares an event with what was sent.
func sameEvent(t *testing.T, got wire.Event, want sent) {
	t.Helper()
	if got.Type != eventTypes[want.name] {
		t.Fatalf("%s became %c", want.name, got.Type)
	}
	if got.Type == wire.Error {
		var s wire.Status
		if err := stdjson.Unmarshal(got.Payload, &s); err != nil {
			t.Fatal(err)
		}
		if w, ok := want.obj.(*metav1.Status); ok && (s.Message != string([]rune(w.Message)) || s.Code != int(w.Code) || s.Reason != string([]rune(string(w.Reason)))) {
			t.Fatalf("%+v became %+v", w, s)
		}
		return
	}
	var obj runtime.Object
	var err error
	if got.Payload[0] == '{' {
		obj, _, err = jsonSerializer.Decode(got.Payload, nil, nil)
	} else {
		obj, _, err = serializer.Decode(got.Payload, nil, nil)
	}
	if err != nil {
		t.Fatalf("%v: %q", err, got.Payload)
	}
	if want := withheld(t, want.obj); !equality.Semantic.DeepEqual(obj, want) {
		t.Fatalf("want %+v\ngot  %+v", want, obj)
	}
}

// inPieces reads in pieces of any size, including empty ones.
type inPieces struct {
	io.Reader
	random *rand.Rand
}

func (p inPieces) Read(into []byte) (int, error) {
	return p.Reader.Read(into[:min(len(into), p.random.IntN(40))])
}

// FuzzWatch compares the events of a watch with apimachinery's, in both encodings, wherever the
// network splits the answer.
func FuzzWatch(f *testing.F) {
	expired := &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: 410, Reason: "Expired", Message: "too old"}
	for i, name := range []string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", "EXPLODED"} {
		obj := []runtime.Object{pod("p"), secret("s"), pod("p"), &corev1.Pod{TypeMeta: pod("p").TypeMeta, ObjectMeta: metav1.ObjectMeta{ResourceVersion: "7"}}, expired, pod("p")}[i]
		event := func(raw []byte) metav1.WatchEvent {
			return metav1.WatchEvent{Type: name, Object: runtime.RawExtension{Raw: raw}}
		}
		f.Add(watchFrames(f, event(asProtobuf(f, obj)), event(asProtobuf(f, pod("q")))), uint64(i))
		f.Add(append(append(asJSON(f, event(asJSON(f, obj))), '\n'), asJSON(f, event(asJSON(f, pod("q"))))...), uint64(i))
	}
	f.Fuzz(func(t *testing.T, answer []byte, seed uint64) {
		for _, watch := range []struct {
			read func(*unframer) error
			sent func([]byte) []sent
		}{{(*unframer).watchProtobuf, sentProtobuf}, {(*unframer).watchJSON, sentJSON}} {
			whole, err := collect(bytes.NewReader(answer), watch.read, withhold{})
			pieces, also := collect(inPieces{bytes.NewReader(answer), rand.New(rand.NewPCG(seed, 0))}, watch.read, withhold{})
			if fmt.Sprintf("%q %v", whole, err) != fmt.Sprintf("%q %v", pieces, also) {
				t.Fatalf("in one piece\n%q %v\nin many\n%q %v", whole, err, pieces, also)
			}
			for i, want := range watch.sent(answer) {
				if eventTypes[want.name] == 0 || i >= len(whole) && refused(err) {
					break
				}
				if i >= len(whole) {
					t.Fatalf("%d events, and then %v, not %s of %+v", len(whole), err, want.name, want.obj)
				}
				sameEvent(t, whole[i], want)
			}
		}
	})
}
