package recording

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/history"
)

// Limits of a file. All of it is kept in memory, so a malicious file must not exceed what a tab can hold.
const (
	maxBytes   = 256 << 20 // of a file, decompressed
	maxSection = 16 << 20
	maxPayload = 8 << 20
	maxAbout   = 1 << 20 // of a section in JSON: it takes many times that while it is read
	maxGaps    = 1000    // of a stream
	maxStreams = 1000
	maxObjects = 500_000
	maxChanges = 2_000_000
	maxLogs    = 10_000
)

// Reader reads a file from its pieces, decompressed.
type Reader struct {
	record   Recording
	rest     []byte // written, but not yet a whole section
	total    int
	compared bool // the checksums have been compared
	begun    bool // the first line has been read
	ended    bool // the end section has been read
	headed   bool
	reached  int64 // all changes up to this time have been read
	last     int64 // time of the last change
	whole    bool  // all objects of the beginning have been read
	objects  int
	broken   error
	state    [][]progress // of each object of each stream
}

// progress is the state of an object while changes are read.
type progress struct {
	length int // of its payload; 0: it does not exist
	deltas int // since the last whole payload
	uid    string
}

// Write reads a piece. After an error, the rest of the file must not be written; Close may still return
// a Recording of the part before.
func (r *Reader) Write(piece []byte) error {
	if err := r.accept(len(piece)); err != nil {
		return err
	}
	r.rest = append(r.rest, piece...)
	read := false
	for r.next() {
		read = true
	}
	if read {
		r.rest = slices.Clone(r.rest) // what was read aliases the memory
	}
	return r.broken
}

// accept reports why no more bytes can be read.
func (r *Reader) accept(more int) error {
	if r.total += more; r.broken == nil && r.total > maxBytes {
		r.broken = fmt.Errorf("it has more than %d MB of data", maxBytes>>20)
	}
	return r.broken
}

// next reads the first line or the next section, and reports whether it was complete and intact.
func (r *Reader) next() bool {
	if r.broken != nil {
		return false
	}
	if !r.begun {
		r.broken = r.begin()
		return r.begun
	}
	size, ok := r.section()
	r.rest = r.rest[size:]
	return ok
}

// begin reads the first line.
func (r *Reader) begin() error {
	end := bytes.IndexByte(r.rest, '\n')
	if end < 0 && len(r.rest) < 64 && strings.HasPrefix(firstLine, string(r.rest[:min(len(r.rest), len(firstLine))])) {
		return nil // the rest of the line may come
	}
	number, ok := strings.CutPrefix(string(r.rest[:max(end, 0)]), firstLine)
	of, err := strconv.Atoi(number)
	switch {
	case !ok || err != nil || of < 1:
		return ErrFormat
	case of > version:
		return fmt.Errorf("the recording has format %d, but this version reads only up to format %d: open it with a newer Watchglass", of, version)
	}
	r.rest, r.begun = r.rest[end+1:], true
	return nil
}

// section reads the next section, if it is complete, and returns its size.
func (r *Reader) section() (size int, ok bool) {
	if len(r.rest) < 2 {
		return 0, false
	}
	length, n := binary.Uvarint(r.rest[1:])
	if n < 0 || length > maxSection {
		r.broken = errors.New("a section is too long")
		return 0, false
	}
	begin := 1 + n
	end := begin + int(length)
	if n == 0 || len(r.rest) < end+4 {
		return 0, false
	}
	payload := r.rest[begin:end:end]
	switch {
	case !r.compared && crc32.ChecksumIEEE(payload) != binary.LittleEndian.Uint32(r.rest[end:]):
		r.broken = errors.New("a checksum is wrong")
	case r.ended:
		r.broken = errors.New("there is data after its end")
	default:
		r.broken = r.read(r.rest[0], payload)
	}
	return end + 4, r.broken == nil
}

var errContent = errors.New("a section is malformed")

// read reads a section.
func (r *Reader) read(kind byte, payload []byte) error {
	if !r.headed && kind != headerSection {
		return errContent
	}
	switch kind {
	case headerSection:
		return r.header(payload)
	case streamSection:
		return r.stream(payload)
	case objectsSection:
		return r.atBeginning(payload)
	case changesSection:
		return r.changes(payload)
	case timeSection:
		f := fields{b: payload}
		at := int64(f.number())
		if f.bad || at < r.last || at > r.record.To.UnixMicro() {
			return errContent
		}
		r.reached, r.whole = at, true
	case logSection:
		return r.log(payload)
	case missingSection:
		return r.missing(payload)
	case gapsSection:
		return r.gaps(payload)
	case endSection:
		r.ended = true
	}
	return nil
}

func (r *Reader) header(payload []byte) error {
	h := &r.record.Header
	if r.headed || about(payload, h) != nil {
		return errContent
	}
	h.From, h.To = micro(h.From), micro(h.To)
	if h.To.Before(h.From) || h.From.Year() < 1 || h.To.Year() > 9999 { // those JSON has
		return errContent
	}
	h.bound()
	r.headed, r.last = true, h.From.UnixMicro()
	r.reached = r.last
	return nil
}

// about reads a section in JSON.
func about(payload []byte, into any) error {
	if len(payload) > maxAbout {
		return errContent
	}
	return json.Unmarshal(payload, into)
}

// micro rounds a time to microseconds, as in files.
func micro(t time.Time) time.Time { return time.UnixMicro(t.UnixMicro()).UTC() }

func (r *Reader) stream(payload []byte) error {
	var h streamHeader
	if about(payload, &h) != nil || h.Resource == "" || !h.named() || len(r.record.streams) >= maxStreams || len(h.Gaps) > maxGaps {
		return errContent
	}
	s := stream{numbers: make(map[string]uint32), Stream: history.Stream{
		Group: h.Group, Version: h.Version, Resource: h.Resource, Kind: h.Kind, Namespaced: h.Namespaced, Namespace: h.Namespace, Columns: h.Columns,
	}}
	s.gaps, s.since = r.record.gapsOf(h.Gaps), max(h.Since, r.record.From.UnixMicro())
	r.record.streams, r.state = append(r.record.streams, s), append(r.state, nil)
	return nil
}

// named reports whether the names are such as the apiserver has.
func (h *streamHeader) named() bool {
	for _, name := range []string{h.Group, h.Version, h.Resource, h.Kind, h.Namespace} {
		if len(name) > 253 || strings.IndexFunc(name, func(c rune) bool { return c >= 0x80 || c != '.' && c != '-' && c != '_' && !isLetterOrDigit(byte(c)) }) >= 0 {
			return false
		}
	}
	return true
}

// gapsOf returns the parts of gaps that are in the time of the file. Its last moment may be in one.
func (t *Recording) gapsOf(all []gap) (out []history.Gap) {
	first, behind := t.From.UnixMicro(), t.To.UnixMicro()+1
	for _, g := range all {
		if from, to := max(g.From, first), min(g.To, behind); from < to {
			out = append(out, history.Gap{From: time.UnixMicro(from).UTC(), To: time.UnixMicro(to).UTC(), Why: history.Why(g.Why), UID: g.UID})
		}
	}
	return out
}

func (r *Reader) gaps(payload []byte) error {
	var g streamGaps
	if about(payload, &g) != nil || g.Stream < 0 || g.Stream >= len(r.record.streams) || len(g.Gaps) > maxGaps {
		return errContent
	}
	r.record.streams[g.Stream].gaps = r.record.gapsOf(g.Gaps)
	return nil
}

// streamOf returns the stream with a number.
func (r *Reader) streamOf(number uint64) (*stream, *[]progress) {
	if number >= uint64(len(r.record.streams)) {
		return nil, nil
	}
	return &r.record.streams[number], &r.state[number]
}

// atBeginning reads objects that existed at the beginning.
func (r *Reader) atBeginning(payload []byte) error {
	f := fields{b: payload}
	s, state := r.streamOf(f.number())
	if s == nil || r.whole {
		return errContent
	}
	for len(f.b) > 0 {
		key, uid, data := f.bytes(), f.bytes(), f.bytes()
		if _, there := s.numbers[string(key)]; f.bad || there {
			return errContent
		}
		number, err := r.add(s, state, key)
		if err != nil {
			return err
		}
		if (*state)[number].length = len(data); len(data) == 0 || len(data) > maxPayload {
			return errContent
		}
		o := &s.objects[number]
		o.uid, o.data = string(uid), data
		(*state)[number].uid = o.uid
		r.record.changes++
	}
	return nil
}

// add adds the key of an object.
func (r *Reader) add(s *stream, state *[]progress, key []byte) (number uint32, err error) {
	if r.objects++; r.objects > maxObjects {
		return 0, fmt.Errorf("it has more than %d objects", maxObjects)
	}
	o := objectHistory{key: string(key)}
	number = uint32(len(s.objects))
	s.numbers[o.key] = number
	s.objects, *state = appendTo(s.objects, o), appendTo(*state, progress{})
	return number, nil
}

// changes reads changes.
func (r *Reader) changes(payload []byte) error {
	for f := (fields{b: payload}); len(f.b) > 0; {
		s, state := r.streamOf(f.number())
		if s == nil {
			return errContent
		}
		last := s.since
		if n := len(s.changes); n > 0 {
			last = s.changes[n-1].at
		}
		c := change{at: last + int64(f.number()), kind: f.byte()}
		if f.bad || c.at < max(last, r.reached) || c.at > r.record.To.UnixMicro() {
			return errContent
		}
		r.last = max(r.last, c.at)
		if err := r.change(&f, s, state, c); err != nil {
			return err
		}
		if r.record.changes++; r.record.changes > maxChanges+maxObjects {
			return fmt.Errorf("it has more than %d changes", maxChanges)
		}
	}
	return nil
}

// change reads the rest of a change.
func (r *Reader) change(f *fields, s *stream, state *[]progress, c change) (err error) {
	known := false
	if c.kind == putChange {
		key := f.bytes()
		if c.object, known = s.numbers[string(key)]; !known {
			if c.object, err = r.add(s, state, key); err != nil {
				return err
			}
		}
	} else if n := f.number(); f.bad || n >= uint64(len(s.objects)) {
		return errContent
	} else {
		c.object = uint32(n)
	}
	p := &(*state)[c.object]
	length := 0
	switch c.kind {
	case putChange:
		p.uid, c.data, p.deltas = string(f.bytes()), f.bytes(), 0
		length = len(c.data)
	case deltaChange:
		if uid := f.bytes(); len(uid) > 0 {
			p.uid = string(uid)
		}
		c.data = f.bytes()
		p.deltas++
		var ok bool
		if length, ok = history.Patched(p.length, c.data); !ok || p.length == 0 || p.deltas > wholeEvery {
			return errContent
		}
	}
	// Payloads are never empty, and only existing objects are deleted.
	if f.bad || length > maxPayload || (length == 0) != (c.kind == deleteChange) || c.kind == deleteChange && p.length == 0 {
		return errContent
	}
	c.uid = p.uid
	s.changes = appendTo(s.changes, c)
	p.length = length
	return nil
}

// appendTo appends like append, which copies a long slice five times while it grows; this copies it once.
func appendTo[T any](all []T, one T) []T {
	if len(all) == cap(all) {
		all = slices.Grow(all, max(len(all), 16))
	}
	return append(all, one)
}

func (r *Reader) log(payload []byte) error {
	f := fields{b: payload}
	l := history.Log{Namespace: string(f.bytes()), Pod: string(f.bytes()), Container: string(f.bytes()), Previous: f.number() != 0}
	text := f.bytes()
	if f.bad {
		return errContent
	}
	if n := len(r.record.logs); n > 0 {
		if last := &r.record.logs[n-1]; last.Namespace == l.Namespace && last.Pod == l.Pod && last.Container == l.Container && last.Previous == l.Previous {
			last.Text = append(last.Text, text...)
			return nil
		}
	}
	if l.Text = slices.Clone(text); len(r.record.logs) >= maxLogs {
		return errContent
	}
	r.record.logs = append(r.record.logs, l)
	return nil
}

// Close returns the Recording of the pieces written. cause says why the rest of the file could not be read;
// it is "" if the file ended. Close fails if not even the beginning of the file is intact.
func (r *Reader) Close(cause string) (*Recording, error) {
	if cause == "" && r.broken == nil && !r.ended {
		cause = "the file ends too early"
	}
	if r.broken != nil {
		cause = r.broken.Error()
	}
	switch {
	case !r.begun && r.broken == nil && cause != "":
		return nil, fmt.Errorf("%w: %s", ErrFormat, cause)
	case !r.begun:
		return nil, r.broken
	case !r.headed:
		return nil, fmt.Errorf("%w: %s", ErrFormat, cause)
	}
	t := &r.record
	if cause != "" {
		t.damaged(r.reached, r.whole, cause)
		if !r.ended && !slices.Contains(t.Altered, logsOut) { // logs are the last of a file
			t.Damage += " Logs may be missing."
		}
	}
	for i := range t.streams {
		t.streams[i].index()
	}
	return t, nil
}

// damaged truncates the recording to the moment up to which all changes were read.
func (t *Recording) damaged(reached int64, whole bool, cause string) {
	for i := range t.streams {
		s := &t.streams[i]
		n, _ := slices.BinarySearchFunc(s.changes, reached+1, func(c change, at int64) int { return order(c.at, at) })
		t.changes -= uint64(len(s.changes) - n)
		s.changes = s.changes[:n]
	}
	t.To = time.UnixMicro(reached).UTC()
	if t.Damage = "Read up to " + t.To.Format(time.TimeOnly) + " UTC: " + cause + "."; !whole {
		t.Damage = "Some objects are missing: " + cause + "."
	}
}
