package pane

import (
	"context"
	"strconv"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

const (
	// sweepAtOnce is how many kinds are listed at once, and sweepPage how many objects.
	sweepAtOnce = 4
	sweepPage   = 500
	// sweepTries is how often a list is retried when the proxy or the apiserver is too busy.
	sweepTries = 5
	// sweepMost is how many objects of a kind are read for their owners. A search that watches
	// the kind has the same limit.
	sweepMost = 5_000
)

// tooMany says why a kind is not searched any more.
func tooMany() string { return "more than " + strconv.Itoa(sweepMost) + " objects" }

// sweep lists kinds once, without a watch, and remembers who owns objects of them. It belongs
// to the hub's loop.
type sweep struct {
	host      Host
	namespace string                  // of the objects; "" is all
	kinds     map[string]*sweepResult // by resource
	queue     []object.Kind           // to be listed
	left      int                     // kinds that are to be listed, or are being listed
	listed    int                     // how many lists have ended
}

func newSweep(h Host, namespace string) *sweep {
	return &sweep{host: h, namespace: namespace, kinds: make(map[string]*sweepResult)}
}

// sweepResult is the result of listing one kind.
type sweepResult struct {
	owners  map[string]bool // UIDs
	at      time.Time
	failure string // why it could not be read
}

// found reports whether one of the UIDs owns an object of a kind.
func (s *sweep) found(resource string, uids map[string]bool) bool {
	one := s.kinds[resource]
	if one == nil {
		return false
	}
	for uid := range uids {
		if one.owners[uid] {
			return true
		}
	}
	return false
}

// begin lists kinds, some of them at once. It does nothing, and returns false, while other
// kinds are being listed.
func (s *sweep) begin(kinds []object.Kind) bool {
	if s.left > 0 {
		return false
	}
	s.queue, s.left = kinds, len(kinds)
	for range sweepAtOnce {
		s.next()
	}
	return true
}

// next lists the next kind, and then the one after it, until none is left.
func (s *sweep) next() {
	if len(s.queue) == 0 {
		return
	}
	kind := s.queue[0]
	s.queue = s.queue[1:]
	s.host.Go(func(ctx context.Context) func() {
		one := listOwners(ctx, s.host, kind, s.namespace)
		return func() {
			s.kinds[kind.ID()] = one
			s.left--
			s.listed++
			s.next()
			s.host.RequestUpdate()
		}
	})
}

// listOwners returns the owners of a kind's objects.
func listOwners(ctx context.Context, h Host, kind object.Kind, namespace string) *sweepResult {
	if !kind.Namespaced {
		namespace = ""
	}
	r := source.Selected(kind, source.Selection{Namespace: namespace, Metadata: true})
	r.Limit = sweepPage
	out := &sweepResult{owners: make(map[string]bool), at: time.Now()}
	for objects := 0; ; {
		next := ""
		err := source.Retry(ctx, sweepTries, func() (err error) {
			n := 0
			if n, next, err = pageOfOwners(ctx, h, r, out.owners); err == nil {
				objects += n
			}
			return err
		})
		switch {
		case err != nil:
			out.failure = err.Error()
			return out
		case next == "":
			return out
		case objects >= sweepMost:
			out.failure = tooMany()
			return out
		}
		r.Continue = next
	}
}

// pageOfOwners reads a page of a list of metadata. It returns how many objects are on it,
// and where the list continues.
func pageOfOwners(ctx context.Context, h Host, r wire.Request, owners map[string]bool) (n int, next string, err error) {
	decoder := object.NewMetadataDecoder()
	meta, err := source.ReadList(ctx, h, r, func(payload []byte) {
		n++
		if o, err := decoder.Decode(payload); err == nil {
			for _, owner := range o.Owners() {
				owners[owner.UID] = true
			}
		}
	})
	return n, meta.Continue, err
}
