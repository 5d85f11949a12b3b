package object

import "hash/maphash"

// interner returns the same string for equal bytes, most of the time. It is for values that
// neighbouring objects share, such as label sets and owners. It is a cache of fixed size with
// one slot per hash, so it never grows and needs no cleanup.
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
