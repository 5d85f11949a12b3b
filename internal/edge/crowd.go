//go:build !js

package edge

import "net/netip"

// crowd counts limited things, in total and per address. Its owner's lock guards it.
type crowd[T comparable] struct {
	all int
	of  map[netip.Addr]map[T]bool
}

func newCrowd[T comparable]() crowd[T] {
	return crowd[T]{of: make(map[netip.Addr]map[T]bool)}
}

// add counts one more for a client.
func (c *crowd[T]) add(client netip.Addr, one T) {
	if c.of[client] == nil {
		c.of[client] = make(map[T]bool)
	}
	c.of[client][one] = true
	c.all++
}

// has reports whether one is counted.
func (c *crowd[T]) has(client netip.Addr, one T) bool { return c.of[client][one] }

// remove stops counting one, if it is counted.
func (c *crowd[T]) remove(client netip.Addr, one T) {
	if !c.has(client, one) {
		return
	}
	c.all--
	if delete(c.of[client], one); len(c.of[client]) == 0 {
		delete(c.of, client)
	}
}
