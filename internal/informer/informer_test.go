package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// thing is an object, written "key@version".
type thing struct{ key, version string }

func (t *thing) String() string { return t.key + "@" + t.version }

type decoder struct{}

func (decoder) Decode(payload []byte) (*thing, error) {
	key, version, ok := strings.Cut(string(payload), "@")
	if !ok {
		return nil, errors.New("no thing")
	}
	return &thing{key, version}, nil
}

func (decoder) Bookmark(payload []byte) (string, bool, error) {
	version, end := strings.CutSuffix(string(payload), "!")
	return version, end, nil
}

func (decoder) SetColumns([]byte) (bool, error) { return false, nil }

// source hands every open to the test, which plays the server.
type source struct{ opened chan *stream }

type stream struct {
	request wire.Request
	frames  chan wire.Batch
	credit  int
	closed  chan struct{}
}

func newSource() *source { return &source{make(chan *stream, 100)} }

func (s *source) Open(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	st := &stream{request: r, frames: make(chan wire.Batch, 100), closed: make(chan struct{})}
	s.opened <- st
	return st, nil
}

func (s *stream) Next(ctx context.Context) (wire.Batch, error) {
	select {
	case b, ok := <-s.frames:
		if !ok {
			return b, io.EOF
		}
		return b, nil
	case <-ctx.Done():
		return wire.Batch{}, ctx.Err()
	}
}
func (s *stream) Credit(n int)                { s.credit += n }
func (s *stream) Age(time.Time) time.Duration { return time.Second }
func (s *stream) Encoding() wire.Encoding     { return wire.EncodingProtobuf }
func (s *stream) Close()                      { close(s.closed) }

// send sends one frame: "+a@1 ~b@2 -c@3 @5 @5!".
func (s *stream) send(words string) {
	var b wire.Batch
	types := map[byte]wire.EventType{'+': wire.Added, '~': wire.Modified, '-': wire.Deleted, '@': wire.Bookmark}
	for w := range strings.FieldsSeq(words) {
		b.Events = append(b.Events, wire.Event{Type: types[w[0]], Payload: []byte(w[1:])})
		b.Bytes += len(w)
	}
	s.frames <- b
	synctest.Wait()
}

func newInformer(s reflector.Source) *Informer[*thing] {
	return New(Options[*thing]{
		Source: s, Decoder: decoder{}, Request: wire.Request{Version: "v1", Resource: "things"},
		Key:       func(o *thing) string { return o.key },
		Version:   func(o *thing) string { return o.version },
		Same:      func(a, b *thing) bool { return *a == *b },
		Namespace: func(o *thing) string { return "v" + o.version },
	})
}

// start runs an informer until the test ends and returns its first stream.
func start(t *testing.T, i *Informer[*thing], s *source) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { i.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return <-s.opened
}

// handler is client-go's ResourceEventHandler. unknown says that a deletion was missed, so that
// the object's final state is not known.
type handler interface {
	OnAdd(o *thing, initial bool)
	OnUpdate(before, after *thing)
	OnDelete(final *thing, unknown bool)
}

// handle subscribes a handler.
func handle(i *Informer[*thing], h handler) *Subscription[*thing] {
	list, sub := i.Subscribe(func(changes []Change[*thing]) {
		for _, c := range changes {
			switch {
			case c.After == nil:
				h.OnDelete(c.Final, c.Final == c.Before)
			case c.Before == nil:
				h.OnAdd(c.After, c.Initial)
			default:
				h.OnUpdate(c.Before, c.After)
			}
		}
	})
	for _, o := range list {
		h.OnAdd(o, true)
	}
	return sub
}

// journal is a handler that writes down what it is told.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) OnAdd(o *thing, initial bool)    { j.note("+%v %v", o, initial) }
func (j *journal) OnUpdate(a, b *thing)            { j.note("%v~%v", a, b) }
func (j *journal) OnDelete(o *thing, unknown bool) { j.note("-%v %v", o, unknown) }

func (j *journal) take() string {
	synctest.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	out := strings.Join(j.lines, ", ")
	j.lines = nil
	return out
}

func TestInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		early := new(journal)
		handle(i, early)
		st := start(t, i, src)
		expect := func(j *journal, want string) {
			t.Helper()
			if got := j.take(); got != want {
				t.Fatalf("want %s\ngot  %s", want, got)
			}
		}
		st.send("+a@1 +b@2")
		expect(early, "+a@1 true, +b@2 true")
		if i.HasSynced() || i.Store().Version() != "" {
			t.Fatal("synced before the end of the list")
		}
		st.send("+c@3 @5!")
		expect(early, "+c@3 true")
		if !i.HasSynced() || i.Store().Version() != "5" {
			t.Fatal("not synced after it")
		}
		late := new(journal)
		sub := handle(i, late)
		got := strings.Split(late.take(), ", ")
		slices.Sort(got)
		if strings.Join(got, ", ") != "+a@1 true, +b@2 true, +c@3 true" {
			t.Fatal(got)
		}
		st.send("~a@6 -b@7 +d@8")
		for _, j := range []*journal{early, late} {
			expect(j, "a@1~a@6, -b@7 false, +d@8 false")
		}
		i.Unsubscribe(sub)
		st.send("~a@6 -z@9 ~a@10")
		expect(early, "a@6~a@10")
		expect(late, "")
		if i.Store().Version() != "10" {
			t.Fatal(i.Store().Version())
		}
		if found := i.Lister("v10").List(nil); len(found) != 1 {
			t.Fatal(found)
		}
	})
}

// testRelist shows that a new list tells of what really changed, and of what
// was missed, and loses nothing on the way.
func testRelist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		j := new(journal)
		handle(i, j)
		st := start(t, i, src)
		st.send("+a@1 +b@2 +c@3 @5!")
		j.take()
		kept, _ := i.Store().Get("a")
		st.frames <- wire.Batch{Events: []wire.Event{{Type: wire.Error, Payload: []byte(`{"origin":"apiserver","code":410}`)}}}
		st = <-src.opened
		st.send("+a@1 +c@9")
		if i.Store().Len() != 3 || j.take() != "" {
			t.Fatal("half a list shows")
		}
		st.send("+d@8 @10!")
		if got, want := j.take(), "c@3~c@9, +d@8 false, -b@2 true"; got != want {
			t.Fatalf("want %s, got %s", want, got)
		}
		if again, _ := i.Store().Get("a"); again != kept {
			t.Fatal("what did not change is another object")
		}
		if s := i.State(time.Now()); s.Relists != 1 || s.Resumes != 0 || s.Objects != 3 || s.Settled != "10" || !s.Alive || s.Age != time.Second {
			t.Fatalf("%+v", s)
		}
	})
}

// TestSubscribe shows that a subscriber gets the store and each batch after it.
func TestSubscribe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		st := start(t, i, src)
		st.send("+a@1 @5!")
		var got []string
		list, sub := i.Subscribe(func(changes []Change[*thing]) {
			for _, c := range changes { // how many at once is a matter of chance
				got = append(got, c.After.String())
			}
		})
		if len(list) != 1 {
			t.Fatal(list)
		}
		st.send("+b@6 +c@7")
		st.send("~c@8")
		i.Unsubscribe(sub)
		st.send("~c@9")
		if strings.Join(got, " ") != "b@6 c@7 c@8" {
			t.Fatal(got)
		}
	})
}

// TestBeforeIsWhatWasThere keeps a list from the changes, by identity, as a view
// does: whatever happens, it holds what the store holds. The server's last word on
// a deleted object is another object than the one in the store.
func TestBeforeIsWhatWasThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		st := start(t, i, src)
		st.send("+a@1 +b@2 +c@3 @5!")
		held := make(map[*thing]bool)
		var finals []string
		list, sub := i.Subscribe(func(changes []Change[*thing]) {
			for _, c := range changes {
				if c.Before != nil && !held[c.Before] {
					t.Errorf("%v was never there", c.Before)
				}
				delete(held, c.Before)
				if c.After != nil {
					held[c.After] = true
				}
				if c.After == nil {
					finals = append(finals, c.Final.String())
				}
			}
		})
		defer i.Unsubscribe(sub)
		for _, o := range list {
			held[o] = true
		}
		st.send("~a@6")
		st.send("-a@7 ~b@8 -b@9")
		st.send("+a@10")
		if len(held) != 2 || strings.Join(finals, " ") != "a@7 b@9" {
			t.Fatal(held, finals)
		}
	})
}

// TestTwice shows that a version that comes once more leaves the object in the
// store that everybody was told of.
func TestTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		st := start(t, i, src)
		st.send("+a@1 @5!")
		changes := 0
		list, sub := i.Subscribe(func(c []Change[*thing]) { changes += len(c) })
		defer i.Unsubscribe(sub)
		st.send("~a@1")
		if stored := i.Store().List(); changes != 0 || len(list) != 1 || len(stored) != 1 || stored[0] != list[0] {
			t.Fatal(changes, list, stored)
		}
	})
}

// TestEnd shows that all that an informer started ends with it.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { i.Run(ctx); close(done) }()
		st := <-src.opened
		st.send("+a@1 ~a@2 -a@3 @5!")
		cancel()
		<-done
		<-st.closed
	})
}

// TestGone shows that who still subscribes to an informer that ends is told, once
// and last, that all it was told of is gone.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		held, left := make(map[*thing]bool), 0
		count := func() (int, int) {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return len(held), left
		}
		f := NewFactory(ctx, time.Minute, func(wire.Request, string) *Informer[*thing] {
			i := newInformer(src)
			i.Subscribe(func(changes []Change[*thing]) {
				mu.Lock()
				defer mu.Unlock()
				for _, c := range changes {
					if c.Before != nil && !held[c.Before] {
						t.Errorf("%v was never there", c.Before)
					}
					delete(held, c.Before)
					if c.After != nil {
						held[c.After] = true
					}
				}
			})
			return i
		})
		lease := f.Lease(wire.Request{Resource: "things"})
		_, sub := lease.Subscribe(func(changes []Change[*thing]) {
			mu.Lock()
			defer mu.Unlock()
			left += len(changes)
		})
		st := <-src.opened
		st.send("+a@1 +b@2 +c@3 @5! -b@6 ~c@7")
		lease.Unsubscribe(sub)
		_, told := count()
		st.frames <- wire.Batch{Events: []wire.Event{{Type: wire.Added, Payload: []byte("d@8")}}}
		lease.Release()
		if held, _ := count(); held != 3 {
			t.Fatal(held)
		}
		time.Sleep(2 * time.Minute)
		if held, left := count(); held != 0 || left != told {
			t.Fatal(held, left, told)
		}
		cancel()
		f.Wait()
	})
}

// TestCredit shows that credit is given when the store has applied.
func TestCredit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		i := newInformer(src)
		st := start(t, i, src)
		blocked, unblock := make(chan struct{}), make(chan struct{})
		_, sub := i.Subscribe(func([]Change[*thing]) { close(blocked); <-unblock })
		st.frames <- wire.Batch{Events: []wire.Event{{Type: wire.Added, Payload: []byte("a@1")}}, Bytes: 7}
		<-blocked
		synctest.Wait()
		if st.credit != 0 {
			t.Fatal("credit before the batch is applied")
		}
		close(unblock)
		synctest.Wait()
		if st.credit != 7 {
			t.Fatal(st.credit)
		}
		i.Unsubscribe(sub)
	})
}

// TestFactory shows that one informer serves all that want the same, and that
// it is let go a while after the last.
func TestFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		ctx, cancel := context.WithCancel(t.Context())
		made := 0
		f := NewFactory(ctx, time.Minute, func(wire.Request, string) *Informer[*thing] { made++; return newInformer(src) })
		things, others := wire.Request{Resource: "things"}, wire.Request{Resource: "others"}
		a, b, c := f.Lease(things), f.Lease(things), f.Lease(others)
		if a.Informer != b.Informer || a.Informer == c.Informer || made != 2 {
			t.Fatal("not shared")
		}
		st := <-src.opened
		<-src.opened
		a.Release()
		a.Release() // once is enough
		time.Sleep(2 * time.Minute)
		if again := f.Lease(things); again.Informer != b.Informer {
			t.Fatal("let go while somebody holds it")
		} else {
			again.Release()
		}
		b.Release()
		time.Sleep(30 * time.Second)
		back := f.Lease(things)
		if back.Informer != b.Informer {
			t.Fatal("let go at once")
		}
		back.Release()
		time.Sleep(61 * time.Second)
		synctest.Wait()
		fresh := f.Lease(things)
		if fresh.Informer == b.Informer || made != 3 {
			t.Fatal("never let go")
		}
		n := 0
		f.Each(func(wire.Request, *Informer[*thing]) { n++ })
		if n != 2 {
			t.Fatal(n)
		}
		cancel()
		f.Wait()
		_ = st
	})
}

// TestFactorySynced checks that LeaseSynced holds an informer of any variant that has
// synced, and starts none.
func TestFactorySynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		ctx, cancel := context.WithCancel(t.Context())
		made := 0
		f := NewFactory(ctx, time.Minute, func(wire.Request, string) *Informer[*thing] { made++; return newInformer(src) })
		things := wire.Request{Resource: "things"}
		if f.LeaseSynced(things) != nil || made != 0 {
			t.Fatal("an informer was started")
		}
		first := f.LeaseVariant(things, "columns")
		stream := <-src.opened
		if f.LeaseSynced(things) != nil {
			t.Fatal("one that has not synced will do")
		}
		stream.send("@1!")
		synctest.Wait()
		again := f.LeaseSynced(things)
		if again == nil || again.Informer != first.Informer || made != 1 || f.LeaseSynced(wire.Request{Resource: "others"}) != nil {
			t.Fatal("not the one there is")
		}
		first.Release()
		time.Sleep(2 * time.Minute)
		if f.LeaseVariant(things, "columns").Informer != again.Informer {
			t.Error("let go while somebody holds it")
		}
		cancel()
		f.Wait()
	})
}

// TestFactoryKeeps shows that of those that nobody holds some are kept, the last ones, and
// that what is held does not count.
func TestFactoryKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := newSource()
		src.opened = make(chan *stream, 2*wire.MaxStreams)
		ctx, cancel := context.WithCancel(t.Context())
		f := NewFactory(ctx, time.Minute, func(wire.Request, string) *Informer[*thing] { return newInformer(src) })
		name := func(i int) wire.Request { return wire.Request{Resource: fmt.Sprint(i)} }
		f.Lease(wire.Request{Resource: "held"})
		first := f.Lease(name(0)).Informer
		for i := range mostKept + 5 {
			lease := f.Lease(name(i))
			lease.Release()
		}
		kept := make(map[string]bool)
		f.Each(func(r wire.Request, _ *Informer[*thing]) { kept[r.Resource] = true })
		if len(kept) != mostKept+2 || !kept["held"] || !kept["0"] || kept["1"] || kept["4"] || !kept["5"] {
			t.Errorf("%d are kept: %v", len(kept), kept)
		}
		back := f.Lease(name(5))
		f.Lease(name(1)).Release()
		f.Lease(name(2)).Release()
		if again := f.Lease(name(5)); again.Informer != back.Informer || f.Lease(name(0)).Informer != first {
			t.Error("let go while somebody holds it")
		}
		cancel()
		f.Wait()
	})
}
