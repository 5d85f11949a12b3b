package pane

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// known lets the other object be known with a body.
func (h *host) known(version int, doc string) {
	h.t.Helper()
	h.Do(func() {
		o, err := object.NewMetadataDecoder().Decode(fmt.Appendf(nil, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"o","uid":"u","resourceVersion":"%d"}}`, version))
		if err != nil {
			h.t.Error(err)
			return
		}
		h.other.state = detail.Live
		h.other.version = Version{Object: o, Body: func() (document.Value, error) {
			if doc == "" {
				return document.Value{}, errors.New("it has lost its bytes")
			}
			return document.Parse([]byte(doc))
		}}
		h.Update()
	})
}

func withBody(version int, doc string) testObject {
	o := web1In(version, "Running")
	o.body = doc
	return o
}

// paths writes the fields of a comparison in a line.
func paths(c detail.ObjectPair) string {
	var out []string
	for _, r := range c.Rows {
		text := fmt.Sprintf("%s %s", r.Kind, r.Path)
		if r.At > 0 {
			text += " lately"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// TestCompareLately checks that a field that changes while both objects are watched says when, also
// one that becomes equal, and that neither the first comparison nor what the reader asks for does.
func TestCompareLately(t *testing.T) {
	onHost(t, newServer(), nil, func(t *testing.T, h *host) {
		o := detail.CompareOptions{With: detail.Ref{Resource: "pods", Namespace: "a", Name: "o"}}
		h.opens(NewCompare, "pods", "a", "web1", o)
		h.shows(withBody(1, `{"a":1,"b":1,"long":"`+strings.Repeat("x", 5000)+`"}`))
		h.Wait(soon)
		if got := last[detail.ObjectPair](h); got.Known || len(got.Rows) > 0 || got.Left.State != detail.Loading {
			t.Errorf("%+v", got)
		}
		h.known(1, `{"a":2,"b":1,"long":"y"}`)
		h.Wait(soon)
		if got := last[detail.ObjectPair](h); paths(got) != "changed a, changed long" {
			t.Error(paths(got))
		}
		o.Whole = []string{"long"}
		h.options(o)
		h.Wait(soon)
		if got := last[detail.ObjectPair](h); paths(got) != "changed a, changed long" || len(got.Rows[1].Right) != 5000 {
			t.Error(paths(got))
		}
		h.known(2, `{"a":1,"b":2,"long":"y"}`)
		h.Wait(soon)
		if got := last[detail.ObjectPair](h); paths(got) != "changed b lately, changed long, same a lately" {
			t.Error(paths(got))
		}
		h.known(3, "")
		h.Wait(soon)
		h.wantShown(0) // it is shown as it was, and comes again
		h.Wait(sameFor)
		if got := last[detail.ObjectPair](h); paths(got) != "changed b lately, changed long" {
			t.Error(paths(got))
		}
		before := h.other
		o.With.Name = "p"
		h.options(o)
		h.Wait(soon)
		if got := last[detail.ObjectPair](h); got.Known || len(got.Rows) > 0 || !before.closed {
			t.Errorf("the fields are of another object: %+v", got)
		}
		h.Close()
		if !h.other.closed {
			t.Error("the other object is held")
		}
	})
}

// TestCompareEqual checks that fields that became equal keep their order while others come, and that
// there are only so many of them.
func TestCompareEqual(t *testing.T) {
	onHost(t, newServer(), nil, func(t *testing.T, h *host) {
		h.opens(NewCompare, "pods", "a", "web1", detail.CompareOptions{With: detail.Ref{Resource: "pods", Name: "o"}})
		h.known(1, `{}`)
		version, want := 0, []string(nil)
		shows := func(names ...string) {
			version++
			fields, _ := json.Marshal(names)
			doc := `{"x":` + string(fields) + `}`
			for _, name := range names {
				doc = doc[:len(doc)-1] + `,"` + name + `":1}`
			}
			h.shows(withBody(version, doc))
			h.Wait(compareEvery)
		}
		for _, name := range []string{"q", "c", "y", "a", "m", "z"} {
			shows(name)
			shows()
			want = append(want, "same "+name+" lately")
			if got := paths(last[detail.ObjectPair](h)); !strings.HasSuffix(got, strings.Join(want, ", ")) {
				t.Fatalf("%s, want %v", got, want)
			}
		}
		for i := range 3 * sameMost / 20 {
			var names []string
			for j := range 20 {
				names = append(names, fmt.Sprintf("n%d-%d", i, j))
			}
			shows(names...)
			shows()
		}
		if got := paths(last[detail.ObjectPair](h)); strings.Count(got, "same ") != sameMost || strings.Contains(got, "same z ") {
			t.Errorf("%d fields are said to be equal", strings.Count(got, "same "))
		}
	})
}

// TestCompareIdle checks that nothing is written anew each time the hub steps, which is whenever anything
// of the cluster changes.
func TestCompareIdle(t *testing.T) {
	onHost(t, newServer(), nil, func(t *testing.T, h *host) {
		h.opens(NewCompare, "pods", "a", "web1", detail.CompareOptions{With: detail.Ref{Resource: "pods", Name: "o"}})
		h.known(1, `{"a":0}`)
		h.shows(withBody(1, `{"a":1}`))
		h.Wait(soon)
		h.Do(func() {
			asked := h.other.asked
			for range 100 {
				h.Update()
			}
			if n := h.other.asked - asked; n > 1 {
				t.Errorf("%d documents were made", n)
			}
		})
	})
}

// TestComparePlaces checks the namespaces with an object of the same name: asked for by name, without
// their bodies, and not known where they may not be listed.
func TestComparePlaces(t *testing.T) {
	s := newServer(pod("a", "web1", "Running"), pod("b", "web1", "Running"), pod("c", "web2", "Running"))
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewCompare, "pods", "a", "web1", detail.CompareOptions{Places: true})
		h.shows(web1In(1, "Running"))
		h.Wait(soon)
		if got := last[detail.ObjectPair](h).Places; got == nil || fmt.Sprint(got.Names) != "[b]" || got.State != detail.Live {
			t.Errorf("%+v", got)
		}
		h.wantAsked("watch pods where metadata.name=web1 metadata")
		h.options(detail.CompareOptions{})
		h.Wait(soon)
		if got := last[detail.ObjectPair](h).Places; got != nil {
			t.Errorf("%+v", got)
		}
	})
}

// TestComparePace checks that an object that changes all the time is compared at intervals, up to its
// last version.
func TestComparePace(t *testing.T) {
	onHost(t, newServer(), nil, func(t *testing.T, h *host) {
		h.opens(NewCompare, "pods", "a", "web1", detail.CompareOptions{With: detail.Ref{Resource: "pods", Name: "o"}})
		h.known(1, `{"a":0}`)
		h.shows(withBody(1, `{"a":0}`))
		h.Wait(soon)
		h.shown()
		for i := range 40 {
			h.shows(withBody(i+2, fmt.Sprintf(`{"a":%d}`, i+1)))
			h.Wait(compareEvery / 10)
		}
		h.Wait(soon)
		all := h.shown()
		if len(all) < 4 || len(all) > 6 {
			t.Errorf("%d documents in 4 × %v", len(all), compareEvery)
		}
		var got detail.ObjectPair
		if err := json.Unmarshal(all[len(all)-1], &got); err != nil || got.Rows[0].Right != "40" {
			t.Errorf("%+v %v", got, err)
		}
	})
}

// TestCompareSays checks that the causes of both states are passed on.
func TestCompareSays(t *testing.T) {
	onHost(t, newServer(), nil, func(t *testing.T, h *host) {
		h.opens(NewCompare, "pods", "a", "web1", detail.CompareOptions{With: detail.Ref{Resource: "pods", Name: "o"}})
		h.Do(func() {
			h.other.state, h.other.said = detail.Denied, &wire.Status{Origin: wire.FromAPIServer, Message: "no"}
			h.Stands, h.Said = detail.Stale, &wire.Status{Origin: wire.FromSocket, Message: "gone"}
			h.Update()
		})
		h.Wait(time.Second)
		if got := last[detail.ObjectPair](h); got.Left.State != detail.Denied || got.Left.Said.Message != "no" || got.Right.State != detail.Stale || got.Right.Said.Message != "gone" {
			t.Errorf("%+v", got)
		}
	})
}

// TestCompareOtherUser checks that nothing stays of the other object once it is followed anew, as for the
// session of another user: that one may not be allowed to read it.
func TestCompareOtherUser(t *testing.T) {
	onHost(t, newServer(), nil, func(t *testing.T, h *host) {
		h.opens(NewCompare, "pods", "a", "web1", detail.CompareOptions{With: detail.Ref{Resource: "pods", Namespace: "a", Name: "o"}})
		h.shows(withBody(1, `{"a":1}`))
		h.known(1, `{"a":"of the first user"}`)
		h.Wait(soon)
		if got := last[detail.ObjectPair](h); paths(got) != "changed a" {
			t.Error(paths(got))
		}
		h.Do(func() {
			h.other.version, h.other.state = Version{}, detail.Denied
			h.Update()
		})
		h.Wait(soon)
		if got := last[detail.ObjectPair](h); got.Known || len(got.Rows) > 0 || got.Left.Version != "" || got.Left.State != detail.Denied {
			t.Errorf("%+v", got)
		}
	})
}
