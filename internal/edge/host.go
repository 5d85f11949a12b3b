//go:build !js

package edge

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Hosts are the names under which the proxy may be reached. A page of another
// origin whose name was rebound to our address sends its own name as the Host,
// and is not let in.
type Hosts struct {
	allowed map[string]bool
	public  string // the one origin of our pages; else it is that of the request's own host
}

// PublicHosts allows the address under which browsers know us, and further names of the
// form host or host:port that whoever stands before us may make of it.
func PublicHosts(public *url.URL, more ...string) Hosts {
	h := Hosts{allowed: make(map[string]bool), public: originOf(public.Scheme, public.Host)}
	h.allow(canonical(public.Host, public.Scheme))
	if public.Port() == "" {
		h.allow(public.Host) // what speaks plain http to us sends the very same
	}
	for _, name := range more {
		h.allow(name)
	}
	return h
}

// NewHosts allows the address that is listened on, and further names of the form host or
// host:port. The name localhost stands for 127.0.0.1 and for [::1]: who listens on one of them
// has to hold the other.
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

// allow takes a name for both schemes: which one is spoken is not known yet.
func (h Hosts) allow(host string) {
	h.allowed[canonical(host, "http")] = true
	h.allowed[canonical(host, "https")] = true
}

// Hostname is the host of host or host:port, written one way.
func Hostname(hostport string) string {
	host, _, err := net.SplitHostPort(canonical(hostport, "http"))
	if err != nil {
		return ""
	}
	return host
}

// canonical writes a host one way: lower case, no dot behind it, brackets
// around IPv6, and always a port.
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

// originOf is the origin of a host's pages, as browsers write it.
func originOf(scheme, hostport string) string {
	usual := map[string]string{"http": ":80", "https": ":443"}[scheme]
	return scheme + "://" + strings.TrimSuffix(strings.ToLower(hostport), usual)
}

// Origin reports whether the request was sent by a page of ours: its Origin is, to the
// letter, the scheme and host that it was sent to, or those that browsers know us by. Of
// a page that sends none, nothing is known, so it is not one. What else browsers say
// of where a request comes from must not say otherwise; of sockets they say nothing.
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

// isLoopback reports whether a host is this machine, to browsers as to us.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
