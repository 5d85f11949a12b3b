//go:build !js

package session

import (
	"context"
	"time"
)

// Connection is an open connection.
type Connection struct {
	session Session
	began   time.Time
	end     context.CancelCauseFunc
	rates
}

// MayList reports whether the user of a connection may request a list now.
func (c *Connection) MayList() bool { return c.lists == nil || c.lists.Allow() }

// MayReview reports whether the user of a connection may request a permission review now.
func (c *Connection) MayReview() bool { return c.reviews == nil || c.reviews.Allow() }

// Slow is called for each request that is refused. It waits if the user has had many.
func (c *Connection) Slow(ctx context.Context) {
	if c.refusals != nil {
		_ = c.refusals.Wait(ctx) // the connection ends with ctx
	}
}
