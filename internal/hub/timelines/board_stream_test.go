package timelines

import (
	"context"
	"fmt"
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
type host struct{ tape history.Tape }

func (h host) Tape() history.Tape                 { return h.tape }
func (host) Find(name string) (object.Kind, bool) { return object.Builtin(name) }
func (host) Start(func(context.Context))          {}
func (host) Watch() (release func())              { return func() {} }
func (host) Moment() int64                        { return 0 }
func (host) Rest()                                {}
func (host) Changed()                             {}

// TestRowsWhileReading holds that the columns come at once and the newest entries so far soon after, also while the tape
// is still being read, and that none is missing in the end.
func TestRowsWhileReading(t *testing.T) {
	begin := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	tape := historytest.New(begin)
	in := tape.Open(history.Stream{Group: "acme.com", Version: "v1", Resource: "things", Kind: "Thing", Namespaced: true, Columns: []byte(`[{"name":"Name","type":"string"},{"name":"Phase","type":"string"}]`)})
	put := func(i int) {
		tape.Put(in, begin.Add(time.Duration(i)*time.Second), "shop/one", "u", fmt.Appendf(nil, `{"cells":["one","p%d"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"one","namespace":"shop","uid":"u","resourceVersion":"%d","creationTimestamp":"2026-11-26T11:00:00Z"}}}`, i, i))
	}
	put(1)
	put(2)
	b := New(host{tape})
	b.stream = &stream{board: b, sent: make(map[int]*timeline.Row), news: make(chan struct{}, 1)}
	line := timeline.New(tape, object.Builtin)
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
	b.stream.ready = false // as in a tape that takes long
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
		t.Error("no rows while the tape is read")
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
