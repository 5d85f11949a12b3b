package e2e

import "regexp"

// The complaints of the browser that a test may expect.
const (
	// lostSocket is what it writes when a socket cannot be opened, or ends badly, and
	// when the page then asks why and nobody answers.
	lostSocket = `WebSocket connection to .* failed|ERR_CONNECTION_REFUSED .*/-/login`
	// refusedLogin is what it writes when a login is answered with 401.
	refusedLogin = `status of 401`
)

// checkConsole fails the test for everything on the console that is not allowed: a
// page in order writes nothing, breaks no policy and throws nothing.
func (e eyes) checkConsole(allowed []string) {
	e.t.Helper()
next:
	for _, line := range e.Console() {
		for _, pattern := range allowed {
			if regexp.MustCompile(pattern).MatchString(line) {
				continue next
			}
		}
		e.t.Errorf("on the console: %s", line)
	}
}
