package reflector

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"watchglass/internal/wire"
)

// The errors of an event, apart from the Decoder's.
var (
	errNoVersion       = errors.New("an object without a version")
	errBookmarkVersion = errors.New("a bookmark without a version")
	errColumns         = errors.New("its columns changed")
)

// bookmark returns the version of a bookmark, and whether it ends the initial events.
func (r *Reflector[T]) bookmark(payload []byte) (version string, end bool, err error) {
	version, end, err = r.options.Decoder.Bookmark(payload)
	if err == nil && version == "" {
		err = errBookmarkVersion
	}
	return version, end, err
}

// reject counts an event that cannot be read, and returns its error. Where the list is fetched again, no version after it
// is reached; client-go would skip the event.
func (r *Reflector[T]) reject(err error) error {
	r.change(func(s *State) { s.Rejected++; s.LastBad = err })
	return fmt.Errorf("unreadable event: %w", err)
}

// setColumns sets the columns of the rows that follow. It returns errRelist if rows of other columns came
// before, which have to be fetched again.
func (r *Reflector[T]) setColumns(payload []byte) error {
	changed, err := r.options.Decoder.SetColumns(payload)
	if changed {
		r.change(func(s *State) { s.Encoding = wire.EncodingTable })
	}
	if changed && r.delivery.printed {
		return listAgain(errColumns)
	}
	return err
}

// An object that cannot be read is counted, and the rest goes on: the store lacks it, and State.Unread says so. A list
// may mend that, if the object was garbled on its way. Most often it does not, so such lists are rationed: one for
// an object that changes every ten seconds would otherwise follow each change.

// unreadObjects is what could not be read since the last list.
type unreadObjects struct {
	keys    map[string]time.Time // since when
	unnamed int                  // objects whose names could not be read either
}

func (u unreadObjects) count() int { return len(u.keys) + u.unnamed }

// note notes a key that could not be read, since a time or, if that is zero, since now.
func (u *unreadObjects) note(key string, since time.Time) {
	if since.IsZero() {
		since = time.Now()
	}
	if u.keys == nil {
		u.keys = make(map[string]time.Time)
	}
	u.keys[key] = since
}

// Unread returns since when an object could not be read; zero if it can, or does not exist. Any goroutine may call it.
func (r *Reflector[T]) Unread(key string) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unread.keys[key]
}

// currentUnread returns a copy of what cannot be read at the moment. Any goroutine may call it.
func (r *Reflector[T]) currentUnread() unreadObjects {
	r.mu.Lock()
	defer r.mu.Unlock()
	return unreadObjects{maps.Clone(r.unread.keys), r.unread.unnamed}
}

// noteUnread notes an object that could not be read; "" is one without a readable name. Of these, one may be all.
func (r *Reflector[T]) noteUnread(key string) {
	r.change(func(s *State) {
		if key == "" {
			r.unread.unnamed = max(r.unread.unnamed, 1)
		} else {
			r.unread.note(key, r.unread.keys[key])
		}
		s.Unread = r.unread.count()
	})
}

// noteRead notes that an object can be read, or is deleted.
func (r *Reflector[T]) noteRead(key string) {
	r.mu.Lock()
	_, had := r.unread.keys[key]
	r.mu.Unlock()
	if had {
		r.change(func(s *State) {
			delete(r.unread.keys, key)
			s.Unread = r.unread.count()
		})
	}
}

// identify reads no more of an object than what it is called.
func (r *Reflector[T]) identify(payload []byte) (obj T, ok bool) {
	if r.options.Checks.Identify == nil {
		return obj, false
	}
	obj, err := r.options.Checks.Identify(payload)
	return obj, err == nil
}

// skipUnreadable goes on after an event whose object could not be read, unless a list may mend that. What the
// sink has of the object is old, so it goes. The version is that of the event, if it could be read.
func (r *Reflector[T]) skipUnreadable(e wire.Event, cause error) (version string, err error) {
	obj, named := r.identify(e.Payload)
	if gone := named && e.Type == wire.Deleted; !gone {
		if err := r.rejectInWatch(cause); err != nil {
			return "", err
		}
	}
	if !named {
		r.noteUnread("")
		return "", nil
	}
	key := r.options.Key(obj)
	if e.Type == wire.Deleted {
		r.deliver(e.Type, obj)
		r.noteRead(key)
	} else {
		r.noteUnread(key)
		r.deliver(unreadable, obj)
	}
	return r.options.Version(obj), nil
}

// rejectInWatch counts an event of a watch that cannot be read. It returns its error if a list may be fetched because of it.
func (r *Reflector[T]) rejectInWatch(cause error) error {
	err := r.reject(cause)
	if r.repairs.allow(time.Now()) {
		return err
	}
	return nil
}
