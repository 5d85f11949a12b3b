package recording

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/object/rewrite"
	"watchglass/internal/object/schema"
	"watchglass/internal/sorting"
	"watchglass/internal/wire"
)

// sectionSize is about the size of a section and of a piece: small enough to be made without a
// noticeable pause.
const sectionSize = 128 << 10

// Write writes a record between two moments of the header, and returns what was left out because it could not be
// read. It calls emit with each piece of the file, and with nil in between, at least every few
// milliseconds: emit may pause, and end the file with an error. Besides the pieces it needs memory for the
// keys of the objects, for passMost bytes if the record is a file's, and for keptMost bytes if payloads are rewritten.
func Write(t history.Record, h Header, c Choices, emit func(piece []byte) error) (dropped int, err error) {
	h.From, h.To = micro(h.From), micro(h.To)
	h.alter(&c)
	if c.names() {
		h.Cluster, h.User = "", ""
	}
	if c.hidden() != 0 || c.HideValues || len(c.Namespaces) > 0 { // a filter may have anything
		h.Page = ""
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
	out     []byte // the piece that is being made
	batch   []byte // the section that is being made
	scratch []byte
	deltas  history.Deltas
	last    []int64     // when the last change of each stream was
	known   [][]gap     // of each stream, at the beginning
	late    [][]gap     // of each stream, from what was dropped until catchUp
	reached []time.Time // the moment up to which each stream is written
	state   []map[string]*lastWritten
	dropped int
	kept    int    // bytes of rewritten payloads
	spare   []byte // memory for the next rewritten payload
}

// lastWritten is what the file has of an object.
type lastWritten struct {
	number uint32
	deltas uint8
	there  bool   // it is not deleted
	sum    uint64 // of its payload; 0: that is kept, or the file lacks the last version
	// rewritten is that payload, if it is not as it was, and of the sum of what it was. What the next
	// version has in common with it need not be rewritten again.
	rewritten []byte
	of        uint64
}

// keptMost is how many bytes of rewritten payloads are kept.
const keptMost = 48 << 20

// wrote notes the last version of an object, and keeps what it was rewritten to if there is room for it.
func (w *writer) wrote(now *lastWritten, payload, rewritten []byte) {
	w.kept -= len(now.rewritten)
	free := now.rewritten
	now.rewritten, now.sum = nil, 0
	switch {
	case len(rewritten) == 0:
	case w.rewrites && w.kept+len(rewritten) <= keptMost:
		now.rewritten, now.of = rewritten, sum(payload)
	default:
		if now.sum = sum(rewritten); w.rewrites { // else it may be the record's
			free = rewritten
		}
	}
	w.kept += len(now.rewritten)
	w.spare = free[:0]
}

// last returns a payload with what became of it, if that was kept.
func (w *lastWritten) last(payload []byte) rewrite.Result {
	if w.rewritten == nil || payload == nil || sum(payload) != w.of {
		return rewrite.Result{}
	}
	return rewrite.Result{Payload: payload, Out: w.rewritten}
}

// collectNames collects all names of the record, so that they are found in texts, and the values that must not be
// in messages and log lines. It reads all of history, also if the file covers a part: a line may have the value that a
// variable had before, or a name of a list that was closed by then or opened later.
func (w *writer) collectNames() error {
	if w.hide == 0 && !w.HideValues {
		return nil
	}
	w.collect = true
	if !w.collectsAll() {
		w.payloads.Skips = skipsOthers()
	}
	defer func() { w.collect, w.payloads.Skips = false, nil }()
	// A message or a log line may name what is in a kind or namespace that is left out.
	from, to := w.record.Span()
	all := newWalk(w.record, micro(from), later(w.to, to), Choices{}, w.pause)
	w.collectOfLogs()
	for i, s := range all.streams {
		if !w.hasTexts(s) {
			continue
		}
		if s.Namespace != "" {
			w.note(namespaceName, s.Namespace)
		}
		err := all.eachVersion(i, func(payload []byte) []byte { return w.collects(s, payload) }, func(key string, had, payload []byte) {
			w.key(s, key)
			w.collectFrom(s, had, payload)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// collectOfLogs collects what is known of the logs alone: the pods of an owner's logs may be in no stream.
func (w *writer) collectOfLogs() {
	record, ok := w.record.(history.LogRecord)
	if !ok {
		return
	}
	for _, l := range record.Logs() {
		w.note(namespaceName, l.Namespace)
		w.note(objectName, l.Pod)
		w.note(objectName, l.Container)
		w.collectFrom(podsOfLogs, nil, l.Object)
	}
}

// podsOfLogs is the stream that the pods of logs would be in.
var podsOfLogs = history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}

// later returns the later of two moments.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// skipsOthers tells which messages have no environment variables in them, and are in none. Of metadata, the
// schema does not say so: who manages which fields is in JSON.
func skipsOthers() func([]string, *schema.Message) bool {
	known := make(map[*schema.Message]bool)
	return func(path []string, m *schema.Message) bool {
		without, ok := known[m]
		if !ok {
			without = !m.Reaches([]string{"env"})
			known[m] = without
		}
		return (without || path[len(path)-1] == "metadata") && !slices.ContainsFunc(path, isEnvironment)
	}
}

// collects returns the part of a payload that has what is collected: variables are in the spec.
func (w *writer) collects(s history.Stream, payload []byte) []byte {
	if !w.collectsAll() {
		if spec := kindOf(s).Spec(payload); spec != nil {
			return spec
		}
	}
	return payload
}

// collectFrom collects the names and values in a payload that are not in another of its kind, whose own
// have been collected.
func (w *writer) collectFrom(s history.Stream, collected, payload []byte) {
	w.spare = w.payload(w.spare, s, rewrite.Result{Payload: collected, Out: collected}, payload)[:0]
}

// withVariables are the built-in kinds whose objects have environment variables.
var withVariables = []string{"Pod", "PodTemplate", "ReplicationController", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "ControllerRevision"}

// collectsAll reports whether there is more to collect than the values of variables.
func (w *writer) collectsAll() bool { return w.hide != 0 || len(w.Logs) > 0 }

// hasTexts reports whether anything in a stream has to be collected. If neither names nor log lines are
// replaced, that is environment variables only.
func (w *writer) hasTexts(s history.Stream) bool {
	return w.collectsAll() || !kindOf(s).Native() || slices.Contains(withVariables, s.Kind)
}

// kindOf returns the kind of a stream's objects.
func kindOf(s history.Stream) object.Kind {
	return object.Kind{Group: s.Group, Version: s.Version, Resource: s.Resource, Name: s.Kind}
}

// flush emits the piece that is being made, if it is large enough.
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

// cut ends the section that is being made.
func (w *writer) cut(kind byte) {
	if len(w.batch) > 0 {
		w.section(kind, w.batch)
		w.batch = w.batch[:0]
	}
}

func (w *writer) header(h Header) error {
	if w.HideHosts { // contexts are often named by a server
		h.Cluster, h.User = w.text(h.Cluster, true), w.text(h.User, true)
	}
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
		w.late, w.reached = append(w.late, nil), append(w.reached, since)
		doc, err := json.Marshal(h)
		if err != nil {
			return err
		}
		w.section(streamSection, doc)
		w.state = append(w.state, make(map[string]*lastWritten))
	}
	return nil
}

// gaps returns the gaps of a stream in the time of the file.
func (w *writer) gaps(i int) (all []gap) {
	for _, g := range w.record.Gaps(w.numbers[i]) {
		if !g.To.Before(w.from) && !g.From.After(w.to) {
			all = append(all, gap{From: g.From.UnixMicro(), To: g.To.UnixMicro(), Why: byte(g.Why)})
		}
	}
	return all
}

// lateGaps writes the gaps of streams that have lost something since the beginning, and those of catchUp.
func (w *writer) lateGaps(Header) error {
	for i := range w.streams {
		gaps := w.gaps(i)
		if len(w.late[i]) > 0 {
			gaps = append(gaps, w.late[i]...)
			sorting.StableBy(gaps, func(a, b gap) int { return cmp.Compare(a.From, b.From) })
		}
		if !slices.Equal(gaps, w.known[i]) {
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
		var last rewrite.Result // neighbours have much in common
		w.reached[i], _ = w.since(i)
		err := w.eachObject(i, func(o history.Object) {
			payload := w.payload(nil, s, last, o.Payload)
			if len(payload) == 0 || len(payload) > maxPayload {
				w.dropped++
				return
			}
			if len(w.batch) == 0 {
				w.batch = binary.AppendUvarint(w.batch, uint64(i))
			}
			w.batch = appendText(appendText(appendText(w.batch, w.key(s, o.Key)), o.UID), payload)
			last.Payload, last.Out = append(last.Payload[:0], o.Payload...), payload
			now := &lastWritten{number: uint32(len(w.state[i])), there: true}
			w.wrote(now, o.Payload, payload)
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

// time notes up to when all changes have been written.
func (w *writer) time(at time.Time) error {
	w.cut(changesSection)
	w.section(timeSection, binary.AppendUvarint(nil, uint64(at.UnixMicro())))
	return w.flush()
}

func (w *writer) changes(h Header) error {
	return w.eachChange(w.change, func(to time.Time) error {
		for i := range w.streams {
			if err := w.catchUp(i, to); err != nil {
				return err
			}
		}
		return w.time(to)
	})
}

// catchUp writes how a stream's objects at the end of a window differ from the file's, if the record has dropped
// changes before they were read. Without it, objects that these deleted would stay to the end. The time from what
// was dropped to the end of the window becomes a gap. If the end was dropped too, a later call catches up.
func (w *writer) catchUp(i int, to time.Time) error {
	lost, reached := w.lost(i, to), w.reached[i]
	if to.After(reached) {
		w.reached[i] = to
	}
	if !lost.After(reached) || lost.After(to) {
		return nil
	}
	there := make(map[string]bool)
	err := w.eachObjectAt(i, to, func(o history.Object) {
		if there[o.Key] = true; !w.has(i, o) {
			w.change(i, history.Change{At: to, Type: wire.Added, Key: o.Key, UID: o.UID, After: o.Payload})
		}
	})
	if err != nil || w.lost(i, to).After(to) { // dropped meanwhile: nothing says what is gone by then
		return err
	}
	for key, now := range w.state[i] {
		if now.there && !there[key] {
			w.change(i, history.Change{At: to, Type: wire.Deleted, Key: key})
		}
	}
	if lost.Before(to) {
		w.late[i] = append(w.late[i], gap{From: lost.UnixMicro(), To: to.UnixMicro(), Why: byte(history.Dropped)})
	}
	return nil
}

// has reports whether the last version of an object in the file is this one.
func (w *writer) has(i int, o history.Object) bool {
	now := w.state[i][o.Key]
	switch {
	case now == nil || !now.there:
		return false
	case now.rewritten != nil:
		return sum(o.Payload) == now.of
	}
	return now.sum != 0 && sum(w.payload(nil, w.streams[i], rewrite.Result{}, o.Payload)) == now.sum
}

// change adds a change to the section.
func (w *writer) change(i int, c history.Change) {
	s := w.streams[i]
	now, known := w.state[i][c.Key]
	if !known {
		now = &lastWritten{number: uint32(len(w.state[i]))}
	}
	last := now.last(c.Before)
	var after []byte
	if c.Type != wire.Deleted {
		if after = w.payload(w.spare, s, last, c.After); len(after) == 0 || len(after) > maxPayload {
			w.dropped++
			w.wrote(now, nil, nil) // what follows is no delta of what the file has
			return
		}
	} else if !now.there {
		return
	}
	at := max(c.At.UnixMicro(), w.last[i])
	w.batch = binary.AppendUvarint(binary.AppendUvarint(w.batch, uint64(i)), uint64(at-w.last[i]))
	w.last[i] = at
	var before []byte
	if known && c.Type == wire.Modified && now.deltas < wholeEvery {
		if before = last.Out; before == nil {
			before = w.payload(nil, s, last, c.Before)
		}
	}
	switch {
	case after == nil:
		w.batch = binary.AppendUvarint(append(w.batch, deleteChange), uint64(now.number))
	case len(before) > 0 && (last.Out != nil || sum(before) == now.sum):
		w.scratch = w.deltas.Append(w.scratch[:0], before, after)
		w.batch = binary.AppendUvarint(append(w.batch, deltaChange), uint64(now.number))
		w.batch = appendText(appendText(w.batch, c.UID), w.scratch)
		now.deltas++
	default:
		w.batch = appendText(appendText(appendText(append(w.batch, putChange), w.key(s, c.Key)), c.UID), after)
		now.deltas = 0
	}
	now.there = after != nil
	w.wrote(now, c.After, after)
	if !known {
		w.state[i][c.Key] = now
	}
	if len(w.batch) >= sectionSize {
		w.cut(changesSection)
	}
}

// logs writes the logs that were chosen.
func (w *writer) logs(Header) error {
	record, ok := w.record.(history.LogRecord)
	if !ok || len(w.Logs) == 0 {
		return nil
	}
	for _, l := range record.Logs() {
		if !w.keepsLog(l) {
			continue
		}
		text := w.within(l.Text)
		if err := w.log(l, text); err != nil {
			return err
		}
		if l.Known && len(text) > 0 {
			doc, err := json.Marshal(w.missing(l.Gaps))
			if err != nil {
				return err
			}
			w.section(missingSection, doc)
		}
	}
	return nil
}

// log writes a log. Whole lines are redacted, so that no name or value is cut, and then divided.
func (w *writer) log(l history.Log, text []byte) error {
	for len(text) > 0 {
		n := bytes.LastIndexByte(text[:min(len(text), sectionSize)], '\n') + 1
		if n == 0 {
			if n = bytes.IndexByte(text, '\n') + 1; n == 0 {
				n = len(text)
			}
		}
		for piece := range slices.Chunk([]byte(w.logText(text[:n])), sectionSize) {
			if err := w.logSection(l, piece); err != nil {
				return err
			}
		}
		text = text[n:]
	}
	return nil
}

func (w *writer) logSection(l history.Log, piece []byte) error {
	previous := uint64(0)
	if l.Previous {
		previous = 1
	}
	w.batch = appendText(appendText(appendText(w.batch[:0], w.name(namespaceName, l.Namespace)), w.name(objectName, l.Pod)), w.name(objectName, l.Container))
	w.batch = appendText(binary.AppendUvarint(w.batch, previous), piece)
	w.cut(logSection)
	return w.flush()
}
