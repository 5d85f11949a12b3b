// Package savedlisttest has a savedlist.Disk in memory, for tests. It is a noun.
//
// In: blocks. Out: the same blocks, unless a test has broken them.
package savedlisttest

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"

	"watchglass/internal/savedlist"
)

// Disk stores saved lists in memory, as visits.js does on disk. The zero value is ready for use.
type Disk struct {
	mu     sync.Mutex
	fail   error // what Put returns
	places map[string]*Folder
}

var _ savedlist.Disk = (*Disk)(nil)

// Fail makes Put return an error from now on; nil: Put succeeds.
func (d *Disk) Fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = err
}

// DropBodies removes the bodies of all saved lists, so that only rows are left.
func (d *Disk) DropBodies() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.places {
		for name, blocks := range f.lists {
			f.lists[name] = slices.DeleteFunc(slices.Clone(blocks), func(block []byte) bool { return block[0] == 'b' })
		}
	}
}

// Folder is what is stored of a place. Only whoever opens it with the same key can read it.
type Folder struct {
	disk       *Disk
	key, about string
	lists      map[string][][]byte
	closed     bool
}

// Open is savedlist.Disk's.
func (d *Disk) Open(_ context.Context, place, key, about string) (savedlist.Folder, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.places[place]; f != nil && f.key == key && f.about == about && !f.closed {
		return f, nil
	}
	if d.places == nil {
		d.places = make(map[string]*Folder)
	}
	d.places[place] = &Folder{disk: d, key: key, about: about, lists: make(map[string][][]byte)}
	return d.places[place], nil
}

// Clear is savedlist.Disk's.
func (d *Disk) Clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.places)
}

var errClosed = errors.New("the folder is closed")

// Create is savedlist.Folder's.
func (f *Folder) Create(_ context.Context, name string) (savedlist.Writer, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.closed {
		return nil, errClosed
	}
	return &writer{folder: f, name: name}, nil
}

// Read is savedlist.Folder's.
func (f *Folder) Read(_ context.Context, name string) (savedlist.Reader, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	blocks, ok := f.lists[name]
	switch {
	case f.closed:
		return nil, errClosed
	case !ok:
		return nil, nil
	}
	return &reader{blocks}, nil
}

// Remove is savedlist.Folder's.
func (f *Folder) Remove(name string) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	delete(f.lists, name)
}

// Close is savedlist.Folder's.
func (f *Folder) Close() {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.closed = true
	clear(f.lists)
}

// Names returns the names of the saved lists of a place, in order.
func (d *Disk) Names(place string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.places[place]; f != nil {
		return slices.Sorted(maps.Keys(f.lists))
	}
	return nil
}

// Change changes the blocks of a saved list.
func (d *Disk) Change(place, name string, change func(blocks [][]byte) [][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.places[place]
	f.lists[name] = change(f.lists[name])
}

type writer struct {
	folder *Folder
	name   string
	blocks [][]byte
}

func (w *writer) Put(_ context.Context, block []byte) error {
	w.folder.disk.mu.Lock()
	defer w.folder.disk.mu.Unlock()
	w.blocks = append(w.blocks, slices.Clone(block))
	return w.folder.disk.fail
}

func (w *writer) Commit(context.Context) error {
	w.folder.disk.mu.Lock()
	defer w.folder.disk.mu.Unlock()
	if w.folder.closed {
		return errClosed
	}
	w.folder.lists[w.name] = w.blocks
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
