package hub

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// What the search of package pane allows: so many searches come in at once, of so many
// objects of a kind, and so many kinds may be left to search them all.
const (
	searchAtOnce  = 6
	searchObjects = 5_000
	searchRest    = 24
	listQuiet     = 30 * time.Second // of a list that is read once
)

// onWidget runs a test on a cluster with kinds that no one knows, and a widget in it.
func onWidget(t *testing.T, served []string, test func(t *testing.T, b *bench)) {
	p := three()
	p.served = served
	p.change(wire.Added, thing{resource: "widgets", namespace: "a", name: "w"})
	p.change(wire.Added, thing{resource: "widgets", namespace: "a", name: "other"})
	onPods(t, p, func(t *testing.T, b *bench) {
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		b.proxy.said()
		test(t, b)
	})
}

// relates opens what belongs to a widget.
func (b *bench) relates(name string, sweeps int) {
	b.t.Helper()
	options, err := json.Marshal(related.Options{Sweep: sweeps})
	if err != nil {
		b.t.Fatal(err)
	}
	b.seq++
	b.focus(port.Focus{Seq: b.seq, Resource: "widgets.example.com", Namespace: "a", Name: name, Tab: "related", Options: options})
	b.wait(soon)
}

// wantNames checks which objects are in the last picture, beside the focus, and returns it.
func (b *bench) wantNames(want string) related.Picture {
	b.t.Helper()
	var all []string
	p := b.drawn()
	for _, n := range p.Nodes[1:] {
		all = append(all, n.Resource+" "+n.Name)
	}
	slices.Sort(all)
	if got := strings.Join(all, ", "); got != want {
		b.t.Errorf("related are %s, want %s", got, want)
	}
	return p
}

func owned(resource, name, by string) thing {
	return thing{resource: resource, namespace: "a", name: name, owner: by}
}

// TestSearch holds that what an object owns is found in kinds that nobody knows, from one
// to the next, as it comes and goes; that no more than metadata is asked for where there
// is nothing; and that all of it is let go.
func TestSearch(t *testing.T) {
	onWidget(t, []string{"widgets", "gears", "teeth.parts.example.com"}, func(t *testing.T, b *bench) {
		b.proxy.change(wire.Added, owned("gears", "g", "widgets.example.com w"))
		b.proxy.change(wire.Added, owned("gears", "stray", "widgets.example.com other"))
		b.relates("w", 0)
		const lists = "watch gears/a metadata, watch gears/a where metadata.name=g whole, watch teeth/a metadata, watch widgets/a metadata, watch widgets/a where metadata.name=w whole"
		if got := b.asks(); got != lists {
			t.Errorf("asked %s, want %s", got, lists)
		}
		if p := b.wantNames("gears.example.com g"); p.Coming || p.Searched.Coming > 0 || len(p.Searched.Unasked)+len(p.Searched.Failed) > 0 || len(p.Edges) != 1 || p.Edges[0].Verb != related.Owns {
			t.Errorf("%+v", p)
		}
		b.proxy.change(wire.Added, owned("teeth", "t", "gears.example.com g"))
		b.wait(soon)
		b.wantNames("gears.example.com g, teeth.parts.example.com t")
		b.proxy.change(wire.Deleted, owned("teeth", "t", "gears.example.com g"))
		b.proxy.change(wire.Deleted, owned("gears", "g", "widgets.example.com w"))
		b.wait(soon)
		b.wantNames("")
		b.focus(port.Focus{Seq: b.seq + 1})
		b.proxy.said()
		b.wait(2 * linger)
		if got := b.asks(); strings.Count(got, "close watch") != 6 {
			t.Errorf("%s were let go", got)
		}
	})
}

// TestSearchOwners holds that owners of any kind are shown, as they are.
func TestSearchOwners(t *testing.T) {
	onWidget(t, []string{"widgets", "gears"}, func(t *testing.T, b *bench) {
		b.proxy.change(wire.Added, owned("gears", "g", ""))
		b.proxy.change(wire.Modified, owned("widgets", "w", "gears.example.com g"))
		b.relates("w", 0)
		b.wantNames("gears.example.com g")
		b.proxy.change(wire.Deleted, owned("gears", "g", ""))
		b.wait(soon)
		if n := b.drawn().Nodes[1]; n.Name != "g" || n.Stand != related.Missing {
			t.Errorf("%+v", n)
		}
	})
}

// TestSearchDenied holds that a kind which may not be listed is named, and why.
func TestSearchDenied(t *testing.T) {
	onWidget(t, []string{"widgets", "gears"}, func(t *testing.T, b *bench) {
		b.proxy.deny = forbids(func(r wire.Request) bool { return r.Resource == "gears" })
		b.relates("w", 0)
		b.wait(5 * soon)
		p := b.drawn()
		if f := p.Searched.Failed; len(f) != 1 || f[0].Resource != "gears.example.com" || !strings.Contains(f[0].Said, "cannot list") || len(p.Nodes) != 1 {
			t.Errorf("%+v", p)
		}
	})
}

// broken is what the apiserver answers while a conversion webhook is down.
var broken = &wire.Status{Origin: wire.FromAPIServer, Code: 500, Reason: wire.ReasonInternalError, Message: "conversion webhook failed"}

// TestSearchFails checks that kinds whose lists fail are named with the reason, do not keep
// the search from the others, and are searched when they recover.
func TestSearchFails(t *testing.T) {
	const fail = 4 * searchAtOnce // these come before the others
	served := []string{"widgets"}
	for i := range fail + 4 {
		served = append(served, fmt.Sprintf("gear%02d", i))
	}
	onWidget(t, served, func(t *testing.T, b *bench) {
		var down atomic.Bool
		down.Store(true)
		b.proxy.deny = func(r wire.Request) *wire.Status {
			if down.Load() && strings.HasPrefix(r.Resource, "gear") && r.Resource < fmt.Sprintf("gear%02d", fail) {
				return broken
			}
			return nil
		}
		late, now := "gear01", fmt.Sprintf("gear%02d", fail+2)
		b.proxy.change(wire.Added, owned(late, "late", "widgets.example.com w"))
		b.proxy.change(wire.Added, owned(now, "now", "widgets.example.com w"))
		b.relates("w", 0)
		b.wait(time.Minute)
		if s := b.wantNames(now + ".example.com now").Searched; s.Coming > 0 || len(s.Failed) != fail || s.Failed[0].Resource != "gear00.example.com" || s.Failed[0].Said != broken.Message {
			t.Errorf("%+v", s)
		}
		down.Store(false)
		b.wait(2 * time.Minute)
		if s := b.wantNames(late + ".example.com late, " + now + ".example.com now").Searched; s.Coming > 0 || len(s.Failed) > 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestSearchTooMany holds that a list of more objects than are worth it is given up and
// named, while the others stay.
func TestSearchTooMany(t *testing.T) {
	onWidget(t, []string{"widgets", "gears", "teeth"}, func(t *testing.T, b *bench) {
		for i := range searchObjects + 1 {
			b.proxy.change(wire.Added, owned("gears", fmt.Sprint("g", i), ""))
		}
		b.proxy.change(wire.Added, owned("teeth", "t", "widgets.example.com w"))
		b.relates("w", 0)
		b.wait(soon)
		if got := b.asks(); !strings.Contains(got, "close watch gears/a metadata") {
			t.Errorf("asked %s", got)
		}
		if f := b.wantNames("teeth.example.com t").Searched.Failed; len(f) != 1 || f[0].Resource != "gears.example.com" || !strings.Contains(f[0].Said, "more than") {
			t.Errorf("%+v", f)
		}
	})
}

// others are kinds of as many other domains, more than are searched unasked.
func others() (served []string) {
	served = []string{"widgets"}
	for i := range searchRest + 5 {
		served = append(served, fmt.Sprintf("k%d.d%d.io", i, i))
	}
	return served
}

// TestSweep holds that kinds which nothing speaks for are named, and are searched once
// when that is asked for: where something is found, it is followed, and it is remembered.
func TestSweep(t *testing.T) {
	onWidget(t, others(), func(t *testing.T, b *bench) {
		b.proxy.change(wire.Added, owned("k7", "x", "widgets.example.com w"))
		b.relates("w", 0)
		if s := b.wantNames("").Searched; len(s.Unasked) != searchRest+5 || s.Swept != 0 || s.Sweeping {
			t.Errorf("%+v", s)
		}
		b.relates("w", 1)
		if s := b.wantNames("k7.d7.io x").Searched; len(s.Unasked) != 0 || s.Swept != searchRest+4 || s.Sweeping || s.SweptAt == 0 {
			t.Errorf("%+v", s)
		}
		b.proxy.change(wire.Deleted, owned("k7", "x", "widgets.example.com w"))
		b.wait(soon)
		b.wantNames("")
		b.proxy.change(wire.Added, owned("k7", "y", "widgets.example.com other"))
		b.relates("other", 0)
		b.wantNames("k7.d7.io y")
	})
}

// TestSweepAgain checks that a sweep which is asked for while one is under way follows it.
func TestSweepAgain(t *testing.T) {
	onWidget(t, others(), func(t *testing.T, b *bench) {
		busy := true
		b.proxy.deny = func(r wire.Request) *wire.Status {
			if r.Resource == "k5" && busy {
				busy = false
				return &wire.Status{Origin: wire.FromProxy, Code: 429, Reason: wire.ReasonTooManyRequests, Message: "later", RetryAfter: 60}
			}
			return nil
		}
		b.relates("w", 1)
		b.proxy.said()
		b.proxy.change(wire.Added, owned("k7", "x", "widgets.example.com w"))
		b.relates("w", 2)
		if got := b.proxy.said(); got != "" {
			t.Errorf("asked %s", got)
		}
		b.wait(2 * time.Minute)
		if s := b.wantNames("k7.d7.io x").Searched; s.Sweeping || s.Swept != searchRest+4 {
			t.Errorf("%+v", s)
		}
	})
}

// TestSearchServed checks that the lists of a search follow the kinds that the server has:
// one that is served in another version is searched in that, and one that has gone is
// waited for no more.
func TestSearchServed(t *testing.T) {
	onWidget(t, []string{"widgets", "gears", "teeth.parts.example.com"}, func(t *testing.T, b *bench) {
		b.proxy.change(wire.Added, owned("teeth", "t", "widgets.example.com w"))
		b.relates("w", 0)
		b.proxy.said()
		b.proxy.mu.Lock()
		b.proxy.served = []string{"widgets", "teeth.parts.example.com"}
		b.proxy.versions = map[string]string{"parts.example.com": "v2"}
		b.proxy.mu.Unlock()
		b.define("teeth")
		b.wait(2 * linger)
		if p := b.wantNames("teeth.parts.example.com t"); p.Coming || p.Searched.Coming+len(p.Searched.Failed)+len(p.Searched.Unasked) > 0 {
			t.Errorf("%+v", p)
		}
		var versions []string
		b.proxy.mu.Lock()
		for _, s := range b.proxy.open {
			if s.Resource == "gears" || s.Resource == "teeth" {
				versions = append(versions, s.Resource+" "+s.Version)
			}
		}
		b.proxy.mu.Unlock()
		slices.Sort(versions)
		if got := strings.Join(slices.Compact(versions), ", "); got != "teeth v2" {
			t.Errorf("lists of %s are open", got)
		}
	})
}

// TestSearchKinship checks that a kind which is seen to be owned counts as likely in a
// search that is open.
func TestSearchKinship(t *testing.T) {
	onWidget(t, others(), func(t *testing.T, b *bench) {
		b.proxy.change(wire.Added, owned("k7", "x", "widgets.example.com w"))
		b.relates("w", 0)
		b.wantNames("")
		b.does(func() { b.cluster().kinds.SetOwner("widgets.example.com", "k7.d7.io") })
		b.proxy.change(wire.Modified, thing{resource: "widgets", namespace: "a", name: "w"})
		b.wait(soon)
		b.wantNames("k7.d7.io x")
	})
}

// TestSweepFails holds that a kind of which the sweep was told nothing is named, and that
// one is asked for again where there is no time for it.
func TestSweepFails(t *testing.T) {
	onWidget(t, others(), func(t *testing.T, b *bench) {
		busy := 2
		b.proxy.deny = func(r wire.Request) *wire.Status {
			switch {
			case r.Resource == "k3":
				return forbidden
			case r.Resource == "k5" && busy > 0:
				busy--
				return &wire.Status{Origin: wire.FromProxy, Code: 429, Reason: wire.ReasonTooManyRequests, Message: "later", RetryAfter: 1}
			}
			return nil
		}
		b.relates("w", 1)
		b.wait(5 * soon)
		if s := b.drawn().Searched; len(s.Failed) != 1 || s.Failed[0].Resource != "k3.d3.io" || s.Swept != searchRest+4 || len(s.Unasked) > 0 || busy > 0 {
			t.Errorf("%+v, busy %d", s, busy)
		}
	})
}

// TestSweepFaulty checks that a sweep comes to an end, and names the kind, where a list goes
// silent, breaks off, or has an error in it.
func TestSweepFaulty(t *testing.T) {
	onWidget(t, others(), func(t *testing.T, b *bench) {
		b.proxy.faulty = map[string]fault{"k3": silent, "k4": brokenOff, "k5": erring}
		b.relates("w", 1)
		b.wait(listQuiet)
		s := b.drawn().Searched
		if s.Sweeping || len(s.Failed) != 3 || s.Swept != searchRest+2 {
			t.Fatalf("%+v", s)
		}
		for i, want := range []string{"nothing has come from the apiserver", "the list broke off", "too old"} {
			if got := s.Failed[i].Said; !strings.HasSuffix(got, want) {
				t.Errorf("%s: %q, want %q", s.Failed[i].Resource, got, want)
			}
		}
	})
}

// TestSearchFew holds that kinds which nothing speaks for are searched too if they are few.
func TestSearchFew(t *testing.T) {
	onWidget(t, others()[:5], func(t *testing.T, b *bench) {
		b.proxy.change(wire.Added, owned("k2", "x", "widgets.example.com w"))
		b.relates("w", 0)
		if s := b.wantNames("k2.d2.io x").Searched; len(s.Unasked)+s.Swept+s.Coming > 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestSearchEvents holds that the events of what an object owns are found in kinds that
// nobody knows, and that it is said where one may not be searched.
func TestSearchEvents(t *testing.T) {
	onWidget(t, []string{"widgets", "gears"}, func(t *testing.T, b *bench) {
		b.seq++
		b.focus(port.Focus{Seq: b.seq, Resource: "widgets.example.com", Namespace: "a", Name: "w", Tab: "events"})
		b.wait(soon)
		if got := b.asks(); !strings.Contains(got, "watch gears/a metadata") || !strings.Contains(got, "watch events/a") {
			t.Errorf("asked %s", got)
		}
		b.proxy.deny = forbids(func(r wire.Request) bool { return r.Resource == "gears" })
		b.seq++
		b.focus(port.Focus{Seq: b.seq, Resource: "widgets.example.com", Namespace: "b", Name: "w", Tab: "events"})
		b.wait(5 * soon)
		all := told[related.Told](b, "events")
		if last := all[len(all)-1]; !strings.HasPrefix(last.Owned, "gears.example.com: ") || last.Coming {
			t.Errorf("%+v", last)
		}
	})
}
