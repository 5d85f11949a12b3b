package history

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// An edit script turns one text into another: for each place that differs, how many bytes before it
// are the same, how long it is in either text, and what it is there. What follows the last place is
// the same. A script of two ways has the bytes of both texts, and turns the second into the first as
// well; a script of one way has those of the second.

const (
	// window is how many bytes must be the same for two texts to be aligned there.
	window = 8
	// near is how far the same distance is looked for in both texts, before anything else.
	near = 48
	// span is how much of both texts is searched first, and growth by how much more then.
	span, growth = 256, 8
	// most is the largest text whose parts are looked for elsewhere. A longer one has one place that
	// differs.
	most = 1 << 20
	// tries is how many places with the same hash are compared.
	tries = 16
)

// differ makes edit scripts. It reuses its memory, so only one goroutine may use it.
type differ struct {
	heads [1 << 11]uint32 // the last number that was given to a place with a hash
	next  []uint32        // of each fourth place, the number before with its hash
	given uint32          // numbers up to this are of earlier searches
}

// append appends the script that turns a into b to dst.
func (d *differ) append(dst, a, b []byte, both bool) []byte {
	for i, j := 0, 0; ; {
		n := common(a[i:], b[j:])
		i, j = i+n, j+n
		if i == len(a) && j == len(b) {
			return dst
		}
		x, y := d.meet(a, b, i, j)
		dst = appendNumber(dst, uint64(n))
		if x-i == y-j {
			dst = appendNumber(dst, uint64(x-i)<<1)
		} else {
			dst = appendNumber(appendNumber(dst, uint64(x-i)<<1|1), uint64(y-j))
		}
		if both {
			dst = append(dst, a[i:x]...)
		}
		dst = append(dst, b[j:y]...)
		i, j = x, y
	}
}

// stride is the number of bytes compared at once where texts are mostly equal.
const stride = 128

// common returns how many bytes at the beginning are the same.
func common(a, b []byte) (n int) {
	for len(a)-n >= stride && len(b)-n >= stride && string(a[n:n+stride]) == string(b[n:n+stride]) {
		n += stride
	}
	for len(a)-n >= 8 && len(b)-n >= 8 {
		if x := load(a[n:]) ^ load(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
		n += 8
	}
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func load(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// meet returns where two texts that differ at i and j are the same again: their ends, if nowhere.
func (d *differ) meet(a, b []byte, i, j int) (x, y int) {
	if k := aligned(a[i:], b[j:]); k > 0 {
		return i + k, j + k
	}
	if len(a) <= most && len(b) <= most && i+window <= len(a) {
		if x, y = d.search(a, b, i, j); x >= 0 {
			return before(a, b, i, j, x, y)
		}
	}
	return before(a, b, i, j, len(a), len(b))
}

// aligned returns how far behind their beginning two texts are the same at the same distance, if that is
// near; otherwise 0.
func aligned(a, b []byte) int {
	for k := 1; k <= near && k+window <= len(a) && k+window <= len(b); k++ {
		if load(a[k:]) == load(b[k:]) {
			return k
		}
	}
	return 0
}

// before returns where what is the same at x and y begins, behind i and j.
func before(a, b []byte, i, j, x, y int) (int, int) {
	for x > i && y > j && a[x-1] == b[y-1] {
		x, y = x-1, y-1
	}
	return x, y
}

// search returns the nearest place behind i and j at which both texts are the same; -1 if there is none.
// It looks at what is near first: most places that differ are short.
func (d *differ) search(a, b []byte, i, j int) (x, y int) {
	for n := span; ; n *= growth {
		p, q := a[i:min(i+n, len(a))], b[j:min(j+n, len(b))]
		if x, y = d.nearest(p, q); x >= 0 {
			return i + x, j + y
		}
		if i+len(p) == len(a) && j+len(q) == len(b) {
			return -1, 0
		}
	}
}

// nearest returns the nearest place at which two texts are equal; -1 if there is none.
func (d *differ) nearest(a, b []byte) (x, y int) {
	d.index(a)
	x, best := -1, len(a)+len(b)
	for at := 0; at+window <= len(b) && at < best; at++ {
		want := load(b[at:])
		number := d.heads[hash(want)]
		for n := 0; number > d.given && n < tries; n++ {
			from := int(number-d.given-1) * 4
			if cost := from + at; cost < best && load(a[from:]) == want {
				x, y, best = from, at, cost
			}
			number = d.next[from/4]
		}
	}
	return x, y
}

// index gives each fourth place of a text a number, from given on. Numbers of earlier texts are lower, so
// nothing has to be cleared.
func (d *differ) index(a []byte) {
	n := len(a) / 4
	if d.given += uint32(len(d.next)); d.given > 1<<31 {
		d.given = 0
		clear(d.heads[:])
	}
	d.next = slices.Grow(d.next[:0], n)[:n]
	for at := (len(a) - window) &^ 3; at >= 0; at -= 4 {
		h := hash(load(a[at:]))
		d.next[at/4], d.heads[h] = d.heads[h], d.given+uint32(at/4)+1
	}
}

func hash(x uint64) uint32 { return uint32(x * 0x9e3779b97f4a7c15 >> 53) }

// edit is one place of a script, and what follows it.
type edit struct {
	same, cut, put int
	rest           []byte
}

// next reads the head of an edit.
func next(script []byte) (e edit, ok bool) {
	n, size := readNumber(script)
	if size <= 0 || n > 1<<31 {
		return e, false
	}
	m, more := readNumber(script[size:])
	if size += more; more <= 0 || m > 1<<31 {
		return e, false
	}
	e.same, e.cut, e.put = int(n), int(m>>1), int(m>>1)
	if m&1 != 0 {
		m, more = readNumber(script[size:])
		if size += more; more <= 0 || m > 1<<31 {
			return e, false
		}
		e.put = int(m)
	}
	e.rest = script[size:]
	return e, true
}

// apply applies a script of two ways to a text, in place: forward to the first text, else to the second.
// It returns false for what is no script of that text, which is then spoilt.
func apply(text, script []byte, forward bool) ([]byte, bool) {
	at := 0
	for len(script) > 0 {
		e, ok := next(script)
		if !ok || len(e.rest) < e.cut+e.put {
			return text, false
		}
		gone, come := e.rest[:e.cut], e.rest[e.cut:e.cut+e.put]
		if script = e.rest[e.cut+e.put:]; !forward {
			gone, come = come, gone
		}
		if at += e.same; at+len(gone) > len(text) {
			return text, false
		}
		if more := len(come) - len(gone); more != 0 {
			tail := at + len(gone)
			text = slices.Grow(text, max(more, 0))
			copy(text[tail+more:len(text)+more], text[tail:])
			text = text[:len(text)+more]
		}
		at += copy(text[at:], come)
	}
	return text, true
}

// patch appends what a script of one way makes of a text to dst.
func patch(dst, text, script []byte) ([]byte, bool) {
	for len(script) > 0 {
		e, ok := next(script)
		if !ok || e.same > len(text) {
			return dst, false
		}
		dst, text = append(dst, text[:e.same]...), text[e.same:]
		if e.cut > len(text) || e.put > len(e.rest) {
			return dst, false
		}
		dst, text, script = append(dst, e.rest[:e.put]...), text[e.cut:], e.rest[e.put:]
	}
	return append(dst, text...), true
}

// appendNumber appends a number to a script or a record. It is not inlined, which keeps the program small.
//
//go:noinline
func appendNumber(dst []byte, n uint64) []byte { return binary.AppendUvarint(dst, n) }

// readNumber reads a number, and returns its length too: none if it is malformed. Most numbers take one byte.
//
//go:noinline
func readNumber(text []byte) (n uint64, size int) {
	if len(text) > 0 && text[0] < 0x80 {
		return uint64(text[0]), 1
	}
	return binary.Uvarint(text)
}
