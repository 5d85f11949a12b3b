package recording

import (
	"slices"
	"time"

	"watchglass/internal/history"
)

// walk reads the chosen part of a record, in small steps.
type walk struct {
	record   history.Record
	from, to time.Time
	choices  Choices
	streams  []history.Stream // chosen ones
	numbers  []int            // of the chosen streams, in the record
	passes   map[int]*pass    // by number
	pause    func() error
}

func newWalk(t history.Record, from, to time.Time, c Choices, pause func() error) *walk {
	w := &walk{record: t, from: from, to: to, choices: c, passes: make(map[int]*pass), pause: pause}
	for i, s := range t.Streams() {
		if c.keeps(s) {
			w.streams, w.numbers = append(w.streams, s), append(w.numbers, i)
		}
	}
	return w
}

// portion is the number of objects or changes read between pauses.
const portion = 50

// since returns the first moment at which the record knows a stream's objects; false if that is after the
// end.
func (w *walk) since(i int) (time.Time, bool) {
	since := w.from
	for _, g := range w.record.Gaps(w.numbers[i]) {
		if (g.Why == history.Closed || g.Why == history.Dropped) && !g.From.After(since) && g.To.After(since) {
			since = g.To
		}
	}
	return since, !since.After(w.to)
}

// lost returns the end of the last gap that begins before a moment and lacks a stream's changes; zero if there is
// none.
func (w *walk) lost(i int, before time.Time) (end time.Time) {
	for _, g := range w.record.Gaps(w.numbers[i]) {
		if (g.Why == history.Closed || g.Why == history.Dropped) && g.From.Before(before) && g.To.After(end) {
			end = g.To
		}
	}
	return end
}

// eachObject calls f with each object of a stream, as of when its objects are first known. If the record drops that
// moment before it has read an object, the next moment that is known takes its place.
func (w *walk) eachObject(i int, f func(history.Object)) error {
	for {
		since, known := w.since(i)
		if !known {
			return nil
		}
		some := false
		err := w.eachObjectAt(i, since, func(o history.Object) { some = true; f(o) })
		if now, _ := w.since(i); err != nil || some || !now.After(since) {
			return err
		}
	}
}

// eachObjectAt calls f with each object of a stream as of a moment.
func (w *walk) eachObjectAt(i int, at time.Time, f func(history.Object)) (err error) {
	n := 0
	w.record.At(w.numbers[i], at, func(o history.Object) bool {
		if w.choices.keepsObject(w.streams[i], o.Key) {
			f(o)
		}
		if n++; n%portion == 0 {
			err = w.pause()
		}
		return err == nil
	})
	if err == nil {
		err = w.pause()
	}
	return err
}

// windows is the number of time windows that a record is divided into. All changes of a window are before
// those of the next, so a truncated file is complete up to the end of a window.
const windows = 256

// eachChange calls f with each change, by window, stream and time, and ended after each window.
func (w *walk) eachChange(f func(i int, c history.Change), ended func(time.Time) error) error {
	step := max(w.to.Sub(w.from)/windows, time.Second)
	for from := w.from; from.Before(w.to); from = from.Add(step) {
		to := from.Add(step)
		if to.After(w.to) {
			to = w.to
		}
		for i := range w.streams {
			if err := w.eachBetween(i, from, to, f); err != nil {
				return err
			}
		}
		if err := ended(to); err != nil {
			return err
		}
	}
	return nil
}

// eachBetween calls f with each change of a stream between two moments.
func (w *walk) eachBetween(i int, from, to time.Time, f func(i int, c history.Change)) (err error) {
	since, known := w.since(i)
	if known && from.Before(since) {
		from = since
	}
	if !known || !from.Before(to) {
		return nil
	}
	n := 0
	w.between(w.numbers[i], from, to, func(c history.Change) bool {
		if w.choices.keepsObject(w.streams[i], c.Key) {
			f(i, c)
		}
		if n++; n%portion == 0 {
			err = w.pause()
		}
		return err == nil
	})
	if err == nil {
		err = w.pause()
	}
	return err
}

// between is Record.Between of the record, whose windows a walk asks for in order of time.
func (w *walk) between(number int, from, to time.Time, yield func(history.Change) bool) {
	t, ok := w.record.(*Recording)
	if !ok {
		w.record.Between(number, from, to, yield)
		return
	}
	if w.passes[number] == nil {
		w.passes[number] = newPass(&t.streams[number], passMost)
	}
	w.passes[number].between(from, to, yield)
}

// keepsLog reports whether a log is in the file.
func (w *walk) keepsLog(l history.Log) bool {
	return slices.Contains(w.choices.Logs, LogID(l)) && !slices.Contains(w.choices.Namespaces, l.Namespace)
}
