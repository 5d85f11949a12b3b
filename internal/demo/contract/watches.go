//go:build !js

package contract

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// replay is a collection kept up to date by a watch.
type replay map[string]string // key → version

func replayOf(items []object) replay {
	r := replay{}
	for _, o := range items {
		r[o.key()] = o.Metadata.ResourceVersion
	}
	return r
}

// apply applies an event; it returns an error if the event does not fit.
func (r replay) apply(e event) error {
	key := e.Object.key()
	_, known := r[key]
	switch {
	case e.Object.Kind != "Pod" || e.Object.APIVersion != "v1":
		return fmt.Errorf("%s of a %q %q", e.Type, e.Object.APIVersion, e.Object.Kind)
	case e.Type == "ADDED" && !known, e.Type == "MODIFIED" && known:
		r[key] = e.Object.Metadata.ResourceVersion
	case e.Type == "DELETED" && known:
		delete(r, key)
	default:
		return fmt.Errorf("%s of %s, which is known: %v", e.Type, key, known)
	}
	return nil
}

// watch checks that a list, updated by a watch from its version, equals the list at any later
// version.
func watch(t *testing.T, s Server) {
	l := s.get(t, pods).ok(t)
	r, last := replayOf(l.Items), number(t, l.Metadata.ResourceVersion)
	w := s.watch(t, pods, "resourceVersion", l.Metadata.ResourceVersion, "timeoutSeconds", "20")
	for range 12 {
		e, more := w.next()
		if !more {
			t.Fatal("the watch ended, and there were not twelve changes in twenty seconds")
		}
		if err := r.apply(e); err != nil {
			t.Error(err)
		}
		version := number(t, e.Object.Metadata.ResourceVersion)
		if version <= last {
			t.Errorf("version %d after %d", version, last)
		}
		last = version
	}
	then := s.get(t, pods, "resourceVersion", text(last), "resourceVersionMatch", "Exact").ok(t)
	if !maps.Equal(r, replayOf(then.Items)) {
		t.Errorf("at %d there are %d pods, and %d by the watch, or they are others", last, len(then.Items), len(r))
	}
	// From a past version, the events since then come again.
	again := s.watch(t, pods, "resourceVersion", l.Metadata.ResourceVersion, "timeoutSeconds", "20")
	if e, more := again.next(); !more || number(t, e.Object.Metadata.ResourceVersion) <= number(t, l.Metadata.ResourceVersion) {
		t.Errorf("%+v", e)
	}
	// From a future version, nothing comes.
	if all := s.watch(t, pods, "resourceVersion", text(last+100_000_000), "timeoutSeconds", "1").all(); len(all) > 0 {
		t.Errorf("%d events of the future", len(all))
	}
	s.get(t, pods, "watch", "true", "resourceVersion", "abc").status(t, 500, "", `resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`)
	s.get(t, pods, "watch", "true", "resourceVersion", "1", "resourceVersionMatch", "NotOlderThan").status(t, 422, "Invalid", "")
	narrowed(t, s, l)
}

// narrowed checks that a watch of one object reports no other.
func narrowed(t *testing.T, s Server, l object) {
	o := l.Items[0]
	path := "/api/v1/namespaces/" + o.Metadata.Namespace + "/pods"
	for _, e := range s.watch(t, path, "resourceVersion", l.Metadata.ResourceVersion, "timeoutSeconds", "2").all() {
		if e.Object.Metadata.Namespace != o.Metadata.Namespace {
			t.Errorf("%s of another namespace", e.Object.key())
		}
	}
	for _, e := range s.watch(t, path, "fieldSelector", "metadata.name="+o.Metadata.Name, "timeoutSeconds", "1").all() {
		if e.Object.key() != o.key() {
			t.Errorf("%s, and not %s", e.Object.key(), o.key())
		}
	}
	for _, e := range s.watch(t, pods, "resourceVersion", l.Metadata.ResourceVersion, "labelSelector", "no-such-label", "timeoutSeconds", "1").all() {
		t.Errorf("%s does not match", e.Object.key())
	}
}

// initial checks how a watch starts with the existing objects: each one once, then a bookmark
// that marks their end, then changes.
func initial(t *testing.T, s Server) {
	query := []string{"sendInitialEvents", "true", "resourceVersionMatch", "NotOlderThan", "allowWatchBookmarks", "true", "timeoutSeconds", "20"}
	w, r := s.begin(t, query)
	for tries := 1; w == nil; tries++ { // a server may end a watch at any time, above all if the client is slow
		if tries == 4 {
			t.Fatal("four watches ended before their initial events did")
		}
		w, r = s.begin(t, query)
	}
	if e, more := w.next(); more && e.Type != "BOOKMARK" {
		if err := r.apply(e); err != nil {
			t.Error(err)
		}
	}
	legacyInitial(t, s)
	future := text(number(t, s.get(t, pods, "limit", "1").ok(t).Metadata.ResourceVersion) + 100_000_000)
	all := s.watch(t, pods, append(query, "resourceVersion", future)...).all()
	if len(all) != 1 || all[0].Type != "ERROR" || all[0].Object.Code != 504 || all[0].Object.Reason != "Timeout" {
		t.Errorf("%+v", all)
	}
	s.get(t, pods, "watch", "true", "sendInitialEvents", "true").status(t, 422, "Invalid", `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`)
}

// begin reads the initial events up to their bookmark. It returns a nil stream if the watch ended
// before that.
func (s Server) begin(t *testing.T, query []string) (*stream, replay) {
	t.Helper()
	w, r := s.watch(t, pods, query...), replay{}
	for {
		e, more := w.next()
		switch {
		case !more:
			return nil, nil
		case e.Type == "BOOKMARK":
			bookmark(t, e)
			then := s.get(t, pods, "resourceVersion", e.Object.Metadata.ResourceVersion, "resourceVersionMatch", "Exact").ok(t)
			if !maps.Equal(r, replayOf(then.Items)) {
				t.Errorf("%d initial events, and %d pods", len(r), len(then.Items))
			}
			return w, r
		case e.Type != "ADDED":
			t.Fatalf("%s before the bookmark", e.Type)
		}
		if err := r.apply(e); err != nil {
			t.Fatal(err)
		}
	}
}

func bookmark(t *testing.T, e event) {
	t.Helper()
	m := e.Object.Metadata
	number(t, m.ResourceVersion)
	want := `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"` + m.ResourceVersion + `","annotations":{"` + metav1.InitialEventsAnnotationKey + `":"true"}},"spec":{"containers":null},"status":{}}`
	if strings.TrimSpace(string(e.raw)) != want {
		t.Errorf("the bookmark is\n%s\nand not\n%s", e.raw, want)
	}
}

// legacyInitial checks that a watch without a version, or from 0, also starts with the existing
// objects, and that a client that asks for no bookmarks gets none.
func legacyInitial(t *testing.T, s Server) {
	for _, query := range [][]string{
		{"timeoutSeconds", "1"}, {"timeoutSeconds", "1", "resourceVersion", "0"},
		{"timeoutSeconds", "1", "sendInitialEvents", "true", "resourceVersionMatch", "NotOlderThan"},
	} {
		r := replay{}
		for _, e := range s.watch(t, pods, query...).all() {
			if err := r.apply(e); err != nil {
				t.Errorf("%v: %v", query, err)
			}
		}
		if len(r) < 5 {
			t.Errorf("%v: %d pods", query, len(r))
		}
	}
}
