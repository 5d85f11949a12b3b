package timelines

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/history/timeline"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// host is a Host whose board a test feeds.
type host struct{ record history.Record }

func (h host) Record() history.Record             { return h.record }
func (host) Find(name string) (object.Kind, bool) { return object.Builtin(name) }
func (host) Start(func(context.Context))          {}
func (host) Watch() (release func())              { return func() {} }
func (host) Moment() int64                        { return 0 }
func (host) Rest()                                {}
func (host) Changed()                             {}

// TestRowsWhileReading holds that the columns come at once and the newest entries so far soon after, also while the record
// is still being read, and that none is missing in the end.
func TestRowsWhileReading(t *testing.T) {
	begin := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	record := historytest.New(begin)
	in := record.Open(history.Stream{Group: "acme.com", Version: "v1", Resource: "things", Kind: "Thing", Namespaced: true, Columns: []byte(`[{"name":"Name","type":"string"},{"name":"Phase","type":"string"}]`)})
	put := func(i int) {
		record.Put(in, begin.Add(time.Duration(i)*time.Second), "shop/one", "u", fmt.Appendf(nil, `{"cells":["one","p%d"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"one","namespace":"shop","uid":"u","resourceVersion":"%d","creationTimestamp":"2026-11-26T11:00:00Z"}}}`, i, i))
	}
	put(1)
	put(2)
	b := New(host{record})
	b.stream = &stream{tracker: b, sent: make(map[int]*timeline.Row), news: make(chan struct{}, 1)}
	line := timeline.New(record, object.Builtin)
	defer line.Close()
	now := begin.Add(time.Hour)
	look := func(after time.Duration) (rows int, kinds string) {
		now = now.Add(after)
		for _, e := range b.stream.events(now) {
			kinds += string(rune(e.Type))
			if e.Type == wire.Added {
				rows++
			}
		}
		return rows, kinds
	}
	line.Read(0) // one change
	b.feed(line)
	b.stream.ready = false // as in a record that takes long
	rows, kinds := look(0)
	if first := string(rune(wire.Columns)); !strings.HasPrefix(kinds, first) || !strings.HasSuffix(kinds, string(rune(wire.Bookmark))) {
		t.Fatalf("first came %q", kinds)
	}
	put(3)
	for line.Read(time.Second) {
	}
	b.feed(line)
	b.stream.ready = false
	if more, kinds := look(tellEvery / 2); kinds != "" {
		t.Errorf("%d rows, %q after half the time", more, kinds)
	}
	more, _ := look(tellEvery)
	if rows += more; more == 0 {
		t.Error("no rows while the record is read")
	}
	put(4)
	for line.Read(time.Second) {
	}
	b.feed(line) // all has been read
	more, _ = look(0)
	if rows += more; more == 0 || rows != len(b.stream.newest.Rows()) {
		t.Errorf("%d rows of %d", rows, len(b.stream.newest.Rows()))
	}
}

// TestRowsOfAnotherTimeline holds that the rows of a new Timeline, whose numbers begin anew, take the place of those
// that were sent under the same numbers, and that a row that is the same is not sent again.
func TestRowsOfAnotherTimeline(t *testing.T) {
	begin := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	record := historytest.New(begin)
	put := func(resource, kind string, names ...string) {
		in := record.Open(history.Stream{Version: "v1", Resource: resource, Kind: kind, Namespaced: true})
		for i, name := range names {
			record.Put(in, begin.Add(time.Duration(i+1)*time.Second), "shop/"+name, name, fmt.Appendf(nil, `{"kind":%q,"apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","uid":%[2]q,"resourceVersion":"1"}}`, kind, name))
		}
	}
	put("pods", "Pod", "web-1", "web-2")
	put("services", "Service", "web")
	b := New(host{record})
	b.stream = &stream{tracker: b, sent: make(map[int]*timeline.Row), news: make(chan struct{}, 1)}
	shown := make(map[string]bool) // keys of the rows that the list has
	look := func(record history.Record) (events int) {
		line := timeline.New(record, object.Builtin)
		defer line.Close()
		for line.Read(time.Second) {
		}
		b.anew()
		b.feed(line)
		for _, e := range b.stream.events(begin) {
			var row struct {
				Object struct{ Metadata struct{ Name string } }
			}
			if e.Type != wire.Added && e.Type != wire.Deleted {
				continue
			}
			if err := json.Unmarshal(e.Payload, &row); err != nil {
				t.Fatal(err)
			}
			if events++; e.Type == wire.Added {
				shown[row.Object.Metadata.Name] = true
			} else {
				delete(shown, row.Object.Metadata.Name)
			}
		}
		return events
	}
	has := func(want string) {
		t.Helper()
		if got := strings.Join(slices.Sorted(maps.Keys(shown)), " "); got != want {
			t.Errorf("rows %q, want %q", got, want)
		}
	}
	look(record)
	has("pods:web-1:1 pods:web-2:2 services:web:3")
	if n := look(record); n != 0 {
		t.Errorf("%d rows are sent again", n)
	}
	record = historytest.New(begin) // pods may not be read any more
	put("services", "Service", "web")
	look(record)
	has("services:web:1")
}
