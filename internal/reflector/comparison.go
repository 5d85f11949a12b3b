package reflector

import (
	"errors"
	"fmt"
	"hash/maphash"
)

// comparison finds how a list differs from a store at the store's version. For each object it keeps two
// hashes, whatever the length of its key. Their random seed prevents crafted collisions.
type comparison struct {
	version string
	seed    maphash.Seed
	objects map[uint64]compared // by the hash of the key
	unread  map[uint64]bool     // objects that could not be read, by the hash of the key: the store lacks them
	unnamed int                 // further ones
}

// compared is an object of the store, of the list, or of both.
type compared struct {
	stamp          uint64 // hashed, in the store
	stored, listed bool
	differs        bool // the list has another stamp
}

func newComparison(version string, objects int) *comparison {
	return &comparison{version, maphash.MakeSeed(), make(map[uint64]compared, objects), make(map[uint64]bool), 0}
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

// skip notes the objects that could not be read.
func (c *comparison) skip(u unread) {
	for key := range u.keys {
		c.unread[maphash.String(c.seed, key)] = true
	}
	c.unnamed = max(c.unnamed, u.unnamed)
}

// result returns a difference if store and list differ by more than the unreadable objects. Where an object without a
// readable name may be the difference, it returns errUnnamed.
func (c *comparison) result() error {
	d := difference{version: c.version}
	for hash, o := range c.objects {
		switch {
		case !o.stored && c.unread[hash]:
		case !o.stored:
			d.missing++
		case !o.listed:
			d.deleted++
		case o.differs:
			d.outdated++
		}
	}
	switch n := d.missing + d.outdated + d.deleted; {
	case n == 0:
		return nil
	case n <= c.unnamed:
		return errUnnamed
	}
	return d
}

// errUnnamed is a comparison that cannot tell what is missing from what could not be read.
var errUnnamed = errors.New("objects that could not be read, and whose names could not be read either, may be the difference")

// difference is how a store differs from the server at the same version.
type difference struct {
	version                    string
	missing, outdated, deleted int // objects
}

func (d difference) Error() string {
	return fmt.Sprintf("at version %s, %d objects were missing, %d outdated, %d deleted", d.version, d.missing, d.outdated, d.deleted)
}
