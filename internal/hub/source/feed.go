package source

import (
	"slices"
	"sync"

	"watchglass/internal/informer"
	"watchglass/internal/object"
)

// Change is what happened to one object since the feed was last drained. Several changes of
// an object are one.
type Change struct {
	Key  string
	Now  *object.Object // nil if it is gone
	Last *object.Object // as it is, or last was; nil only if it was never seen
	// Unread says that an object is gone from the source because it can't be read.
	Unread bool

	added bool // it was not there when the feed was last drained
	again bool // it was there, and was deleted and added since
}

// Feed holds a source, and keeps what changed in it in a mailbox. The goroutine of the
// informer fills the mailbox and the owner of the feed drains it; the other methods may be
// called from either.
type Feed struct {
	*Lease
	sub   *informer.Subscription[*object.Object]
	wants func(*object.Object) bool

	mu         sync.Mutex
	changed    map[string]int // where in the mailbox a key is, counted from the first that was ever put there
	drained    int            // how many of these have left it
	mailbox    []Change
	tombstones int // changes in it of objects that came and went; they have no key

	forgotten map[string]bool // controllers of the objects that came and went, so that no Drain returned them
	overflown bool            // there were more than it holds
}

// mostForgotten is how many controllers are kept of objects that came and went.
const mostForgotten = 1000

// Follow returns a Feed of the wanted objects of a source; nil wants all. The mailbox starts
// with what the source holds. Follow calls notify, which must not block, after each change.
func Follow(lease *Lease, wants func(*object.Object) bool, notify func()) *Feed {
	f := &Feed{Lease: lease, wants: wants, changed: make(map[string]int)}
	f.mu.Lock() // changes that come meanwhile are queued after the initial ones
	defer f.mu.Unlock()
	objects, sub := lease.SubscribeLate(func(changes []informer.Change[*object.Object]) {
		if f.add(changes) {
			notify()
		}
	})
	f.sub = sub
	f.fillLocked(objects)
	return f
}

// add puts changes into the mailbox, and reports whether any was wanted.
func (f *Feed) add(changes []informer.Change[*object.Object]) (any bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range changes {
		if c.Before == nil && c.After == nil { // it left the store before, since it could not be read
			c.Before = c.Final
		}
		if f.wanted(c.Before) || f.wanted(c.After) {
			f.putLocked(c.Key, c.Before, c.After, c.Before == nil)
			f.markLocked(c.Key, c.Unread)
			any = true
		}
	}
	return any
}

func (f *Feed) wanted(o *object.Object) bool { return o != nil && (f.wants == nil || f.wants(o)) }

// fillLocked puts all objects into the mailbox.
func (f *Feed) fillLocked(objects []*object.Object) {
	for _, o := range objects {
		if f.wanted(o) {
			f.putLocked(o.Key(), nil, o, false)
		}
	}
}

// putLocked merges a change into the mailbox. An object that came and went since the last
// Drain is forgotten, so that a feed which is not drained for hours, because its page is
// hidden, holds no more than the source and what was last drained. added says that the object was not in the source before;
// one that is put again by Refill was.
func (f *Feed) putLocked(key string, before, after *object.Object, added bool) {
	at, there := f.changed[key]
	if !there {
		at = f.drained + len(f.mailbox)
		f.changed[key], f.mailbox = at, append(f.mailbox, Change{Key: key, Last: before, added: added})
	}
	c := &f.mailbox[at-f.drained]
	if after == nil && (c.added || c.again) {
		f.forgetLocked(c.Last)
	}
	c.again = after != nil && (c.again || there && added)
	if c.added && after == nil {
		*c = Change{}
		delete(f.changed, key)
		if f.tombstones++; f.tombstones > len(f.mailbox)/2 {
			f.compactLocked()
		}
		return
	}
	if c.Now = after; after != nil {
		c.Last = after
	}
}

// forgetLocked notes that an object came and went.
func (f *Feed) forgetLocked(o *object.Object) {
	if len(f.forgotten) >= mostForgotten {
		f.overflown = true
		return
	}
	if f.forgotten == nil {
		f.forgotten = make(map[string]bool)
	}
	f.forgotten[o.Controller()] = true
}

// markLocked notes whether the last change of a key was that it can't be read.
func (f *Feed) markLocked(key string, unread bool) {
	if at, there := f.changed[key]; there {
		f.mailbox[at-f.drained].Unread = unread
	}
}

// compactLocked removes what came and went.
func (f *Feed) compactLocked() {
	if f.tombstones == 0 {
		return
	}
	f.mailbox = slices.DeleteFunc(f.mailbox, func(c Change) bool { return c.Key == "" })
	for i, c := range f.mailbox {
		f.changed[c.Key] = f.drained + i
	}
	f.tombstones = 0
}

// Refill puts all that the source holds into the mailbox, as if it were new.
func (f *Feed) Refill() {
	f.mu.Lock() // before the store is read: a change that came between would be overwritten
	defer f.mu.Unlock()
	f.fillLocked(f.Store().List())
}

// Drain returns the changes and removes them from the mailbox: all of them, or the first
// most; 0 is no limit. They come in the order in which their objects first changed. What stays costs
// nothing.
func (f *Feed) Drain(most int) []Change {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.compactLocked()
	n := len(f.mailbox)
	if most > 0 {
		n = min(n, most)
	}
	out := f.mailbox[:n:n]
	if f.mailbox = f.mailbox[n:]; len(f.mailbox) == 0 {
		f.mailbox, f.drained = nil, 0
		clear(f.changed)
		return out
	}
	f.drained += n
	for _, c := range out {
		delete(f.changed, c.Key)
	}
	return out
}

// Forgotten reports whether objects of certain controllers may have come and gone between two calls of Drain, which returned
// none of them, since Forgotten was last called; nil is any controller. The informer's queue folds what happens to a key
// before it is applied, so an object that was added and deleted within that time, under a name that was in use before, is not
// reported.
func (f *Feed) Forgotten(of func(controller string) bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	any := f.overflown
	for controller := range f.forgotten {
		any = any || of == nil || of(controller)
	}
	f.forgotten, f.overflown = nil, false
	return any
}

// Pending returns how many objects have changed since the feed was drained.
func (f *Feed) Pending() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.mailbox) - f.tombstones
}

// Has reports whether the source holds an object of a key. The mailbox may lag behind.
func (f *Feed) Has(key string) bool {
	_, ok := f.Store().Get(key)
	return ok
}

// Decoder returns the decoder of the objects.
func (f *Feed) Decoder() *object.Decoder { return f.Lease.Decoder().(*object.Decoder) }

// Close releases the source, which lingers for a while. A nil Feed holds none.
func (f *Feed) Close() {
	if f != nil {
		f.Unsubscribe(f.sub)
		f.Release()
	}
}

// CloseAtOnce releases the source without letting it linger.
func (f *Feed) CloseAtOnce() {
	f.Unsubscribe(f.sub)
	f.Drop()
}
