package e2e

// The complaints of the browser that a test may expect.
const (
	// lostSocket is what it writes when a socket cannot be opened, or ends badly, and
	// when the page then asks why and nobody answers.
	lostSocket = `WebSocket connection to .* failed|ERR_CONNECTION_REFUSED .*/-/login`
	// refusedLogin is what it writes when a login is answered with 401.
	refusedLogin = `status of 401`
)
