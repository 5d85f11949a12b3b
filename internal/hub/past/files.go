package past

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/recording"
	"watchglass/internal/hub/loop"
	"watchglass/internal/port"
	"watchglass/internal/timeslice"
)

// Files are the files that a page opens and saves. Only the loop may call its methods.
type Files struct {
	past      *Past
	reading   *reading       // the file being read; nil: none
	published *publishedFile // nil: there is none, or it has been shown
	saving    uint32         // the ID of the request for the file being written; 0: none
	look      loop.Latest    // the last preview
}

// NewFiles returns the files of the page whose past it is. End ends them.
func NewFiles(p *Past) *Files { return &Files{past: p} }

// reading is a file that the page sends while Read reads it.
type reading struct {
	ctx    context.Context
	cancel func()
	ask    port.Ask
	pull   func()
	left   int         // bytes to read
	chunks chan []byte // pulled, and not read yet
	chunk  []byte      // what is left of the last one
}

// Read waits for a chunk. It has another one pulled for each that it reads.
func (r *reading) Read(into []byte) (int, error) {
	for len(r.chunk) == 0 {
		if r.left <= 0 {
			return 0, io.EOF
		}
		select {
		case r.chunk = <-r.chunks:
			r.pull()
		case <-r.ctx.Done():
			return 0, errStopped
		}
	}
	n := copy(into, r.chunk[:min(len(r.chunk), r.left)])
	r.chunk, r.left = r.chunk[n:], r.left-n
	return n, nil
}

// add adds a chunk. It drops one that was not pulled.
func (r *reading) add(data []byte) {
	select {
	case r.chunks <- data:
	default:
	}
}

// Open reads a file that the page sends, and makes the page show it.
func (f *Files) Open(ask port.Ask) {
	var file struct {
		Size      int  `json:"size"`
		Published bool `json:"published"`
	}
	if err := ask.Read(&file); err != nil {
		f.past.host.Send(ask.Answer(nil, err))
		return
	}
	ctx, cancel := context.WithCancel(f.past.Own().Ctx)
	r := &reading{
		ctx: ctx, cancel: cancel, ask: ask, left: file.Size, chunks: make(chan []byte, port.Window),
		pull: func() { f.past.host.Send(port.Pull{ID: ask.ID}) },
	}
	f.past.host.Begin(ask, port.Transfer{Chunk: r.add, Cancel: func() { f.cancel(r) }})
	if file.Published {
		f.openPublished(r)
		return
	}
	f.published = nil
	f.read(r)
}

// cancel stops reading a file that the page no longer wants, and does not show the published one in its place.
func (f *Files) cancel(r *reading) {
	r.cancel()
	if f.reading == r {
		f.reading = nil
	}
	if f.published != nil && f.published.asked == r {
		f.published = nil
	}
}

// end answers the request for a file, which is no longer read.
func (f *Files) end(r *reading, err error) {
	r.cancel()
	f.past.host.End(r.ask, nil, err)
}

// read reads a file in its own goroutine, and then makes the page show it.
func (f *Files) read(r *reading) {
	f.endReading()
	f.reading = r
	for range port.Window {
		r.pull()
	}
	c := f.past.Own()
	c.Start(func() {
		record, err := recording.Read(r, newPauser(r.ctx, c.Rest).pause)
		c.Post(r.ctx, func() {
			if f.reading != r {
				return // replaced by another file
			}
			f.reading = nil
			if f.end(r, err); err == nil {
				f.play(record)
			}
		})
	})
}

func (f *Files) play(t *recording.Recording) {
	f.past.Play(t, &port.RecordingInfo{
		Cluster: t.Cluster, User: t.User, From: t.From, To: t.To, Version: t.Version, Release: t.Apiserver, Damage: t.Damage,
		Altered: strings.Join(t.Altered, ", "), LeftOut: strings.Join(t.LeftOut, ","), Unnamed: t.Unnamed,
	})
}

// endReading stops reading the file.
func (f *Files) endReading() {
	if f.reading != nil {
		f.end(f.reading, errStopped)
		f.reading = nil
	}
}

// End cancels the last preview when the page is gone.
func (f *Files) End() { f.look.End() }

// span is the part of history that a file covers.
type span struct {
	From    time.Time         `json:"from"` // zero: the beginning of history
	To      time.Time         `json:"to"`   // zero: now
	Choices recording.Choices `json:"choices"`
	Page    string            `json:"page"` // the page's address
}

// of reads the arguments of a request, and limits the span to a record.
func (s *span) of(t history.Record, ask port.Ask) error {
	if err := ask.Read(s); err != nil {
		return err
	}
	from, to := t.Span()
	if s.From.Before(from) {
		s.From = from
	}
	if s.To.IsZero() || s.To.After(to) {
		s.To = to
	}
	if len(t.Streams()) == 0 {
		return errors.New("there is no history yet")
	}
	if s.From.After(s.To) { // a recording that has just begun: the history's end is up to a second old
		s.From = s.To
	}
	return nil
}

// recordWithLogs is a record with the logs in a page's memory.
type recordWithLogs struct {
	history.Record
	logs []history.Log
}

// Logs is history.LogRecord's.
func (l recordWithLogs) Logs() []history.Log { return l.logs }

// record returns the history, with the current logs of the page's open tabs. A recording has its own logs.
func (f *Files) record() history.Record {
	record := f.past.host.Cluster().Record()
	if _, ok := record.(history.LogRecord); ok {
		return record
	}
	longest := make(map[string]history.Log)
	for _, l := range f.past.host.Logs() {
		if id := recording.LogID(l); longest[id].Text == nil || len(longest[id].Text) < len(l.Text) {
			longest[id] = l
		}
	}
	return recordWithLogs{record, slices.Collect(maps.Values(longest))}
}

// Preview answers what a file would contain. The page's next preview cancels it.
func (f *Files) Preview(ask port.Ask) {
	c, record, ctx := f.past.Own(), f.record(), f.look.Begin(f.past.Own().Ctx)
	var s span
	if err := s.of(record, ask); err != nil {
		f.past.host.Send(ask.Answer(nil, err))
		return
	}
	c.Start(func() {
		f.past.host.Send(ask.Answer(recording.NewPreview(record, s.From, s.To, s.Choices, newPauser(ctx, c.Rest).pause)))
	})
}

// saveAnswer is the answer once a file has been sent.
type saveAnswer struct {
	Dropped int `json:"dropped,omitempty"` // objects and changes that could not be read
}

// Save sends a file, and answers once all of it is sent.
func (f *Files) Save(ask port.Ask) {
	c, record := f.past.Own(), f.record()
	var s span
	if err := s.of(record, ask); err != nil || f.saving != 0 {
		if err == nil {
			err = errors.New("a recording is already being saved")
		}
		f.past.host.Send(ask.Answer(nil, err))
		return
	}
	ctx, cancel := context.WithCancel(c.Ctx)
	pulls := make(chan struct{}, port.Window)
	f.saving = ask.ID
	f.past.host.Begin(ask, port.Transfer{Cancel: func() { cancel(); f.endSaving(ask.ID) }, Pull: func() {
		select {
		case pulls <- struct{}{}:
		default: // more than there may be
		}
	}})
	h := f.header(s)
	c.Start(func() {
		defer cancel()
		dropped, err := f.send(newPauser(ctx, c.Rest), ask.ID, pulls, record, h, s.Choices)
		c.Post(c.Ctx, func() {
			f.endSaving(ask.ID)
			f.past.host.End(ask, saveAnswer{dropped}, err)
		})
	})
}

// endSaving lets another file be saved, also while the goroutine of one that was canceled still ends.
func (f *Files) endSaving(id uint32) {
	if f.saving == id {
		f.saving = 0
	}
}

var errStopped = errors.New("stopped")

// send sends a chunk of a file for each pull. Any goroutine may call it.
func (f *Files) send(b *pauser, id uint32, pulls <-chan struct{}, record history.Record, h recording.Header, c recording.Choices) (dropped int, err error) {
	return recording.Write(record, h, c, func(data []byte) error {
		if data == nil {
			return b.pause()
		}
		select {
		case <-pulls:
		case <-b.ctx.Done():
			return errStopped
		}
		f.past.host.Send(port.Chunk{ID: id, Data: data})
		return b.pause()
	})
}

// pauser pauses a long calculation regularly, so that the loop and the page are not held up.
type pauser struct {
	timeslice.Timer
	ctx context.Context
}

// busyFor is the time between two pauses.
const busyFor = 24 * time.Millisecond

func newPauser(ctx context.Context, rest timeslice.Rest) *pauser {
	return &pauser{timeslice.Timer{For: busyFor, Rest: rest}, ctx}
}

// pause pauses if one is due. It returns an error if the calculation is canceled.
func (p *pauser) pause() error {
	if p.RestIfDue(); p.ctx.Err() != nil {
		return errStopped
	}
	return nil
}

// header returns the header of a file that the page saves.
func (f *Files) header(s span) recording.Header {
	c := f.past.Own()
	h := recording.Header{Cluster: c.Context, User: c.UserName(), From: s.From, To: s.To, Page: s.Page}
	if w := c.Client.Link().Welcome; w != nil {
		h.Cluster, h.Apiserver, h.Version = w.Context, w.Release, w.Version
	}
	if about := f.past.about; about != nil { // part of a recording: the same cluster
		h.Cluster, h.User, h.Apiserver, h.Version = about.Cluster, about.User, about.Release, about.Version
	}
	if t, ok := f.past.host.Cluster().Record().(*recording.Recording); ok {
		h.Altered, h.LeftOut, h.Unnamed = t.Altered, t.LeftOut, t.Unnamed
	}
	return h
}
