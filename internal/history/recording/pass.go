package recording

import (
	"slices"
	"time"

	"watchglass/internal/history"
)

// pass reads the changes of a stream in order. It keeps the payloads that objects have reached, so that a change
// costs one delta; Record.Between applies all deltas since the last whole payload to each.
type pass struct {
	stream *stream
	most   int            // bytes of payloads that are kept
	states []*objectState // by object; nil: it was not passed yet
	kept   int            // bytes of their own payloads
	spare  []byte
}

func newPass(s *stream, most int) *pass {
	return &pass{stream: s, most: most, states: make([]*objectState, len(s.objects))}
}

// objectState is an object as the changes up to a number of them have left it.
type objectState struct {
	changes int
	uid     string
	payload []byte
	own     bool // the payload is not the record's
	gone    bool // the payload was not kept
}

// passMost is how many bytes of payloads the passes of a walk keep, each.
const passMost = 32 << 20

// between is Record.Between of the stream. Each call goes on from the end of the last.
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
		if p.apply(v, c, now); !more {
			return
		}
	}
}

// before returns an object as it was before a change.
func (p *pass) before(object, change uint32) *objectState {
	all := p.stream.objects[object].changes
	v := p.states[object]
	if v == nil {
		v = new(objectState)
		p.states[object] = v
	} else if !v.gone && v.changes < len(all) && all[v.changes] == change {
		return v
	}
	p.drop(v)
	var d payloadBuffer
	v.changes = indexOf(all, change)
	v.uid, v.payload = d.at(p.stream, object, v.changes)
	v.own = len(d.payload) > 0 && len(v.payload) > 0 && &d.payload[0] == &v.payload[0]
	if v.gone = false; v.own {
		p.kept += cap(v.payload)
	}
	return v
}

// after returns the payload that a change leads to. One that is made of a delta is in spare.
func (p *pass) after(v *objectState, c *change) []byte {
	if c.kind != deltaChange {
		return c.data
	}
	p.spare, _ = history.Patch(slices.Grow(p.spare[:0], len(v.payload)+len(c.data)), v.payload, c.data) // the reader has checked it
	return p.spare
}

// apply makes a change. The memory of the payload before it is used for the next.
func (p *pass) apply(v *objectState, c *change, now []byte) {
	last := v.payload
	if p.spare = nil; v.own {
		p.kept -= cap(last)
		p.spare = last
	}
	v.changes, v.uid, v.payload, v.own = v.changes+1, c.uid, now, c.kind == deltaChange
	if !v.own {
		return
	}
	if p.kept += cap(now); p.kept > p.most {
		p.drop(v)
	}
}

// drop forgets the payload of an object.
func (p *pass) drop(v *objectState) {
	if v.own {
		p.kept -= cap(v.payload)
	}
	v.payload, v.own, v.gone = nil, false, true
}
