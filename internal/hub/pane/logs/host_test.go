package logs

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/log"
	"watchglass/internal/document"
	"watchglass/internal/hub/pane"
	"watchglass/internal/hub/pane/panetest"
	"watchglass/internal/object"
)

const (
	linger = panetest.Linger
	// soon is enough for everything that does not wait on purpose.
	soon = 2 * documentEvery
)

// host is a Host with a pane, and what the pane shows.
type host struct {
	*panetest.Host
	t       *testing.T
	kind    object.Kind
	pane    *logPane
	cluster *cluster
	kubelet *kubelet

	// The rest belongs to the loop.
	version int
	docs    []*log.Document
	at      []time.Time // of the documents
}

var _ pane.Host = (*host)(nil)

// onPane runs a test in a bubble, with the pane of an object of a kind.
func onPane(t *testing.T, resource string, c *cluster, test func(t *testing.T, h *host)) {
	t.Helper()
	kind, ok := object.Builtin(resource)
	if !ok {
		t.Fatal(resource)
	}
	k := new(kubelet)
	panetest.Run(t, server{c, k}, func(t *testing.T, fake *panetest.Host) {
		h := &host{Host: fake, t: t, kind: kind, cluster: c, kubelet: k}
		h.Begin(h.keep, func() panetest.Pane {
			h.pane = newPane(h, pane.Subject{Kind: kind, Namespace: "a", Name: "it"})
			return h.pane
		})
		test(t, h)
	})
}

// Follow is not for logs.
func (h *host) Follow(string, detail.Ref) pane.OtherObject { panic("logs follow no other object") }

// keep stores what the pane shows.
func (h *host) keep(doc []byte) {
	d, err := log.ParseDocument(doc)
	if err != nil {
		h.t.Error(err)
		return
	}
	h.docs, h.at = append(h.docs, d), append(h.at, time.Now())
}

// ask sets the options of the pane. The window is the end of the log.
func (h *host) ask(o log.Options) {
	h.t.Helper()
	o.Follow, o.Limit = true, 100
	h.askAsIs(o)
}

func (h *host) askAsIs(o log.Options) {
	h.t.Helper()
	raw, err := json.Marshal(o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.Do(func() { h.pane.Options(raw); h.Update() })
}

// object gives the pane a version of the object.
func (h *host) object(m manifest) { h.t.Helper(); h.applyVersion(m, false) }

// deleted tells the pane that the object, as it last was, is gone.
func (h *host) deleted(m manifest) { h.t.Helper(); h.applyVersion(m, true) }

func (h *host) applyVersion(m manifest, gone bool) {
	h.t.Helper()
	h.version++
	o, err := object.NewDecoder(h.kind, true).Decode(m.doc(h.kind, h.version))
	if err != nil {
		h.t.Fatal(err)
	}
	v := pane.Version{Object: o, Gone: gone, Body: func() (document.Value, error) { return pane.ParseBody(h.kind, o) }}
	h.Do(func() { h.pane.Object(v); h.Update() })
}

// last returns the last document, once nothing is left to do.
func (h *host) last() *log.Document {
	h.t.Helper()
	h.Wait(soon)
	var last *log.Document
	h.Do(func() {
		if n := len(h.docs); n > 0 {
			last = h.docs[n-1]
		}
	})
	if last == nil {
		h.t.Fatal("there is no document")
	}
	return last
}

// rows returns the rows of a document as text; notes begin with "-- ".
func rows(d *log.Document) (out []string) {
	for _, r := range d.Window {
		text := r.Text()
		if r.Note {
			text = "-- " + text
		}
		out = append(out, text)
	}
	return out
}

func (h *host) wantRows(want ...string) {
	h.t.Helper()
	if got := rows(h.last()); !slices.Equal(got, want) {
		h.t.Errorf("the log is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// wantOpen checks which logs are open, and with which options.
func (h *host) wantOpen(want ...string) {
	h.t.Helper()
	if got := h.kubelet.reading(); !slices.Equal(got, want) {
		h.t.Errorf("open are %q, want %q", got, want)
	}
}

// wantState checks the state of the only source.
func (h *host) wantState(state, said string) {
	h.t.Helper()
	if s := h.last().Sources; len(s) != 1 || s[0].State != state || s[0].Said != said {
		h.t.Errorf("the sources are %+v, want one that is %s: %q", s, state, said)
	}
}
