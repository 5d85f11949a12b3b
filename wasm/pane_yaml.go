package main

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// When an object changes, its YAML is asked for anew once it has been still for a
// moment, and at the latest after another.
const (
	yamlStill  = 500 * time.Millisecond
	yamlLatest = 2 * time.Second
)

// overdue is what is to be asked for at once.
var overdue = time.Unix(1, 0)

// yamlPane is the YAML of the object, as the proxy makes it: one GET, and another when
// the object has changed.
type yamlPane struct {
	ctx context.Context
	*desk
	*focus
	managed bool

	version string    // of the object as the tab has it
	shown   string    // of the text; empty if that does not say it
	first   time.Time // when it changed, since it was last asked for
	due     time.Time // when it is to be asked for; zero if it is not
	asking  bool
	asked   int // of the questions, the last

	head detail.YAMLHead
	text []byte
	news bool
}

func newYAMLPane(ctx context.Context, d *desk, f *focus) pane {
	return &yamlPane{ctx: ctx, desk: d, focus: f}
}

func (p *yamlPane) object(o *object.Object, _ func() (detail.Value, error)) {
	if o == nil {
		if p.head.Gone, p.news = true, true; p.asked > 0 {
			p.due = time.Time{}
		}
		return
	}
	if p.head.Gone {
		p.head.Gone, p.news = false, true
	}
	if p.version != o.Version() {
		p.version = o.Version()
		p.plan(time.Now())
	}
}

// plan has the text asked for once the object has been still, unless the one on screen
// is of its version. What is on its way may be older: its answer tells.
func (p *yamlPane) plan(now time.Time) {
	switch {
	case p.due.Equal(overdue):
		return // it is asked for now that the version is known
	case p.upToDate():
		p.due = time.Time{}
		return
	case p.due.IsZero():
		p.first = now
	}
	p.due = p.first.Add(yamlLatest)
	if still := now.Add(yamlStill); still.Before(p.due) {
		p.due = still
	}
	p.wake(time.Until(p.due))
}

// upToDate reports whether the text is of the version that the tab has.
func (p *yamlPane) upToDate() bool {
	return p.head.Said == nil && p.shown != "" && p.shown == p.version
}

// wake has the desk look again in a while.
func (p *yamlPane) wake(after time.Duration) { time.AfterFunc(after, p.stir) }

func (p *yamlPane) option(raw json.RawMessage) {
	var o detail.YAMLOptions
	if len(raw) > 0 && json.Unmarshal(raw, &o) != nil {
		return // of our own page: it does not happen
	}
	if p.asked == 0 || o.Managed != p.managed {
		p.managed, p.asking, p.due = o.Managed, false, overdue
	}
}

// turn asks when it is time, and hands over what came.
func (p *yamlPane) turn(now time.Time) []byte {
	if !p.due.IsZero() && !now.Before(p.due) && !p.asking {
		p.due = time.Time{}
		p.ask()
	}
	if !p.news {
		return nil
	}
	p.news = false
	head, err := json.Marshal(p.head)
	if err != nil {
		return nil // of our own struct: it does not happen
	}
	return append(append(head, '\n'), p.text...)
}

func (p *yamlPane) close() {}

// ask asks for the text. Only the last question counts.
func (p *yamlPane) ask() {
	p.asked++
	p.asking = true
	number := p.asked
	r := wire.Request{
		Verb: wire.Get, Group: p.kind.Group, Version: p.kind.Version, Resource: p.kind.Resource,
		Namespace: p.focus.asked.Namespace, Name: p.focus.asked.Name,
		Encoding: wire.EncodingYAML, ManagedFields: p.managed,
	}
	managed := p.managed
	p.running.Go(func() {
		text, err := p.client.Get(p.ctx, r)
		p.post(p.ctx, func() {
			if number == p.asked {
				p.answered(text, err, managed)
			}
		})
	})
}

// answered takes the text. What was there stays where none came.
func (p *yamlPane) answered(text []byte, err error, managed bool) {
	p.asking, p.news = false, true
	status := wire.StatusOf(err)
	switch {
	case err == nil:
		p.text, p.head = text, detail.YAMLHead{At: time.Now().UnixMilli(), Managed: managed, Gone: p.head.Gone}
		if p.shown = versionIn(text); p.upToDate() {
			p.due = time.Time{}
		}
		return
	case status == nil:
		status = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: err.Error()}
	}
	p.head.Said = status
	if !status.NotFound() { // it may be had a little later
		p.first = time.Now()
		p.due = p.first.Add(yamlAgain)
		p.wake(yamlAgain)
	}
}

// yamlAgain is when the text is asked for again that could not be had.
const yamlAgain = 5 * time.Second

// versionIn is the resourceVersion in a YAML; empty if there is none. At the margin, and
// two columns in, stand keys alone, whatever the values hold.
func versionIn(text []byte) string {
	_, metadata, _ := bytes.Cut(text, []byte("\nmetadata:\n"))
	for line := range bytes.Lines(metadata) {
		if line[0] != ' ' && line[0] != '\n' {
			break
		}
		if version, ok := bytes.CutPrefix(line, []byte("  resourceVersion: ")); ok {
			return string(bytes.Trim(version, "\"'\n"))
		}
	}
	return ""
}
