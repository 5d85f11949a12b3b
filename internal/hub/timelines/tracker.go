package timelines

import (
	"context"
	"slices"
	"sync"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/timeline"
	"watchglass/internal/object"
)

// Host is what a Tracker needs of its cluster. Any goroutine may call it.
type Host interface {
	// Record returns what is remembered; nil if nothing is.
	Record() history.Record
	// Find returns a kind by its name.
	Find(name string) (object.Kind, bool)
	// Start runs a function in a goroutine of the hub, whose context ends with the cluster.
	Start(func(ctx context.Context))
	// Watch leases the lists that a timeline of the whole cluster needs, until release is called.
	Watch() (release func())
	// Moment returns the moment of the past that is shown, in unix milliseconds; 0 if that is now.
	Moment() int64
	// Rest lets the browser deliver its events.
	Rest()
	// Changed reports that a picture may be there. It must not block.
	Changed()
}

// Tracker keeps the timeline of one cluster, while a question or the list of entries is open. Its
// methods may be called from any goroutine.
type Tracker struct {
	host   Host
	notify chan struct{} // holds one: there may be work

	mu        sync.Mutex
	questions []*Question
	stream    *stream // nil: the list is not open
	runs      bool
}

// Question is an open question. Its answer is drawn when it is due.
type Question struct {
	tracker *Tracker

	// Guarded by the Tracker's lock:
	ask     timeline.Question
	moment  int64
	changed bool // it is another question than the one that is drawn
	due     bool
	doc     *timeline.Picture // drawn, and not taken yet

	drawing *timeline.Drawing // of the Tracker's goroutine
}

// The Tracker reads and draws for readFor at a time, and then lets others run: the browser delivers its
// events only while Go sleeps. It looks for changes every lookEvery.
const (
	readFor   = 4 * time.Millisecond
	lookEvery = 500 * time.Millisecond
)

// New returns a Tracker that does nothing until somebody asks.
func New(h Host) *Tracker { return &Tracker{host: h, notify: make(chan struct{}, 1)} }

// Open opens a question, which is not due yet.
func (t *Tracker) Open(ask timeline.Question, moment int64) *Question {
	q := &Question{tracker: t, ask: ask, moment: moment, changed: true}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.questions = append(t.questions, q)
	t.runLocked()
	return q
}

// Ask replaces the question.
func (q *Question) Ask(ask timeline.Question, moment int64) {
	q.tracker.mu.Lock()
	defer q.tracker.mu.Unlock()
	q.ask, q.moment, q.changed, q.doc = ask, moment, true, nil
	q.tracker.wake()
}

// Close ends the question.
func (q *Question) Close() {
	b := q.tracker
	b.mu.Lock()
	defer b.mu.Unlock()
	b.questions = slices.DeleteFunc(b.questions, func(o *Question) bool { return o == q })
	b.wake()
}

// NextPicture returns a picture that has been drawn since the last, and nil if there is none: then one is
// drawn once there is something new.
func (q *Question) NextPicture() *timeline.Picture {
	q.tracker.mu.Lock()
	defer q.tracker.mu.Unlock()
	doc := q.doc
	if q.doc = nil; doc == nil && !q.due {
		q.due = true
		q.tracker.wake()
	}
	return doc
}

func (t *Tracker) wake() {
	select {
	case t.notify <- struct{}{}:
	default:
	}
}

// runLocked starts the goroutine of the Tracker, unless it runs.
func (t *Tracker) runLocked() {
	if !t.runs {
		t.runs = true
		t.host.Start(t.run)
	}
	t.wake()
}

// run reads and draws while there is anything open. What it has read is forgotten then.
func (t *Tracker) run(ctx context.Context) {
	var line *timeline.Timeline
	var of history.Record
	defer func() {
		if line != nil {
			line.Close()
		}
	}()
	for t.goesOn(ctx) {
		record := t.host.Record()
		if record != of || line != nil && line.Forgotten() {
			if line != nil {
				line.Close()
			}
			of, line = record, nil
			t.anew()
		}
		if record != nil && line == nil {
			line = timeline.New(record, t.host.Find)
		}
		var left bool
		if line != nil {
			left = t.work(line)
		}
		if left { // a timer would take as long as the work between two
			t.host.Rest()
			continue
		}
		timer := time.NewTimer(lookEvery)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-t.notify:
		}
		timer.Stop()
	}
}

// goesOn reports whether anything is open.
func (t *Tracker) goesOn(ctx context.Context) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs = ctx.Err() == nil && (len(t.questions) > 0 || t.stream != nil)
	return t.runs
}

// anew has all questions drawn from the start.
func (t *Tracker) anew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, q := range t.questions {
		q.changed = true
	}
	if t.stream != nil {
		t.stream.anew()
	}
}

// work does what is due for a short while, and reports whether anything is left.
func (t *Tracker) work(line *timeline.Timeline) (left bool) {
	due := t.dueQuestions()
	streams := t.streams()
	if len(due) == 0 && !streams {
		return false // nobody looks
	}
	left = line.Read(readFor)
	if streams {
		t.feed(line)
	}
	for _, one := range due {
		left = t.draw(line, one) || left
	}
	return left
}

// dueQuestion is a question that is to be drawn.
type dueQuestion struct {
	*Question
	ask     timeline.Question
	changed bool
}

// dueQuestions returns the questions that are due.
func (t *Tracker) dueQuestions() (due []dueQuestion) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, q := range t.questions {
		if q.due {
			due = append(due, dueQuestion{q, q.ask, q.changed})
			q.changed = false
		}
	}
	return due
}

// draw goes on with a question, and reports whether that is not done. While the record is still being
// read, it shows what there is.
func (t *Tracker) draw(line *timeline.Timeline, one dueQuestion) (left bool) {
	q := one.Question
	if one.changed || q.drawing == nil {
		q.drawing = line.Draw(one.ask)
	}
	if q.drawing.Count(readFor) {
		return true
	}
	picture := q.drawing.Picture()
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.changed { // meanwhile
		return true
	}
	picture.Moment = q.moment
	q.doc, q.due = &picture, false
	t.host.Changed()
	return false
}
