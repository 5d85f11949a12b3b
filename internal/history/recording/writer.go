package recording

import (
	"encoding/binary"
	"encoding/json"
	"hash/maphash"
	"slices"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// sectionSize is the approximate size of a section and of a piece: small enough to cause no noticeable
// pause.
const sectionSize = 128 << 10

// Write writes the part of a tape between the header's From and To, and returns how many objects and changes
// were left out because they could not be read. It calls emit with each piece of the file, and with nil in
// between, at least every few milliseconds; emit may pause, and stop Write with an error. Besides the
// pieces, Write needs memory for the keys of the objects, and keptMost bytes if payloads are rewritten.
func Write(t history.Tape, h Header, c Choices, emit func(piece []byte) error) (dropped int, err error) {
	h.From, h.To, h.Altered = micro(h.From), micro(h.To), c.altered()
	if c.names() {
		h.Cluster, h.User, h.Page = "", "", ""
	}
	w := &writer{redactor: newRedactor(c), emit: emit, out: []byte(firstLine + "1\n")}
	w.walk = newWalk(t, h.From, h.To, c, w.flush)
	if err := w.collectNames(); err != nil {
		return 0, err
	}
	for _, step := range []func(Header) error{w.header, w.objects, w.changes, w.logs, w.lateGaps} {
		if err := step(h); err != nil {
			return w.dropped, err
		}
	}
	w.out = appendSection(w.out, endSection, nil)
	return w.dropped, emit(w.out)
}

// writer writes a file.
type writer struct {
	*walk
	*redactor
	emit    func(piece []byte) error
	out     []byte // the current piece
	batch   []byte // the current section
	scratch []byte
	deltas  history.Deltas
	last    []int64 // time of the last change of each stream
	known   [][]gap // gaps of each stream at the beginning
	state   []map[string]written
	dropped int
	kept    int // bytes of rewritten payloads
}

// written is the state of an object in the file.
type written struct {
	number uint32
	deltas uint8
	there  bool   // it exists
	sum    uint64 // of its payload; 0 if rewritten is kept, or the file lacks the last version
	// rewritten is its payload, if that was rewritten, and of the sum of the original. Parts that the
	// next version shares with the original need not be rewritten again.
	rewritten []byte
	of        uint64
}

// keptMost is the maximum of rewritten payloads kept, in bytes.
const keptMost = 48 << 20

// setWritten notes the last version of an object, and keeps its rewritten payload if there is room.
func (w *writer) setWritten(now *written, payload, rewritten []byte) {
	w.kept -= len(now.rewritten)
	now.rewritten, now.sum = nil, 0
	switch {
	case len(rewritten) == 0:
	case w.rewrites && w.kept+len(rewritten) <= keptMost:
		now.rewritten, now.of = rewritten, maphash.Bytes(seed, payload)
	default:
		now.sum = maphash.Bytes(seed, rewritten)
	}
	w.kept += len(now.rewritten)
}

// last returns a payload with its rewritten form, if that was kept.
func (w written) last(payload []byte) object.Rewritten {
	if w.rewritten == nil || payload == nil || maphash.Bytes(seed, payload) != w.of {
		return object.Rewritten{}
	}
	return object.Rewritten{Payload: payload, Out: w.rewritten}
}

var seed = maphash.MakeSeed()

// collectNames collects all names of the tape, so that they are found in texts, and the values that must
// not be in log lines.
func (w *writer) collectNames() error {
	values := w.HideValues && len(w.Logs) > 0
	if w.hide == 0 && !values {
		return nil
	}
	w.collect = true
	defer func() { w.collect = false }()
	all := w.walk
	if len(w.Logs) > 0 { // log lines may name objects of kinds or namespaces that are left out
		all = newWalk(w.tape, w.from, w.to, Choices{}, w.pause)
	}
	noted := make([]map[string]uint64, len(all.streams)) // the sum of the last payload of each object
	note := func(i int, key string, before, after []byte) {
		w.key(all.streams[i], key)
		var last object.Rewritten // what it has was noted
		if sum, ok := noted[i][key]; ok && before != nil && sum == maphash.Bytes(seed, before) {
			last = object.Rewritten{Payload: before, Out: before}
		}
		w.payload(all.streams[i], last, after)
		noted[i][key] = maphash.Bytes(seed, after)
	}
	for i, s := range all.streams {
		if s.Namespace != "" {
			w.note(namespaceName, s.Namespace)
		}
		noted[i] = make(map[string]uint64)
		if err := all.eachObject(i, func(o history.Object) { note(i, o.Key, nil, o.Payload) }); err != nil {
			return err
		}
	}
	return all.eachChange(func(i int, c history.Change) { note(i, c.Key, c.Before, c.After) }, func(time.Time) error { return nil })
}

// flush emits the current piece if it is large enough.
func (w *writer) flush() error {
	if len(w.out) < sectionSize {
		return w.emit(nil)
	}
	out := w.out
	w.out = nil
	return w.emit(out)
}

// section adds a section.
func (w *writer) section(kind byte, payload []byte) { w.out = appendSection(w.out, kind, payload) }

// cut ends the current section.
func (w *writer) cut(kind byte) {
	if len(w.batch) > 0 {
		w.section(kind, w.batch)
		w.batch = w.batch[:0]
	}
}

func (w *writer) header(h Header) error {
	doc, err := json.Marshal(h)
	if err != nil {
		return err
	}
	w.section(headerSection, doc)
	for i, s := range w.streams {
		h := streamHeader{Group: s.Group, Version: s.Version, Resource: s.Resource, Kind: s.Kind, Namespaced: s.Namespaced, Namespace: s.Namespace, Columns: s.Columns}
		if s.Namespace != "" {
			h.Namespace = w.name(namespaceName, s.Namespace)
		}
		since, _ := w.since(i)
		h.Gaps, h.Since = w.gaps(i), since.UnixMicro()
		w.known, w.last = append(w.known, h.Gaps), append(w.last, h.Since)
		doc, err := json.Marshal(h)
		if err != nil {
			return err
		}
		w.section(streamSection, doc)
		w.state = append(w.state, make(map[string]written))
	}
	return nil
}

// gaps returns the gaps of a stream within the file's time.
func (w *writer) gaps(i int) (all []gap) {
	for _, g := range w.tape.Gaps(w.numbers[i]) {
		if !g.To.Before(w.from) && !g.From.After(w.to) {
			all = append(all, gap{g.From.UnixMicro(), g.To.UnixMicro(), byte(g.Why)})
		}
	}
	return all
}

// lateGaps writes the gaps of streams whose gaps have changed since the header was written.
func (w *writer) lateGaps(Header) error {
	for i := range w.streams {
		if gaps := w.gaps(i); !slices.Equal(gaps, w.known[i]) {
			doc, err := json.Marshal(streamGaps{i, gaps})
			if err != nil {
				return err
			}
			w.section(gapsSection, doc)
		}
	}
	return nil
}

func (w *writer) objects(h Header) error {
	for i, s := range w.streams {
		var like object.Rewritten // the object before this one, which mostly has the same owner and much in common
		err := w.eachObject(i, func(o history.Object) {
			payload := w.payload(s, like, o.Payload)
			if len(payload) == 0 || len(payload) > maxPayload {
				w.dropped++
				return
			}
			if w.rewrites {
				like = object.Rewritten{Payload: append(like.Payload[:0], o.Payload...), Out: payload}
			}
			if len(w.batch) == 0 {
				w.batch = binary.AppendUvarint(w.batch, uint64(i))
			}
			w.batch = appendText(appendText(appendText(w.batch, w.key(s, o.Key)), o.UID), payload)
			now := written{number: uint32(len(w.state[i])), there: true}
			w.setWritten(&now, o.Payload, payload)
			w.state[i][o.Key] = now
			if len(w.batch) >= sectionSize {
				w.cut(objectsSection)
			}
		})
		if w.cut(objectsSection); err != nil {
			return err
		}
	}
	return w.time(h.From)
}

// time writes that all changes up to a moment have been written.
func (w *writer) time(at time.Time) error {
	w.cut(changesSection)
	w.section(timeSection, binary.AppendUvarint(nil, uint64(at.UnixMicro())))
	return w.flush()
}

func (w *writer) changes(h Header) error {
	return w.eachChange(w.change, w.time)
}

// change adds a change to the current section.
func (w *writer) change(i int, c history.Change) {
	s := w.streams[i]
	now, known := w.state[i][c.Key]
	last := now.last(c.Before)
	var after []byte
	if c.Type != wire.Deleted {
		if after = w.payload(s, last, c.After); len(after) == 0 || len(after) > maxPayload {
			w.dropped++
			w.setWritten(&now, nil, nil) // the next version can't be a delta of what the file has
			if known {
				w.state[i][c.Key] = now
			}
			return
		}
	} else if !known || !now.there {
		return
	}
	at := max(c.At.UnixMicro(), w.last[i])
	w.batch = binary.AppendUvarint(binary.AppendUvarint(w.batch, uint64(i)), uint64(at-w.last[i]))
	w.last[i] = at
	var before []byte
	if known && c.Type == wire.Modified && now.deltas < wholeEvery {
		if before = last.Out; before == nil {
			before = w.payload(s, last, c.Before)
		}
	}
	switch {
	case after == nil:
		w.batch = binary.AppendUvarint(append(w.batch, deleteChange), uint64(now.number))
	case len(before) > 0 && (last.Out != nil || maphash.Bytes(seed, before) == now.sum):
		w.scratch = w.deltas.Append(w.scratch[:0], before, after)
		w.batch = binary.AppendUvarint(append(w.batch, deltaChange), uint64(now.number))
		w.batch = appendText(appendText(w.batch, c.UID), w.scratch)
		now.deltas++
	default:
		if !known {
			now.number = uint32(len(w.state[i]))
		}
		w.batch = appendText(appendText(appendText(append(w.batch, putChange), w.key(s, c.Key)), c.UID), after)
		now.deltas = 0
	}
	now.there = after != nil
	w.setWritten(&now, c.After, after)
	if w.state[i][c.Key] = now; len(w.batch) >= sectionSize {
		w.cut(changesSection)
	}
}

// logs writes the logs that were chosen.
func (w *writer) logs(Header) error {
	tape, ok := w.tape.(history.Logged)
	if !ok || len(w.Logs) == 0 {
		return nil
	}
	for _, l := range tape.Logs() {
		if !w.keepsLog(l) {
			continue
		}
		for text := w.within(l.Text); len(text) > 0; {
			n := min(len(text), sectionSize)
			for at := n - 1; n < len(text) && at >= 0; at-- { // don't split a name
				if text[at] == '\n' {
					n = at + 1
					break
				}
			}
			previous := uint64(0)
			if l.Previous {
				previous = 1
			}
			w.batch = appendText(appendText(appendText(w.batch[:0], w.name(namespaceName, l.Namespace)), w.name(objectName, l.Pod)), w.name(objectName, l.Container))
			w.batch = appendText(binary.AppendUvarint(w.batch, previous), w.logText(text[:n]))
			w.cut(logSection)
			if err := w.flush(); err != nil {
				return err
			}
			text = text[n:]
		}
	}
	return nil
}
