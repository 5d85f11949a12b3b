package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/reflector"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

var pods = history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}

// podJSON returns a pod.
func podJSON(namespace, name, node string, version int) []byte {
	return fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":%q,"uid":"u-%s","resourceVersion":"%d","labels":{"app":"a%d"}},"spec":{"nodeName":%q},"status":{"phase":"Running"}}`, name, namespace, name, version, version%2, node)
}

// client returns a client of a relay, which ends with the test.
func client(t *testing.T, r *Relay) *socket.Client {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c := socket.New(socket.Options{Dial: r.Dial})
	done := make(chan struct{})
	go func() { defer close(done); _ = c.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return c
}

// random returns a record of random changes, and a second for each of them.
func random(rng *rand.Rand, changes int) *historytest.Model {
	begin := time.Now().Truncate(time.Second)
	record := historytest.New(begin)
	on := record.Open(pods)
	for i := range changes {
		name, at := fmt.Sprint("p", rng.IntN(40)), begin.Add(time.Duration(i+1)*time.Second)
		namespace := []string{"a", "b"}[rng.IntN(2)]
		payload := podJSON(namespace, name, fmt.Sprint("n", rng.IntN(3)), 1000+i)
		if rng.IntN(4) == 0 {
			payload = nil
		}
		record.Put(on, at, namespace+"/"+name, "u-"+name, payload)
	}
	return record
}

// followed runs an informer of a request.
func followed(t *testing.T, c *socket.Client, r wire.Request) *informer.Informer[*object.Object] {
	t.Helper()
	kind, _ := object.Builtin("pods")
	decoder := object.NewDecoder(kind, true)
	if r.Encoding == wire.EncodingMetadata {
		decoder = object.NewMetadataDecoder()
	}
	i := informer.New(informer.Options[*object.Object]{
		Source:  reflector.SourceFunc(func(ctx context.Context, r wire.Request) (reflector.Stream, error) { return c.Open(ctx, r) }),
		Decoder: decoder, Request: r,
		Key: (*object.Object).Key, Version: (*object.Object).Version, Namespace: (*object.Object).Namespace,
		Labels: func(o *object.Object) query.Labels { return o.Labels() },
		Same:   func(a, b *object.Object) bool { return a.Version() == b.Version() && a.UID() == b.UID() },
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); i.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return i
}

// held returns keys and versions of what a store holds.
func held(i *informer.Informer[*object.Object]) map[string]string {
	out := make(map[string]string)
	for _, o := range i.Store().List() {
		out[o.Key()] = o.Version()
	}
	return out
}

// TestMoments compares the stores of informers with the record at random moments, in any order.
func TestMoments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		record := random(rng, 400)
		r := New(record, Options{})
		c := client(t, r)
		all := wire.Request{Version: "v1", Resource: "pods"}
		inA, onNode, labelled, metadata := all, all, all, all
		inA.Namespace, onNode.FieldSelector, labelled.LabelSelector, metadata.Encoding = "a", "spec.nodeName=n1", "app=a1", wire.EncodingMetadata
		wants := map[string]struct {
			of   *informer.Informer[*object.Object]
			is   func(key string, pod []byte) bool
			same bool
		}{
			"all":       {of: followed(t, c, all), is: func(string, []byte) bool { return true }},
			"namespace": {of: followed(t, c, inA), is: func(key string, _ []byte) bool { return strings.HasPrefix(key, "a/") }},
			"node":      {of: followed(t, c, onNode), is: func(_ string, pod []byte) bool { return strings.Contains(string(pod), `"nodeName":"n1"`) }},
			"label":     {of: followed(t, c, labelled), is: func(_ string, pod []byte) bool { return strings.Contains(string(pod), `"app":"a1"`) }},
			"metadata":  {of: followed(t, c, metadata), is: func(string, []byte) bool { return true }},
		}
		from, to := record.Span()
		for n := range 1000 {
			at := from.Add(time.Duration(rng.Int64N(int64(to.Sub(from)))))
			if n%10 == 0 { // a step, which is sent change by change
				at = r.At().Add(time.Duration(rng.IntN(9)) * time.Second)
			}
			r.SetSights([]Sight{{"", "pods", func(key string) bool { return strings.HasSuffix(key, fmt.Sprint(n%10)) }}})
			if n%7 == 0 { // it is taken elsewhere meanwhile
				r.Seek(from.Add(time.Duration(rng.Int64N(int64(to.Sub(from))))))
				runtime.Gosched()
			}
			r.Seek(at)
			time.Sleep(100 * time.Millisecond) // Read rests
			synctest.Wait()
			for name, w := range wants {
				want := make(map[string]string)
				record.At(0, r.At(), func(o history.Object) bool {
					if id, err := object.ReadIdentity(o.Payload); err == nil && w.is(o.Key, o.Payload) {
						want[o.Key] = id.Version
					}
					return true
				})
				if got := held(w.of); !maps.Equal(got, want) {
					t.Fatalf("%s, moment %d, %v: %v\nwant %v", name, n, r.At(), got, want)
				}
			}
		}
		for name, w := range wants {
			if s := w.of.State(time.Now()); s.Relists > 0 || s.Rewinds > 0 || s.Rejected > 0 || s.Settled != r.Version() || s.Phase != reflector.Watching {
				t.Errorf("%s: %+v", name, s)
			}
		}
		time.Sleep(10 * time.Minute) // bookmarks and beats come
		for name, w := range wants {
			s := w.of.State(time.Now())
			if fresh, _, cause := informer.Fresh(s, informer.Link{Connected: true, Online: true, Heard: c.Link().Heard}, time.Now()); fresh != informer.Live || s.Resumes > 0 || s.Idles > 0 {
				t.Errorf("%s: %s, %v, %+v", name, fresh, cause, s)
			}
		}
	})
}

// TestPlay plays a record, pauses it, and plays it to its end.
func TestPlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		record := random(rand.New(rand.NewPCG(7, 8)), 300)
		from, to := record.Span()
		r := New(record, Options{})
		i := followed(t, client(t, r), wire.Request{Version: "v1", Resource: "pods"})
		r.Play(from, 10)
		time.Sleep(10*time.Second + time.Millisecond)
		if at := r.At(); at.Sub(from) < 99*time.Second || at.Sub(from) > 101*time.Second || r.Speed() != 10 {
			t.Error(at.Sub(from), r.Speed())
		}
		r.Pause()
		at := r.At()
		time.Sleep(time.Minute)
		if !r.At().Equal(at) || r.Speed() != 0 {
			t.Error("it goes on")
		}
		r.Play(at, 60)
		time.Sleep(time.Minute)
		if !r.At().Equal(to) || r.Speed() != 0 {
			t.Error(r.At(), r.Speed(), "want the end,", to)
		}
		want := make(map[string]string)
		record.At(0, to, func(o history.Object) bool {
			id, _ := object.ReadIdentity(o.Payload)
			want[o.Key] = id.Version
			return true
		})
		if got := held(i); !maps.Equal(got, want) {
			t.Error(got, want)
		}
		r.Seek(to.Add(time.Hour))
		if !r.At().Equal(to) {
			t.Error("it is behind the end")
		}
	})
}

// TestUnknown goes to moments of which nothing is known, and back.
func TestUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now().Truncate(time.Second)
		record := historytest.New(begin)
		on := record.Open(pods)
		record.Miss(on, history.Gap{From: begin, To: begin.Add(time.Minute), Why: history.Closed})
		record.Put(on, begin.Add(time.Minute), "a/x", "u-x", podJSON("a", "x", "n", 1))
		record.Put(on, begin.Add(2*time.Minute), "a/y", "u-y", podJSON("a", "y", "n", 2))
		r := New(record, Options{})
		c := client(t, r)
		i := followed(t, c, wire.Request{Version: "v1", Resource: "pods"})
		synctest.Wait()
		r.Seek(begin.Add(30 * time.Second))
		time.Sleep(10 * time.Second)
		s := i.State(time.Now())
		fresh, _, cause := informer.Fresh(s, informer.Link{Connected: true, Online: true, Heard: c.Link().Heard}, time.Now())
		if fresh != informer.Denied || s.Objects != 0 || cause.Message != "pods were not watched at this time" {
			t.Error(fresh, s.Objects, cause)
		}
		r.Seek(begin.Add(90 * time.Second))
		i.Wake()
		time.Sleep(100 * time.Millisecond) // Read rests
		synctest.Wait()
		if got := held(i); len(got) != 1 || !i.HasSynced() {
			t.Error(got)
		}
	})
}

// TestNarrow asks for a namespace that has a stream of its own beside that of the whole cluster. The one that was
// watched at a moment answers, or the one that was watched last before it.
func TestNarrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now().Truncate(time.Second)
		second := func(n int) time.Time { return begin.Add(time.Duration(n) * time.Second) }
		record := historytest.New(begin)
		narrow := pods
		narrow.Namespace = "a"
		inA, all := record.Open(narrow), record.Open(pods)
		put := func(on, at int, name string, version int) {
			record.Put(on, second(at), "a/"+name, "u-"+name, podJSON("a", name, "n", version))
		}
		miss := func(on, from, to int) {
			record.Miss(on, history.Gap{From: second(from), To: second(to), Why: history.Closed})
		}
		put(inA, 1, "x", 1)
		put(inA, 12, "x", 2)
		miss(inA, 20, 52)
		record.Put(inA, second(52), "a/x", "u-x", nil)
		put(inA, 52, "y", 6)
		miss(all, 0, 20)
		put(all, 20, "x", 2)
		put(all, 25, "y", 3)
		put(all, 30, "x", 4)
		record.Put(all, second(40), "a/x", "u-x", nil)
		put(all, 45, "y", 5)
		record.Put(all, second(46), "b/z", "u-z", podJSON("b", "z", "n", 1))
		miss(all, 50, 60)
		put(inA, 60, "y", 7)
		r := New(record, Options{})
		c := client(t, r)
		i := followed(t, c, wire.Request{Version: "v1", Resource: "pods", Namespace: "a"})
		for _, want := range []struct {
			at int
			is map[string]string
		}{
			{45, map[string]string{"a/y": "5"}},
			{15, map[string]string{"a/x": "2"}},
			{20, map[string]string{"a/x": "2"}},
			{35, map[string]string{"a/x": "4", "a/y": "3"}},
			{5, map[string]string{"a/x": "1"}},
			{51, map[string]string{"a/y": "5"}}, // both were closed, the narrow one long before
			{55, map[string]string{"a/y": "6"}},
			{41, map[string]string{"a/y": "3"}},
			{60, map[string]string{"a/y": "7"}}, // the end of a gap that was open when the record ended
		} {
			r.Seek(second(want.at))
			time.Sleep(10 * time.Second) // a new list waits after some others
			synctest.Wait()
			if got := held(i); !maps.Equal(got, want.is) {
				t.Errorf("second %d: %v, want %v", want.at, got, want.is)
			}
			pod := wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "x", Encoding: wire.EncodingJSON}
			got := ask(t, c, pod)
			if version, there := want.is["a/x"]; there && !strings.Contains(got, `"resourceVersion":"`+version+`"`) || !there && !strings.HasPrefix(got, "error: ") {
				t.Errorf("second %d: %s, want version %q", want.at, got, version)
			}
		}
		// What one of them began, the other does not go on with.
		r.Seek(second(15))
		version := r.Version()
		r.Seek(second(35))
		for _, q := range []wire.Request{
			{Verb: wire.Watch, ListOptions: wire.ListOptions{ResourceVersion: version}},
			{Verb: wire.List, ListOptions: wire.ListOptions{Limit: 1, Continue: version + " a/a"}},
		} {
			q.Version, q.Resource, q.Namespace = "v1", "pods", "a"
			s, err := c.Open(t.Context(), q)
			if err == nil {
				_, err = s.Next(t.Context())
				s.Close()
			}
			if status := wire.StatusOf(err); status == nil || !status.Expired() {
				t.Errorf("%s from version %s: %v, want it to have expired", q.Verb, version, err)
			}
		}
	})
}

// ask returns the answer to a request for one document.
func ask(t *testing.T, c *socket.Client, r wire.Request) string {
	t.Helper()
	doc, err := c.Get(t.Context(), r)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(doc)
}

// logged is a record with a log.
type logged struct{ *historytest.Model }

func (logged) Logs() []history.Log {
	return []history.Log{{Namespace: "a", Pod: "x", Container: "c", Text: []byte("2000-01-01T00:00:10Z one\n2000-01-01T00:00:20Z two\n2000-01-01T00:01:30Z three\n"),
		Gaps: []history.Gap{{To: time.Unix(5, 0)}, {From: time.Unix(6, 0), To: time.Unix(7, 0), UID: "u-x"}}, Known: true}}
}

// TestAnswers asks for all that is not a list of objects.
func TestAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now().Truncate(time.Second)
		record := historytest.New(begin)
		on := record.Open(pods)
		widgets := record.Open(history.Stream{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true, Namespace: "a", Columns: []byte(`[{"name":"Name","type":"string","format":"name"}]`)})
		record.Put(on, begin.Add(time.Second), "a/x", "u-x", podJSON("a", "x", "n", 1))
		record.Put(widgets, begin.Add(time.Minute), "a/w", "u-w", []byte(`{"cells":["w"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"w","namespace":"a","resourceVersion":"2"}}}`))
		r := New(logged{record}, Options{Welcome: wire.Welcome{User: "ana", Release: "1.36", RenewIn: 5}})
		c := client(t, r)
		pod := wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "x", Encoding: wire.EncodingJSON}
		missing, whole, secret := pod, pod, pod
		missing.Name = "y"
		secret.Resource = "secrets"
		whole.Group, whole.Resource, whole.Name = "example.com", "widgets", "w"
		access := func(a wire.Access) wire.Request {
			return wire.Request{Verb: wire.Review, Resource: "selfsubjectaccessreviews", Access: &a}
		}
		for _, want := range []struct {
			of  wire.Request
			has string
		}{
			{pod, `"nodeName":"n"`},
			{missing, `error: pods "y" not found at this time`},
			{secret, "error: secrets were not recorded"},
			{whole, "error: only the metadata and the columns of widgets.example.com were watched at this time; an object is watched whole while it is open"},
			{wire.ServerVersion, `"minor":"36"`},
			{wire.Request{Verb: wire.Discover}, `"resource":"pods"`},
			{wire.Request{Verb: wire.Discover, Group: "*"}, `"resource":"widgets"`},
			{wire.Request{Verb: wire.Review, Resource: "selfsubjectreviews"}, `"username":"ana"`},
			{wire.Request{Verb: wire.Review, Resource: "selfsubjectrulesreviews", Namespace: "a"}, `"resources":["widgets"]`},
			{access(wire.Access{Verb: "list", Resource: "pods"}), `"allowed":true`},
			{access(wire.Access{Verb: "delete", Resource: "pods"}), `"allowed":false`},
			{access(wire.Access{Verb: "list", Resource: "secrets"}), `"allowed":false`},
			{access(wire.Access{Verb: "list", Group: "example.com", Resource: "widgets"}), `"allowed":false`},
			{access(wire.Access{Verb: "get", Resource: "pods", Subresource: "log"}), `"allowed":true`},
			{access(wire.Access{Verb: "get", Resource: "pods", Subresource: "exec"}), `"allowed":false`},
			{wire.Request{Verb: "delete", Version: "v1", Resource: "pods"}, `error: tab: unknown verb "delete"`},
			{wire.Request{Verb: wire.Log, Namespace: "a", Name: "y"}, "error: the log of y was not recorded"},
		} {
			got := ask(t, c, want.of)
			if want.of.Verb == wire.Discover && want.of.Resource == "" {
				if _, err := object.Discovered([]byte(got)); err != nil {
					t.Error(err, got)
				}
			}
			if !strings.Contains(got, strings.Replace(want.has, "tab: ", "", 1)) || !strings.HasPrefix(want.has, "\n") && strings.HasPrefix(got, "{") && !json.Valid([]byte(got)) {
				t.Errorf("%+v: %s\nwant %s", want.of, got, want.has)
			}
		}
		if w := c.Link().Welcome; w.RenewIn != 0 || w.User != "ana" {
			t.Errorf("%+v", w)
		}
	})
}

// TestLog reads a log at a moment, and follows it.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
		record := historytest.New(begin)
		record.Put(record.Open(pods), begin.Add(2*time.Minute), "a/x", "u-x", podJSON("a", "x", "n", 1))
		r := New(logged{record}, Options{})
		r.Seek(begin.Add(time.Minute))
		one := int64(1)
		s, err := client(t, r).Open(t.Context(), wire.Request{Verb: wire.Log, Version: "v1", Resource: "pods", Namespace: "a", Name: "x", Log: &wire.LogOptions{Container: "c", Follow: true, TailLines: &one}})
		if err != nil {
			t.Fatal(err)
		}
		var gaps wire.LogGaps
		if b, err := s.Next(t.Context()); err != nil || b.Events[0].Type != wire.Bookmark || json.Unmarshal(b.Events[0].Payload, &gaps) != nil || fmt.Sprint(gaps) != "{[{0 5000000000 } {6000000000 7000000000 u-x}] true}" {
			t.Fatal(b, err, gaps)
		}
		if b, err := s.Next(t.Context()); err != nil || string(b.Events[0].Payload) != "two\n" {
			t.Fatal(b, err)
		}
		r.Play(begin.Add(time.Minute), 60)
		if b, err := s.Next(t.Context()); err != nil || string(b.Events[0].Payload) != "three\n" {
			t.Fatal(b, err)
		}
	})
}

// TestPages reads a list page by page, while time goes on.
func TestPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		record := random(rand.New(rand.NewPCG(9, 10)), 300)
		r := New(record, Options{})
		from, to := record.Span()
		at := from.Add(to.Sub(from) / 2).Truncate(time.Second)
		r.Seek(at)
		c := client(t, r)
		var keys []string
		q := wire.Request{Verb: wire.List, Version: "v1", Resource: "pods", ListOptions: wire.ListOptions{Limit: 7}}
		for {
			s, err := c.Open(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			var meta wire.ListMeta
			for meta.ResourceVersion == "" {
				b, err := s.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range b.Events {
					if e.Type == wire.ListEnd {
						_ = json.Unmarshal(e.Payload, &meta)
					} else if id, err := object.ReadIdentity(e.Payload); err == nil {
						keys = append(keys, id.Key())
					}
				}
			}
			s.Close()
			if q.Continue = meta.Continue; q.Continue == "" {
				break
			}
			r.Seek(r.At().Add(time.Second))
		}
		var want []string
		record.At(0, at, func(o history.Object) bool { want = append(want, o.Key); return true })
		slices.Sort(want)
		if !slices.Equal(keys, want) {
			t.Error(keys, want)
		}
	})
}

// TestCredit checks that no more is sent than the tab has credited, and the rest afterwards.
func TestCredit(t *testing.T) {
	begin := time.Now().Truncate(time.Second)
	record := historytest.New(begin)
	on, pad := record.Open(pods), strings.Repeat("x", 100<<10)
	for i := range 100 {
		name := fmt.Sprint("p", i)
		record.Put(on, begin.Add(time.Second), "a/"+name, "u", fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"a","resourceVersion":"1","annotations":{"x":%q}}}`, name, pad))
	}
	d, _ := New(record, Options{}).Dial(t.Context())
	if err := d.Write(t.Context(), wire.JSONFrame(wire.KindOpen, 1, wire.InitialWatch("", "v1", "pods", ""))); err != nil {
		t.Fatal(err)
	}
	read := func() (n int) {
		for {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			msg, err := d.Read(ctx)
			cancel()
			if err != nil {
				return n
			}
			if f, _ := wire.ParseFrame(msg); f.Kind == wire.KindData {
				if len(msg) > wire.BatchBytes {
					t.Fatal(len(msg))
				}
				n += len(msg)
			}
		}
	}
	first := read()
	if first > wire.StreamWindow || first < wire.StreamWindow-wire.BatchBytes {
		t.Error(first)
	}
	_ = d.Write(t.Context(), wire.CreditFrame(1, 1<<20))
	if more := read(); more < 1<<20-wire.BatchBytes || more > 1<<20+wire.BatchBytes {
		t.Error(more)
	}
	_ = d.Write(t.Context(), wire.CreditFrame(1, wire.ConnWindow))
	_ = read()
	_ = d.Write(t.Context(), wire.CreditFrame(1, wire.ConnWindow))
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.Read(t.Context()); err == nil {
		t.Error("it is open")
	}
}

// TestSight checks that what is on screen comes first, in a frame of its own, and that the rest is read
// only as it is taken, also while time goes elsewhere.
func TestSight(t *testing.T) {
	begin := time.Now().Truncate(time.Second)
	record := historytest.New(begin)
	on, pad := record.Open(pods), strings.Repeat("x", 10<<10)
	for round := range 3 {
		for i := range 200 {
			name := fmt.Sprint("p", i)
			record.Put(on, begin.Add(time.Duration(round)*time.Second), "a/"+name, "u", fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"a","resourceVersion":"%d","annotations":{"x":%q}}}`, name, round+1, pad))
		}
	}
	r := New(record, Options{})
	d, _ := r.Dial(t.Context())
	if err := d.Write(t.Context(), wire.JSONFrame(wire.KindOpen, 1, wire.InitialWatch("", "v1", "pods", ""))); err != nil {
		t.Fatal(err)
	}
	next := func() (names, versions []string) {
		for {
			msg, err := d.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			f, err := wire.ParseFrame(msg)
			if err != nil {
				t.Fatal(err)
			}
			if f.Kind != wire.KindData {
				continue
			}
			_ = d.Write(t.Context(), wire.CreditFrame(1, len(msg)))
			_, events, err := f.Data(nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				id, _ := object.ReadIdentity(e.Payload)
				names, versions = append(names, id.Name), append(versions, id.Version)
				if e.Type == wire.Bookmark {
					names[len(names)-1] = "the end"
				}
			}
			return names, versions
		}
	}
	rest := func() (n int) {
		for {
			names, _ := next()
			n += len(names)
			if names[len(names)-1] == "the end" {
				return n - 1
			}
		}
	}
	if n := rest(); n != 200 {
		t.Fatal(n, "at first")
	}
	r.SetSights([]Sight{{"", "nodes", func(string) bool { return true }}, {"", "pods", func(key string) bool { return key == "a/p7" || key == "a/p190" }}})
	r.Seek(begin)
	names, versions := next()
	if slices.Sort(names); !slices.Equal(names, []string{"p190", "p7"}) || !slices.Equal(versions, []string{"1", "1"}) {
		t.Error("first", names, versions)
	}
	r.Seek(begin.Add(time.Second)) // before the rest has come
	if n := rest(); n != 198 {
		t.Error(n, "at the beginning")
	}
	names, versions = next()
	if slices.Sort(names); !slices.Equal(names, []string{"p190", "p7"}) || !slices.Equal(versions, []string{"2", "2"}) {
		t.Error("then", names, versions)
	}
	if err := d.Write(t.Context(), wire.AppendHeader(nil, wire.KindClose, 1)); err != nil {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzOpen sends requests of hostile tabs. Each is answered or refused, and crashes nothing.
func FuzzOpen(f *testing.F) {
	for _, verb := range []wire.Verb{wire.List, wire.Watch, wire.Get, wire.Log, wire.Discover, wire.Review, "x"} {
		for _, q := range []wire.Request{
			{Version: "v1", Resource: "pods"}, {Version: "v1", Resource: "pods", Name: "x", Namespace: "a", Log: &wire.LogOptions{Follow: true}},
			{Version: "v1", Resource: "pods", ListOptions: wire.ListOptions{LabelSelector: "a in (b", FieldSelector: "spec.nodeName!=n,x", ResourceVersion: "-1", Continue: "1 a", Limit: -3}},
		} {
			q.Verb = verb
			b, _ := json.Marshal(q)
			f.Add(b, int64(5))
		}
	}
	begin := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	record := historytest.New(begin)
	on := record.Open(pods)
	for i := range 20 {
		record.Put(on, begin.Add(time.Duration(i)*time.Second), "a/x", "u-x", podJSON("a", "x", "n", i+1))
	}
	record.Put(on, begin.Add(30*time.Second), "bad", "", []byte(`{"metadata":7`))
	f.Fuzz(func(t *testing.T, request []byte, seek int64) {
		r := New(logged{record}, Options{})
		d, _ := r.Dial(t.Context())
		defer d.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // Read returns what there is
		for range 2 {
			_ = d.Write(t.Context(), append(wire.AppendHeader(nil, wire.KindOpen, 3), request...))
			for range 50 {
				msg, err := d.Read(ctx)
				if err != nil {
					break
				}
				frame, err := wire.ParseFrame(msg)
				if err != nil {
					t.Fatal(err)
				}
				if frame.Kind == wire.KindData {
					if _, _, err := frame.Data(nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			r.Seek(begin.Add(time.Duration(seek)))
		}
		_ = d.Write(t.Context(), request)
	})
}

// partial is a record without a namespace.
type partial struct{ *historytest.Model }

func (partial) Without() (namespaces []string, others int) { return []string{"b"}, 0 }

// TestLeftOut holds that what is in a namespace that was left out of a recording is not said to be missing.
func TestLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		record := historytest.New(time.Now())
		record.Put(record.Open(pods), time.Now(), "a/x", "u-x", podJSON("a", "x", "n", 1))
		record.Open(history.Stream{Version: "v1", Resource: "namespaces", Kind: "Namespace"})
		c := client(t, New(partial{record}, Options{}))
		pod := wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "b", Name: "x", Encoding: wire.EncodingJSON}
		other, all := pod, wire.Request{Verb: wire.Get, Version: "v1", Resource: "namespaces", Name: "b", Encoding: wire.EncodingJSON}
		other.Namespace = "a"
		for r, want := range map[*wire.Request]string{&pod: "namespace b was left out of the recording", &all: "namespace b was left out of the recording", &other: `"name":"x"`} {
			if got := ask(t, c, *r); !strings.Contains(got, want) {
				t.Errorf("%s/%s: %s", r.Resource, r.Name, got)
			}
		}
	})
}
