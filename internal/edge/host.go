//go:build !js

package edge

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Hosts are the accepted names of the proxy. A page whose name was rebound to our address sends
// its own name as the Host, and is refused.
type Hosts struct {
	allowed map[string]bool
	public  string // the only origin of our pages; if empty, that of the request's host
}

// PublicHosts accepts the public address, and additional names of the form host or host:port,
// which a reverse proxy may send instead.
func PublicHosts(public *url.URL, more ...string) Hosts {
	h := Hosts{allowed: make(map[string]bool), public: originOf(public.Scheme, public.Host)}
	h.allow(canonical(public.Host, public.Scheme))
	if public.Port() == "" {
		h.allow(public.Host) // a reverse proxy may pass it on over plain HTTP
	}
	for _, name := range more {
		h.allow(name)
	}
	return h
}

// NewHosts accepts the address of the listener, and additional names of the form host or
// host:port. The name localhost stands for 127.0.0.1 and [::1], so the listener needs both.
func NewHosts(listen net.Addr, more ...string) Hosts {
	h := Hosts{allowed: make(map[string]bool)}
	host, port, err := net.SplitHostPort(listen.String())
	if err == nil {
		h.allow(net.JoinHostPort(host, port))
		if host == "127.0.0.1" || host == "::1" {
			for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
				h.allow(net.JoinHostPort(name, port))
			}
		}
	}
	for _, name := range more {
		h.allow(name)
	}
	return h
}

// allow accepts a name with both schemes, since the scheme is not known yet.
func (h Hosts) allow(host string) {
	h.allowed[canonical(host, "http")] = true
	h.allowed[canonical(host, "https")] = true
}

// Hostname returns the host of host or host:port, in canonical form.
func Hostname(hostport string) string {
	host, _, err := net.SplitHostPort(canonical(hostport, "http"))
	if err != nil {
		return ""
	}
	return host
}

// canonical returns a host in canonical form: lower case, without a trailing dot, with brackets
// around IPv6, and with a port.
func canonical(hostport, scheme string) string {
	host, port := hostport, ""
	if h, p, err := net.SplitHostPort(hostport); err == nil {
		host, port = h, p
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return host + ":" + port
}

func schemeOf(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// Host reports whether the request was sent to one of our names.
func (h Hosts) Host(r *http.Request) bool { return h.allowed[canonical(r.Host, schemeOf(r))] }

// originOf returns the origin of a host's pages, as browsers write it.
func originOf(scheme, hostport string) string {
	usual := map[string]string{"http": ":80", "https": ":443"}[scheme]
	return scheme + "://" + strings.TrimSuffix(strings.ToLower(hostport), usual)
}

// Origin reports whether the request was sent by one of our pages. Its Origin must be exactly the
// public origin or, without one, the scheme and host of the request; a request without an Origin
// is not ours. Sec-Fetch-Site, which browsers do not send for sockets, must not contradict it.
func (h Hosts) Origin(r *http.Request) bool {
	values, sites := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
	if len(values) != 1 || len(sites) > 1 || len(sites) == 1 && sites[0] != "same-origin" || !h.Host(r) {
		return false
	}
	if h.public != "" {
		return values[0] == h.public
	}
	return values[0] == originOf(schemeOf(r), r.Host)
}

// isLoopback reports whether a host is this machine, for browsers and for us.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
