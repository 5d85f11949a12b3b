package timelines

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"watchglass/internal/history/timeline"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// Kind is the kind of a row in the list of entries. No server has it.
var Kind = object.Kind{Version: "v1", Resource: port.Timeline, Name: "TimelineEntry", Singular: "timelineentry", Namespaced: true}

// stream is the newest entries as a Reflector reads them: columns, the rows there are, the bookmark
// that ends them, and then changes.
type stream struct {
	tracker *Tracker

	mu      sync.Mutex
	newest  timeline.Newest
	renewed bool // the record is another
	headed  bool // the columns were sent
	begun   bool // the bookmark was sent
	ready   bool // all of the record has been read once
	sent    map[int]*timeline.Row
	version int
	marked  time.Time
	told    time.Time     // when rows were last sent
	news    chan struct{} // holds one
	release func()        // of the lists that are watched
}

var (
	errNotKept = &wire.Status{Origin: wire.FromTab, Code: 410, Reason: wire.ReasonExpired, Message: "the timeline has no older versions"}
	errOpen    = &wire.Status{Origin: wire.FromTab, Code: 503, Message: "the timeline is already being read"}
)

// openStream adds the stream of rows. The informer of the list opens one at a time, and always from the
// start.
func (t *Tracker) openStream() (*stream, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stream != nil {
		return nil, errOpen
	}
	t.stream = &stream{tracker: t, sent: make(map[int]*timeline.Row), news: make(chan struct{}, 1)}
	t.runLocked()
	return t.stream, nil
}

// Rows is a reflector.Source of the rows of a Tracker.
type Rows struct{ *Tracker }

// Open opens the stream of rows.
func (r Rows) Open(_ context.Context, q wire.Request) (reflector.Stream, error) {
	if q.Verb != wire.Watch || !q.SendInitialEvents {
		return nil, errNotKept
	}
	s, err := r.openStream()
	if err != nil {
		return nil, err
	}
	s.release = r.host.Watch()
	return s, nil
}

// streams reports whether the list is open.
func (t *Tracker) streams() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stream != nil
}

// feed gives the list what has been read.
func (t *Tracker) feed(line *timeline.Timeline) {
	t.mu.Lock()
	s := t.stream
	t.mu.Unlock()
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.renewed {
		s.newest, s.renewed = timeline.Newest{}, false
	}
	changed := s.newest.Read(line, timeline.MostRows, t.host.Moment())
	ready := s.ready || line.Progress() == 0
	changed = changed || !s.begun || ready != s.ready
	if s.ready = ready; changed {
		select {
		case s.news <- struct{}{}:
		default:
		}
	}
}

func (s *stream) anew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewed = true
}

// bookmarkEvery is how often a bookmark says that the stream is alive, and gatherFor the least time
// between two batches. While the record is read for the first time, which may take many seconds, the newest entries so
// far are rows as often as tellEvery.
const (
	bookmarkEvery = 30 * time.Second
	gatherFor     = 200 * time.Millisecond
	tellEvery     = 2 * time.Second
)

// Next waits for rows.
func (s *stream) Next(ctx context.Context) (wire.Batch, error) {
	for {
		timer := time.NewTimer(s.untilBookmark())
		select {
		case <-ctx.Done():
			timer.Stop()
			return wire.Batch{}, ctx.Err()
		case <-s.news:
		case <-timer.C:
		}
		timer.Stop()
		if events := s.events(time.Now()); len(events) > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(gatherFor):
			}
			return wire.Batch{Events: events}, nil
		}
	}
}

// untilBookmark returns how long to wait for news. It goes on from one call of Next to the next, whose contexts may
// end sooner.
func (s *stream) untilBookmark() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		return bookmarkEvery
	}
	return max(gatherFor, bookmarkEvery-time.Since(s.marked)) // while the record is read, a bookmark may be late
}

// events returns what is new, as the apiserver would send rows of a Table.
func (s *stream) events(now time.Time) (out []wire.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.headed { // before the rows, which may take seconds: a list without its columns can't be sorted
		s.headed = true
		out = append(out, wire.Event{Type: wire.Columns, Payload: []byte(columns)})
	}
	if !s.ready && now.Sub(s.told) < tellEvery {
		return out
	}
	s.told = now
	there := make(map[int]bool, timeline.MostRows)
	for _, r := range s.newest.Rows() {
		there[r.Number] = true
		was := s.sent[r.Number]
		if was != nil && *was == *r {
			continue
		}
		if was != nil { // another Timeline gives its numbers to other entries
			out = append(out, wire.Event{Type: wire.Deleted, Payload: s.payload(was)})
		}
		s.sent[r.Number] = r
		out = append(out, wire.Event{Type: wire.Added, Payload: s.payload(r)})
	}
	for number, r := range s.sent {
		if !there[number] {
			delete(s.sent, number)
			out = append(out, wire.Event{Type: wire.Deleted, Payload: s.payload(r)})
		}
	}
	switch {
	case !s.begun:
		s.begun, s.marked = true, now
		out = append(out, wire.Event{Type: wire.Bookmark, Payload: object.EndOfList(s.next())})
	case now.Sub(s.marked) >= bookmarkEvery:
		s.marked = now
		out = append(out, wire.Event{Type: wire.Bookmark, Payload: []byte(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"` + s.next() + `"}}`)})
	}
	return out
}

// next returns the next version.
func (s *stream) next() string {
	s.version++
	return strconv.Itoa(s.version)
}

// Credit does nothing: rows are made when they are asked for.
func (*stream) Credit(int) {}

// Encoding returns the encoding of the rows.
func (*stream) Encoding() wire.Encoding { return wire.EncodingTable }

// Age is 0: the tab is always there.
func (*stream) Age(time.Time) time.Duration { return 0 }

// Close ends the list.
func (s *stream) Close() {
	s.release()
	s.tracker.mu.Lock()
	defer s.tracker.mu.Unlock()
	if s.tracker.stream == s {
		s.tracker.stream = nil
	}
	s.tracker.wake()
}

// columns are the columns of the list. The object's own name is the row's key.
const columns = `[
{"name":"Key","type":"string","format":"name"},
{"name":"Time","type":"date","description":"Custom resource definition column (in JSONPath format): .metadata.creationTimestamp"},
{"name":"What","type":"string"},
{"name":"Kind","type":"string"},
{"name":"Name","type":"string"},
{"name":"Change","type":"string"},
{"name":"Owner","type":"string","priority":1},
{"name":"Node","type":"string","priority":1}]`

// metadata is what a row says of its object.
type metadata struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	Version   string `json:"resourceVersion"`
	Created   string `json:"creationTimestamp,omitempty"`
}

// payload returns a row of the Table.
func (s *stream) payload(r *timeline.Row) []byte {
	m := metadata{Namespace: r.Namespace, Name: r.Resource + ":" + r.Name + ":" + strconv.Itoa(r.Number), UID: r.Resource + "/" + r.Namespace + "/" + r.Name + "/" + strconv.Itoa(r.Number), Version: s.next()}
	m.Created = time.UnixMilli(r.At).UTC().Format(time.RFC3339)
	doc, _ := json.Marshal(struct { // texts and numbers never fail to encode
		Cells  []any `json:"cells"`
		Object any   `json:"object"`
	}{
		[]any{m.Name, "0s", string(r.Class), r.Kind, r.Name, r.Words, r.Owner, r.Node}, // the instant is that of the metadata
		struct {
			Kind       string   `json:"kind"`
			APIVersion string   `json:"apiVersion"`
			Metadata   metadata `json:"metadata"`
		}{"PartialObjectMetadata", "meta.k8s.io/v1", m},
	})
	return doc
}
