package e2e

import (
	"testing"
	"time"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// TestClock has a computer whose clock jumps ahead of the apiserver's while a page is open: the proxy refuses its proof,
// and the page connects by the proxy's clock. It says by how much it is ahead, and nothing once the clock is right.
func TestClock(t *testing.T) {
	p := stage.Serve(t, proxy.Options{})
	e := synced(t, p.At("/pods"), lostSocket, `401 \(Unauthorized\)`) // until the page knows the proxy's clock
	clock, err := e.Clock()
	e.Must(err)
	reconnect := func() {
		e.Must(p.Kill())
		e.AwaitState("stale")
		e.Must(p.Start(t.Context()))
		e.AwaitState("live")
	}
	jump := func(by time.Duration) {
		e.Must(clock.SetAhead(by))
		e.Must(e.SetAhead(by.Milliseconds()))
		reconnect()
	}
	jump(7*time.Minute + 20*time.Second)
	e.Says(".banner", "This computer's clock is 7m ahead of the apiserver's.", "Ages are wrong by 7m")
	e.Keep("ahead")
	jump(0)
	e.Await(`!document.querySelector(".banner:not([hidden])")?.innerText.includes("clock")`)
}
