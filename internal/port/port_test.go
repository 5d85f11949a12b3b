package port

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"watchglass/internal/view"
	"watchglass/internal/wire"
)

func messages() []Message {
	return []Message{
		ListQuery{ID: 3, Context: "prod", Resource: "pods", Query: view.Query{Seq: 7, Namespaces: []string{"a", "b"}, Labels: "x=y", Text: "é", From: 1_800_000_000, Until: 1_800_000_060, Typing: true, Sort: "Name", Descending: true, Wide: true, Paused: true, Offset: 1 << 20, Limit: 50, Anchor: "a/b", Locate: "a/c"}},
		ListQuery{}, Painted{ID: 3}, Close{ID: 300}, Presence{Visible: true, Online: true}, WatchKinds{}, Due{}, Due{Doubt: true}, Renewed{ID: "x"},
		OpenOverview{ID: 5, Context: "prod", Kinds: []string{"widgets.example.com"}},
		OpenTimeline{ID: 5, List: 2, Lanes: "node", From: time.Unix(5, 0).UTC(), Bars: 80, Most: 20, Unfolded: []string{"leases"}},
		KeepHistory{Disk: true}, Travel{}, Travel{At: time.Unix(5, 0).UTC(), Playing: true, Speed: 60}, Chunk{ID: 9, Data: []byte{1, 0}}, Chunk{ID: 9, Data: []byte{}}, Pull{ID: 9}, Cancel{ID: 9},
		Past{At: time.Unix(5, 0).UTC(), From: time.Unix(4, 0).UTC(), Bytes: 7, Recorded: &RecordingInfo{Cluster: "prod", Release: "1.31", Damage: "cut", Altered: "images replaced", LeftOut: "a,b", Unnamed: 2}},
		Focus{ID: 4, Context: "prod", Seq: 2, Resource: "pods", Name: "a", Options: json.RawMessage(`{}`)}, Detail{ID: 4, Seq: 2, Part: HeadPart, Doc: []byte("{}")},
		Kinds{Kinds: []Kind{{ID: "widgets.example.com", Name: "Widget", Custom: true}, {ID: "pods", Name: "Pod"}}}, Counts{Kinds: []Count{{"pods", 7}}},
		SavedNamespaces{Namespaces: []string{"a", "b"}}, Rights{Namespaces: []string{"a"}, In: []Right{{Namespace: "a", Lists: []string{"pods.", "*.apps"}}}},
		Ask{ID: 3, List: 2, Method: "list", Args: json.RawMessage(`["pods"]`)},
		Answer{ID: 3, Value: json.RawMessage(`{}`)}, Answer{ID: 4, Error: "no"},
		State{ID: 3, Source: Source{Resource: "pods", State: "live", Since: time.Unix(5, 0).UTC(), Cause: &wire.Status{Code: 403}}, Proxy: &wire.Welcome{V: 1}, Replayed: true},
		Patch{},
		Patch{ID: 3, Patch: view.Patch{
			Seq: 7, Total: 9, Of: 100000, Offset: 3, Above: -2, Waiting: 4, Located: view.Absent, Held: true, Gaps: []view.Gap{{Resource: "pods", State: "partial", Only: "a,b", Unread: 2, Cause: "no"}}, Problems: view.Problems{{Part: view.PartSort, Text: "p", InForce: "o", From: 3, To: 9, Incomplete: true}, {Text: "q"}},
			Columns: []view.Column{{Name: "Name"}, {Name: "Age", Kind: 2, Priority: 1, Gap: view.Gap{Resource: "pods", State: "denied"}}},
			Order:   []int{0, -1, 2, 300}, Rows: []view.Row{{Key: "a/b", UID: "u", Cells: []string{"", "x"}, Instants: []int64{1795420800, 0}}},
			Facets: []view.Facet{{Name: "Namespace", Values: []view.FacetValue{{Value: "a", Count: 3}}, More: 7}},
		}},
	}
}

// kindOf returns the first byte of a type's messages.
func kindOf[M any]() byte { return kinds[reflect.TypeFor[M]()] }

func TestRoundTrip(t *testing.T) {
	for _, m := range messages() {
		b, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(b)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("want %+v\ngot  %+v, %v", m, got, err)
		}
		for n := range b {
			if _, err := Decode(b[:n]); err == nil && n > 0 && b[0] != kindOf[WatchKinds]() && b[0] != kindOf[Detail]() && b[0] != kindOf[Chunk]() {
				t.Errorf("%T cut at %d of %d passes", m, n, len(b))
			}
		}
	}
	if _, err := Encode(7); !errors.Is(err, ErrMessage) {
		t.Error(err)
	}
	for _, b := range [][]byte{nil, {0}, {99}, {kindOf[WatchKinds](), 1}, {kindOf[Ask](), '{'}} {
		if _, err := Decode(b); !errors.Is(err, ErrMessage) {
			t.Errorf("%v: %v", b, err)
		}
	}
}

// TestPipe shows that messages cross in order and nothing is lost, in both
// directions at once.
func TestPipe(t *testing.T) {
	a, b := Pipe()
	const n = 1000
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range n {
			m := <-b.Receive()
			if m.(Ask).ID != uint32(i) {
				t.Errorf("message %d is %v", i, m)
				return
			}
			b.Send(Answer{ID: uint32(i)})
		}
	}()
	for i := range n {
		a.Send(Ask{ID: uint32(i), Args: json.RawMessage("1")})
	}
	for i := range n {
		if m := <-a.Receive(); m.(Answer).ID != uint32(i) {
			t.Fatalf("answer %d is %v", i, m)
		}
	}
	<-done
}

// FuzzDecode checks that every message that can be decoded survives another encoding and
// decoding.
func FuzzDecode(f *testing.F) {
	for _, m := range messages() {
		b, err := Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(b)
		if err != nil {
			return
		}
		again, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(again)
		if err != nil {
			t.Fatalf("%+v cannot be decoded once encoded: %v", m, err)
		}
		if b[0] != kindOf[ListQuery]() && b[0] != kindOf[Patch]() { // JSON is compared as it is encoded, which may differ from how it came
			if third, err := Encode(back); err != nil || !bytes.Equal(third, again) {
				t.Fatalf("%q became %q, %v", again, third, err)
			}
			return
		}
		if !reflect.DeepEqual(m, back) {
			t.Fatalf("%+v became %+v", m, back)
		}
	})
}

func BenchmarkPatch(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	p := view.Patch{Total: 100000, Of: 100000}
	for range 50 {
		row := view.Row{Key: "team-03/web-5d9c-x2x1", UID: "0b5c3a4e-0b5c-0b5c-0b5c-0b5c0b5c0b5c"}
		for range 6 {
			row.Cells = append(row.Cells, "Running"[:1+r.IntN(7)])
		}
		p.Rows, p.Order = append(p.Rows, row), append(p.Order, -1)
	}
	for b.Loop() {
		bytes, err := Encode(Patch{Patch: p})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Decode(bytes); err != nil {
			b.Fatal(err)
		}
	}
}

// TestMay checks what a right covers.
func TestMay(t *testing.T) {
	for lists, ids := range map[string]string{
		"pods.": "pods", "deployments.apps": "deployments.apps", "*.apps": "deployments.apps", "*.": "pods", "*.*": "pods deployments.apps", "pods.*": "pods", "": "",
	} {
		r := Right{Lists: strings.Fields(lists)}
		for _, id := range []string{"pods", "deployments.apps"} {
			if got, want := r.May(id), strings.Contains(" "+ids+" ", " "+id+" "); got != want {
				t.Errorf("%s: %s: %v", lists, id, got)
			}
		}
	}
}

// TestEncodeSafely sends what can't be encoded: whoever asked is told, and nothing panics.
func TestEncodeSafely(t *testing.T) {
	b, err := encodeSafely(Answer{ID: 3, Value: json.RawMessage("{")})
	if err == nil {
		t.Error("no error of an answer that is not JSON")
	}
	if m, decoded := Decode(b); decoded != nil {
		t.Error(decoded)
	} else if a, ok := m.(Answer); !ok || a.ID != 3 || a.Error == "" {
		t.Errorf("%+v", m)
	}
	if b, err := encodeSafely(7); b != nil || !errors.Is(err, ErrMessage) {
		t.Error(b, err)
	}
	if b, err := encodeSafely(Due{}); b == nil || err != nil {
		t.Error(b, err)
	}
}
