package e2e

import (
	"testing"
	"time"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// TestClock has a computer whose clock is ahead of the apiserver's: the page says by how much, and
// says nothing once the clock is right.
func TestClock(t *testing.T) {
	p := stage.Serve(t, proxy.Options{})
	e := synced(t, p.At("/pods"), lostSocket)
	clock, err := e.Clock()
	e.Must(err)
	reconnect := func() {
		e.Must(p.Kill())
		e.AwaitState("stale")
		e.Must(p.Start(t.Context()))
		e.AwaitState("live")
	}
	e.Must(clock.SetAhead(7*time.Minute + 20*time.Second))
	reconnect()
	e.Says(".banner", "This computer's clock is 7m ahead of the apiserver's.", "Ages are wrong by 7m")
	e.Keep("ahead")
	e.Must(clock.SetAhead(0))
	reconnect()
	e.Await(`!document.querySelector(".banner:not([hidden])")?.innerText.includes("clock")`)
}
