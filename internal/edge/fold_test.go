//go:build !js

package edge

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestFoldedHeaders sends identity headers as bytes, as no client would: a name that goes on in the next line, or has
// white space or control characters, is nobody's.
func TestFoldedHeaders(t *testing.T) {
	front := Front{UserHeader: "X-Forwarded-User"}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, err := front.user(r); err == nil {
			fmt.Fprintf(w, "%q", user)
		}
	}))
	defer s.Close()
	for header, want := range map[string]string{
		"X-Forwarded-User: ana":                               `"ana"`,
		"X-Forwarded-User: \t ana \t ":                        `"ana"`,
		"X-Forwarded-User: ana\r\n admin":                     "",
		"X-Forwarded-User: ana\r\n\tadmin":                    "",
		"X-Forwarded-User: ana\n admin":                       "",
		"X-Forwarded-User: ana\r\n \r\n admin":                "",
		"X-Forwarded-User: ana admin":                         "",
		"X-Forwarded-User: ana\tadmin":                        "",
		"X-Forwarded-User: ana\u00a0admin":                    "",
		"X-Forwarded-User: ana\u2028admin":                    "",
		"X-Forwarded-User: ana\radmin":                        "",
		"X-Forwarded-User: ana\x00":                           "",
		"X-Forwarded-User: ana\x0badmin":                      "",
		"X-Forwarded-User: ana\x7f":                           "",
		"X-Forwarded-User : ana":                              "",
		" X-Forwarded-User: ana":                              "",
		"X-Forwarded-User: ana\r\nX-Forwarded-User: admin":    "",
		"X-Other: a\r\n X-Forwarded-User: ana":                "",
		"X_Forwarded_User: ana\r\nx-forwarded-user: somebody": `"somebody"`,
	} {
		if got := answerTo(t, s.Listener.Addr().String(), header); got != want {
			t.Errorf("%q: %s, not %s", header, got, want)
		}
	}
}

// answerTo sends a request with a header as it is, and returns the answer if it is not an error.
func answerTo(t *testing.T, at, header string) string {
	t.Helper()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"+header+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	a, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != http.StatusOK {
		return ""
	}
	return string(body)
}
