package history

import "time"

// Known returns when a stream was first opened, the first moment of it still in memory, and how often
// all of it was forgotten: permission to read it was lost, or its columns changed. The moments are zero if none of it
// is in memory.
func (s *Store) Known(number int) (opened, known time.Time, forgotten int) {
	s.locked(number, func(t *stream) {
		opened, known, forgotten = moment(t.opened), moment(t.since()), t.forgotten
	})
	return opened, known, forgotten
}

// ripeBlocks is the maximum number of blocks in the part that Ripe returns: 8 MB.
const ripeBlocks = 256

// Ripe returns the part of a stream that memory will drop next, so that it can be stored elsewhere first. The
// part begins at stored, where the stored part of the stream ends, or where memory begins. Ripe returns
// false while there is no hurry: while a quarter of memory is free, or the stream's oldest quarter is
// stored.
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
		last := min(blocks[min(len(blocks)/2, len(blocks)/4+ripeBlocks)].last, s.now-1) // now may get more changes
		from, to, ok = moment(first), moment(last), first < last
	})
	return from, to, ok
}
