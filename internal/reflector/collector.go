package reflector

import (
	"time"

	"watchglass/internal/wire"
)

// collector takes the objects of an initial list. The first list streams
// through to the sink as it comes, so that its first rows show at once and no
// second copy of it is held; any later one is gathered, and replaces what there
// is in one piece.
type collector[T any] struct {
	r       *Reflector[T]
	through bool
	unread  int // objects that could not be read
	objects int // the others
	list    []T
	at      map[string]int // key → place in list
}

func (r *Reflector[T]) collect() *collector[T] {
	c := &collector[T]{r: r, through: !r.handed}
	r.printed = false
	if !c.through {
		c.at = make(map[string]int)
	}
	return c
}

// read takes an event as it came. One that cannot be read is counted and shown;
// the rest of the list is good.
func (c *collector[T]) read(e wire.Event) {
	obj, err := c.r.decode(e.Payload)
	if err != nil {
		c.unread++
		_ = c.r.reject(err)
		return
	}
	c.take(e.Type, obj)
}

// take applies one event to the list in the making.
func (c *collector[T]) take(t wire.EventType, obj T) {
	c.objects++
	if c.through {
		c.r.handOne(t, obj)
		return
	}
	c.r.printed = true
	if known, ok := c.r.options.Known(obj); ok {
		obj = known
	}
	key := c.r.options.Key(obj)
	i, listed := c.at[key]
	switch {
	case t == wire.Deleted && listed:
		last := len(c.list) - 1
		c.list[i] = c.list[last]
		c.at[c.r.options.Key(c.list[i])] = i
		c.list = c.list[:last]
		delete(c.at, key)
	case t == wire.Deleted:
	case listed:
		c.list[i] = obj
	default:
		c.at[key] = len(c.list)
		c.list = append(c.list, obj)
	}
}

// credit gives credit for a batch: when it is applied, if it streamed through.
func (c *collector[T]) credit(stream Stream, batch wire.Batch) {
	if c.through {
		c.r.options.Sink.Applied(func() { stream.Credit(batch.Bytes) })
		return
	}
	stream.Credit(batch.Bytes)
}

// done hands the list over, whole, at its version.
func (c *collector[T]) done(version string) {
	r := c.r
	if c.through {
		r.options.Sink.Populated(version)
	} else {
		r.options.Sink.Replace(c.list, version)
	}
	back := older(version, r.version) && !r.rewound
	r.version, r.unavailable, r.rewound, r.inOne = version, false, false, false
	r.handed, r.whole, r.dropped = true, true, false
	r.listed, r.objects = true, c.objects
	r.beside = beside{learn: true}
	r.change(func(s *State) {
		if s.Synced {
			s.Relists++
		}
		if back {
			s.Rewinds++
		}
		s.Synced, s.Version, s.Unread, s.Listed = true, version, c.unread, time.Now()
	})
}
