package inspect

import (
	"maps"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/inspection"
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

// meter keeps what a source did in the last 15 minutes. Each step of a chart has its highest reading,
// or, of what is counted, its sum.
type meter struct {
	last     informer.State // at the last reading
	painting time.Duration  // the longest since the last reading

	events, bytes, queue, heard, store, paint, stalls, resumes, relists, indexes, packed chart
}

// chart is one value of a meter over time.
type chart struct {
	now float32
	series.Series
}

// note records a reading.
func (c *chart) note(now time.Time, n float32) {
	c.now = n
	c.Record(now, n)
}

// read returns the chart for the inspector.
func (c *chart) read(now time.Time) inspection.Chart {
	return inspection.Chart{Now: c.now, Series: c.Read(now)}
}

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
		of.indexes.note(now, float32(indexValues(i)))
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
		of = new(meter)
		m.of[i] = of
	}
	return of
}

// note records a reading. Rates leave out what a source received before it was first read.
func (m *meter) note(s informer.State, age, applying, passed time.Duration, now time.Time) {
	events, bytes := s.Events-m.last.Events, s.Bytes-m.last.Bytes
	if m.last.Events == 0 && passed > time.Minute {
		events, bytes = 0, 0
	}
	per := float32(passed.Seconds())
	m.events.note(now, float32(events)/per)
	m.bytes.note(now, float32(bytes)/per)
	m.queue.note(now, float32(s.Queue))
	m.heard.note(now, millis(age))
	m.store.note(now, millis(applying))
	m.paint.note(now, millis(m.painting))
	m.painting = 0
}

// count adds what was counted since the last reading.
func (m *meter) count(s informer.State, now time.Time) {
	m.stalls.Add(now, float32(s.Stalls-m.last.Stalls))
	m.resumes.Add(now, float32(s.Resumes-m.last.Resumes))
	m.relists.Add(now, float32(s.Relists-m.last.Relists))
	m.last = s
}

// indexValues returns the number of values in all indexes of a source.
func indexValues(i *informer.Informer[*object.Object]) (n int) {
	for _, x := range i.Store().Indexes() {
		n += x.Values
	}
	return n
}

func millis(d time.Duration) float32 { return float32(d.Microseconds()) / 1000 }

// show returns what a source did, or nil before the first reading. It notes the size of the packed
// objects, which only the inspector adds up.
func (m *Meters) show(i *informer.Informer[*object.Object], size int, now time.Time) *inspection.Meter {
	of := m.of[i]
	if of == nil {
		return nil
	}
	of.packed.note(now, float32(size))
	return &inspection.Meter{
		Events: of.events.read(now), Bytes: of.bytes.read(now), Queue: of.queue.read(now), Heard: of.heard.read(now), Store: of.store.read(now), Paint: of.paint.read(now),
		Stalls: of.stalls.read(now), Resumes: of.resumes.read(now), Relists: of.relists.read(now), Indexes: of.indexes.read(now), Packed: of.packed.read(now),
	}
}

// Painted notes how long a patch took to the screen.
func (m *Meters) Painted(i *informer.Informer[*object.Object], took time.Duration) {
	of := m.meterOf(i)
	of.painting = max(of.painting, took)
}
