package replay

import (
	"slices"
	"strings"
	"sync"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/timeslice"
	"watchglass/internal/wire"
)

// Options of a Relay.
type Options struct {
	// Welcome names the cluster and the user. The relay removes the fields about sessions.
	Welcome wire.Welcome
	// User is the user that reviews name (default: the Welcome's).
	User string
	// Kinds are the kinds known in the cluster. They are listed at discovery, with the names that kubectl
	// accepts, even if the record has none of their objects.
	Kinds []object.Kind
	// Now is the clock by which time is played (default time.Now).
	Now func() time.Time
	// Rest lets the browser deliver its events during long reads (default timeslice.Sleep).
	Rest timeslice.Rest
}

// Relay serves a record at a moment. It is safe for concurrent use.
type Relay struct {
	record  history.Record
	welcome wire.Welcome
	user    string
	known   []object.Kind
	now     func() time.Time
	timer   timeslice.Timer // of each connection

	mu      sync.Mutex
	clock   clock
	version uint64      // counts the moments shown
	moments []time.Time // the last moments shown; the newest is that of version
	conns   []*conn
	sights  []Sight
}

// momentsMost is the number of versions that can be watched from or listed. Older ones have expired.
const momentsMost = 1024

// New returns a relay that is paused at the end of the record.
func New(record history.Record, o Options) *Relay {
	if o.Now == nil {
		o.Now = time.Now
	}
	_, to := record.Span()
	r := &Relay{record: record, known: o.Kinds, now: o.Now, timer: timeslice.Timer{For: readsFor, Rest: o.Rest}, clock: clock{at: to}}
	r.welcome = o.Welcome
	if r.user = o.User; r.user == "" {
		r.user = o.Welcome.User
	}
	r.welcome.V, r.welcome.RenewIn, r.welcome.Bound, r.welcome.EarlyRequest = wire.Version, 0, false, nil
	r.show(to)
	return r
}

// Namespaces returns the namespaces of a record that were watched individually, comma-separated.
func Namespaces(record history.Record) string {
	var all []string
	for _, s := range record.Streams() {
		if s.Namespace != "" && !slices.Contains(all, s.Namespace) {
			all = append(all, s.Namespace)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// Record returns the record that the relay serves.
func (r *Relay) Record() history.Record { return r.record }

// Seek shows a moment, or the nearest one in the record, and stops time there.
func (r *Relay) Seek(at time.Time) { r.Play(at, 0) }

// Play shows a moment and plays from there at a multiple of the real speed. It stops at the end of the
// record.
func (r *Relay) Play(at time.Time, speed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock = clock{at: r.within(at), since: r.now(), shown: r.now(), speed: max(speed, 0)}
	r.show(r.clock.at)
	for _, c := range r.conns {
		c.wake()
	}
}

// SetSights sets which objects are on screen, for the next moments.
func (r *Relay) SetSights(all []Sight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sights = all
}

// sightOf returns which objects of a stream are on screen; nil if unknown.
func (r *Relay) sightOf(stream int) func(key string) bool {
	about := r.record.Streams()[stream]
	for _, s := range r.sights {
		if s.Group == about.Group && s.Resource == about.Resource {
			return s.Has
		}
	}
	return nil
}

// Pause stops time.
func (r *Relay) Pause() { r.Seek(r.At()) }

// At returns the moment shown.
func (r *Relay) At() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tick()
	return r.at()
}

// Speed returns the playing speed, as a multiple of the real one; 0 if stopped.
func (r *Relay) Speed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tick()
	return r.clock.speed
}

// at returns the moment shown.
func (r *Relay) at() time.Time { return r.moments[len(r.moments)-1] }

// within returns the nearest moment in the record, in milliseconds.
func (r *Relay) within(at time.Time) time.Time {
	from, to := r.record.Span()
	switch {
	case at.After(to):
		at = to
	case at.Before(from):
		at = from
	}
	return at.Truncate(time.Millisecond)
}

// show shows a moment, under a new version.
func (r *Relay) show(at time.Time) {
	if len(r.moments) > 0 && r.at().Equal(at) {
		return
	}
	if len(r.moments) == momentsMost {
		r.moments = append(r.moments[:0], r.moments[momentsMost/2:]...)
	}
	r.version++
	r.moments = append(r.moments, at)
}

// momentOf returns the moment of a version, if it has not expired.
func (r *Relay) momentOf(version uint64) (at time.Time, ok bool) {
	behind := r.version - version
	if version == 0 || version > r.version || behind >= uint64(len(r.moments)) {
		return at, false
	}
	return r.moments[uint64(len(r.moments))-1-behind], true
}

// tick advances the moment while playing, and stops at the end of the record.
func (r *Relay) tick() {
	if r.clock.speed == 0 {
		return
	}
	now, at := r.now(), r.clock.read(r.now())
	if within := r.within(at); within.Before(at.Truncate(time.Millisecond)) {
		r.clock = clock{at: within}
		r.show(within)
	} else if now.Sub(r.clock.shown) >= playEvery {
		r.clock.shown = now
		r.show(within)
	}
}

// Version returns the version of the moment shown. Lists and watches have it once they are up to date.
func (r *Relay) Version() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tick()
	return versionText(r.version)
}

// playEvery is how often the moment advances while playing.
const playEvery = 100 * time.Millisecond

// clock maps real time to the time of a record.
type clock struct {
	at    time.Time // of the record
	since time.Time // when it was set
	shown time.Time // when it last advanced
	speed int       // 0: it is stopped
}

// read returns the time of the record.
func (c *clock) read(now time.Time) time.Time {
	return c.at.Add(time.Duration(c.speed) * now.Sub(c.since))
}
