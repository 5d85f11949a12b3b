package replay

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/wire"
)

// answer starts answering the request.
func (s *stream) answer() (wire.Encoding, *wire.Status) {
	switch s.request.Verb {
	case wire.Discover:
		return wire.EncodingJSON, s.item(s.conn.relay.discover(s.request))
	case wire.Review:
		return wire.EncodingJSON, s.item(s.conn.relay.review(s.request))
	case wire.Log:
		return wire.EncodingDefault, s.openLog()
	case wire.List, wire.Watch, wire.Get:
	default:
		return "", refusal(400, wire.ReasonBadRequest, "unknown verb "+strconv.Quote(string(s.request.Verb)))
	}
	r := s.conn.relay
	on, about, status := r.find(s.request, r.at())
	if status != nil {
		return "", status
	}
	if status := r.unknown(on, r.at()); status != nil {
		return "", status
	}
	picks, status := selected(s.request, about)
	if status != nil {
		return "", status
	}
	switch s.request.Verb {
	case wire.Watch:
		status = s.openWatch(on, about, picks)
	case wire.List:
		status = s.list(on, about, picks)
	case wire.Get:
		status = s.item(s.get(on, picks))
	}
	return s.encoding(about), status
}

// encoding returns how the objects of a stream are written.
func (s *stream) encoding(about history.Stream) wire.Encoding {
	switch {
	case s.request.Encoding == wire.EncodingMetadata, s.request.Verb == wire.Get:
		return wire.EncodingJSON
	case about.Columns != nil:
		return wire.EncodingTable
	case kindOf(about).Native():
		return wire.EncodingProtobuf
	}
	return wire.EncodingJSON
}

// item sends a document, and ends the stream.
func (s *stream) item(doc []byte, status *wire.Status) *wire.Status {
	if status != nil {
		return status
	}
	b := batch{stream: s}
	b.add(wire.Item, doc)
	b.flush()
	s.over = true
	return nil
}

// loader is a record that loads some of its streams from elsewhere, which may fail.
type loader interface {
	Load(stream int, at time.Time) error
}

// load returns why a stream can't be read at a moment; nil if it can.
func (r *Relay) load(on int, at time.Time) *wire.Status {
	record, ok := r.record.(loader)
	if !ok {
		return nil
	}
	if err := record.Load(on, at); err != nil {
		return refusal(403, wire.ReasonForbidden, "can't read the history of "+r.record.Streams()[on].Resource+": "+err.Error())
	}
	return nil
}

// unknown returns why nothing is known of a stream at a moment; nil if something is.
func (r *Relay) unknown(on int, at time.Time) *wire.Status {
	if status := r.denied(on, at); status != nil {
		return status
	}
	if status := r.load(on, at); status != nil {
		return status
	}
	for _, g := range r.record.Gaps(on) {
		if at.Before(g.From) || !at.Before(g.To) {
			continue
		}
		name := r.record.Streams()[on].Resource
		switch g.Why {
		case history.Closed:
			if r.empty(on, at) {
				return refusal(403, wire.ReasonForbidden, name+" were not watched at this time")
			}
		case history.Dropped:
			if r.empty(on, at) {
				return refusal(403, wire.ReasonForbidden, "the history of "+name+" at this time was dropped")
			}
		}
	}
	return nil
}

// denied returns that the right to read a stream was lost since a moment; nil if it was not. The record may
// begin later since then, without the stream.
func (r *Relay) denied(on int, at time.Time) *wire.Status {
	if from, _ := r.record.Span(); at.Before(from) {
		at = from
	}
	for _, g := range r.record.Gaps(on) {
		if g.Why == history.Denied && !at.Before(g.From) && at.Before(g.To) {
			return refusal(403, wire.ReasonForbidden, "permission to read "+r.record.Streams()[on].Resource+" was lost, and their history was removed")
		}
	}
	return nil
}

// empty reports whether a stream has no objects at a moment.
func (r *Relay) empty(on int, at time.Time) bool {
	empty := true
	r.record.At(on, at, func(history.Object) bool {
		empty = false
		return false
	})
	return empty
}

// get returns the document of an object.
func (s *stream) get(on int, picks *selection) ([]byte, *wire.Status) {
	q := s.request
	key := q.Name
	if q.Namespace != "" {
		key = q.Namespace + "/" + q.Name
	}
	found, ok := s.conn.relay.record.Find(on, key, s.conn.relay.at())
	if !ok || !picks.has(key, found.Payload) {
		return nil, refusal(404, wire.ReasonNotFound, kindName(q)+" "+strconv.Quote(q.Name)+" not found at this time")
	}
	if q.Encoding != wire.EncodingJSON {
		return picks.encode(found.Payload), nil
	}
	o := picks.decode(found.Payload)
	if o == nil {
		return nil, refusal(0, wire.ReasonMalformed, "the recorded object can't be read")
	}
	if !picks.kind.Whole(o) {
		return nil, refusal(404, wire.ReasonNotFound, "only the metadata and the columns of "+kindName(q)+" were watched at this time; an object is watched whole while it is open")
	}
	doc, err := picks.kind.Document(o)
	if err != nil {
		return nil, refusal(0, wire.ReasonMalformed, "the recorded object: "+err.Error())
	}
	return doc, nil
}

// list sends a list, or a page of it.
func (s *stream) list(on int, about history.Stream, picks *selection) *wire.Status {
	r, q := s.conn.relay, s.request
	version, after, at := r.version, "", r.at()
	if q.Continue != "" || q.ResourceVersionMatch == "Exact" {
		text := q.ResourceVersion
		if q.Continue != "" {
			text, after, _ = strings.Cut(q.Continue, " ")
		}
		n, err := strconv.ParseUint(text, 10, 64)
		known, ok := r.momentOf(n)
		if err != nil || !ok || !r.answers(on, q, known) {
			return refusal(410, wire.ReasonExpired, "version "+text+" is unknown here")
		}
		version, at = n, known
	}
	b := batch{stream: s}
	if about.Columns != nil && !picks.metadata {
		b.add(wire.Columns, about.Columns)
	}
	meta := wire.ListMeta{ResourceVersion: versionText(version)}
	var keys []string
	r.record.At(on, at, func(o history.Object) bool {
		switch {
		case !picks.has(o.Key, o.Payload):
		case q.Limit <= 0 && after == "":
			b.add(wire.Item, picks.encode(o.Payload))
		case o.Key > after:
			keys = append(keys, o.Key)
		}
		return !s.over
	})
	slices.Sort(keys)
	if n := int(min(q.Limit, int64(len(keys)))); n > 0 && n < len(keys) {
		meta.Continue, meta.RemainingItemCount = meta.ResourceVersion+" "+keys[n-1], int64(len(keys)-n)
		keys = keys[:n]
	}
	for _, key := range keys {
		if o, ok := r.record.Find(on, key, at); ok && !s.over {
			b.add(wire.Item, picks.encode(o.Payload))
		}
	}
	if status := r.unknown(on, at); status != nil { // dropped since the first page: what is missing did exist
		return status
	}
	end, _ := json.Marshal(meta) // texts and numbers never fail to encode
	b.add(wire.ListEnd, end)
	b.flush()
	s.over = true
	return nil
}
