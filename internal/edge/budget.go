//go:build !js

package edge

import (
	"net/http"

	"golang.org/x/time/rate"
)

// budget is how often the apiserver, or a provider, is asked who somebody is. Whoever
// tries tokens has it asked for nothing but the asking; who is in already, and in doubt,
// has a budget of their own.
type budget struct{ signins, doubts *rate.Limiter }

const (
	asksEach = 20 // a second, of all users together
	asksMost = 100
)

func newBudget() *budget {
	return &budget{rate.NewLimiter(asksEach, asksMost), rate.NewLimiter(asksEach, asksMost)}
}

var errBusy = refusing(http.StatusTooManyRequests, "rate", "too many sign in just now: try again in a moment")

// spend is called before somebody is asked. A session that goes on when it is due is
// renewed whatever others do.
func (b *budget) spend(goesOn bool, how how) error {
	switch {
	case !goesOn && !b.signins.Allow(), goesOn && how.doubt && !b.doubts.Allow():
		return errBusy
	}
	return nil
}
