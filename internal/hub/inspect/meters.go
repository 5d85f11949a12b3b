package inspect

import (
	"maps"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/series"
	"watchglass/internal/wire"
)

// meterEvery is the minimum time between two readings of a meter.
const meterEvery = time.Second

// Meters measures the sources of a cluster. The zero value has not measured any.
type Meters struct {
	read time.Time // last
	of   map[*informer.Informer[*object.Object]]*meter
}

// meter keeps what a source did in the last 15 minutes. Each step of a series has its highest reading,
// or, of what is counted, its sum.
type meter struct {
	events, bytes            uint64 // at the last reading
	stalls, resumes, relists int
	painting                 time.Duration // the longest since the last reading
	now                      Rates
	series                   [charts]*series.Series
}

// Measures of a source, in the order of the inspector's columns.
const (
	EventRate = iota // per second
	ByteRate
	Queued
	Heard    // milliseconds since the apiserver's last sign of life
	Applied  // milliseconds from the tab to the store
	Painted  // milliseconds from the store to the screen
	measures = iota
)

// Charts of a source after those of its measures.
const (
	Stalled = measures + iota // counted in each step, like the next two
	Resumed
	Relisted
	Indexed // values in all indexes
	Packed  // bytes of packed objects; read only while the inspector is open
	charts  = measures + iota
)

// Rates is one value of each measure.
type Rates [measures]float32

// Measure reads the meters of all sources, at most every meterEvery.
func (m *Meters) Measure(all *informer.Factory[*object.Object], link informer.Link, now time.Time) {
	passed := now.Sub(m.read)
	if passed < meterEvery {
		return
	}
	m.read = now
	running := make(map[*informer.Informer[*object.Object]]bool)
	all.Each(func(_ wire.Request, i *informer.Informer[*object.Object]) {
		running[i] = true
		s := i.State(now)
		_, age, _ := informer.Fresh(s, link, now)
		of := m.meterOf(i)
		of.note(s, age, i.TakeApplying(), passed, now)
		of.count(s, now)
		of.series[Indexed].Record(now, float32(indexValues(i)))
	})
	maps.DeleteFunc(m.of, func(i *informer.Informer[*object.Object], _ *meter) bool { return !running[i] })
}

// meterOf returns the meter of a source.
func (m *Meters) meterOf(i *informer.Informer[*object.Object]) *meter {
	if m.of == nil {
		m.of = make(map[*informer.Informer[*object.Object]]*meter)
	}
	of := m.of[i]
	if of == nil {
		of = newMeter()
		m.of[i] = of
	}
	return of
}

func newMeter() *meter {
	m := new(meter)
	for n := range m.series {
		m.series[n] = series.New()
	}
	return m
}

// note records a reading. Rates leave out what a source received before it was first read.
func (m *meter) note(s informer.State, age, applying, passed time.Duration, now time.Time) {
	events, bytes := s.Events-m.events, s.Bytes-m.bytes
	if m.events == 0 && passed > time.Minute {
		events, bytes = 0, 0
	}
	m.events, m.bytes = s.Events, s.Bytes
	per := float32(passed.Seconds())
	m.now = Rates{float32(events) / per, float32(bytes) / per, float32(s.Queue), millis(age), millis(applying), millis(m.painting)}
	m.painting = 0
	for n, value := range m.now {
		m.series[n].Record(now, value)
	}
}

// count adds what was counted since the last reading.
func (m *meter) count(s informer.State, now time.Time) {
	m.series[Stalled].Add(now, float32(s.Stalls-m.stalls))
	m.series[Resumed].Add(now, float32(s.Resumes-m.resumes))
	m.series[Relisted].Add(now, float32(s.Relists-m.relists))
	m.stalls, m.resumes, m.relists = s.Stalls, s.Resumes, s.Relists
}

// indexValues returns the number of values in all indexes of a source.
func indexValues(i *informer.Informer[*object.Object]) (n int) {
	for _, x := range i.Store().Indexes() {
		n += x.Values
	}
	return n
}

func millis(d time.Duration) float32 { return float32(d.Microseconds()) / 1000 }

// Meter is what the inspector shows of a source's meter.
type Meter struct {
	Now Rates `json:"now"`
	// Series has a value for each quarter of a minute of the last 15 minutes, the newest last; -1 is
	// not known.
	Series [charts][]float32 `json:"series"`
}

// show returns what a source did, or nil before the first reading. It notes the size of the packed
// objects, which only the inspector adds up.
func (m *Meters) show(i *informer.Informer[*object.Object], size int, now time.Time) *Meter {
	of := m.of[i]
	if of == nil {
		return nil
	}
	of.series[Packed].Record(now, float32(size))
	out := &Meter{Now: of.now}
	for n, s := range of.series {
		out.Series[n] = s.Read(now)
	}
	return out
}

// Painted notes how long a patch took to the screen.
func (m *Meters) Painted(i *informer.Informer[*object.Object], took time.Duration) {
	of := m.meterOf(i)
	of.painting = max(of.painting, took)
}
