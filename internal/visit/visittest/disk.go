// Package visittest has a visit.Disk in memory, for tests. It is a noun.
//
// In: blocks. Out: the same blocks, unless a test has broken them.
package visittest

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"

	"watchglass/internal/visit"
)

// Disk stores visits in memory, as visits.js does on disk. The zero value is ready for use.
type Disk struct {
	// Fail is what Put returns; nil: it works.
	Fail error

	mu     sync.Mutex
	places map[string]*place
}

var _ visit.Disk = (*Disk)(nil)

// place is what is stored of a place, by name. Only the key that stored it can read it.
type place struct {
	key, about string
	visits     map[string][][]byte
}

func (d *Disk) lock() func() {
	d.mu.Lock()
	if d.places == nil {
		d.places = make(map[string]*place)
	}
	return d.mu.Unlock
}

// Open is visit.Disk's.
func (d *Disk) Open(_ context.Context, name, key, about string) error {
	defer d.lock()()
	if p := d.places[name]; p == nil || p.key != key || p.about != about {
		d.places[name] = &place{key, about, make(map[string][][]byte)}
	}
	return nil
}

// Clear is visit.Disk's.
func (d *Disk) Clear(name string) {
	defer d.lock()()
	delete(d.places, name)
}

// errClosed is what a place answers that was not opened, or was cleared.
var errClosed = errors.New("the place is not open")

// Create is visit.Disk's.
func (d *Disk) Create(_ context.Context, name, of string) (visit.Writer, error) {
	defer d.lock()()
	p := d.places[name]
	if p == nil {
		return nil, errClosed
	}
	return &writer{disk: d, place: p, name: of}, nil
}

// Read is visit.Disk's.
func (d *Disk) Read(_ context.Context, name, of string) (visit.Reader, error) {
	defer d.lock()()
	p := d.places[name]
	if p == nil {
		return nil, errClosed
	}
	blocks, ok := p.visits[of]
	if !ok {
		return nil, nil
	}
	return &reader{blocks}, nil
}

// Names returns the names of the visits of a place, in order.
func (d *Disk) Names(name string) []string {
	defer d.lock()()
	if p := d.places[name]; p != nil {
		return slices.Sorted(maps.Keys(p.visits))
	}
	return nil
}

// Change changes the blocks of a visit.
func (d *Disk) Change(name, of string, change func(blocks [][]byte) [][]byte) {
	defer d.lock()()
	d.places[name].visits[of] = change(d.places[name].visits[of])
}

type writer struct {
	disk   *Disk
	place  *place
	name   string
	blocks [][]byte
}

func (w *writer) Put(_ context.Context, block []byte) error {
	defer w.disk.lock()()
	w.blocks = append(w.blocks, slices.Clone(block))
	return w.disk.Fail
}

func (w *writer) Commit(context.Context) error {
	defer w.disk.lock()()
	w.place.visits[w.name] = w.blocks
	return nil
}

func (w *writer) Abort() {}

type reader struct{ blocks [][]byte }

func (r *reader) Next(context.Context) ([]byte, error) {
	if len(r.blocks) == 0 {
		return nil, io.EOF
	}
	block := r.blocks[0]
	r.blocks = r.blocks[1:]
	return block, nil
}

func (r *reader) Close() {}
