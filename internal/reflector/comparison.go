package reflector

import (
	"fmt"
	"hash/maphash"
)

// comparison finds how a list differs from a store at the store's version. For each object it keeps two
// hashes, whatever the length of its key. Their random seed prevents crafted collisions.
type comparison struct {
	version string
	seed    maphash.Seed
	objects map[uint64]compared // by the hash of the key
}

// compared is an object of the store, of the list, or of both.
type compared struct {
	stamp          uint64 // hashed, in the store
	stored, listed bool
	differs        bool // the list has another stamp
}

func newComparison(version string, objects int) *comparison {
	return &comparison{version, maphash.MakeSeed(), make(map[uint64]compared, objects)}
}

// store adds an object of the store.
func (c *comparison) store(key, stamp string) {
	c.objects[maphash.String(c.seed, key)] = compared{stamp: maphash.String(c.seed, stamp), stored: true}
}

// add adds an object of the list. The last one of a key counts.
func (c *comparison) add(key, stamp string) {
	hash := maphash.String(c.seed, key)
	o := c.objects[hash]
	o.listed, o.differs = true, o.stored && o.stamp != maphash.String(c.seed, stamp)
	c.objects[hash] = o
}

// result returns a difference if store and list differ by more than the unreadable objects.
func (c *comparison) result(unread int) error {
	d := difference{version: c.version}
	for _, o := range c.objects {
		switch {
		case !o.stored:
			d.missing++
		case !o.listed:
			d.deleted++
		case o.differs:
			d.outdated++
		}
	}
	if d.missing <= unread && d.outdated == 0 && d.deleted == 0 {
		return nil
	}
	return d
}

// difference is how a store differs from the server at the same version.
type difference struct {
	version                    string
	missing, outdated, deleted int // objects
}

func (d difference) Error() string {
	return fmt.Sprintf("at version %s, %d objects were missing, %d outdated, %d deleted", d.version, d.missing, d.outdated, d.deleted)
}
