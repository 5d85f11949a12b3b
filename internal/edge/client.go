//go:build !js

package edge

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientOf is the address that a request comes from, as limits count it. A request that
// comes from a front comes from the last address in X-Forwarded-For that is not a front's:
// what stands before that, anybody may have written. All addresses of an IPv6 subnet are
// one, since they are one customer's. It also reports whether the address is a
// front's, which may be that of many clients.
func clientOf(r *http.Request, fronts []netip.Prefix) (client netip.Addr, front bool) {
	client = addressOf(r.RemoteAddr)
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(forwarded) - 1; i >= 0 && within(client, fronts); i-- {
		next, ok := forwardedFrom(strings.TrimSpace(forwarded[i]))
		if !ok {
			break
		}
		client = next
	}
	return customer(client), within(client, fronts) // of which a front need not be the first
}

// forwardedFrom reads an address in X-Forwarded-For. Some fronts write the port with it, or
// brackets around IPv6.
func forwardedFrom(text string) (netip.Addr, bool) {
	if bare, ok := strings.CutPrefix(text, "["); ok && strings.HasSuffix(bare, "]") {
		text = strings.TrimSuffix(bare, "]")
	}
	if address, err := netip.ParseAddr(text); err == nil {
		return address.Unmap().WithZone(""), true
	}
	withPort, err := netip.ParseAddrPort(text)
	return withPort.Addr().Unmap().WithZone(""), err == nil
}

// addressOf is the address of a connection's other end; the zero Addr if it has none.
func addressOf(remote string) netip.Addr {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}

func within(address netip.Addr, prefixes []netip.Prefix) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(address) })
}

// loopback stands for all addresses of this machine. Whoever is on it has millions.
var loopback = netip.MustParseAddr("127.0.0.1")

// customer is the first address of an IPv6 subnet, or an IPv4 address as it is. This machine
// is one customer.
func customer(address netip.Addr) netip.Addr {
	if address.IsLoopback() {
		return loopback
	}
	if p, err := address.Prefix(64); err == nil && address.Is6() {
		return p.Addr()
	}
	return address
}
