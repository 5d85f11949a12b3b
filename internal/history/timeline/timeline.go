package timeline

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/object/tree"
)

// Timeline has the entries of a record. It reads the record in steps, each as short as its caller wants,
// and then what is added to it. It is for one goroutine.
type Timeline struct {
	record  history.Record
	find    func(name string) (object.Kind, bool)
	streams []*stream
	objects map[objectKey]*Object
	kinds   map[string]string // resources by "kind.group"; "" if the kind is not known

	chunks  []*chunk
	most    int              // chunks that are kept
	lost    map[string]int64 // when the last entry of a kind was whose chunk was not kept
	count   int              // of all entries ever, which is the last one's number
	from    int64
	counted uint64 // the record's, when all of it was last read
	done    bool   // all of it has been read
	learnt  int    // objects that were found after their entries
}

type objectKey struct{ resource, key string }

// stream is what is read of one stream of the record.
type stream struct {
	*reader
	index int
	gaps  []history.Gap
	at    time.Time // up to which it is read
	same  int       // changes at that time that are read
	lists bool      // its objects were known as of the last look
	// Up to when the right to read it was missing, as of the last look.
	denial time.Time

	// A pass over the record goes on between two steps: to begin another takes the record long.
	next func() (history.Change, bool) // nil: there is no pass
	stop func()
	to   time.Time // the end of the pass: what comes meanwhile is left to the next
}

// chunk has entries by number. None is moved, so that growing copies nothing.
type chunk struct {
	entries [chunkSize]Entry
	newest  int64
}

const chunkSize = 1 << 10

// mostChunks is how many chunks a timeline keeps: 36 MB, and their objects. The record's oldest moment may be that of a
// quiet kind and lie days back. Memory has more changes than these if they take less than 128 bytes each there, as the
// renewals of Leases do. The oldest are dropped then, which is a gap.
const mostChunks = 512

// New returns a timeline of a record of which nothing has been read. Find finds a kind by its name, such
// as "deployment.apps": events name what they are about so.
func New(record history.Record, find func(name string) (object.Kind, bool)) *Timeline {
	return &Timeline{record: record, find: find, most: mostChunks, objects: make(map[objectKey]*Object), lost: make(map[string]int64), kinds: make(map[string]string)}
}

// Read reads changes for about so long, and reports whether there are more. It always has the newest gaps: during an
// outage they grow, and nothing changes.
func (t *Timeline) Read(atMost time.Duration) (more bool) {
	end, count := time.Now().Add(atMost), t.record.Count()
	t.open()
	if t.done && count == t.counted {
		return false
	}
	_, to := t.record.Span()
	for _, s := range t.streams {
		if !t.readStream(s, to, end) {
			t.done = false
			return true
		}
	}
	t.done, t.counted = true, count
	t.drop()
	return false
}

// Forgotten reports whether the record has forgotten what was read of it, since the right to read that was
// lost. Another timeline has to take the place of this one. It is to be called before Read.
func (t *Timeline) Forgotten() bool {
	for _, s := range t.streams {
		end := denial(t.record.Gaps(s.index))
		if !s.at.IsZero() && end.After(s.at) && !s.denial.After(s.at) {
			return true
		}
		s.denial = end
	}
	return false
}

// denial returns up to when a stream could not be read for lack of a right; zero if it always could.
func denial(gaps []history.Gap) (end time.Time) {
	for _, g := range gaps {
		if g.Why == history.Denied && g.To.After(end) {
			end = g.To
		}
	}
	return end
}

// open adds the streams that are new in the record, and reads the gaps of all.
func (t *Timeline) open() {
	all := t.record.Streams()
	for i := len(t.streams); i < len(all); i++ {
		t.streams = append(t.streams, &stream{reader: newReader(all[i]), index: i, denial: denial(t.record.Gaps(i))})
	}
	from, _ := t.record.Span()
	t.from = from.UnixMilli()
	for _, s := range t.streams {
		s.gaps = t.record.Gaps(s.index)
		if !bytes.Equal(all[s.index].Columns, s.stream.Columns) { // what came before other columns is dropped
			s.reader = newReader(all[s.index])
		}
	}
	t.lookAgain()
}

// checkEvery is how many changes are read between two looks at the clock.
const checkEvery = 16

// readStream reads a stream until a time on the clock, and reports whether it has come to its end.
func (t *Timeline) readStream(s *stream, to time.Time, end time.Time) (whole bool) {
	for n := 1; ; n++ {
		if s.next == nil {
			s.next, s.stop = iter.Pull(t.after(s, to))
			s.to = to
		}
		c, ok := s.next()
		if !ok {
			if s.close(); s.to.Before(to) {
				continue
			}
			return true
		}
		if c.At.Equal(s.at) {
			s.same++
		} else {
			s.at, s.same = c.At, 1
		}
		t.add(s, &c)
		if n%checkEvery == 0 && time.Now().After(end) {
			return false
		}
	}
}

// after returns the changes of a stream that have not been read, up to a time.
func (t *Timeline) after(s *stream, to time.Time) iter.Seq[history.Change] {
	from, at, skip := s.at, s.at, s.same
	if skip > 0 {
		from = from.Add(-1) // more may have come at that time
	}
	return func(yield func(history.Change) bool) {
		t.record.Between(s.index, from, to, func(c history.Change) bool {
			if skip > 0 && c.At.Equal(at) {
				skip--
				return true
			}
			skip = 0
			return yield(c)
		})
	}
}

// close ends the pass.
func (s *stream) close() {
	if s.stop != nil {
		s.stop()
	}
	s.next, s.stop = nil, nil
}

// Close ends all reading.
func (t *Timeline) Close() {
	for _, s := range t.streams {
		s.close()
	}
}

// add reads a change.
func (t *Timeline) add(s *stream, c *history.Change) {
	if t.covered(s, c.At) {
		return
	}
	of := t.objectOf(s, c)
	if of == nil {
		return
	}
	e, ok := s.read(c, of)
	if !ok {
		return
	}
	if s.events {
		e.At = s.happened(c).UnixMilli()
	}
	switch {
	case !s.events && e.class == classIndex(Added) && s.found(c):
		e.rule = foundByList + 1
	case e.rule == lostNodes+1 && !t.hasNodes():
		e.rule = 0
	}
	t.append(e)
}

// hasNodes reports whether nodes have entries of their own.
func (t *Timeline) hasNodes() bool {
	return slices.ContainsFunc(t.streams, func(s *stream) bool { return s.kind.Name == "Node" && s.kind.Group == "" })
}

// covered reports whether the same change comes in the stream of the whole cluster, too.
func (t *Timeline) covered(s *stream, at time.Time) bool {
	if s.stream.Namespace == "" {
		return false
	}
	for _, wide := range t.streams {
		if w := &wide.stream; w.Namespace == "" && w.Resource == s.stream.Resource && w.Group == s.stream.Group && !wide.missed(at) {
			return true
		}
	}
	return false
}

// missed reports whether changes at a time may be missing.
func (s *stream) missed(at time.Time) bool {
	for _, g := range s.gaps {
		if !at.Before(g.From) && !at.After(g.To) {
			return true
		}
	}
	return false
}

// justNow is how long after a gap objects are still being listed, and how much older an object is then
// that was there before: clocks differ a little.
const (
	justNow = 15 * time.Second
	older   = 5 * time.Second
)

// found reports whether an object that was added had been there before: a list after a gap found it.
func (s *stream) found(c *history.Change) bool {
	root := s.kind.Root(c.After)
	if !root.Exists() {
		return false
	}
	created, err := time.Parse(time.RFC3339, root.At("metadata.creationTimestamp").Text())
	if err != nil {
		return false
	}
	for _, g := range s.gaps {
		if since := c.At.Sub(g.To); !c.At.Before(g.From) && since <= justNow && created.Before(g.To.Add(-older)) && created.Before(c.At.Add(-older)) {
			return true
		}
	}
	return false
}

// happened returns when a change of an event happened: when it came or, if it was held up by a gap, when the event says
// that it was last seen. Otherwise all that happened while the tab slept would be of the moment at which it woke.
func (s *stream) happened(c *history.Change) time.Time {
	if c.After == nil {
		return c.At
	}
	var seen time.Time
	for _, g := range s.gaps {
		if c.At.Before(g.From) || c.At.After(g.To.Add(justNow)) {
			continue
		}
		if seen.IsZero() {
			seen = lastSeen(s.kind.Root(c.After))
		}
		if end := g.To.Add(-older); !seen.Before(g.From) && seen.Before(end) && seen.Before(c.At.Add(-older)) {
			return seen
		}
	}
	return c.At
}

// lastSeen returns when an event says that it was last seen; zero if it does not.
func lastSeen(root tree.Node) time.Time {
	for _, path := range []string{"series.lastObservedTime", "lastTimestamp", "deprecatedLastTimestamp", "eventTime", "metadata.creationTimestamp"} {
		if at, err := time.Parse(time.RFC3339, root.At(path).Text()); err == nil {
			return at
		}
	}
	return time.Time{}
}

// objectOf returns what a change is of, or an event about; nil if that can't be told.
func (t *Timeline) objectOf(s *stream, c *history.Change) *Object {
	if s.events {
		return t.aboutOf(s, c)
	}
	key := objectKey{s.kind.ID(), c.Key}
	o := t.objects[key]
	if o != nil && o.known && c.UID != "" && o.UID != "" && o.UID != c.UID {
		o = nil // another of the same name
	}
	if o == nil || !o.known {
		if o == nil {
			o = t.newObject(key)
		}
		if root := s.kind.Root(payload(c)); root.Exists() {
			s.fill(o, root)
		}
		o.Kind = s.kind.Name
	}
	o.Stream, o.Gone = s.index, time.Time{}
	if c.After == nil {
		o.Gone = c.At
	}
	return o
}

// newObject adds an object.
func (t *Timeline) newObject(key objectKey) *Object {
	key = objectKey{strings.Clone(key.resource), strings.Clone(key.key)}
	o := &Object{Resource: key.resource, Name: key.key, Stream: -1}
	if namespace, name, ok := strings.Cut(key.key, "/"); ok {
		o.Namespace, o.Name = namespace, name
	}
	t.objects[key] = o
	return o
}

// aboutOf returns what an event is about: the event itself if that is no kind that is known.
func (t *Timeline) aboutOf(s *stream, c *history.Change) *Object {
	root := s.kind.Root(payload(c))
	if !root.Exists() {
		return nil
	}
	kind, group, namespace, name := involved(root)
	resource := t.resourceOf(kind, group)
	key := objectKey{resource, name}
	if namespace != "" {
		key.key = namespace + "/" + name
	}
	if resource == "" || name == "" || len(name) > mostValue*5 {
		key = objectKey{s.kind.ID(), c.Key}
		kind = s.kind.Name
	}
	o := t.objects[key]
	if o == nil {
		o = t.newObject(key)
		if o.Kind = clean(kind, mostValue); o.Kind == "Node" {
			o.Node = o.Name
		}
	}
	if !o.known {
		t.lookUp(o, c.At)
	}
	return o
}

// mostKinds is how many names of kinds are kept: events may name any.
const mostKinds = 1000

// resourceOf returns the resource of a kind, as addresses name it; "" if it is not known.
func (t *Timeline) resourceOf(kind, group string) string {
	name := strings.ToLower(kind)
	if group != "" {
		name += "." + group
	}
	if id, ok := t.kinds[name]; ok {
		return id
	}
	id := ""
	if k, ok := t.find(name); ok && k.Name == kind && k.Group == group {
		id = k.ID()
	}
	if len(t.kinds) < mostKinds {
		t.kinds[strings.Clone(name)] = id
	}
	return id
}

// append adds an entry.
func (t *Timeline) append(e Entry) {
	if t.count%chunkSize == 0 {
		t.chunks = append(t.chunks, new(chunk))
	}
	t.count++
	e.number, e.Of.last = t.count, t.count
	c := t.chunks[(t.count-1)/chunkSize]
	c.entries[(t.count-1)%chunkSize], c.newest = e, max(c.newest, e.At)
}

// entry returns an entry by its number; nil if it was dropped.
func (t *Timeline) entry(number int) *Entry {
	if number <= 0 || t.chunks[(number-1)/chunkSize] == nil {
		return nil
	}
	return &t.chunks[(number-1)/chunkSize].entries[(number-1)%chunkSize]
}

// drop drops what is older than the record, the oldest of what is too much, and objects that have no entry any more.
func (t *Timeline) drop() {
	var full []int // the last one is being filled
	dropped := false
	for i, c := range t.chunks[:max(len(t.chunks)-1, 0)] {
		switch {
		case c == nil:
		case c.newest < t.from:
			t.chunks[i], dropped = nil, true
		default:
			full = append(full, i)
		}
	}
	if over := len(full) + 1 - t.most; over > 0 {
		slices.SortFunc(full, func(a, b int) int { return cmp.Compare(t.chunks[a].newest, t.chunks[b].newest) })
		for _, i := range full[:over] {
			t.lose(t.chunks[i])
			t.chunks[i], dropped = nil, true
		}
	}
	if !dropped {
		return
	}
	for key, o := range t.objects {
		if t.entry(o.last) == nil {
			delete(t.objects, key)
		}
	}
}

// lose notes until when entries of each kind are missing without a chunk.
func (t *Timeline) lose(c *chunk) {
	for i := range c.entries {
		e := &c.entries[i]
		kind := e.Of.Kind
		if e.Event {
			kind = "Event"
		}
		t.lost[kind] = max(t.lost[kind], e.At)
	}
}

// Progress returns how much of the record has been read, in percent; 0 if all of it has.
func (t *Timeline) Progress() int {
	if t.done {
		return 0
	}
	from, to := t.record.Span()
	all, read := 0.0, 0.0
	for _, s := range t.streams {
		all += to.Sub(from).Seconds()
		if s.at.After(from) {
			read += s.at.Sub(from).Seconds()
		}
	}
	if all <= 0 {
		return 1
	}
	return min(max(int(read/all*100), 1), 99)
}
