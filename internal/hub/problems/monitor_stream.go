package problems

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem"
	"watchglass/internal/wire"
)

const (
	// gatherFor is the least time between two batches of rows: a rollout changes many pods at once.
	gatherFor = 50 * time.Millisecond
	// lookEvery is how often the stream looks for kinds and rights that have come or gone.
	lookEvery = time.Second
	// bookmarkEvery is how often a bookmark says that the stream is alive.
	bookmarkEvery = 30 * time.Second
)

// stream is the rows as a Reflector reads them: columns, the rows there are, the bookmark that ends
// them, and then changes.
type stream struct {
	monitor *Monitor
	begun   bool
	last    time.Time // when the last batch was returned
	marked  time.Time // when the last bookmark was sent
	looked  time.Time // when sources were last opened
}

// Next waits for rows.
func (s *stream) Next(ctx context.Context) (wire.Batch, error) {
	b := s.monitor
	for {
		if err := s.wait(ctx); err != nil {
			return wire.Batch{}, err
		}
		if b.restarting() {
			return wire.Batch{}, errNotKept
		}
		now := time.Now()
		if now.Sub(s.looked) >= lookEvery {
			s.looked = now
			b.openSources()
			b.restore(now)
			b.record(now)
		}
		events := s.events(now)
		b.host.Changed()
		if len(events) > 0 {
			s.last = now
			return wire.Batch{Events: events}, nil
		}
	}
}

// wait waits until something may have changed. The first batch waits for nothing.
func (s *stream) wait(ctx context.Context) error {
	if !s.begun {
		return ctx.Err()
	}
	timer := time.NewTimer(s.monitor.idle())
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.monitor.notify:
	case <-timer.C:
	}
	return s.gather(ctx)
}

// gather has the engine read until another batch of rows may be returned.
func (s *stream) gather(ctx context.Context) error {
	for {
		left, rest := s.monitor.read(), gatherFor-time.Since(s.last)
		switch {
		case rest <= 0:
			return ctx.Err()
		case left:
			rest = min(rest, pause)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rest):
		}
	}
}

// events returns what is new, as the apiserver would send rows of a Table.
func (s *stream) events(now time.Time) (out []wire.Event) {
	changed, gone := s.monitor.drain(now)
	event := wire.Modified // or added: to an informer it is one
	if !s.begun {
		event = wire.Added
		out = append(out, wire.Event{Type: wire.Columns, Payload: []byte(columns)})
	}
	for _, r := range changed {
		out = append(out, wire.Event{Type: event, Payload: s.payload(r)})
	}
	for _, r := range gone {
		out = append(out, wire.Event{Type: wire.Deleted, Payload: s.payload(r)})
	}
	switch {
	case !s.begun:
		s.begun, s.marked = true, now
		out = append(out, wire.Event{Type: wire.Bookmark, Payload: object.EndOfList(s.monitor.next())})
	case now.Sub(s.marked) >= bookmarkEvery:
		s.marked = now
		out = append(out, wire.Event{Type: wire.Bookmark, Payload: bookmark(s.monitor.next())})
	}
	return out
}

// Credit does nothing: rows are made when they are asked for.
func (*stream) Credit(int) {}

// Encoding returns the encoding of the rows.
func (*stream) Encoding() wire.Encoding { return wire.EncodingTable }

// Age is 0: the tab is always there. Monitor.Statuses says how old what it reads is.
func (*stream) Age(time.Time) time.Duration { return 0 }

// Close releases the lists that the rules read.
func (s *stream) Close() { s.monitor.close() }

// columns are the columns of the list. The object's own name is the row's key, which nobody wants to
// read.
const columns = `[
{"name":"Key","type":"string","format":"name"},
{"name":"Severity","type":"string"},
{"name":"Kind","type":"string"},
{"name":"Name","type":"string"},
{"name":"Reason","type":"string"},
{"name":"Problem","type":"string"},
{"name":"Count","type":"integer"},
{"name":"Since","type":"date","description":"Custom resource definition column (in JSONPath format): .metadata.creationTimestamp"},
{"name":"Evidence","type":"string","priority":1}]`

// metadata is what a row says of its object.
type metadata struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	Version   string `json:"resourceVersion"`
	Created   string `json:"creationTimestamp,omitempty"`
}

// partial is a PartialObjectMetadata.
type partial struct {
	Kind       string   `json:"kind"`
	APIVersion string   `json:"apiVersion"`
	Metadata   metadata `json:"metadata"`
}

// payload returns a row of the Table.
func (s *stream) payload(r problem.Row) []byte {
	m := metadata{Namespace: r.Namespace, Name: r.Resource + ":" + r.Name + ":" + r.Reason, UID: r.Key(), Version: s.monitor.next()}
	since := ""
	if r.Since > 0 {
		m.Created = time.Unix(r.Since, 0).UTC().Format(time.RFC3339)
		since = "0s" // the instant is that of the metadata
	}
	doc, _ := json.Marshal(struct { // texts and numbers never fail to encode
		Cells  []any   `json:"cells"`
		Object partial `json:"object"`
	}{
		[]any{m.Name, severity(r.Severity), r.Kind, r.Name, r.Reason, r.Words, r.Count, since, r.Evidence},
		partial{"PartialObjectMetadata", "meta.k8s.io/v1", m},
	})
	return doc
}

// severity returns the word for a tone.
func severity(t tone.Tone) string {
	if t == tone.Failed {
		return "Error"
	}
	return "Warning"
}

func bookmark(version string) []byte {
	return []byte(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"` + version + `"}}`)
}

// next returns the next version.
func (m *Monitor) next() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version++
	return strconv.Itoa(m.version)
}
