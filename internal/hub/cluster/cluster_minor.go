package cluster

import (
	"encoding/json"
	"strings"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// MinorWithin is how long the first list may wait for the server's minor version, unless the
// proxy knows an earlier answer. If the answer comes later, or differs, the rows are printed
// again.
const MinorWithin = 250 * time.Millisecond

// minorQuestion asks for the server's minor version, once for each connection. An upgrade need
// not end the connection, which is to the proxy: see refreshMinor.
type minorQuestion struct {
	connection *wire.Welcome
	until      time.Time // worth waiting for
	answered   bool
}

// askMinor asks for the server's minor version, unless that was asked on this connection,
// and reports whether the answer is worth waiting for.
func (c *Cluster) askMinor(now time.Time) (waits bool) {
	link := c.Client.Link()
	if link.Welcome == nil || !link.Connected {
		return false
	}
	if q := &c.minor; q.connection != link.Welcome {
		*q = minorQuestion{connection: link.Welcome, until: now.Add(MinorWithin)}
		major, minor, _ := strings.Cut(link.Welcome.Release, ".")
		if was := object.Release(major, minor); was != 0 {
			q.until = now
			if c.Kinds.Minor() == 0 { // the proxy asked when it started, mostly before the tab
				c.Kinds.SetMinor(was)
			}
		}
		c.Start(func() {
			minor := c.readMinor()
			c.Post(c.Ctx, func() { c.setMinor(link.Welcome, minor) })
		})
	}
	if waits = !c.minor.answered && now.Before(c.minor.until); waits {
		c.WakeAt(c.minor.until)
	}
	return waits
}

// refreshMinor asks for the minor version again. Any goroutine but the loop's may call it: it
// waits.
func (c *Cluster) refreshMinor() {
	if minor := c.readMinor(); minor != 0 {
		c.Kinds.SetMinor(minor)
		c.RequestStep()
	}
}

// readMinor returns the minor version of the server, or 0 if it does not say. Any goroutine
// but the loop's may call it: it waits.
func (c *Cluster) readMinor() int {
	var v struct{ Major, Minor string }
	doc, err := c.Client.Get(c.Ctx, wire.ServerVersion)
	if err != nil || json.Unmarshal(doc, &v) != nil {
		return 0
	}
	return object.Release(v.Major, v.Minor)
}

// setMinor stores the answer. Lists that were printed for another version notice by
// themselves. Without an answer the version known before stays, or the newest is assumed.
func (c *Cluster) setMinor(connection *wire.Welcome, minor int) {
	if c.minor.connection == connection {
		c.minor.answered = true
	}
	if minor != 0 {
		c.Kinds.SetMinor(minor)
	}
}
