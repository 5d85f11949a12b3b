package recording

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// sum returns a checksum of some bytes, to tell whether they are the same again; never 0. As WebAssembly it takes
// a third of the time of hash/maphash, which multiplies in 128 bits. It depends on random numbers of this
// process, so a file cannot be made to have equal ones.
//
// A multiplication carries only to higher bits, so a second lane has the halves of each word exchanged.
func sum(b []byte) uint64 {
	one, two := sumSeed[0]+uint64(len(b))*sumSeed[3], sumSeed[1]
	add := func(word uint64) {
		one = (one ^ word) * sumSeed[2]
		two = (two ^ bits.RotateLeft64(word, 32)) * sumSeed[3]
		one ^= one >> 32
		two ^= two >> 32
	}
	for ; len(b) >= 8; b = b[8:] {
		add(binary.LittleEndian.Uint64(b))
	}
	var rest [8]byte
	copy(rest[:], b)
	add(binary.LittleEndian.Uint64(rest[:]))
	one = (one ^ bits.RotateLeft64(two, 23)) * sumSeed[2]
	return max(one^one>>32, 1)
}

var sumSeed = [4]uint64{rand.Uint64(), rand.Uint64(), rand.Uint64() | 1, rand.Uint64() | 1}
