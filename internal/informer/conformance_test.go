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

func (j *journal) expect(t *testing.T, want string) {
	t.Helper()
	if got := j.take(); got != want {
		t.Fatalf("want %s\ngot  %s", want, got)
	}
}

func TestSharedInformerWatchDisruption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		j := new(journal)
		handle(i, j)
		st := start(t, i, src)
		st.send("+a@1 +b@2 @5!")
		j.expect(t, "+a@1 true, +b@2 true")
		st.frames <- wire.Batch{Events: []wire.Event{{Type: wire.Error, Payload: []byte(`{"origin":"apiserver","code":410}`)}}}
		st = <-src.opened
		st.send("+a@1 +b@6 +c@7 @8!")
		j.expect(t, "b@2~b@6, +c@7 false") // a did not change
	})
}

func TestSharedInformerRemoveHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i, other := newInformer(src), newInformer(src)
		one, two := new(journal), new(journal)
		first, second := handle(i, one), handle(i, two)
		other.Unsubscribe(first) // TestSharedInformerRemoveForeignHandler
		i.Unsubscribe(second)    // TestSharedInformerMultipleRegistration: the others stay
		i.Unsubscribe(second)    // TestRemovingRemovedSharedInformer
		st := start(t, i, src)
		st.send("+a@1 @5!")
		one.expect(t, "+a@1 true")
		two.expect(t, "")
	})
}

// TestSharedInformerHandlerAbuse subscribes and unsubscribes from everywhere while
// objects come; the race detector is the judge.
func TestSharedInformerHandlerAbuse(t *testing.T) {
	src := newSource()
	i := newInformer(src)
	st := start(t, i, src)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				sub := handle(i, new(journal))
				i.State(time.Now())
				i.Unsubscribe(sub)
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

func TestRemoveWhileActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		j := new(journal)
		sub := handle(i, j)
		st := start(t, i, src)
		st.send("+a@1 @5!")
		j.expect(t, "+a@1 true")
		i.Unsubscribe(sub)
		st.send("+b@6")
		j.expect(t, "")
	})
}

// TestAddWhileActive: one who comes late gets all there is, and then what is new.
func TestAddWhileActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		st := start(t, i, src)
		st.send("+a@1 @5!")
		j := new(journal)
		handle(i, j)
		st.send("+b@6")
		st.send("~b@7")
		j.expect(t, "+a@1 true, +b@6 false, b@6~b@7")
	})
}

func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		ctx, cancel := context.WithCancel(t.Context())
		f := NewFactory(ctx, time.Minute, func(wire.Request, string) *Informer[*thing] { return newInformer(src) })
		a, b := f.Lease(wire.Request{Resource: "a"}), f.Lease(wire.Request{Resource: "b"})
		<-src.opened
		<-src.opened
		brief, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := a.WaitForSync(brief); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		b.Release()
		cancel()
		f.Wait()
		for _, lease := range []*Lease[*thing]{a, b, f.Lease(wire.Request{Resource: "c"})} {
			if err := lease.WaitForSync(t.Context()); err != errEnded || lease.HasSynced() {
				t.Fatal(err)
			}
		}
	})
}

// TestShared: one informer for a resource, a namespace and selectors, however they
// are asked for.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		ctx, cancel := context.WithCancel(t.Context())
		f := NewFactory(ctx, time.Minute, func(wire.Request, string) *Informer[*thing] { return newInformer(src) })
		defer func() { cancel(); f.Wait() }()
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
		for _, c := range []struct {
			got  []*thing
			want string
		}{
			{i.Lister("").List(nil), "m/a@1 n/a@1 n/b@2"}, {i.Lister("").List(selector), "m/a@1 n/a@1"}, // metav1.NamespaceAll
			{i.Lister("n").List(nil), "n/a@1 n/b@2"}, {i.Lister("n").List(selector), "n/a@1"}, {i.Lister("none").List(nil), ""},
			{plain.Lister("n").List(nil), ""},
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
		if o, ok := i.Lister("n").Get("b"); !ok || o.key != "n/b" {
			t.Error(o, ok)
		}
		if _, ok := i.Lister("m").Get("b"); ok {
			t.Error("found in another namespace")
		}
	})
}
