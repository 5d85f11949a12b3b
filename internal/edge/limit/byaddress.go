//go:build !js

package limit

import "net/netip"

// byAddress counts limited things, in total and per address. Its owner's lock guards it.
type byAddress[T comparable] struct {
	total int
	of    map[netip.Addr]map[T]bool
}

func newByAddress[T comparable]() byAddress[T] {
	return byAddress[T]{of: make(map[netip.Addr]map[T]bool)}
}

// add counts one more for a client.
func (c *byAddress[T]) add(client netip.Addr, one T) {
	if c.of[client] == nil {
		c.of[client] = make(map[T]bool)
	}
	c.of[client][one] = true
	c.total++
}

// has reports whether one is counted.
func (c *byAddress[T]) has(client netip.Addr, one T) bool { return c.of[client][one] }

// remove stops counting one, if it is counted.
func (c *byAddress[T]) remove(client netip.Addr, one T) {
	if !c.has(client, one) {
		return
	}
	c.total--
	if delete(c.of[client], one); len(c.of[client]) == 0 {
		delete(c.of, client)
	}
}
