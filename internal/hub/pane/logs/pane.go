package logs

import (
	"encoding/json"
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/history"
	"watchglass/internal/hub/pane"
)

const (
	// stepWork is how much work is done at once to filter and search lines, in bytes that are read.
	stepWork = 1 << 20
	// yieldFor is how long the browser has between two such steps.
	yieldFor = time.Millisecond
)

// logPane reads the logs of a pod, or of the pods of an owner.
type logPane struct {
	host    pane.Host
	asked   log.Options
	begun   bool // options have come
	pods    *podSet
	streams *streamSet
	lines   lines
	resume  time.Time // lines that are left wait until then
	pace    pace
	moment  time.Time // the latest that was shown

	// overtaken: the pause that is asked for was among lines that are gone, so these are not paused. The document says
	// so.
	overtaken bool
}

// New returns the pane that shows the logs of an object.
func New(h pane.Host, s pane.Subject) pane.Pane { return newPane(h, s) }

func newPane(h pane.Host, s pane.Subject) *logPane {
	p := &logPane{host: h, pods: newPodSet(h, s)}
	p.lines.reset()
	p.streams = newStreamSet(h, p.lines.store, log.Options{})
	return p
}

// Object applies another version of the object.
func (p *logPane) Object(v pane.Version) { p.pods.update(v) }

// Options applies the tab's options. Invalid ones are ignored.
func (p *logPane) Options(raw json.RawMessage) {
	var next log.Options
	if raw != nil && json.Unmarshal(raw, &next) != nil {
		return
	}
	before, other := p.asked, !p.begun || !next.Same(p.asked)
	p.asked, p.begun = next, true
	if other {
		p.restart()
		before.Cleared = 0
	}
	if next.Cleared != before.Cleared {
		p.lines.store.Clear()
	}
	if other || next.Filter != before.Filter || next.Search != before.Search || next.Columns != before.Columns || next.Raw != before.Raw || next.From != before.From || next.To != before.To {
		p.lines.ask(next)
	}
	p.lines.view.Expand(next.Open)
	p.lines.complete(next.Complete)
	p.overtaken = next.Paused && (other || p.overtaken)
	p.lines.view.Pause(next.Paused && !p.overtaken)
	p.pace.skipPause()
}

// restart drops all lines and begins to read other logs.
func (p *logPane) restart() {
	p.streams.close()
	p.lines.reset()
	p.streams = newStreamSet(p.host, p.lines.store, p.asked)
}

// Update opens and closes streams, and returns the document to show, if there is one.
func (p *logPane) Update(now time.Time) []byte {
	if !p.begun {
		return nil
	}
	p.followMoment()
	if changed, reselected := p.pods.refresh(now); changed || p.streams.stale(now) {
		p.streams.refresh(now, p.pods.sorted(), reselected)
	}
	if since, missed, again := p.pods.missed(now); missed {
		p.streams.notePodsMissed(since, again)
	}
	p.filterNew(now)
	if !p.pace.Due(p.host, now) || !p.pace.due(now, p.streams.changed(), p.lines.store.Received()) {
		return nil
	}
	doc, err := p.document().Append(nil)
	if err != nil { // our own structs can always be written
		return nil
	}
	return p.pace.Next(doc)
}

// followMoment reads the logs again if the page has gone back in time, so that no line is of a later moment.
func (p *logPane) followMoment() {
	at := p.host.Now()
	if at.Before(p.moment) {
		p.restart()
		p.lines.ask(p.asked)
		p.overtaken = p.asked.Paused
		p.pace.skipPause()
	}
	p.moment = at
}

// filterNew filters and searches new lines before a document goes out. Many lines, as after a new
// filter, take several steps, with a pause for the browser in between. The document after the
// last step is due at once.
func (p *logPane) filterNew(now time.Time) {
	left := p.lines.left
	if left && now.Before(p.resume) || !left && !p.pace.Due(p.host, now) {
		return
	}
	if p.lines.step(now, stepWork); p.lines.left {
		p.resume = now.Add(yieldFor)
		p.host.WakeAt(p.resume)
	}
	p.pace.news = p.pace.news || left || p.lines.left
}

// Logs returns the lines that are in memory, each with its time, by container.
func (p *logPane) Logs() []history.Log { return p.streams.logs(p.host.Now()) }

// Close ends all streams and releases the lists of pods.
func (p *logPane) Close() {
	p.streams.close()
	p.pods.close()
}
