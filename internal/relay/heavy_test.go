//go:build !js

package relay

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// idle fails the test if any room is held.
func (h *Heavy) idle(t *testing.T) {
	t.Helper()
	h.room.idle(t)
}

// full acquires all room, and returns a function that releases it.
func (h *Heavy) full(t *testing.T) (giveBack func()) {
	t.Helper()
	if err := h.room.acquire(t.Context(), "somebody else", h.room.capacity, 0); err != nil {
		t.Fatal(err)
	}
	return func() { h.room.release("somebody else", h.room.capacity) }
}

// large returns an object of at least so many bytes.
func large(bytes int) *corev1.Pod {
	p := pod("p")
	p.Annotations["x"] = strings.Repeat("y", bytes)
	return p
}

// TestHeavyWaits shows, for every form of an answer, that a large object is not read before there is
// room for it, that a small one is, and that the connection works meanwhile.
func TestHeavyWaits(t *testing.T) {
	object := large(1 << 20)
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, Items: []corev1.Pod{*object, *object}}
	doc := string(asJSON(t, object))
	event := metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: asProtobuf(t, object)}}
	ask := func(verb wire.Verb, encoding wire.Encoding) wire.Request {
		r := wire.Request{Verb: verb, Version: "v1", Resource: "pods", Namespace: "a", Encoding: encoding}
		if verb == wire.Get {
			r.Name = "p"
		}
		return r
	}
	table := `{"kind":"Table","rows":[{"cells":["p"],"object":` + doc + `}]}`
	for name, c := range map[string]struct {
		request           wire.Request
		contentType, body string
	}{
		"JSON":           {ask(wire.Get, wire.EncodingJSON), "application/json", doc},
		"protobuf":       {ask(wire.Get, ""), "application/vnd.kubernetes.protobuf", string(asProtobuf(t, object))},
		"Table":          {ask(wire.Get, wire.EncodingWhole), "application/json", table},
		"list":           {ask(wire.List, wire.EncodingJSON), "application/json", string(asJSON(t, list))},
		"Table list":     {ask(wire.List, wire.EncodingWhole), "application/json", table},
		"protobuf list":  {ask(wire.List, ""), "application/vnd.kubernetes.protobuf", string(asProtobuf(t, list))},
		"watch":          {ask(wire.Watch, wire.EncodingJSON), "application/json", `{"type":"ADDED","object":` + doc + `}`},
		"Table watch":    {ask(wire.Watch, wire.EncodingWhole), "application/json", `{"type":"ADDED","object":` + table + `}`},
		"protobuf watch": {ask(wire.Watch, ""), "application/vnd.kubernetes.protobuf;stream=watch", string(watchFrames(t, event))},
		"discovery":      {wire.Request{Verb: wire.Discover, Group: "*"}, "application/json", doc},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				heavy := NewHeavy()
				giveBack := heavy.full(t)
				small := ask(wire.Get, wire.EncodingJSON)
				small.Name = "small"
				tb := start(t, func(r *http.Request) (*http.Response, error) {
					if strings.HasSuffix(r.URL.Path, "/small") {
						return answer(r, 200, "application/json", bytes.NewReader(asJSON(t, large(40<<10)))), nil
					}
					return answer(r, 200, c.contentType, strings.NewReader(c.body)), nil
				}, Options{Heavy: heavy, User: "ana"})
				tb.write([]byte(hello))
				tb.next()
				tb.write(wire.JSONFrame(wire.KindOpen, 2, c.request))
				tb.expect(wire.KindOpened, 2, "")
				synctest.Wait()
				tb.write(wire.JSONFrame(wire.KindOpen, 3, small))
				tb.expect(wire.KindOpened, 3, "")
				tb.expect(wire.KindData, 3, "")
				tb.expect(wire.KindEnd, 3, "")
				giveBack()
				tb.expect(wire.KindData, 2, "")
				for f := tb.next(); f.Kind != wire.KindEnd; f = tb.next() {
				}
				synctest.Wait()
				heavy.idle(t)
			})
		})
	}
}

// TestHeavyLeaves shows that a tab can close a waiting stream at once, and that a session with many
// of them ends with its context.
func TestHeavyLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heavy := NewHeavy()
		giveBack := heavy.full(t)
		doc := string(asJSON(t, large(1<<20)))
		ended := make(chan struct{}, 200)
		near, far := wiretest.Pipe(300)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- Serve(ctx, near, Options{Heavy: heavy, User: "ana", Upstream: Upstream{Base: base(t, "https://h"), Transport: transport(func(r *http.Request) (*http.Response, error) {
				context.AfterFunc(r.Context(), func() { ended <- struct{}{} })
				return answer(r, 200, "application/json", strings.NewReader(doc)), nil
			})}})
		}()
		tb := &tab{t: t, conn: far}
		tb.write([]byte(hello))
		tb.next()
		for i := range uint32(50) {
			tb.write(wire.JSONFrame(wire.KindOpen, i+2, wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "p", Encoding: wire.EncodingJSON}))
		}
		synctest.Wait()
		tb.write(wire.AppendHeader(nil, wire.KindClose, 7))
		<-ended
		cancel()
		<-done
		giveBack()
		heavy.idle(t)
		far.Close()
	})
}

// counted counts the bytes that are read of bodies.
type counted struct {
	io.Reader
	read *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// TestHeavyHoarder lets a tab request many lists of large objects and read nothing. The relay reads
// a bounded part of them, serves another user meanwhile, and finally releases all room while the
// tab is still connected.
func TestHeavyHoarder(t *testing.T) {
	const lists = 30
	object := large(1 << 20)
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
	for range 5 {
		list.Items = append(list.Items, *object)
	}
	for contentType, answers := range map[string][2][]byte{
		"application/json":                    {asJSON(t, list), asJSON(t, object)},
		"application/vnd.kubernetes.protobuf": {asProtobuf(t, list), asProtobuf(t, object)},
	} {
		t.Run(contentType, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				heavy := NewHeavy()
				var read atomic.Int64
				unread := new(ledger)
				serve := func(user string) *tab {
					near, far := wiretest.Pipe(1000) // the network takes all that the relay writes
					tb := &tab{t: t, conn: far, done: make(chan error, 1)}
					go func() {
						tb.done <- Serve(t.Context(), near, Options{Heavy: heavy, User: user, Meter: unread, Observe: unread.observe, Upstream: Upstream{Base: base(t, "https://h"), Transport: transport(func(r *http.Request) (*http.Response, error) {
							if strings.HasSuffix(r.URL.Path, "/p") {
								return answer(r, 200, contentType, bytes.NewReader(answers[1])), nil
							}
							return answer(r, 200, contentType, counted{bytes.NewReader(answers[0]), &read}), nil
						})}})
					}()
					tb.write([]byte(hello))
					tb.next()
					return tb
				}
				mallory := serve("mallory")
				beating := make(chan struct{})
				go func() { // the tab lives, and says so
					defer close(beating)
					for mallory.conn.Write(t.Context(), wire.BeatFrame(nil)) == nil {
						time.Sleep(wire.BeatEvery)
					}
				}()
				for i := range uint32(lists) {
					mallory.write(wire.JSONFrame(wire.KindOpen, i+2, wire.Request{Verb: wire.List, Version: "v1", Resource: "pods", Encoding: encodingOf(contentType)}))
				}
				synctest.Wait()
				if held := heavy.room.capacity - heavy.room.free; held == 0 || held > heavyRoom/2 {
					t.Errorf("one user holds %d bytes", held)
				}
				if most := int64(wire.ConnWindow + heavyRoom/2 + lists*2*keepBytes); read.Load() > most {
					t.Errorf("%d MB were read, want %d at most", read.Load()>>20, most>>20)
				}
				ana := serve("ana")
				ana.write(wire.JSONFrame(wire.KindOpen, 2, wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "p", Encoding: encodingOf(contentType)}))
				ana.expect(wire.KindOpened, 2, "")
				if f := ana.expect(wire.KindData, 2, ""); len(f.Body) < 1<<20 {
					t.Errorf("%d bytes", len(f.Body))
				}
				ana.conn.Close()
				<-ana.done
				for ended := 0; ended < lists; {
					f := mallory.next()
					if f.Kind != wire.KindEnd {
						continue
					}
					var e wire.End
					if err := f.JSON(&e); err != nil || e.Status == nil || !strings.Contains(e.Status.Message, errUnread.Error()) {
						t.Fatalf("%v %s", err, f.Body)
					}
					ended++
				}
				heavy.idle(t)
				mallory.conn.Close()
				<-mallory.done
				<-beating
				unread.records = slices.DeleteFunc(unread.records, func(r Record) bool { return r.Request.Verb == wire.Get }) // ana's
				if len(unread.records) != lists || slices.ContainsFunc(unread.records, func(r Record) bool { return r.End != EndUnread }) {
					t.Errorf("recorded %+v", unread.records)
				}
			})
		})
	}
}

// encodingOf returns the encoding to request for an answer of a media type.
func encodingOf(contentType string) wire.Encoding {
	if contentType == "application/json" {
		return wire.EncodingJSON
	}
	return wire.EncodingDefault
}
