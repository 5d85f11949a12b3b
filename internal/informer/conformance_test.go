package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/query"
	"watchglass/internal/wire"
)

// What client-go's own tests of its shared informers hold, held of this one. The
// names are theirs.

func add(t *testing.T, i *Informer[*thing], h Handler[*thing], o HandlerOptions) *Registration[*thing] {
	t.Helper()
	r, err := i.AddHandler(h, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (j *journal) expect(t *testing.T, want string) {
	t.Helper()
	if got := j.take(); got != want {
		t.Fatalf("want %s\ngot  %s", want, got)
	}
}

func ended(r *Registration[*thing]) bool {
	select {
	case <-r.Done():
		return true
	default:
		return false
	}
}

func TestListenerResyncPeriods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		js := []*journal{{}, {}, {}, {}}
		for n, every := range []time.Duration{0, 2 * time.Second, 3 * time.Second} {
			add(t, i, js[n], HandlerOptions{Resync: every})
		}
		st := start(t, i, src)
		st.send("+a@1 @5!")
		for _, j := range js[:3] {
			j.expect(t, "+a@1 true")
		}
		add(t, i, js[3], HandlerOptions{Resync: time.Millisecond, Coalesce: true}) // a second is the least
		js[3].expect(t, "+a@1 true")
		told := make([]string, 4)
		for range 6 {
			time.Sleep(time.Second)
			for n, j := range js {
				if got := j.take(); got == "a@1~a@1" {
					told[n] += "!"
				} else if told[n] += "."; got != "" {
					t.Fatal(n, got)
				}
			}
		}
		if got := strings.Join(told, " "); got != "...... .!.!.! ..!..! !!!!!!" {
			t.Fatal(got)
		}
		_, sub := i.Subscribe(func(c []Change[*thing]) { t.Error("a subscriber is told again: ", c) })
		time.Sleep(6 * time.Second)
		i.Unsubscribe(sub)
	})
}

// TestSharedInformerInitializationRace: handlers are added while it starts.
func TestSharedInformerInitializationRace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		go start(t, i, src)
		var all []*Registration[*thing]
		for n := range 100 {
			all = append(all, add(t, i, HandlerFuncs[*thing]{}, HandlerOptions{Coalesce: n%2 == 0}))
		}
		synctest.Wait()
		for _, r := range all {
			if r.HasSynced() || ended(r) {
				t.Fatal("synced with nothing, or ended")
			}
		}
	})
}

func TestSharedInformerWatchDisruption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		plain, again := new(journal), new(journal)
		add(t, i, plain, HandlerOptions{})
		add(t, i, again, HandlerOptions{Resync: 10 * time.Second})
		st := start(t, i, src)
		st.send("+a@1 +b@2 @5!")
		plain.expect(t, "+a@1 true, +b@2 true")
		again.expect(t, "+a@1 true, +b@2 true")
		st.frames <- wire.Batch{Events: []wire.Event{{Type: wire.Error, Payload: []byte(`{"origin":"apiserver","code":410}`)}}}
		st = <-src.opened
		st.send("+a@1 +b@6 +c@7 @8!")
		plain.expect(t, "b@2~b@6, +c@7 false") // a did not change
		again.expect(t, "b@2~b@6, +c@7 false")
		time.Sleep(10 * time.Second)
		plain.expect(t, "")
		got := strings.Split(again.take(), ", ")
		slices.Sort(got)
		if strings.Join(got, ", ") != "a@1~a@1, b@6~b@6, c@7~c@7" {
			t.Fatal(got)
		}
	})
}

func TestSharedInformerRemoveHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i, other := newInformer(src), newInformer(src)
		h := HandlerFuncs[*thing]{}
		one, two, twice := add(t, i, h, HandlerOptions{}), add(t, i, h, HandlerOptions{}), add(t, i, h, HandlerOptions{})
		other.RemoveHandler(one) // TestSharedInformerRemoveForeignHandler
		i.RemoveHandler(two)     // TestSharedInformerMultipleRegistration: the others stay
		i.RemoveHandler(two)     // TestRemovingRemovedSharedInformer
		if ended(one) || !ended(two) || ended(twice) || len(i.listeners) != 2 {
			t.Fatal("another one was removed")
		}
		start(t, i, src)
		i.RemoveHandler(one)
		<-one.Done()
		i.RemoveHandler(one)
		if len(i.listeners) != 1 {
			t.Fatal(len(i.listeners))
		}
	})
}

// TestSharedInformerHandlerAbuse adds and removes handlers from everywhere while
// objects come; the race detector is the judge.
func TestSharedInformerHandlerAbuse(t *testing.T) {
	src := newSource()
	i := newInformer(src)
	st := start(t, i, src)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for range 50 {
				r, err := i.AddHandler(HandlerFuncs[*thing]{}, HandlerOptions{Coalesce: n%2 == 0, Resync: time.Duration(n%3) * time.Second})
				if err != nil {
					t.Error(err)
					return
				}
				i.State(time.Now())
				i.RemoveHandler(r)
				<-r.Done()
			}
		})
	}
	for n := range 50 {
		b := wire.Batch{}
		for m := range 5 {
			b.Events = append(b.Events, wire.Event{Type: wire.Added, Payload: fmt.Appendf(nil, "%d@%d", m, n)})
		}
		st.frames <- b
	}
	all.Wait()
}

func TestAddOnStoppedSharedInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		before := add(t, i, HandlerFuncs[*thing]{}, HandlerOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { i.Run(ctx); close(done) }()
		<-src.opened
		cancel()
		<-done
		if _, err := i.AddHandler(HandlerFuncs[*thing]{}, HandlerOptions{}); !errors.Is(err, ErrEnded) {
			t.Fatal(err)
		}
		i.RemoveHandler(before) // TestRemoveOnStoppedSharedInformer
		if err := i.WaitForSync(t.Context()); !errors.Is(err, ErrEnded) || before.HasSynced() || !ended(before) {
			t.Fatal(err)
		}
	})
}

func TestRemoveWhileActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		j := new(journal)
		r := add(t, i, j, HandlerOptions{})
		st := start(t, i, src)
		st.send("+a@1 @5!")
		j.expect(t, "+a@1 true")
		i.RemoveHandler(r)
		st.send("+b@6")
		j.expect(t, "")
	})
}

// TestAddWhileActive: one who comes late hears of all there is, then is synced,
// however slow it is, and only then of what is new.
func TestAddWhileActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		st := start(t, i, src)
		st.send("+a@1 @5!")
		for _, o := range []HandlerOptions{{}, {Coalesce: true}} {
			var lines []string
			step := make(chan struct{})
			slow := HandlerFuncs[*thing]{
				Add:    func(o *thing, initial bool) { <-step; lines = append(lines, fmt.Sprintf("+%v %v", o, initial)) },
				Update: func(a, b *thing) { <-step; lines = append(lines, fmt.Sprintf("%v~%v", a, b)) },
			}
			r := add(t, i, slow, o)
			synctest.Wait()
			st.send("+b@6")
			st.send("~b@7")
			if r.HasSynced() {
				t.Fatal("synced before it was told")
			}
			step <- struct{}{}
			synctest.Wait()
			if !r.HasSynced() {
				t.Fatal("told of the list, and not synced")
			}
			waiting, folded := r.Waiting()
			close(step)
			synctest.Wait()
			want := "[+a@1 true +b@6 false b@6~b@7] 1 0"
			if o.Coalesce {
				want = "[+a@1 true +b@7 false] 0 1"
			}
			if got := fmt.Sprint(lines, waiting, folded); got != want {
				t.Fatalf("want %s, got %s", want, got)
			}
			i.RemoveHandler(r)
			<-r.Done()
			st.send("-b@8")
		}
	})
}

func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		f := NewFactory(t.Context(), time.Minute, func(wire.Request, string) *Informer[*thing] { return newInformer(src) })
		a, b := f.Lease(wire.Request{Resource: "a"}), f.Lease(wire.Request{Resource: "b"})
		st, other := <-src.opened, <-src.opened
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		st.send("@5!")
		if err := f.WaitForSync(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		other.send("@5!")
		if err := f.WaitForSync(t.Context()); err != nil || !a.HasSynced() || !b.HasSynced() {
			t.Fatal(err)
		}
		r := add(t, a.Informer, HandlerFuncs[*thing]{}, HandlerOptions{})
		b.Release()
		f.Shutdown()
		<-r.Done()
		f.Shutdown()
		if late := f.Lease(wire.Request{Resource: "c"}); late.WaitForSync(t.Context()) != ErrEnded {
			t.Fatal("an informer was started")
		}
	})
}

// TestShared: one informer for a resource, a namespace and selectors, however they
// are asked for.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		f := NewFactory(t.Context(), time.Minute, func(wire.Request, string) *Informer[*thing] { return newInformer(src) })
		defer f.Shutdown()
		of := func(namespace, labels, fields string, o wire.ListOptions) *Informer[*thing] {
			o.LabelSelector, o.FieldSelector = labels, fields
			return f.Lease(wire.Request{Verb: wire.Watch, Version: "v1", Resource: "things", Namespace: namespace, ListOptions: o}).Informer
		}
		all := of("", "", "", wire.ListOptions{})
		if of("", "", "", wire.ListOptions{ResourceVersion: "7", SendInitialEvents: true}) != all {
			t.Error("how it is read makes another source")
		}
		for _, other := range []*Informer[*thing]{of("n", "", "", wire.ListOptions{}), of("", "a=b", "", wire.ListOptions{}), of("", "", "a=b", wire.ListOptions{})} {
			if other == all {
				t.Error("another source is the same")
			}
		}
	})
}

// texts are labels "a=b".
type texts map[string]string

func (l texts) Lookup(key string) (string, bool) { v, ok := l[key]; return v, ok }

// TestListAll: listers, of all and of a namespace, with selectors and without.
func TestListAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		plain := newInformer(src)
		o := plain.options
		o.Namespace = func(o *thing) string { return strings.Split(o.key, "/")[0] }
		o.Labels = func(o *thing) query.Labels { return texts{"version": o.version} }
		i := New(o)
		st := start(t, i, src)
		st.send("+n/a@1 +n/b@2 +m/a@1 @5!")
		selector, err := query.ParseSelector("version!=2")
		if err != nil {
			t.Fatal(err)
		}
		l := i.Lister()
		for _, c := range []struct {
			got  []*thing
			want string
		}{
			{l.List(nil), "m/a@1 n/a@1 n/b@2"}, {l.List(selector), "m/a@1 n/a@1"},
			{l.Namespace("n").List(nil), "n/a@1 n/b@2"}, {l.Namespace("n").List(selector), "n/a@1"}, {l.Namespace("none").List(nil), ""},
			{l.Namespace("").List(selector), "m/a@1 n/a@1"}, // metav1.NamespaceAll
			{plain.Lister().Namespace("n").List(nil), ""},
		} {
			var got []string
			for _, o := range c.got {
				got = append(got, o.String())
			}
			slices.Sort(got)
			if strings.Join(got, " ") != c.want {
				t.Errorf("want %s, got %s", c.want, got)
			}
		}
		if o, ok := l.Get("m/a"); !ok || o.key != "m/a" {
			t.Error(o, ok)
		}
		if o, ok := l.Namespace("n").Get("b"); !ok || o.key != "n/b" {
			t.Error(o, ok)
		}
		if _, ok := l.Namespace("m").Get("b"); ok {
			t.Error("found in another namespace")
		}
	})
}
