//go:build !js

package limit

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

// TestClient checks the client's address of requests with and without fronts.
func TestClient(t *testing.T) {
	fronts := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		remote    string
		forwarded []string
		want      string
	}{
		{"192.0.2.1:5", nil, "192.0.2.1"},
		{"192.0.2.1:5", []string{"198.51.100.1"}, "192.0.2.1"},
		{"10.1.1.1:5", nil, "10.1.1.1"},
		{"10.1.1.1:5", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.1.1.1:5", []string{"203.0.113.9, 198.51.100.1"}, "198.51.100.1"},
		{"10.1.1.1:5", []string{"203.0.113.9", "198.51.100.1"}, "198.51.100.1"},
		{"10.1.1.1:5", []string{"203.0.113.9, 198.51.100.1, 10.2.2.2"}, "198.51.100.1"},
		{"10.1.1.1:5", []string{"junk"}, "10.1.1.1"},
		{"10.1.1.1:5", []string{"203.0.113.9, junk"}, "10.1.1.1"},
		{"10.1.1.1:5", []string{""}, "10.1.1.1"},
		{"10.1.1.1:5", []string{"198.51.100.1:4321"}, "198.51.100.1"}, // as Azure's gateway writes it
		{"10.1.1.1:5", []string{"203.0.113.9:1, 198.51.100.1:4321, 10.2.2.2:1"}, "198.51.100.1"},
		{"10.1.1.1:5", []string{"[2001:db8:1:2:3:4:5:6]:4321"}, "2001:db8:1:2::"},
		{"10.1.1.1:5", []string{"[2001:db8:1:2:3:4:5:6]"}, "2001:db8:1:2::"},
		{"10.1.1.1:5", []string{"198.51.100.1:junk"}, "10.1.1.1"},
		{"127.0.0.2:5", nil, "127.0.0.1"},
		{"127.9.9.9:5", nil, "127.0.0.1"},
		{"[::1]:5", nil, "127.0.0.1"},
		{"[::ffff:10.1.1.1]:5", []string{"2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::"},
		{"[2001:db8:1:2:3:4:5:6]:5", nil, "2001:db8:1:2::"},
		{"[fe80::1%eth0]:5", nil, "fe80::"},
		{"@", nil, "invalid IP"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr, r.Header["X-Forwarded-For"] = c.remote, c.forwarded
		if got, _ := clientOf(r, fronts); got.String() != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
