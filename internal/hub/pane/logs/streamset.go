package logs

import (
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/hub/pane"
)

// maxStreams is how many logs are read at once.
const maxStreams = 50

// streamSet is the requested logs of all containers, in one store. When other logs are requested,
// another set replaces it, with a store of its own.
type streamSet struct {
	host     pane.Host
	store    *log.Store
	asked    log.Options        // only the options that select what is read matter
	streams  map[string]*stream // by the pod's UID and the container's name
	active   int                // how many of them are active, as of the last refresh
	unopened int                // containers left without a stream
	own      *log.Source        // of notes about no stream; nil until there is one
	dirty    bool               // there is something to refresh
	due      time.Time          // when to refresh even so, if not zero
	news     bool               // a state or a note is new
}

func newStreamSet(h pane.Host, s *log.Store, asked log.Options) *streamSet {
	return &streamSet{host: h, store: s, asked: asked, streams: make(map[string]*stream), dirty: true}
}

// stale reports whether refresh has something to do, though the pods are the same.
func (s *streamSet) stale(now time.Time) bool {
	return s.dirty || !s.due.IsZero() && !now.Before(s.due)
}

// refreshSoon makes the set stale.
func (s *streamSet) refreshSoon() { s.dirty = true }

// refreshBy makes the set stale at a time, or before.
func (s *streamSet) refreshBy(at time.Time) {
	if s.due.IsZero() || at.Before(s.due) {
		s.due = at
	}
}

// noteNews notes that a state or a note is new.
func (s *streamSet) noteNews() { s.news = true }

// notePodsMissed notes that lines may be missing since a time: those of pods that came and went unseen. The note is not
// written again, the gap is.
func (s *streamSet) notePodsMissed(since time.Time, again bool) {
	s.store.Miss(since, s.host.Now())
	s.noteNews()
	if again {
		return
	}
	if s.own == nil {
		s.own = s.store.NewSource("", "")
	}
	if s.own != nil { // else the store has no number left
		s.own.Note(s.host.Now(), true, "lines may be missing: pods may have started and ended without being read")
	}
}

// changed reports whether a state or a note is new since it was last called.
func (s *streamSet) changed() bool {
	news := s.news
	s.news = false
	return news
}

// refresh opens the streams that there should be, and lets those of pods that are gone end. If the pods were
// selected anew, those that left may run on, and their streams are closed.
func (s *streamSet) refresh(now time.Time, pods []pod, reselected bool) {
	s.dirty, s.due, s.news = false, time.Time{}, true
	s.active, s.unopened = 0, 0
	for _, st := range s.streams {
		if st.active() {
			s.active++
		}
	}
	wanted, named := make(map[string]bool), make(map[string]string)
	for _, p := range pods {
		named[p.name] = p.uid
		for _, c := range p.chosen(s.asked.Container) {
			key := p.uid + "/" + c.name
			wanted[key] = true
			s.refreshOne(now, key, p, c)
		}
	}
	s.removeGone(wanted, named, reselected)
}

// refreshOne applies the state of one container to its stream, which it makes if there is
// none.
func (s *streamSet) refreshOne(now time.Time, key string, p pod, c container) {
	st := s.streams[key]
	idle := st == nil || !st.active()
	if idle && (st == nil || c.running || st.podGone) && !s.admit() {
		return
	}
	if st == nil {
		source := s.store.NewSource(p.name, c.name)
		if source == nil { // the store has no number left
			s.unopened++
			return
		}
		st = &stream{host: s.host, asked: s.asked, group: s, pod: p, source: source, state: log.Connecting}
		s.streams[key] = st
	}
	if st.onContainer(now, c); idle && st.active() {
		s.active++
	}
}

// admit reports whether one more stream may be opened, and counts it as unopened if not.
func (s *streamSet) admit() bool {
	if s.active >= maxStreams {
		s.unopened++
		return false
	}
	return true
}

// removeGone marks the pods of the streams that are not wanted as gone, and removes the streams
// that have ended and have no line left in the store. named has the UIDs of the pods that there are, by name.
func (s *streamSet) removeGone(wanted map[string]bool, named map[string]string, reselected bool) {
	for key, st := range s.streams {
		if wanted[key] {
			continue
		}
		switch uid := named[st.pod.name]; {
		case uid != "" && uid != st.pod.uid:
			st.onReplaced()
		case reselected:
			st.onDeselected()
		default:
			st.onPodGone()
		}
		if !st.active() && st.source.Empty() {
			st.source.Leave()
			delete(s.streams, key)
		}
	}
}

// states returns the sources in the order of their numbers, without those that are over and
// have no lines, and where among them each number is. That of notes about no stream is behind all of them.
func (s *streamSet) states() (out []log.State, places []int) {
	all := s.store.Sources()
	streams := make([]*stream, len(all))
	for _, st := range s.streams {
		streams[st.source.Number()] = st
	}
	places = make([]int, len(all))
	for i, source := range all {
		st := streams[i]
		if places[i] = len(out); st == nil || st.podGone && !st.active() && source.Empty() {
			continue
		}
		out = append(out, log.State{Pod: source.Pod, Container: source.Container, Lines: source.Lines(), Dropped: source.Dropped().Lines, State: st.state, Said: st.reason, Earlier: st.lacksEarlier()})
	}
	if s.own != nil {
		places[s.own.Number()] = len(out)
	}
	return out, places
}

// close ends all readers.
func (s *streamSet) close() {
	for _, st := range s.streams {
		st.close()
	}
	clear(s.streams)
}
