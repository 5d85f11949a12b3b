//go:build !js

package session

import "golang.org/x/time/rate"

// Limits are the limits of one user. In the zero value everything is unlimited.
type Limits struct {
	Connections int     // maximum of open connections
	Lists       float64 // maximum of lists per second
}

// burstSeconds is the maximum of lists at once, in seconds of the rate: a page that opens needs several.
const burstSeconds = 10

// AtOnce returns the maximum of lists at once; 0 is unlimited.
func (l Limits) AtOnce() int {
	if l.Lists <= 0 {
		return 0
	}
	return int(burstSeconds*l.Lists) + 1
}

// reviewsPerList is how many permission reviews a user may request for each list. They cost the apiserver less, and a page
// that shows what its user may do asks many at once.
const reviewsPerList = 2

// The refusals of a user beyond refusalBurst wait, so that no more than refusalRate are sent in a second. A page that
// retries too early notices nothing; a loop of refused requests costs next to nothing.
const (
	refusalRate  = 20
	refusalBurst = 200
)

// rates are the rate limits of one user; nil: unlimited.
type rates struct{ lists, reviews, refusals *rate.Limiter }

func newRates(l Limits) rates {
	if l.Lists <= 0 {
		return rates{}
	}
	of := func(each Limits) *rate.Limiter { return rate.NewLimiter(rate.Limit(each.Lists), each.AtOnce()) }
	return rates{of(l), of(Limits{Lists: reviewsPerList * l.Lists}), rate.NewLimiter(refusalRate, refusalBurst)}
}
