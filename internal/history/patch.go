package history

// Deltas makes deltas for files: one-way scripts. It reuses its memory, so only one goroutine may use it.
// Deltas are part of the format of recordings.
type Deltas struct{ differ differ }

// Append appends the delta from one text to another.
func (d *Deltas) Append(dst, before, after []byte) []byte {
	return d.differ.append(dst, before, after, false)
}

// Patch appends the result of applying a delta to a text. It reports whether the delta fits the text.
func Patch(dst, before, delta []byte) ([]byte, bool) { return patch(dst, before, delta) }

// Patched returns the length of the result of applying a delta to a text of a given length. It reports whether
// the delta fits such a text.
func Patched(before int, delta []byte) (length int, ok bool) {
	for length = before; len(delta) > 0; {
		e, ok := next(delta)
		if !ok || e.same > before || e.cut > before-e.same || e.put > len(e.rest) {
			return 0, false
		}
		before -= e.same + e.cut
		length += e.put - e.cut
		delta = e.rest[e.put:]
	}
	return length, true
}

// Kept returns where the part of a text between two offsets is after a delta. It reports whether the delta leaves it as
// it is, and changes nothing directly beside it either.
func Kept(delta []byte, from, to int) (nowFrom, nowTo int, ok bool) {
	at, moved := 0, 0
	for len(delta) > 0 {
		e, ok := next(delta)
		if !ok || e.put > len(e.rest) {
			return 0, 0, false
		}
		at += e.same
		if at > to {
			break
		}
		if at += e.cut; at >= from {
			return 0, 0, false
		}
		moved += e.put - e.cut
		delta = e.rest[e.put:]
	}
	return from + moved, to + moved, true
}
