//go:build !js

package limit

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientOf returns the address of a request's client, as limits count it. If the request comes
// from a front, that is the last address in X-Forwarded-For that is not a front's: the client may
// have written those before it. All addresses of an IPv6 subnet count as one. It also reports
// whether the address is a front's, which may have many clients.
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
	return countedAs(client), within(client, fronts) // a front may come after another
}

// forwardedFrom parses an address in X-Forwarded-For, with or without a port, and with or without
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

// addressOf parses a remote address; the result is the zero Addr if it has none.
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

// From reports whether a request's connection is from one of the prefixes, whatever its headers say.
func From(r *http.Request, prefixes []netip.Prefix) bool {
	return within(addressOf(r.RemoteAddr), prefixes)
}

func within(address netip.Addr, prefixes []netip.Prefix) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(address) })
}

// loopback counts for all addresses of this machine, of which there are millions.
var loopback = netip.MustParseAddr("127.0.0.1")

// countedAs returns the address that stands for a client: the first of an IPv6 subnet, loopback for
// this machine, or an IPv4 address itself.
func countedAs(address netip.Addr) netip.Addr {
	if address.IsLoopback() {
		return loopback
	}
	if p, err := address.Prefix(64); err == nil && address.Is6() {
		return p.Addr()
	}
	return address
}
