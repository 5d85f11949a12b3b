//go:build !js

package relay

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/object"
	"watchglass/internal/object/encoded"
	"watchglass/internal/wire"
)

var serializer = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)

// asProtobuf and asJSON encode an object like the apiserver.
func asProtobuf(t testing.TB, obj runtime.Object) []byte {
	t.Helper()
	out, err := runtime.Encode(serializer, obj)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func asJSON(t testing.TB, v any) []byte {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// watchFrames writes a watch in protobuf.
func watchFrames(t testing.TB, events ...metav1.WatchEvent) []byte {
	t.Helper()
	var out []byte
	for _, e := range events {
		raw, err := e.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(raw))), raw...)
	}
	return out
}

// The names of two annotations: kubectl's copy of the whole object, and one that holds a name.
const (
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	releaseName = "meta.helm.sh/release-name"
)

func secret(name string) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "a", ResourceVersion: "7",
			Annotations:   map[string]string{lastApplied: `{"data":{"password":"hunter2"}}`, "team": "hunter2", releaseName: "web"},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "hunter2", FieldsV1: metav1.NewFieldsV1(`{"f:data":{}}`)}},
		},
		Data:       map[string][]byte{"password": []byte("hunter2"), "empty": nil},
		StringData: map[string]string{"token": "hunter2"},
		Type:       "Opaque",
	}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "a", ResourceVersion: "5", Labels: map[string]string{"kind": "Secret"},
			Annotations:   map[string]string{lastApplied: "{}"},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`)}},
		},
		Spec: corev1.PodSpec{NodeName: "n", Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
}

// collect reads an answer with one of the readers and returns its events.
func collect(answer io.Reader, read func(*unframer) error, w withhold) ([]wire.Event, error) {
	var events []wire.Event
	u := &unframer{body: bufio.NewReader(answer), withhold: w, emit: func(t wire.EventType, payload []byte) error {
		events = append(events, wire.Event{Type: t, Payload: bytes.Clone(payload)})
		return nil
	}}
	return events, read(u)
}

func decodeObject(t *testing.T, payload []byte) runtime.Object {
	t.Helper()
	obj, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), payload)
	if err != nil {
		t.Fatalf("%v: %q", err, payload)
	}
	return obj
}

// answers are the same objects in every form that the apiserver sends.
func answers(t *testing.T, obj runtime.Object, list runtime.Object) map[string]struct {
	bytes []byte
	read  func(*unframer) error
} {
	tableRow := func() []byte {
		return []byte(`{"cells":["x"],"conditions":null,"object":` + string(asJSON(t, obj)) + `}`)
	}
	table := `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"columnDefinitions":[{"name":"Name"}],"rows":[` + string(tableRow()) + `,` + string(tableRow()) + `]}`
	type a = struct {
		bytes []byte
		read  func(*unframer) error
	}
	event := func(raw []byte) metav1.WatchEvent {
		return metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: raw}}
	}
	return map[string]a{
		"protobuf watch": {watchFrames(t, event(asProtobuf(t, obj)), event(asProtobuf(t, obj))), (*unframer).watchProtobuf},
		"protobuf list":  {asProtobuf(t, list), (*unframer).listProtobuf},
		"protobuf get":   {asProtobuf(t, obj), (*unframer).objectProtobuf},
		"JSON watch":     {append(append(asJSON(t, event(asJSON(t, obj))), '\n'), asJSON(t, event(asJSON(t, obj)))...), (*unframer).watchJSON},
		"JSON list":      {asJSON(t, list), (*unframer).listJSON},
		"JSON get":       {asJSON(t, obj), (*unframer).objectJSON},
		"Table watch":    {asJSON(t, event([]byte(table))), (*unframer).watchJSON},
		"Table list":     {[]byte(table), (*unframer).listJSON},
		"Table get":      {[]byte(table), (*unframer).objectJSON},
	}
}

// TestWithhold shows, for every form of an answer, that what is withheld is gone and everything else
// is unchanged.
func TestWithhold(t *testing.T) {
	s, p := secret("s"), pod("p")
	list := metav1.TypeMeta{APIVersion: "v1", Kind: "SecretList"}
	for name, a := range answers(t, s, &corev1.SecretList{TypeMeta: list, Items: []corev1.Secret{*s, *s}}) {
		t.Run("secret/"+name, func(t *testing.T) {
			want := secret("s")
			want.ManagedFields = nil
			want.Annotations = map[string]string{lastApplied: "", "team": "", releaseName: "web"}
			want.Data = map[string][]byte{"password": {}, "empty": {}}
			want.StringData = map[string]string{"token": ""}
			compare(t, a.bytes, a.read, withhold{secret: true}, want)
		})
	}
	list.Kind = "PodList"
	for name, a := range answers(t, p, &corev1.PodList{TypeMeta: list, Items: []corev1.Pod{*p, *p}}) {
		t.Run("pod/"+name, func(t *testing.T) {
			want := pod("p")
			want.ManagedFields = nil
			compare(t, a.bytes, a.read, withhold{}, want)
		})
		t.Run("pod with managedFields/"+name, func(t *testing.T) {
			compare(t, a.bytes, a.read, withhold{managedFields: true}, pod("p"))
		})
	}
}

func compare(t *testing.T, answer []byte, read func(*unframer) error, w withhold, want runtime.Object) {
	t.Helper()
	for _, r := range []io.Reader{bytes.NewReader(answer), iotest.OneByteReader(bytes.NewReader(answer))} {
		events, err := collect(r, read, w)
		if err != nil {
			t.Fatal(err)
		}
		objects := 0
		for _, e := range events {
			if bytes.Contains(e.Payload, []byte("hunter2")) || bytes.Contains(e.Payload, []byte("aHVudGVyMg")) {
				t.Fatalf("the value passed: %q", e.Payload)
			}
			if e.Type != wire.Added && e.Type != wire.Item {
				continue
			}
			objects++
			payload := e.Payload
			if payload[0] == '{' && bytes.HasPrefix(payload, []byte(`{"cells"`)) {
				payload = bytes.TrimSuffix(payload[bytes.Index(payload, []byte(`"object":`))+len(`"object":`):], []byte("}"))
			}
			got, wanted := asJSON(t, decodeObject(t, payload)), asJSON(t, want)
			if strip(got) != strip(wanted) {
				t.Fatalf("want %s\ngot  %s", wanted, got)
			}
		}
		if objects == 0 {
			t.Fatal("no object came")
		}
	}
}

// strip removes the difference between null and a missing value.
func strip(doc []byte) string {
	return strings.NewReplacer(`:null`, `:""`).Replace(string(doc))
}

// TestSecretByKind shows that a Secret is recognised wherever it comes from.
func TestSecretByKind(t *testing.T) {
	for _, payload := range [][]byte{asProtobuf(t, secret("s")), asJSON(t, secret("s"))} {
		read := (*unframer).objectJSON
		if payload[0] == 'k' {
			read = (*unframer).objectProtobuf
		}
		events, err := collect(bytes.NewReader(payload), read, withhold{})
		if err != nil || len(events) != 1 || bytes.Contains(events[0].Payload, []byte("hunter2")) {
			t.Errorf("%v %q", err, events)
		}
	}
}

// TestSecretsOfAnother shows that the values of a Secret do not pass in an answer to another request:
// its reader refuses the answer, or skips the values.
func TestSecretsOfAnother(t *testing.T) {
	event := asJSON(t, metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: asJSON(t, secret("s"))}})
	podThen := func(doc []byte) []byte { return append(append(asJSON(t, pod("p")), '\n'), doc...) }
	const broken = `{"data":{"password":"hunter2"};"kind":"Secret","apiVersion":"v1"}`
	frames := watchFrames(t, metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: asProtobuf(t, secret("s"))}})
	for name, a := range map[string]struct {
		bytes   []byte
		read    func(*unframer) error
		refused bool
	}{
		"JSON event for a get":           {event, (*unframer).objectJSON, true},
		"JSON events for a get":          {append(bytes.Clone(event), event...), (*unframer).objectJSON, true},
		"JSON events for a list":         {append(bytes.Clone(event), event...), (*unframer).listJSON, false},
		"a second document":              {podThen(asJSON(t, secret("s"))), (*unframer).objectJSON, true},
		"a second event":                 {podThen(event), (*unframer).objectJSON, true},
		"a broken document":              {[]byte(broken), (*unframer).objectJSON, true},
		"a broken document of a watch":   {[]byte(`{"type":"ADDED","object":` + broken + `}`), (*unframer).watchJSON, true},
		"a broken document of a list":    {[]byte(`{"kind":"PodList","items":[` + broken + `]}`), (*unframer).listJSON, true},
		"a broken document of a row":     {[]byte(`{"kind":"Table","rows":[{"object":` + broken + `}]}`), (*unframer).listJSON, true},
		"protobuf frames for a get":      {frames, (*unframer).objectProtobuf, true},
		"protobuf frames for a list":     {frames, (*unframer).listProtobuf, true},
		"protobuf frames read as JSON":   {frames, (*unframer).objectJSON, true},
		"a document without a kind":      {[]byte(`{"data":{"password":"hunter2"}}`), (*unframer).objectJSON, true},
		"a document behind a Table's":    {append([]byte(`{"kind":"Table","rows":[]}`), asJSON(t, secret("s"))...), (*unframer).objectJSON, true},
		"white space behind is no event": {append(asJSON(t, secret("s")), " \n"...), (*unframer).objectJSON, false},
	} {
		events, err := collect(bytes.NewReader(a.bytes), a.read, withhold{})
		if errors.Is(err, encoded.ErrMalformed) != a.refused {
			t.Errorf("%s: %v", name, err)
		}
		for _, e := range events {
			if bytes.Contains(e.Payload, []byte("hunter2")) || bytes.Contains(e.Payload, []byte("aHVudGVyMg")) {
				t.Errorf("%s: the value passed: %q", name, e.Payload)
			}
		}
	}
}

func TestListEnd(t *testing.T) {
	remaining := int64(3)
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "9", Continue: "c", RemainingItemCount: &remaining}, Items: []corev1.Pod{*pod("a"), *pod("b")}}
	for name, a := range map[string]struct {
		bytes []byte
		read  func(*unframer) error
	}{
		"protobuf": {asProtobuf(t, list), (*unframer).listProtobuf},
		"JSON":     {asJSON(t, list), (*unframer).listJSON},
		"pretty":   {indent(t, list), (*unframer).listJSON},
	} {
		events, err := collect(bytes.NewReader(a.bytes), a.read, withhold{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range events[:2] {
			got = append(got, decodeObject(t, e.Payload).(*corev1.Pod).Name)
		}
		end := events[len(events)-1]
		if want := `{"resourceVersion":"9","continue":"c","remainingItemCount":3}`; end.Type != wire.ListEnd || string(end.Payload) != want || fmt.Sprint(got) != "[a b]" || len(events) != 3 {
			t.Errorf("%s: %v %s", name, got, end.Payload)
		}
	}
}

// TestMetadataList reads a list of metadata alone, in either form, as audits ask for
// it: who each object is, and nothing that is withheld.
func TestMetadataList(t *testing.T) {
	list := &metav1.PartialObjectMetadataList{
		TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}, ListMeta: metav1.ListMeta{ResourceVersion: "9"},
	}
	for _, name := range []string{"a", "b"} {
		m := secret(name).ObjectMeta
		m.UID, m.ResourceVersion = "u-x", "7"
		list.Items = append(list.Items, metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"}, ObjectMeta: m})
	}
	raw, err := list.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	enveloped, err := (&runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: list.APIVersion, Kind: list.Kind}, Raw: raw}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]struct {
		bytes []byte
		read  func(*unframer) error
	}{
		"protobuf": {append([]byte(encoded.Magic), enveloped...), (*unframer).listProtobuf},
		"JSON":     {asJSON(t, list), (*unframer).listJSON},
	} {
		events, err := collect(bytes.NewReader(a.bytes), a.read, withhold{secret: true})
		if err != nil || len(events) != 3 || events[2].Type != wire.ListEnd {
			t.Fatal(name, err, events)
		}
		for i, want := range []string{"a", "b"} {
			id, err := object.ReadIdentity(events[i].Payload)
			if err != nil || id != (object.Identity{Namespace: list.Items[i].Namespace, Name: want, UID: "u-x", Version: "7"}) {
				t.Errorf("%s: %+v %v", name, id, err)
			}
			if bytes.Contains(events[i].Payload, []byte("hunter2")) || bytes.Contains(events[i].Payload, []byte("managedFields")) {
				t.Errorf("%s: %q", name, events[i].Payload)
			}
		}
	}
}

// TestMetadataWatch reads a watch of metadata, as searches for owned objects request it. A Secret's
// metadata contains nothing that is withheld.
func TestMetadataWatch(t *testing.T) {
	o := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"}, ObjectMeta: secret("a").ObjectMeta}
	o.UID, o.OwnerReferences = "u-x", []metav1.OwnerReference{{APIVersion: "cert-manager.io/v1", Kind: "Certificate", Name: "web", UID: "u-w"}}
	raw, err := o.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	enveloped, err := (&runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: o.APIVersion, Kind: o.Kind}, Raw: raw}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	frame, err := (&metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: append([]byte(encoded.Magic), enveloped...)}}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	packed := append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)
	for name, a := range map[string]struct {
		bytes []byte
		read  func(*unframer) error
	}{
		"protobuf": {packed, (*unframer).watchProtobuf},
		"JSON":     {[]byte(fmt.Sprintf(`{"type":"ADDED","object":%s}`, asJSON(t, o))), (*unframer).watchJSON},
	} {
		events, err := collect(bytes.NewReader(a.bytes), a.read, withhold{secret: true})
		if err != nil || len(events) != 1 || events[0].Type != wire.Added {
			t.Fatal(name, err, events)
		}
		got, err := object.NewMetadataDecoder().Decode(events[0].Payload)
		if err != nil || got.UID() != "u-x" || len(got.Owners()) != 1 || got.Owners()[0].Group != "cert-manager.io" {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		if bytes.Contains(events[0].Payload, []byte("hunter2")) || bytes.Contains(events[0].Payload, []byte("managedFields")) {
			t.Errorf("%s: %q", name, events[0].Payload)
		}
	}
}

func indent(t *testing.T, v any) []byte {
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestEmptyLists reads empty lists in all their forms.
func TestEmptyLists(t *testing.T) {
	for _, doc := range []string{
		`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[]}`,
		`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":null}`,
		`{ "metadata": {"resourceVersion": "9"}, "items" : [ ] , "kind":"PodList"}`,
	} {
		events, err := collect(strings.NewReader(doc), (*unframer).listJSON, withhold{})
		if err != nil || len(events) != 1 || string(events[0].Payload) != `{"resourceVersion":"9"}` {
			t.Errorf("%s: %v %q", doc, err, events)
		}
	}
}

// testErrorEvent shows that an ERROR event becomes a wire.Status.
func testErrorEvent(t *testing.T) {
	status := &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: 410, Reason: "Expired", Message: "too old resource version: 1 (2)"}
	want := `{"origin":"apiserver","code":410,"reason":"Expired","message":"too old resource version: 1 (2)"}`
	for name, a := range map[string]struct {
		bytes []byte
		read  func(*unframer) error
	}{
		"protobuf": {watchFrames(t, metav1.WatchEvent{Type: "ERROR", Object: runtime.RawExtension{Raw: asProtobuf(t, status)}}), (*unframer).watchProtobuf},
		"JSON":     {asJSON(t, metav1.WatchEvent{Type: "ERROR", Object: runtime.RawExtension{Raw: asJSON(t, status)}}), (*unframer).watchJSON},
	} {
		events, err := collect(bytes.NewReader(a.bytes), a.read, withhold{})
		if err != nil || len(events) != 1 || events[0].Type != wire.Error || string(events[0].Payload) != want {
			t.Errorf("%s: %v %q", name, err, events)
		}
	}
}

// TestTruncated cuts every form of an answer at every byte. What came before passes, a missing part
// is an error, and nothing is invented.
func TestTruncated(t *testing.T) {
	p := pod("p")
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []corev1.Pod{*p, *p}}
	for name, a := range answers(t, p, list) {
		whole, err := collect(bytes.NewReader(a.bytes), a.read, withhold{})
		if err != nil {
			t.Fatal(err)
		}
		for n := range a.bytes {
			events, err := collect(bytes.NewReader(a.bytes[:n]), a.read, withhold{})
			if len(events) > len(whole) || err == nil && len(events) < len(whole) && !strings.Contains(name, "watch") {
				t.Fatalf("%s cut at %d of %d: %d events, %v", name, n, len(a.bytes), len(events), err)
			}
			for i := range events {
				if !bytes.Equal(events[i].Payload, whole[i].Payload) {
					t.Fatalf("%s cut at %d: event %d differs", name, n, i)
				}
			}
		}
	}
}

func testTooLarge(t *testing.T) {
	big := pod("p")
	big.Annotations["x"] = strings.Repeat("y", maxObject)
	for name, a := range answers(t, big, &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, Items: []corev1.Pod{*big}}) {
		if _, err := collect(bytes.NewReader(a.bytes), a.read, withhold{}); !errors.Is(err, errTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKeepsLittle shows that the buffers of an object of a megabyte are freed after it has passed.
func TestKeepsLittle(t *testing.T) {
	big := pod("p")
	big.Annotations["x"] = strings.Repeat("y", 1<<20)
	for name, a := range answers(t, big, &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, Items: []corev1.Pod{*big}}) {
		longest := 0
		u := &unframer{body: bufio.NewReader(bytes.NewReader(a.bytes)), emit: func(_ wire.EventType, payload []byte) error {
			longest = max(longest, len(payload))
			return nil
		}}
		if err := a.read(u); err != nil || longest < 1<<20 || cap(u.frame) > keepBytes || cap(u.out) > keepBytes {
			t.Errorf("%s: %v; of an object of %d bytes %d and %d are kept", name, err, longest, cap(u.frame), cap(u.out))
		}
	}
}

func TestMalformedAnswers(t *testing.T) {
	for name, a := range map[string]struct {
		bytes string
		read  func(*unframer) error
	}{
		"HTML for a list":       {"<html>", (*unframer).listJSON},
		"HTML for a watch":      {"<html></html>", (*unframer).watchJSON},
		"JSON for protobuf":     {`{"kind":"PodList"}`, (*unframer).listProtobuf},
		"JSON for an object":    {`{"kind":"Pod"}`, (*unframer).objectProtobuf},
		"an unknown event":      {`{"type":"EXPLODED","object":{}}`, (*unframer).watchJSON},
		"no object":             {`{"type":"ADDED"}`, (*unframer).watchJSON},
		"garbage after a frame": {"\x00\x00\x00\x02\xff\xff", (*unframer).watchProtobuf},
	} {
		if _, err := collect(strings.NewReader(a.bytes), a.read, withhold{}); !errors.Is(err, encoded.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// leaks searches a payload for withheld parts of a Secret, if it can be read as one.
func leaks(payload []byte) bool {
	var s corev1.Secret
	if raw, ok := bytes.CutPrefix(payload, []byte(encoded.Magic)); ok {
		var around runtime.Unknown
		if around.Unmarshal(raw) != nil || s.Unmarshal(around.Raw) != nil {
			return false
		}
		filled := func(value []byte) bool { return len(value) > 0 }
		return noted(s.Annotations) || len(s.ManagedFields) > 0 || slices.ContainsFunc(slices.Collect(maps.Values(s.Data)), filled) ||
			strings.Join(slices.Collect(maps.Values(s.StringData)), "") != ""
	}
	doc := members(payload)
	about := members(doc["metadata"])
	notes := make(map[string]string)
	for key, value := range members(about["annotations"]) {
		notes[key] = strings.Trim(string(value), `"`)
	}
	_, managed := about["managedFields"]
	values := slices.Concat(slices.Collect(maps.Values(members(doc["data"]))), slices.Collect(maps.Values(members(doc["stringData"]))))
	filled := func(value json.RawMessage) bool { return string(value) != `""` }
	return noted(notes) || managed || slices.ContainsFunc(values, filled) || doc["object"] != nil && leaks(doc["object"])
}

// noted reports whether annotations contain anything but names.
func noted(notes map[string]string) bool {
	for key, value := range notes {
		if value != "" && !notePasses(key, value) {
			return true
		}
	}
	return false
}

// members returns the members of a JSON object, as read by encoding/json.
func members(doc []byte) (out map[string]json.RawMessage) {
	_ = json.Unmarshal(doc, &out) // what is none has none
	return out
}

// FuzzUnframe checks that no value of a Secret passes, whatever the answer, and that a malformed
// answer is not reported as a network error.
func FuzzUnframe(f *testing.F) {
	f.Add(asProtobuf(f, pod("p")))
	f.Add(asProtobuf(f, &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, Items: []corev1.Pod{*pod("a")}}))
	f.Add(asJSON(f, secret("s")))
	f.Add(watchFrames(f, metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: asProtobuf(f, secret("s"))}}))
	f.Add([]byte(`{"type":"ADDED","object":{"kind":"Table","rows":[{"cells":[1],"object":{"kind":"Secret","apiVersion":"v1","data":{"a":"hunter2"}}}]}}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		for _, read := range []func(*unframer) error{
			(*unframer).watchProtobuf, (*unframer).listProtobuf, (*unframer).objectProtobuf,
			(*unframer).watchJSON, (*unframer).listJSON, (*unframer).objectJSON,
		} {
			events, err := collect(bytes.NewReader(answer), read, withhold{secret: true})
			for _, e := range events {
				if !slices.Contains([]wire.EventType{wire.Error, wire.ListEnd, wire.Columns}, e.Type) && leaks(e.Payload) {
					t.Fatalf("it passed: %q", e.Payload)
				}
			}
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && statusOfError(err).Origin != wire.FromProxy {
				t.Fatalf("it is blamed on the network: %v", err)
			}
		}
	})
}
