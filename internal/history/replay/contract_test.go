//go:build !js

package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"watchglass/internal/demo"
	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/object"
	"watchglass/internal/relay"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// contract is the part of an apiserver's behaviour that the tab relies on, as frames: what it asks, and what
// the relay in front of the demo cluster and a replay of that cluster must answer alike. The demo's own
// contract holds the demo to a real apiserver.
type contract struct {
	*testing.T
	relay, replay *socket.Client
	record        *historytest.Model
	streams       []history.Stream
	now           time.Time
	cluster       *demo.Cluster
	replayed      *Relay
}

// served are the kinds that are compared: of a cluster and of namespaces, in protobuf and in Tables.
var served = []history.Stream{
	pods,
	{Version: "v1", Resource: "nodes", Kind: "Node"},
	{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true},
	{Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespaced: true},
	{Group: "data.example.com", Version: "v1", Resource: "databases", Kind: "Database", Namespaced: true},
}

// newContract records a demo cluster that stands still, and replays it.
func newContract(t *testing.T) *contract {
	t.Helper()
	c := &contract{T: t, now: time.Now().Truncate(time.Second), streams: served}
	c.cluster = demo.New(demo.Options{Pods: 60, Seed: 7, Now: func() time.Time { return c.now }})
	c.relay = throughRelay(t, c.cluster.Handler())
	c.record = historytest.New(c.now)
	for _, s := range c.streams {
		if s.Group == "data.example.com" {
			s.Columns = c.columnsOf(s)
		}
		c.record.Open(s)
	}
	c.keep()
	c.replayed = New(c.record, Options{})
	_, to := c.record.Span()
	c.replayed.Seek(to)
	c.replay = client(t, c.replayed)
	return c
}

// throughRelay returns a client of a relay in front of an apiserver.
func throughRelay(t *testing.T, server http.Handler) *socket.Client {
	t.Helper()
	http := httptest.NewServer(server)
	base, err := url.Parse(http.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	c := socket.New(socket.Options{Dial: func(context.Context) (socket.Connection, error) {
		near, far := wiretest.Pipe(256)
		running.Go(func() {
			defer far.Close()
			_ = relay.Serve(ctx, far, relay.Options{Upstream: relay.Upstream{Base: base, Transport: http.Client().Transport, Heard: time.Now}})
		})
		return socket.Connection{Conn: near}, nil
	}})
	running.Go(func() { _ = c.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait(); http.Close() })
	return c
}

// of returns a request about a kind.
func of(s history.Stream, verb wire.Verb) wire.Request {
	q := wire.Request{Verb: verb, Group: s.Group, Version: s.Version, Resource: s.Resource}
	if s.Columns != nil {
		q.Encoding = wire.EncodingTable
	}
	return q
}

// answered is what came of a request.
type answered struct {
	columns, marks int
	keys           []string // in the order in which they came, with versions
	payloads       map[string][]byte
	meta           wire.ListMeta
	failed         string // the code and the reason
}

// answer reads the answer to a list, or to a watch up to the end of its initial events.
func (c *contract) answer(from *socket.Client, q wire.Request) (a answered) {
	c.Helper()
	a.payloads = make(map[string][]byte)
	s, err := from.Open(c.Context(), q)
	if err != nil {
		a.failed = failure(err)
		return a
	}
	defer s.Close()
	for {
		b, err := s.Next(c.Context())
		if err != nil {
			a.failed = failure(err)
			return a
		}
		for _, e := range b.Events {
			switch e.Type {
			case wire.Columns:
				a.columns++
			case wire.ListEnd:
				c.must(json.Unmarshal(e.Payload, &a.meta))
				return a
			case wire.Bookmark:
				if a.marks++; strings.Contains(string(e.Payload), "initial-events-end") {
					return a
				}
			case wire.Item, wire.Added:
				id, err := object.ReadIdentity(e.Payload)
				c.must(err)
				a.keys = append(a.keys, id.Key()+" "+id.Version)
				a.payloads[id.Key()] = slices.Clone(e.Payload)
			default:
				c.Fatalf("%+v: event %c", q, e.Type)
			}
		}
	}
}

// failure returns the code and the reason of a refusal.
func failure(err error) string {
	var status *wire.Status
	if !errors.As(err, &status) {
		return err.Error()
	}
	return http.StatusText(status.Code) + " " + status.Reason
}

func (c *contract) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// columnsOf returns the columns of a Table as the relay sends them.
func (c *contract) columnsOf(s history.Stream) (columns []byte) {
	c.Helper()
	q := of(s, wire.List)
	q.Encoding = wire.EncodingTable
	stream, err := c.relay.Open(c.Context(), q)
	c.must(err)
	defer stream.Close()
	for columns == nil {
		b, err := stream.Next(c.Context())
		c.must(err)
		for _, e := range b.Events {
			if e.Type == wire.Columns {
				columns = slices.Clone(e.Payload)
			}
		}
	}
	return columns
}

// keep adds what the demo cluster has now to the record.
func (c *contract) keep() {
	c.Helper()
	for i, s := range c.record.Streams() {
		now := c.answer(c.relay, of(s, wire.List))
		if now.failed != "" || len(now.keys) == 0 {
			c.Fatalf("%s: %d objects, %s", s.Resource, len(now.keys), now.failed)
		}
		c.record.At(i, c.now, func(o history.Object) bool {
			if now.payloads[o.Key] == nil {
				c.record.Put(i, c.now, o.Key, o.UID, nil)
			}
			return true
		})
		for key, payload := range now.payloads {
			id, err := object.ReadIdentity(payload)
			c.must(err)
			if before, ok := c.record.Find(i, key, c.now); !ok || string(before.Payload) != string(payload) {
				c.record.Put(i, c.now, key, id.UID, payload)
			}
		}
	}
}

// TestContract checks that lists, pages, watches, selectors and refusals are answered alike by the relay and
// by a replay, before the cluster changes and after.
func TestContract(t *testing.T) {
	c := newContract(t)
	c.compare()
	before := make([][]string, len(c.streams))
	for i, s := range c.record.Streams() {
		before[i] = c.answer(c.replay, of(s, wire.List)).keys
	}
	at := c.now
	c.now = c.now.Add(2 * time.Minute)
	c.cluster.Advance(c.now)
	c.keep()
	c.replayed.Seek(c.now)
	c.compare()
	c.replayed.Seek(at)
	for i, s := range c.record.Streams() {
		if got := c.answer(c.replay, of(s, wire.List)).keys; !slices.Equal(sorted(got), sorted(before[i])) {
			t.Errorf("%s differ when time is back: %v\nwere %v", s.Resource, got, before[i])
		}
	}
}

func sorted(keys []string) []string { return slices.Sorted(slices.Values(keys)) }

// compare asks both for the same.
func (c *contract) compare() {
	c.Helper()
	for _, s := range c.record.Streams() {
		for name, q := range c.requests(s) {
			one, two := c.answer(c.relay, q), c.answer(c.replay, q)
			if one.failed != two.failed || one.columns != two.columns || !slices.Equal(sorted(one.keys), sorted(two.keys)) {
				c.Errorf("%s, %s: the relay answers %d objects, %d columns, %q\nthe replay %d, %d, %q", s.Resource, name, len(one.keys), one.columns, one.failed, len(two.keys), two.columns, two.failed)
			}
			if one.failed == "" && q.Encoding == "" {
				c.samePayloads(s.Resource+", "+name, one, two)
			}
			if (one.marks > 0) != (two.marks > 0) || (one.meta.ResourceVersion == "") != (two.meta.ResourceVersion == "") {
				c.Errorf("%s, %s: %d and %d bookmarks, version %q", s.Resource, name, one.marks, two.marks, two.meta.ResourceVersion)
			}
		}
		c.comparePages(s)
		c.compareObject(s)
	}
}

// samePayloads compares objects byte by byte.
func (c *contract) samePayloads(what string, one, two answered) {
	c.Helper()
	for key, payload := range one.payloads {
		if string(two.payloads[key]) != string(payload) {
			c.Errorf("%s: %s differs", what, key)
			return
		}
	}
}

// requests are what the tab asks of a kind.
func (c *contract) requests(s history.Stream) map[string]wire.Request {
	list, name := of(s, wire.List), ""
	c.record.At(slices.IndexFunc(c.streams, func(o history.Stream) bool { return o.Resource == s.Resource }), c.now, func(o history.Object) bool {
		_, name, _ = strings.Cut("/"+o.Key, "/")
		return false
	})
	watch := wire.InitialWatch(s.Group, s.Version, s.Resource, "")
	watch.Encoding = list.Encoding
	all := map[string]wire.Request{"list": list, "watch": watch}
	change := func(name string, f func(q *wire.Request)) {
		for verb, q := range map[string]wire.Request{"list": list, "watch": watch} {
			f(&q)
			all[verb+" "+name] = q
		}
	}
	change("by label", func(q *wire.Request) { q.LabelSelector = "app" })
	change("without a label", func(q *wire.Request) { q.LabelSelector = "!app,x!=y" })
	change("of no label", func(q *wire.Request) { q.LabelSelector = "app=no-such-app" })
	change("by name", func(q *wire.Request) { q.FieldSelector = "metadata.name=" + name[strings.LastIndexByte(name, '/')+1:] })
	change("metadata", func(q *wire.Request) { q.Encoding = wire.EncodingMetadata })
	change("wrong label", func(q *wire.Request) { q.LabelSelector = "a b" })
	if s.Namespaced {
		change("of a namespace", func(q *wire.Request) { q.Namespace, _, _ = strings.Cut(strings.TrimPrefix(name, "/"), "/") })
	}
	if s.Resource == "pods" {
		change("of a node", func(q *wire.Request) { q.FieldSelector = "spec.nodeName=" })
		change("of other nodes", func(q *wire.Request) { q.FieldSelector = "spec.nodeName!=" })
	}
	return all
}

// comparePages reads lists page by page.
func (c *contract) comparePages(s history.Stream) {
	c.Helper()
	var pages [2][][]string
	for i, from := range []*socket.Client{c.relay, c.replay} {
		q := of(s, wire.List)
		for q.Limit = 7; ; {
			a := c.answer(from, q)
			pages[i] = append(pages[i], a.keys)
			if q.Continue = a.meta.Continue; q.Continue == "" || a.failed != "" {
				break
			}
		}
	}
	if !slices.EqualFunc(pages[0], pages[1], slices.Equal[[]string]) {
		c.Errorf("%s: the relay's pages are %v\nthose of the replay %v", s.Resource, pages[0], pages[1])
	}
}

// compareObject asks for one object, for one that is missing, and for a version that is unknown.
func (c *contract) compareObject(s history.Stream) {
	c.Helper()
	if s.Columns != nil {
		return // its body is not in the record
	}
	key := ""
	for i, o := range c.streams {
		if o.Resource == s.Resource {
			c.record.At(i, c.now, func(o history.Object) bool { key = o.Key; return false })
		}
	}
	q := of(s, wire.Get)
	q.Name = key
	if namespace, name, ok := strings.Cut(key, "/"); ok {
		q.Namespace, q.Name = namespace, name
	}
	missing := q
	missing.Name = "no-such-object"
	q.Encoding, missing.Encoding = wire.EncodingJSON, wire.EncodingJSON
	one, err := c.relay.Get(c.Context(), q)
	c.must(err)
	two, err := c.replay.Get(c.Context(), q)
	c.must(err)
	if !sameDocument(one, two) {
		c.Errorf("%s %s: %s", s.Resource, key, difference(one, two))
	}
	_, oneErr := c.relay.Get(c.Context(), missing)
	_, twoErr := c.replay.Get(c.Context(), missing)
	if one, two := failure(oneErr), failure(twoErr); one != two || one != "Not Found NotFound" {
		c.Errorf("%s that is missing: %q and %q", s.Resource, one, two)
	}
	// A replay counts its versions from 1, and the cluster is far beyond that.
	for client, version := range map[*socket.Client]string{c.relay: "1", c.replay: "1000000"} {
		q := of(s, wire.List)
		q.ResourceVersion, q.ResourceVersionMatch = version, "Exact"
		if failed := c.answer(client, q).failed; failed != "Gone Expired" {
			c.Errorf("%s of the unknown version %s: %q", s.Resource, version, failed)
		}
	}
}

// noTime is a time that is not set. Protobuf, which is what a record has, leaves it out; apiservers write it in JSON.
var noTime = []byte(`"lastProbeTime":null,`)

// sameDocument compares objects in JSON by what they have, and numbers digit by digit, as the YAML would show them.
func sameDocument(one, two []byte) bool {
	one = bytes.ReplaceAll(one, noTime, nil)
	a, errA := decoded(one)
	b, errB := decoded(two)
	if errA != nil || errB != nil {
		return string(one) == string(two)
	}
	return reflect.DeepEqual(a, b)
}

// decoded decodes a document, with its numbers as texts.
func decoded(doc []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// difference returns where two texts begin to differ.
func difference(one, two []byte) string {
	at := 0
	for at < min(len(one), len(two)) && one[at] == two[at] {
		at++
	}
	around := func(text []byte) string { return string(text[max(0, at-80):min(len(text), at+80)]) }
	return "…" + around(one) + "…\nand as replayed\n…" + around(two) + "…"
}
