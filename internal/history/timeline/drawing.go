package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Question says what to draw of a timeline.
type Question struct {
	Lanes      string    // "owner", "namespace", "node", "kind"; "": none
	From, To   time.Time // zero: as far as the record goes
	Bars, Most int       // of bars and of lanes
	Unfolded   []string  // rules that are off, by name
	Kinds      []string  // by ID: those whose gaps are drawn; nil: all
	Namespaces []string  // in which they are drawn; nil: in all that are watched
	Class      Class     // of the entries in lanes; "": all. Bars count each class anyway
	// Match reports whether entries of an object are drawn, and Pick which of them; nil: all.
	Match func(*Object) bool
	Pick  func(*Entry) bool
}

// Limits of a picture, whatever is asked for.
const (
	mostBars  = 2000
	mostLanes = 200
)

// Drawing draws one question, and keeps what it has counted: the next picture takes what is new. It is
// for the goroutine of its Timeline.
type Drawing struct {
	t    *Timeline
	q    Question
	off  []bool // rules that are off, by index
	step int64
	// first is the first bar, in steps since 1970. Bars has those from it on.
	first int64
	last  int64 // of what is asked for
	bars  []bar
	read  int // entries that are counted
	of    map[*Object]*objectDrawing
	lanes map[laneKey]*lane

	pass  int       // of Count over what is new
	stale bool      // an object matches that did not, or the other way round, or has another lane
	begun time.Time // when all was last counted anew
	knows int       // the Timeline's learnt, as of the last Count

	chosen []*lane // with marks
	marked int     // entries that are in their marks
}

// bar is what is counted in one step.
type bar struct {
	class [7]int32
	rule  [16]int32 // of what rules cover
}

// objectDrawing is what is drawn of an object.
type objectDrawing struct {
	match bool
	pass  int // in which it was matched
	lane  *lane
}

type laneKey struct{ namespace, name string }

// lane counts entries by class.
type lane struct {
	laneKey
	field, value string
	class        [7]int32
	total        int32
	chosen       bool
	marks        []*mark
}

// mark is the entries of a lane in one bar.
type mark struct {
	Mark
	bar    int64
	of     *Object // of the first entry read; the others may be of others
	said   int64   // when the entry was whose words it has
	saidOf *Object
}

// Draw begins to draw a question.
func (t *Timeline) Draw(q Question) *Drawing {
	q.Bars, q.Most = min(max(q.Bars, 1), mostBars), min(max(q.Most, 0), mostLanes)
	d := &Drawing{t: t, q: q, off: make([]bool, len(Rules))}
	for i := range Rules {
		d.off[i] = slices.Contains(q.Unfolded, Rules[i].Name)
	}
	return d
}

// againEvery is the least time between two counts of everything.
const againEvery = 2 * time.Second

// span returns the time that is drawn, in milliseconds.
func (d *Drawing) span() (from, to int64) {
	begin, end := d.t.record.Span()
	from, to = begin.UnixMilli(), end.UnixMilli()
	if !d.q.From.IsZero() {
		from = d.q.From.UnixMilli()
	}
	if !d.q.To.IsZero() {
		to = d.q.To.UnixMilli()
	}
	return from, max(to, from+1)
}

// steps are the widths that bars have, in milliseconds.
var steps = []int64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000}

// stepOf returns the least width of which no more than so many bars are needed.
func stepOf(from, to int64, most int) int64 {
	for _, s := range steps {
		if to/s-from/s+1 <= int64(most) {
			return s
		}
	}
	day := int64(24 * 3_600_000)
	for s := day; ; s *= 2 {
		if to/s-from/s+1 <= int64(most) || s > 1<<50 {
			return s
		}
	}
}

// Count counts entries for about so long, and reports whether there are more. Unless there are, Picture
// has all that has been read.
func (d *Drawing) Count(atMost time.Duration) (more bool) {
	end := time.Now().Add(atMost)
	from, to := d.span()
	step := stepOf(from, to, d.q.Bars)
	d.stale, d.knows = d.stale || d.knows != d.t.learnt, d.t.learnt
	if d.pass++; step != d.step || from/step != d.first || d.stale && time.Since(d.begun) >= againEvery {
		d.stale, d.begun = false, time.Now()
		d.step, d.first, d.read, d.marked = step, from/step, 0, 0
		d.bars, d.chosen = nil, nil
		d.of, d.lanes = make(map[*Object]*objectDrawing), make(map[laneKey]*lane)
	}
	d.last = to / step
	for n := 1; d.read < d.t.count; d.read++ {
		if n++; n%checkEvery == 0 && time.Now().After(end) {
			return true
		}
		if e := d.t.entry(d.read + 1); e != nil {
			d.count(e)
		}
	}
	return d.q.Lanes != "" && d.q.Most > 0 && d.mark(end)
}

// drawnOf returns what is drawn of an object.
func (d *Drawing) drawnOf(o *Object) *objectDrawing {
	one := d.of[o]
	if one == nil {
		one = &objectDrawing{match: d.matches(o), pass: d.pass}
		if d.of[o] = one; one.match && d.q.Lanes != "" {
			one.lane = d.laneOf(o)
		}
	}
	d.check(one, o)
	return one
}

// check notes whether an object that is drawn is drawn otherwise now: its node or its owner may have become known.
func (d *Drawing) check(one *objectDrawing, o *Object) {
	if one.pass == d.pass {
		return
	}
	one.pass = d.pass
	match := d.matches(o)
	d.stale = d.stale || one.match != match || match && d.q.Lanes != "" && one.lane != d.laneOf(o)
}

func (d *Drawing) matches(o *Object) bool { return d.q.Match == nil || d.q.Match(o) }

// barOf returns the number of a bar, from the first; -1 if it is not drawn.
func (d *Drawing) barOf(at int64) int {
	if bar := at / d.step; bar >= d.first && bar <= d.last {
		return int(bar - d.first)
	}
	return -1
}

// count counts an entry.
func (d *Drawing) count(e *Entry) {
	i := d.barOf(e.At)
	if i < 0 {
		if one := d.of[e.Of]; one != nil {
			d.check(one, e.Of)
		}
		return
	}
	one := d.drawnOf(e.Of)
	if !one.match || d.q.Pick != nil && !d.q.Pick(e) {
		return
	}
	for len(d.bars) <= i {
		d.bars = append(d.bars, bar{})
	}
	if e.rule != 0 {
		d.bars[i].rule[e.rule-1]++
		if !d.off[e.rule-1] {
			return
		}
	}
	d.bars[i].class[e.class]++
	if one.lane != nil && d.inLanes(e) {
		one.lane.class[e.class]++
		one.lane.total++
	}
}

// inLanes reports whether an entry is drawn in its lane.
func (d *Drawing) inLanes(e *Entry) bool { return d.q.Class == "" || d.q.Class == e.Class() }

// laneOf returns the lane of an object; nil if it has none: a pod without a node.
func (d *Drawing) laneOf(o *Object) *lane {
	var l lane
	switch d.q.Lanes {
	case "namespace":
		l.name, l.field = o.Namespace, "namespace"
	case "node":
		l.name, l.field = o.Node, "node"
	case "kind":
		l.name, l.field = o.Kind, "kind"
	default:
		l.namespace, l.name, l.field = o.Namespace, o.Top(), "owner"
	}
	if l.value = l.name; l.name == "" {
		return nil
	}
	if d.lanes[l.laneKey] == nil {
		d.lanes[l.laneKey] = &l
	}
	return d.lanes[l.laneKey]
}

// worse orders lanes, the most important first.
func worse(a, b *lane) int {
	x, y := a.worst(), b.worst()
	return cmp.Or(cmp.Compare(worst[y], worst[x]), cmp.Compare(b.class[y], a.class[x]), cmp.Compare(b.total, a.total), strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
}

// worst returns the worst class that the lane has.
func (l *lane) worst() (class uint8) {
	for i, n := range l.class {
		if n > 0 && (l.class[class] == 0 || worst[i] > worst[class]) {
			class = uint8(i)
		}
	}
	return class
}

// mark makes the marks of the most important lanes until a time on the clock, and reports whether there
// are more to make.
func (d *Drawing) mark(end time.Time) (more bool) {
	if d.marked < d.read || d.chosen == nil {
		d.choose()
	}
	for n := 1; d.marked < d.read; d.marked++ {
		if n++; n%checkEvery == 0 && time.Now().After(end) {
			return true
		}
		e := d.t.entry(d.marked + 1)
		if e == nil || e.rule != 0 && !d.off[e.rule-1] || d.barOf(e.At) < 0 || !d.inLanes(e) {
			continue
		}
		if one := d.of[e.Of]; one != nil && one.lane != nil && one.lane.chosen && (d.q.Pick == nil || d.q.Pick(e)) {
			one.lane.add(e, e.At/d.step)
		}
	}
	return false
}

// choose chooses the lanes that are drawn. If they are others than before, their marks are made anew.
func (d *Drawing) choose() {
	all := make([]*lane, 0, len(d.lanes))
	for _, l := range d.lanes {
		if l.total > 0 {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, worse)
	all = all[:min(len(all), d.q.Most)]
	same := len(all) == len(d.chosen) && !slices.ContainsFunc(all, func(l *lane) bool { return !l.chosen })
	if !same {
		for _, l := range d.chosen {
			l.chosen, l.marks = false, nil
		}
		for _, l := range all {
			l.chosen, l.marks = true, nil
		}
		d.marked = 0
	}
	d.chosen = all
}

// add adds an entry to the mark of a bar.
func (l *lane) add(e *Entry, bar int64) {
	i, found := len(l.marks)-1, false
	if found = i >= 0 && l.marks[i].bar == bar; !found { // mostly it is the last
		i, found = slices.BinarySearchFunc(l.marks, bar, func(m *mark, bar int64) int { return cmp.Compare(m.bar, bar) })
	}
	if !found {
		l.marks = slices.Insert(l.marks, i, &mark{Mark{At: e.At, Class: Classes[e.class], Count: 1, Text: e.Words, Resource: e.Of.Resource, Key: e.Of.Key()}, bar, e.Of, e.At, e.Of})
		return
	}
	m := l.marks[i]
	last, is, was := max(m.At, m.To), worst[e.class], worst[classIndex(m.Class)]
	if is > was || is == was && e.At < m.said {
		m.Class, m.Text, m.said, m.saidOf = Classes[e.class], e.Words, e.At, e.Of
	}
	m.Count++
	m.At, m.To = min(m.At, e.At), max(last, e.At)
	if m.of != e.Of {
		m.Resource, m.Key = "", ""
	}
}

// Picture returns what has been counted.
func (d *Drawing) Picture() Picture {
	from, _ := d.span()
	p := Picture{From: d.first * d.step, Step: d.step, Bars: make(map[Class][]int, len(Classes)), Reading: d.t.Progress()}
	n := d.last - d.first + 1
	p.To = (d.first + n) * d.step
	for i, class := range Classes {
		row := make([]int, n)
		for at := range min(int(n), len(d.bars)) {
			row[at] = int(d.bars[at].class[i])
			p.Total += row[at]
		}
		p.Bars[class] = row
	}
	for i := range Rules {
		f := Folding{Name: Rules[i].Name, Words: Rules[i].Words, Off: d.off[i]}
		for at := range min(int(n), len(d.bars)) {
			f.Count += int(d.bars[at].rule[i])
		}
		if !f.Off {
			p.Folded += f.Count
		}
		p.Rules = append(p.Rules, f)
	}
	for _, l := range d.chosen {
		p.Lanes = append(p.Lanes, l.draw())
	}
	if d.q.Lanes != "" {
		for _, l := range d.lanes {
			if l.total > 0 {
				p.More++
			}
		}
		p.More -= len(d.chosen)
	}
	p.Gaps = d.t.gaps(&d.q, max(p.From, from), p.To, d.step)
	return p
}

// draw returns the lane with its marks.
func (l *lane) draw() Lane {
	out := Lane{Name: l.name, Namespace: l.namespace, Field: l.field, Value: l.value, Total: int(l.total), Marks: make([]Mark, len(l.marks))}
	for i := range l.marks {
		out.Marks[i] = l.marks[i].Mark
		m := &out.Marks[i]
		if m.To <= m.At {
			m.To = 0
		}
		if m.Said = l.marks[i].said; m.Said <= m.At {
			m.Said = 0
		}
		if m.Of = l.marks[i].of.Kind; m.Key == "" {
			m.Of = l.marks[i].saidOf.Called()
		}
	}
	return out
}
