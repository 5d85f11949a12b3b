//go:build !js

package relay

import (
	"net/http"
	"strings"
	"testing"

	"watchglass/internal/wire"
)

// TestServerVersion shows that the server's version passes, although it has no kind.
func TestServerVersion(t *testing.T) {
	const version = `{"major":"1","minor":"30"}`
	tb := start(t, func(r *http.Request) (*http.Response, error) {
		return answer(r, 200, "application/json", strings.NewReader(version)), nil
	}, Options{})
	tb.write([]byte(hello))
	tb.next()
	tb.write(wire.JSONFrame(wire.KindOpen, 2, wire.ServerVersion))
	tb.expect(wire.KindOpened, 2, "")
	if f := tb.next(); !strings.Contains(string(f.Body), version) {
		t.Errorf("%v %s", f.Kind, f.Body)
	}
}
