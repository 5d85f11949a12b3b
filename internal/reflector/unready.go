package reflector

import (
	"time"

	"watchglass/internal/wire"
)

// An apiserver without a watch cache of a resource refuses to watch it, and sets a
// Retry-After that grows up to 30 s. It still serves lists in pages, from etcd. This lasts a
// second when an apiserver starts, and as long as a conversion webhook is down.
//
// Where it lasts, a short list is polled from etcd, so that it is correct as soon as the
// webhook is; the watch is requested again when the cache has had time to fill. A long list
// waits for the watch: after a restart every client would list from etcd at once.

const (
	// cacheFills is how long the apiserver takes to fill a small cache.
	cacheFills = 2 * time.Second
	// restLeast is the shortest time between two lists from etcd.
	restLeast = time.Second
)

// unready is the state of an apiserver that has no cache of the resource.
type unready struct {
	since time.Time // when it first said so; zero if it has a cache
	lists bool      // lists are read from etcd
}

// noteCacheMissing notes that a watch was refused because there is no cache. A short list is then
// polled until the watch may be requested again.
func (r *Reflector[T]) noteCacheMissing(status *wire.Status, now time.Time) {
	u := &r.learned.unready
	if u.since.IsZero() {
		u.since = now
	}
	u.lists = r.lastList.objects < pollObjects && (r.lastList.unfollowed || now.Sub(u.since) >= settles)
	if u.lists {
		r.learned.unwatched = unwatched{minRefusals, status, now.Add(status.Wait())}
	}
}

// delayWatch makes the watch after the first list from etcd wait for the cache.
func (r *Reflector[T]) delayWatch() {
	if r.learned.unready.lists && !r.lastList.unfollowed {
		r.learned.unwatched.next = time.Now().Add(cacheFills)
	}
}

// pollPause returns the time until the next list: shorter than usual if the watch may be
// requested sooner.
func (r *Reflector[T]) pollPause(every time.Duration) time.Duration {
	if !r.learned.unready.lists {
		return every
	}
	return min(every, max(restLeast, time.Until(r.learned.unwatched.next)))
}
