package disk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/recording"
	"watchglass/internal/timeslice"
)

// maxSegment is the maximum size of a segment before compression, in bytes.
const maxSegment = 64 << 20

var errTooLarge = fmt.Errorf("the history of one kind does not fit into a %d MB file", maxSegment>>20)

// singleStream is one stream of a record.
type singleStream struct {
	history.Record
	number int
}

func (t singleStream) Streams() []history.Stream { return t.Record.Streams()[t.number : t.number+1] }

func (t singleStream) Gaps(int) []history.Gap { return t.Record.Gaps(t.number) }

func (t singleStream) At(_ int, at time.Time, yield func(history.Object) bool) {
	t.Record.At(t.number, at, yield)
}

func (t singleStream) Between(_ int, from, to time.Time, yield func(history.Change) bool) {
	t.Record.Between(t.number, from, to, yield)
}

// encode returns a segment as a recording.
func (c *segment) encode(ctx context.Context, b timeslice.Timer) (data []byte, err error) {
	h := recording.Header{From: c.from, To: c.to}
	_, err = recording.Write(singleStream{c.store, c.stream}, h, recording.Choices{}, func(piece []byte) error {
		if data = append(data, piece...); len(data) > maxSegment {
			return errTooLarge
		}
		b.RestIfDue()
		return ctx.Err()
	})
	return data, err
}

// workFor is how long writing or reading a segment takes between rests.
const workFor = 4 * time.Millisecond

var errDamaged = errors.New("a history file on disk is damaged")

// decode reads a segment as carefully as a file from a stranger.
func decode(data []byte, b timeslice.Timer) (*recording.Recording, error) {
	var r recording.Reader
	for piece := range slices.Chunk(data, 128<<10) {
		if r.Write(piece) != nil {
			return nil, errDamaged
		}
		b.RestIfDue()
	}
	t, err := r.Close("")
	if err != nil || t.Damage != "" || len(t.Streams()) != 1 {
		return nil, errDamaged
	}
	return t, nil
}

// cacheBytes is the maximum size of the cached segments. The newest is cached whatever its size.
const cacheBytes = 64 << 20

// cache has the segments read last. The archive's lock guards it, except the channel reading.
type cache struct {
	reading chan struct{} // full while a segment is read
	read    []readSegment // the newest last
}

// readSegment is a segment in memory.
type readSegment struct {
	id     uint64
	record *recording.Recording
	size   int
}

func (c *cache) clear() { c.read = nil }

func (c *cache) drop(id uint64) {
	c.read = slices.DeleteFunc(c.read, func(r readSegment) bool { return r.id == id })
}

// get returns a segment, and makes it the newest.
func (c *cache) get(id uint64) *recording.Recording {
	for i, r := range c.read {
		if r.id == id {
			c.read = append(slices.Delete(c.read, i, i+1), r)
			return r.record
		}
	}
	return nil
}

// add adds a segment, and drops the least recently read ones.
func (c *cache) add(r readSegment) {
	c.read = append(c.read, r)
	for total := c.bytes(); len(c.read) > 1 && total > cacheBytes; total = c.bytes() {
		c.read = slices.Delete(c.read, 0, 1)
	}
}

func (c *cache) bytes() (all int) {
	for _, r := range c.read {
		all += r.size
	}
	return all
}

// load returns the content of a segment. An unreadable segment is dropped and reported.
func (a *Archive) load(ctx context.Context, c *segment) (*recording.Recording, error) {
	select {
	case a.cache.reading <- struct{}{}:
		defer func() { <-a.cache.reading }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	a.mu.Lock()
	record, gone := a.cache.get(c.id), !slices.Contains(a.segments, c)
	a.mu.Unlock()
	switch {
	case gone || c.forbidden():
		return nil, errGone
	case record != nil:
		return record, nil
	}
	data, err := a.disk.Get(ctx, c.id)
	if err == nil {
		record, err = decode(data, a.timer)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case !slices.Contains(a.segments, c) || c.forbidden():
		return nil, errGone
	case err != nil && ctx.Err() == nil:
		a.failed = err.Error()
		a.drop(func(other *segment) bool { return other == c })
		return nil, err
	case err != nil:
		return nil, err
	}
	a.cache.add(readSegment{c.id, record, len(data)})
	return record, nil
}

var errGone = errors.New("this part of the history was removed from disk")
