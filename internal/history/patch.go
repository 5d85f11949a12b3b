package history

// Deltas makes deltas for files: scripts of one way. It reuses its memory, so only one goroutine may use
// it. What it makes is part of the format of recordings.
type Deltas struct{ differ differ }

// Append appends the delta that leads from one text to another.
func (d *Deltas) Append(dst, before, after []byte) []byte {
	return d.differ.append(dst, before, after, false)
}

// Patch appends what a delta makes of a text, and reports whether it is a delta of that text.
func Patch(dst, before, delta []byte) ([]byte, bool) { return patch(dst, before, delta) }

// Patched returns the length of what a delta makes of a text of a length, and whether it is a delta of
// one.
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
