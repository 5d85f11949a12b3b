package history

import "time"

// Known returns when a stream was first opened, the first moment that memory still has of it, and how often
// the right to read it was lost. The moments are zero if nothing of it is in memory.
func (s *Store) Known(number int) (opened, known time.Time, forgotten int) {
	s.locked(number, func(t *stream) {
		opened, known, forgotten = moment(t.opened), moment(t.since()), t.forgotten
	})
	return opened, known, forgotten
}

// ripeBlocks is the most blocks that Ripe returns at once: 8 MB.
const ripeBlocks = 256

// Ripe returns the part of a stream that memory drops next, so that it can be stored elsewhere before. It
// begins at stored, up to which the stream is stored already, or where memory begins. It returns false while
// there is time: while a quarter of memory is free, or the oldest quarter of the stream is stored.
func (s *Store) Ripe(number int, stored time.Time) (from, to time.Time, ok bool) {
	s.locked(number, func(t *stream) {
		blocks := t.journal.blocks
		if t.opened == 0 || len(blocks) == 0 || s.memory.bytes < s.memory.limit/4*3 {
			return
		}
		first := t.since()
		if !stored.IsZero() {
			first = max(first, stored.UnixMilli())
		}
		if first >= blocks[len(blocks)/4].last {
			return
		}
		last := min(blocks[min(len(blocks)/2, len(blocks)/4+ripeBlocks)].last, s.now-1) // more may come now
		from, to, ok = moment(first), moment(last), first < last
	})
	return from, to, ok
}
