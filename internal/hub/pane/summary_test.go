package pane

import (
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// claimed is a claim, whose summary lists the pods that mount it.
const claimed = `{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"data","namespace":"a"}}`

// says returns what a row of a summary says.
func says(s detail.Summary, section, row string) string {
	for _, part := range s.Sections {
		i := slices.IndexFunc(part.Rows, func(r detail.Row) bool { return r.Name == row })
		if i < 0 || section != "" && part.Title != section {
			continue
		}
		out := ""
		for _, line := range part.Rows[i].Lines {
			for _, piece := range line {
				out += piece.Text
			}
			out += ";"
		}
		return out
	}
	return ""
}

func widget(version int, size string) testObject {
	return testObject{resource: "widgets", namespace: "a", name: "w1", status: size, version: version}
}

// TestSummary checks that each version of an object gets one summary, with what its list
// prints. The summary of a deleted object stays. An object that is already deleted when its tab
// is opened gets one too.
func TestSummary(t *testing.T) {
	onHost(t, newServer(), []string{"widgets"}, func(t *testing.T, h *host) {
		want := func(size string) {
			t.Helper()
			all := read[detail.Summary](h)
			if len(all) != 1 || says(all[0], "spec", "replicas") != "3;" || says(all[0], "Columns", "Size") != size+";" {
				t.Errorf("want one of size %s: %+v", size, all)
			}
		}
		h.opens(NewSummary, "widgets.example.com", "a", "w1", nil)
		h.wantShown(0)
		h.shows(widget(1, "5"))
		want("5")
		h.shows(widget(2, "6"))
		want("6")
		h.deletes()
		h.Wait(soon)
		h.wantShown(0)

		h.opens(NewSummary, "widgets.example.com", "a", "w1", nil)
		h.Do(func() {
			h.object, _ = h.decoder.Decode(widget(2, "6").payload())
			h.pane.Object(h.version(true))
			h.Update()
		})
		want("6")
		h.shows(widget(3, "7"))
		want("7")
	})
}

// TestSummaryBytesLost checks that a version that has lost its bytes changes nothing.
func TestSummaryBytesLost(t *testing.T) {
	onHost(t, newServer(), []string{"widgets"}, func(t *testing.T, h *host) {
		h.opens(NewSummary, "widgets.example.com", "a", "w1", nil)
		o := widget(1, "5")
		o.body = "{"
		h.shows(o)
		h.wantShown(0)
		h.shows(widget(1, "5"))
		h.wantShown(1)
	})
}

// TestSummaryLists checks that the lists that a summary shows are held while it is open, that
// changes in them are shown, and that they do not delay the summary.
func TestSummaryLists(t *testing.T) {
	s := newServer(testObject{resource: "pods", namespace: "a", name: "web1", claim: "other"}, testObject{resource: "pods", namespace: "a", name: "db", claim: "data"})
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewSummary, "pods", "a", "data", nil)
		h.Do(func() {
			h.body = claimed
			h.object, _ = h.decoder.Decode(pod("a", "data", "").payload())
			h.pane.Object(h.version(false))
			if h.Update(); len(h.docs) != 1 {
				t.Error("it waits for its lists")
			}
		})
		h.Wait(soon)
		h.wantAsked("watch pods/a")
		if s := last[detail.Summary](h); says(s, "", "Used by") != "db;" {
			t.Errorf("%+v", s)
		}
		s.change(wire.Added, testObject{resource: "pods", namespace: "a", name: "web2", claim: "data"})
		h.Wait(soon)
		if all := read[detail.Summary](h); len(all) != 1 || says(all[0], "", "Used by") != "db;web2;" {
			t.Errorf("%+v", all)
		}
		s.change(wire.Deleted, testObject{resource: "pods", namespace: "a", name: "db"})
		s.change(wire.Modified, pod("a", "web1", "Failed"))
		h.Wait(soon)
		if all := read[detail.Summary](h); len(all) != 1 || says(all[0], "", "Used by") != "web2;" {
			t.Errorf("%+v", all)
		}
		held := h.pane.(*summaryPane).lists[0]
		o := pod("a", "data", "")
		o.body = "{" // it has lost its bytes
		h.shows(o)
		o.body = claimed
		h.shows(o)
		h.Wait(2 * linger)
		h.wantAsked("")
		if h.pane.(*summaryPane).lists[0] != held {
			t.Error("a list is leased anew that was held")
		}
		o.body = `{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"data","namespace":"b"}}`
		h.shows(o)
		h.Wait(2 * linger)
		h.wantAsked("close watch pods/a, watch pods/b") // it wants other lists now
		h.Close()
		h.Wait(2 * linger)
		h.wantAsked("close watch pods/b")
	})
}

// TestSummaryPace checks that lists that change all the time are shown at intervals, up to the
// last change.
func TestSummaryPace(t *testing.T) {
	s := newServer()
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewSummary, "pods", "a", "data", nil)
		o := pod("a", "data", "")
		o.body = claimed
		h.shows(o)
		h.Wait(soon)
		h.shown()
		wakes := h.Wakes.Load()
		names := []string{}
		for i := range 50 {
			names = append(names, string(rune('A'+i)))
			s.change(wire.Added, testObject{resource: "pods", namespace: "a", name: names[i], claim: "data"})
			h.Wait(summaryEvery / 10)
		}
		h.Wait(summaryEvery)
		all := read[detail.Summary](h)
		if n := len(all); n < 5 || n > 7 {
			t.Errorf("%d documents in 5 × %v", n, summaryEvery)
		}
		if n := int(h.Wakes.Load() - wakes); n > len(all) {
			t.Errorf("it asked %d times to be woken for %d documents", n, len(all))
		}
		want := ""
		for _, name := range names {
			want += name + ";"
		}
		if got := says(all[len(all)-1], "", "Used by"); got != want {
			t.Errorf("used by %s, want %s", got, want)
		}
	})
}

// TestSummaryDenied checks that a list that may not be read is named, with who refused it,
// until it may be.
func TestSummaryDenied(t *testing.T) {
	s := newServer(testObject{resource: "pods", namespace: "a", name: "db", claim: "data"})
	s.deny = denies("pods", forbidden)
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewSummary, "pods", "a", "data", nil)
		o := pod("a", "data", "")
		o.body = claimed
		h.shows(o)
		h.Wait(5 * time.Second)
		if got, want := says(last[detail.Summary](h), "", "Unknown"), "pods can't be listed apiserver: "+forbidden.Message+";"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		s.mu.Lock()
		s.deny = nil
		s.mu.Unlock()
		h.Wait(5 * time.Minute)
		if s := last[detail.Summary](h); says(s, "", "Unknown") != "" || says(s, "", "Used by") != "db;" {
			t.Errorf("%+v", s)
		}
	})
}

// TestSummaryNarrow checks that a proxy that serves one namespace is asked for that one, and
// that a want by name or by field is requested as such.
func TestSummaryNarrow(t *testing.T) {
	onHost(t, newServer(), nil, func(t *testing.T, h *host) {
		h.Narrow = "a"
		h.opens(NewSummary, "pods", "a", "n1", nil)
		o := pod("a", "n1", "")
		o.body = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"}}`
		h.shows(o)
		h.wantAsked("watch leases/kube-node-lease where metadata.name=n1, watch pods/a where spec.nodeName=n1")
	})
}

// TestSummaryOwned checks that a list that is wanted by owner and labels has only the objects
// of that controller. Nothing is shown of a list while an object lacks its bytes, since the
// others would pass for all; those that memory has dropped are read again.
func TestSummaryOwned(t *testing.T) {
	const set = `{"kind":"ReplicaSet","apiVersion":"apps/v1","metadata":{"name":"s","namespace":"a","uid":"u-s"},"spec":{"selector":{"matchLabels":{"app":"web"}}}}`
	controlled := func(name, owner string) testObject {
		o := pod("a", name, "Running")
		o.owner, o.controlled = "replicasets.apps "+owner, true
		return o
	}
	stray := controlled("web3", "s")
	stray.controlled = false
	s := newServer(controlled("web1", "s"), controlled("web2", "other"), stray, controlled("web5", "s"), pod("a", "web4", "Running"), controlled("db1", "s"))
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewSummary, "pods", "a", "s", nil)
		o := pod("a", "s", "")
		o.body = set
		h.shows(o)
		h.Wait(soon)
		h.wantAsked("watch pods/a where app=web")
		if got := says(last[detail.Summary](h), "", "Pod status"); got != "2 Running / 0 Waiting / 0 Succeeded / 0 Failed;" {
			t.Errorf("%q", got)
		}
		s.change(wire.Modified, pod("a", "web4", "Failed"))
		h.Wait(soon)
		h.wantShown(0)
		h.drop("pods")
		s.change(wire.Modified, controlled("web1", "s"))
		h.Wait(soon)
		var all []string
		for _, s := range read[detail.Summary](h) {
			all = append(all, says(s, "", "Pod status"))
		}
		if want := []string{"", "2 Running / 0 Waiting / 0 Succeeded / 0 Failed;"}; !slices.Equal(all, want) {
			t.Errorf("%q", all)
		}
		h.wantAsked("list pods/a where metadata.name=web5")

		h.drop("pods")
		s.mu.Lock()
		s.deny = func(r wire.Request) *wire.Status {
			return &wire.Status{Origin: wire.FromAPIServer, Code: 500, Reason: "InternalError", Message: "etcd is away"}
		}
		s.mu.Unlock()
		s.change(wire.Modified, controlled("web1", "s"))
		h.Wait(soon)
		if got := says(last[detail.Summary](h), "", "Unknown"); got != "pods can't be listed apiserver: etcd is away;" {
			t.Errorf("%q", got)
		}
		s.mu.Lock()
		s.deny = nil
		s.mu.Unlock()
		h.Wait(time.Minute)
		if got := last[detail.Summary](h); says(got, "", "Pod status") != "2 Running / 0 Waiting / 0 Succeeded / 0 Failed;" || says(got, "", "Unknown") != "" {
			t.Errorf("%+v", got)
		}
	})
}

// drop drops the bodies of the objects of app=web, as a full memory does.
func (h *host) drop(resource string) {
	h.t.Helper()
	kind := h.find(resource)
	h.Do(func() {
		lease := h.Lease(kind, source.Selection{Namespace: "a", Labels: "app=web"})
		defer lease.Release()
		for _, o := range lease.Store().List() {
			object.NewBudget(0).Keep(o)
		}
	})
}

// TestSummaryObjects checks that a list is shown with the contents of its objects.
func TestSummaryObjects(t *testing.T) {
	s := newServer()
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewSummary, "pods", "a", "ns", nil)
		o := pod("a", "ns", "")
		o.body = `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"a"}}`
		h.shows(o)
		h.Wait(soon)
		h.wantAsked("watch limitranges/a, watch resourcequotas/a")
	})
}

// TestSummaryStates checks that the pods of a node have the status of their list, and its tone.
func TestSummaryStates(t *testing.T) {
	var things []testObject
	for _, status := range []string{"Running", "Pending"} {
		o := pod("a", strings.ToLower(status), status)
		o.node = "n1"
		things = append(things, o)
	}
	onHost(t, newServer(things...), nil, func(t *testing.T, h *host) {
		h.opens(NewSummary, "pods", "a", "n1", nil)
		o := pod("a", "n1", "")
		o.body = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"}}`
		h.shows(o)
		h.Wait(soon)
		got := ""
		for _, s := range last[detail.Summary](h).Sections {
			if s.Title != "Pods" {
				continue
			}
			for _, row := range s.Tables[0].Rows {
				for _, piece := range row[2] {
					got += row[1][0].Text + " " + piece.Text + " " + piece.Style + "; "
				}
			}
		}
		if want := "pending Pending pending; running Running ok; "; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
