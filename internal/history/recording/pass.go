package recording

import (
	"time"

	"watchglass/internal/history"
)

// pass reads the changes of a stream in order. It keeps the payloads that objects have reached, so that a change
// costs one delta; Tape.Between applies all deltas since the last whole payload to each.
type pass struct {
	stream *stream
	most   int                // bytes of payloads that are kept
	states map[uint32]*passed // by object
	kept   int                // bytes of their own payloads
	spare  []byte
}

func newPass(s *stream, most int) *pass {
	return &pass{stream: s, most: most, states: make(map[uint32]*passed)}
}

// passed is an object as the changes up to a number of them have left it.
type passed struct {
	changes int
	uid     string
	payload []byte
	own     bool // the payload is not the tape's
}

// passMost is how many bytes of payloads the passes of a walk keep, each.
const passMost = 32 << 20

// between is Tape.Between of the stream. Each call goes on from the end of the last.
func (p *pass) between(from, to time.Time, yield func(history.Change) bool) {
	s := p.stream
	begin, end := s.between(from, to)
	for i := begin; i < end; i++ {
		c := &s.changes[i]
		v := p.before(c.object, uint32(i))
		now := p.after(v, c)
		out, ok := s.changed(c.object, v.uid, v.payload, c.uid, now)
		out.At = time.UnixMicro(c.at).UTC()
		more := !ok || yield(out)
		if p.turn(c.object, v, c, now); !more {
			return
		}
	}
}

// before returns an object as it was before a change.
func (p *pass) before(object, change uint32) *passed {
	all := p.stream.objects[object].changes
	v := p.states[object]
	if v != nil && v.changes < len(all) && all[v.changes] == change {
		return v
	}
	p.drop(object)
	v = &passed{changes: indexOf(all, change)}
	var d payloadBuffer
	v.uid, v.payload = d.at(p.stream, object, v.changes)
	v.own = len(d.payload) > 0 && len(v.payload) > 0 && &d.payload[0] == &v.payload[0]
	return v
}

// after returns the payload that a change leads to. One that is made of a delta is in spare.
func (p *pass) after(v *passed, c *change) []byte {
	if c.kind != deltaChange {
		return c.data
	}
	p.spare, _ = history.Patch(p.spare[:0], v.payload, c.data) // the reader has checked it
	return p.spare
}

// turn makes a change. The memory of the payload before it is used for the next.
func (p *pass) turn(object uint32, v *passed, c *change, now []byte) {
	last, own := v.payload, v.own
	p.drop(object)
	v.changes, v.uid, v.payload, v.own = v.changes+1, c.uid, now, c.kind == deltaChange
	if p.spare = nil; own {
		p.spare = last
	}
	if v.own && p.kept+cap(now) > p.most {
		return
	}
	if v.own {
		p.kept += cap(now)
	}
	p.states[object] = v
}

// drop forgets what an object has reached.
func (p *pass) drop(object uint32) {
	if v := p.states[object]; v != nil {
		if v.own {
			p.kept -= cap(v.payload)
		}
		delete(p.states, object)
	}
}
