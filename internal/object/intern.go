package object

import "hash/maphash"

// interner gives equal bytes the same string most of the time: label sets,
// owners and the like, which neighbouring objects share. It is a cache of fixed
// size with one place for each hash, so it never grows and never has to be swept.
type interner struct {
	seed  maphash.Seed
	slots []string
}

const internSlots = 4096

func newInterner() interner {
	return interner{seed: maphash.MakeSeed(), slots: make([]string, internSlots)}
}

func (in *interner) get(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	slot := &in.slots[maphash.Bytes(in.seed, b)%internSlots]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}
