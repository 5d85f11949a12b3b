package pane

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/hub/pane/panetest"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

const (
	linger = panetest.Linger
	// soon is long enough for everything in progress.
	soon = 2 * time.Second
)

// otherObject is an object that a pane follows. The test sets what is known of it.
type otherObject struct {
	kind    object.Kind
	version Version
	state   detail.State
	said    *wire.Status
	closed  bool
	asked   int // how often its state was asked for, which is once for each document
}

func (o *otherObject) Kind() object.Kind { return o.kind }
func (o *otherObject) Version() Version  { return o.version }
func (o *otherObject) Close()            { o.closed = true }

func (o *otherObject) State(time.Time) (detail.State, *wire.Status) {
	o.asked++
	return o.state, o.said
}

// Follow returns an object that is still loading.
func (h *host) Follow(string, detail.Ref) OtherObject {
	h.other = &otherObject{state: detail.Loading}
	return h.other
}

// host is a Host with a pane, and what the pane shows.
type host struct {
	*panetest.Host
	t      *testing.T
	server *server

	// The rest belongs to the loop.
	pane    Pane
	kind    object.Kind
	object  *object.Object
	body    string    // body of the object, instead of its own
	since   time.Time // since when its changes are remembered
	gone    time.Time // when it was seen to be deleted
	decoder *object.Decoder
	docs    [][]byte
	other   *otherObject // what Follow returned last
}

var _ Host = (*host)(nil)

// onHost runs a test with a host, in a bubble. served are custom kinds, of example.com or of
// the group after a dot.
func onHost(t *testing.T, s *server, served []string, test func(t *testing.T, h *host)) {
	t.Helper()
	panetest.Run(t, s, func(t *testing.T, fake *panetest.Host) {
		h := &host{Host: fake, t: t, server: s}
		h.serve("v1", served...)
		test(t, h)
	})
}

// serve sets which kinds the server has besides the built-in ones.
func (h *host) serve(version string, served ...string) {
	pods, _ := object.Builtin("pods")
	found := object.Discovery{Kinds: []object.Kind{pods}}
	for _, name := range served {
		resource, group, ok := strings.Cut(name, ".")
		if !ok {
			group = "example.com"
		}
		found.Kinds = append(found.Kinds, object.Kind{Group: group, Version: version, Resource: resource, Name: resource, Namespaced: true})
	}
	h.Kinds().Discovered(found)
}

// views makes a view hold the list of all objects of a resource until the test ends.
func (h *host) views(resource string) {
	h.t.Helper()
	h.Hold(h.find(resource))
	h.Wait(soon)
	h.server.asks()
}

func (h *host) find(resource string) object.Kind {
	h.t.Helper()
	kind, ok := h.Kinds().Find(resource)
	if !ok {
		h.t.Fatalf("there is no %s", resource)
	}
	return kind
}

// opens opens a pane on an object, with options, and closes the previous one.
func (h *host) opens(open Open, resource, namespace, name string, options any) {
	h.t.Helper()
	kind := h.find(resource)
	h.Begin(h.keep, func() panetest.Pane {
		h.kind, h.object = kind, nil
		if h.decoder = object.NewDecoder(kind, true); !kind.Printed() {
			if _, err := h.decoder.SetColumns([]byte(widgetColumns)); err != nil {
				h.t.Error(err)
			}
		}
		h.since = time.Now()
		h.pane = open(h, Subject{Kind: kind, Namespace: namespace, Name: name, Since: func() time.Time { return h.since }})
		return h.pane
	})
	h.options(options)
}

// keep stores what the pane shows.
func (h *host) keep(doc []byte) { h.docs = append(h.docs, doc) }

// options sets the options of the pane; nil is none.
func (h *host) options(options any) {
	h.t.Helper()
	var raw json.RawMessage
	if options != nil {
		doc, err := json.Marshal(options)
		if err != nil {
			h.t.Fatal(err)
		}
		raw = doc
	}
	h.Do(func() { h.pane.Options(raw); h.Update() })
}

// shows gives the pane a version of its object.
func (h *host) shows(o testObject) {
	h.t.Helper()
	h.Do(func() {
		before := h.object
		h.body = o.body
		var err error
		if h.object, err = h.decoder.Decode(o.payload()); err != nil {
			h.t.Error(err)
			return
		}
		h.saw(before)
		h.gone = time.Time{}
		h.pane.Object(h.version(false))
		h.Update()
	})
}

// saw adds the version that is shown to those that were seen, and the first with the second.
func (h *host) saw(before *object.Object) {
	if before == nil || before.Stamp() == h.object.Stamp() {
		return
	}
	if len(h.History(before.UID())) == 0 {
		h.Seen = append(h.Seen, detail.Observation{Object: before, Columns: h.decoder.Columns()})
	}
	h.Seen = append(h.Seen, detail.Observation{Object: h.object, Columns: h.decoder.Columns(), At: time.Now()})
}

// deletes tells the pane that its object is gone.
func (h *host) deletes() {
	h.t.Helper()
	h.Do(func() { h.pane.Object(h.version(true)); h.Update() })
}

func (h *host) version(gone bool) Version {
	kind, o, body, columns := h.kind, h.object, h.body, h.decoder.Columns()
	return Version{
		Object: o, Gone: gone, GoneAt: h.gone,
		Body: func() (document.Value, error) {
			if body != "" {
				return document.Parse([]byte(body))
			}
			return ParseBody(kind, o)
		},
		Cells: func() (out []detail.Cell) {
			for i, c := range columns {
				out = append(out, detail.Cell{Name: c.Name, Text: o.Cell(columns, i).Text})
			}
			return out
		},
	}
}

// shown returns the documents since the last call.
func (h *host) shown() (docs [][]byte) {
	h.Do(func() { docs, h.docs = h.docs, nil })
	return docs
}

// read returns the documents since the last call, decoded from JSON.
func read[T any](h *host) []T {
	h.t.Helper()
	docs := h.shown()
	out := make([]T, len(docs))
	for i, doc := range docs {
		if err := json.Unmarshal(doc, &out[i]); err != nil {
			h.t.Error(err)
		}
	}
	return out
}

// last returns the last document since the last call, which must exist.
func last[T any](h *host) T {
	h.t.Helper()
	all := read[T](h)
	if len(all) == 0 {
		h.t.Fatal("nothing was sent")
	}
	return all[len(all)-1]
}

// wantAsked checks what the server was asked since the last call.
func (h *host) wantAsked(want string) {
	h.t.Helper()
	if got := h.server.asks(); got != want {
		h.t.Errorf("the server was asked %q, want %q", got, want)
	}
}

// wantShown checks how many documents were sent since the last call.
func (h *host) wantShown(want int) {
	h.t.Helper()
	if docs := h.shown(); len(docs) != want {
		h.t.Errorf("%d documents were sent, want %d: %s", len(docs), want, bytes.Join(docs, []byte("\n")))
	}
}

func sorted(names []string) string {
	slices.Sort(names)
	return strings.Join(names, ", ")
}
