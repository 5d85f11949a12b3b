package releases

import (
	"context"
	"encoding/json"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/object/encoded"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// rowStream is a stream of Secrets, of which rows are made.
type rowStream struct {
	reflector.Stream
	decoder *object.Decoder
	ready   []wire.Event // to be returned before the stream is read again
	begun   bool         // the columns were returned
}

// Encoding returns the encoding of the rows.
func (*rowStream) Encoding() wire.Encoding { return wire.EncodingTable }

// atOnce is how many rows make a batch.
const atOnce = 500

// take returns some of the events that are ready, and accounts for bytes of the Secrets' stream.
func (s *rowStream) take(bytes int) wire.Batch {
	n := min(len(s.ready), atOnce)
	out := wire.Batch{Events: s.ready[:n:n], Bytes: bytes}
	s.ready = s.ready[n:]
	return out
}

// begin makes the columns ready, once.
func (s *rowStream) begin() {
	if !s.begun {
		s.begun = true
		s.add(wire.Columns, []byte(columns))
	}
}

func (s *rowStream) add(what wire.EventType, payload []byte) {
	s.ready = append(s.ready, wire.Event{Type: what, Payload: payload})
}

// unreadable is an event that cannot be read, as the Secret's could not: the Reflector counts it.
func (s *rowStream) unreadable(what wire.EventType) { s.add(what, []byte(`{}`)) }

// Paused reports whether the stream of Secrets is paused.
func (s *rowStream) Paused() bool { return reflector.Paused(s.Stream) }

// Credit forwards credit for what the server sent.
func (s *rowStream) Credit(bytes int) {
	if bytes > 0 {
		s.Stream.Credit(bytes)
	}
}

// watch is a watch of releases.
type watch struct {
	rowStream
	book    book
	initial bool      // the list that it begins with is coming in
	touched book      // the releases of it that were not returned yet
	flushed time.Time // when they last were
}

// holdFor is how long the releases of an initial list wait, each for more revisions. Most lists are
// complete by then. A Reflector gives up a list of which nothing comes for five seconds.
const holdFor = time.Second

// Next waits for events.
func (w *watch) Next(ctx context.Context) (wire.Batch, error) {
	if len(w.ready) > 0 {
		return w.take(0), nil
	}
	batch, err := w.Stream.Next(ctx)
	if err != nil {
		return batch, err
	}
	w.begin()
	for _, e := range batch.Events {
		w.event(e)
	}
	if time.Since(w.flushed) >= holdFor {
		w.flush()
	}
	return w.take(batch.Bytes), nil
}

// flush makes the releases of the initial list ready, each once.
func (w *watch) flush() {
	w.flushed = time.Now()
	for _, of := range w.touched.releases() {
		w.row(wire.Added, of, "")
	}
	clear(w.touched)
}

// row makes the row of a release ready, or that it is gone.
func (w *watch) row(what wire.EventType, of key, version string) {
	if w.book[of] == nil {
		what = wire.Deleted
	}
	w.add(what, w.book.row(of, version))
}

// event makes ready what follows from an event of a Secret.
func (w *watch) event(e wire.Event) {
	switch e.Type {
	case wire.Columns:
	case wire.Added, wire.Modified, wire.Deleted:
		secret, err := w.decoder.Decode(e.Payload)
		if err != nil {
			w.unreadable(e.Type)
			return
		}
		of, ok := w.book.apply(secret, e.Type == wire.Deleted)
		switch {
		case !ok:
		case w.initial:
			w.touched[of] = nil
		default:
			w.row(wire.Modified, of, secret.Version()) // or added: to an informer it is one
		}
	case wire.Bookmark:
		w.bookmark(e.Payload)
	default:
		w.add(e.Type, append([]byte(nil), e.Payload...)) // the events are valid until the next call of the stream
	}
}

// bookmark makes a bookmark ready, after what came before it.
func (w *watch) bookmark(payload []byte) {
	version, end, err := w.decoder.Bookmark(payload)
	switch {
	case err != nil:
		w.unreadable(wire.Bookmark)
	case !end:
		w.add(wire.Bookmark, append(encoded.AppendString([]byte(`{"metadata":{"resourceVersion":`), version), `}}`...))
	default:
		w.flush()
		w.initial = false
		w.add(wire.Bookmark, object.EndOfList(version))
	}
}

// list is a list of releases, or a page of one.
type list struct {
	rowStream
	book    book                      // of all pages so far
	touched book                      // the releases of this page
	paged   func(book, wire.ListMeta) // called when the page is complete
}

// Next waits for items. None is known before the page is complete: another revision of the same release
// may follow.
func (l *list) Next(ctx context.Context) (wire.Batch, error) {
	if len(l.ready) > 0 {
		return l.take(0), nil
	}
	batch, err := l.Stream.Next(ctx)
	if err != nil {
		return batch, err
	}
	l.begin()
	for _, e := range batch.Events {
		l.event(e)
	}
	return l.take(batch.Bytes), nil
}

func (l *list) event(e wire.Event) {
	switch e.Type {
	case wire.Columns:
	case wire.Item:
		secret, err := l.decoder.Decode(e.Payload)
		if err != nil {
			l.unreadable(e.Type)
		} else if of, ok := l.book.apply(secret, false); ok && l.book[of] != nil {
			l.touched[of] = nil
		}
	case wire.ListEnd:
		for _, of := range l.touched.releases() {
			l.add(wire.Item, l.book.row(of, ""))
		}
		var meta wire.ListMeta
		if json.Unmarshal(e.Payload, &meta) == nil {
			l.paged(l.book, meta)
		}
		fallthrough
	default:
		l.add(e.Type, append([]byte(nil), e.Payload...))
	}
}
