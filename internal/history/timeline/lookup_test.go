package timeline

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"watchglass/internal/history"
	"watchglass/internal/object"
)

// source holds the objects of a kind, as an informer does.
type source struct {
	t       *testing.T
	decoder *object.Decoder
	objects []*object.Object
	feed    *history.Input
}

func newSource(t *testing.T, store *history.Store, resource string) *source {
	kind, _ := object.Builtin(resource)
	s := &source{t: t, decoder: object.NewDecoder(kind, true)}
	s.feed = store.NewInput(history.Source{Kind: kind, Decoder: s.decoder, Held: func(f func(history.Objects)) { f(s) }})
	return s
}

func (s *source) List() []*object.Object { return s.objects }

func (s *source) Get(key string) (*object.Object, bool) {
	for _, o := range s.objects {
		if o.Key() == key {
			return o, true
		}
	}
	return nil, false
}

// hold has the source hold an object, of which no change is reported.
func (s *source) hold(o runtime.Object) *object.Object {
	s.t.Helper()
	decoded, err := s.decoder.Decode(packed(s.t, o))
	if err != nil {
		s.t.Fatal(err)
	}
	s.objects = append(s.objects, decoded)
	return decoded
}

// TestEventsOfUnchanged holds that an event is about what its object belongs to, also if that was in the first list and
// has not changed since, and if that list comes after the event.
func TestEventsOfUnchanged(t *testing.T) {
	for name, late := range map[string]bool{"listed before": false, "listed later": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := history.NewStore(history.NewMemory(1<<20, nil))
				pods, events := newSource(t, store, "pods"), newSource(t, store, "events")
				pods.hold(pod("web-1"))
				events.feed.Join(begin, events)
				join := func(second time.Duration) { pods.feed.Join(begin.Add(second*time.Second), pods) }
				if !late {
					join(1)
				}
				e := &corev1.Event{ObjectMeta: meta("e"), Type: "Warning", Reason: "BackOff", InvolvedObject: corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: "shop", Name: "web-1"}}
				events.feed.Note(begin.Add(2*time.Second), nil, events.hold(e))
				line := New(store, find)
				d, n := line.Draw(Question{Bars: 10, Most: 5, Lanes: "owner"}), Newest{}
				look := func() {
					time.Sleep(againEvery)
					line.Read(time.Hour)
					d.Count(time.Hour)
					n.Read(line, 10, 0)
				}
				look()
				if late {
					join(3)
					events.feed.Live(begin.Add(4 * time.Second))
					look()
				}
				if lanes := d.Picture().Lanes; len(lanes) != 1 || lanes[0].Name != "Deployment/web" || lanes[0].Total != 1 {
					t.Errorf("lanes %+v", lanes)
				}
				for _, r := range n.Rows() {
					if r.Owner != "Deployment/web" || r.Node != "n1" {
						t.Errorf("row %+v", *r)
					}
				}
				if len(n.Rows()) != 1 {
					t.Errorf("%d rows", len(n.Rows()))
				}
			})
		})
	}
}
