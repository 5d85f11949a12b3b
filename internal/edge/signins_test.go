//go:build !js

package edge

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/edge/limit"
	"watchglass/internal/edge/session"
)

// from returns a browser at an address.
func from(t *testing.T, d *Authenticator, address string) *browser {
	v := newBrowser(t, d, there)
	v.edit = func(r *http.Request) { r.RemoteAddr = address + ":4321" }
	return v
}

// counting returns an authenticator of token mode that counts requests to the apiserver.
func counting(t *testing.T, o Options) (d *Authenticator, asked *int) {
	asked = new(int)
	return NewToken(o, func(_ context.Context, _, token string) (Who, error) {
		if *asked++; token != "good" {
			return Who{}, ErrUnknown
		}
		return Who{User: "ana"}, nil
	}), asked
}

// TestNobodyStopsSignIns checks that a client that sends invalid tokens blocks neither other
// addresses nor existing sessions at its own, and causes few requests to the apiserver.
func TestNobodyStopsSignIns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, asked := counting(t, public(t))
		ana, mallory := from(t, d, "192.0.2.1"), from(t, d, "192.0.2.66")
		ana.want("in", ana.login("good"), 200)
		for range 3 * limit.SignInBurst {
			mallory.login("")
		}
		*asked = 0
		good := 0
		for second := range 60 {
			for range 100 {
				mallory.login(session.NewSecret())
			}
			if from(t, d, fmt.Sprintf("198.51.100.%d", second)).login("good") == 200 {
				good++
			}
			time.Sleep(time.Second)
		}
		if good != 60 {
			t.Errorf("%d of 60 others came in", good)
		}
		if junk := *asked - good; junk > 60*limit.AddressRate/limit.FailureCost+limit.AddressBurst/limit.FailureCost+1 {
			t.Errorf("the apiserver was asked about %d tokens of the one", junk)
		}
		for range 10 {
			mallory.login(session.NewSecret())
		}
		mallory.want("a good token among the junk", mallory.login("good"), 429)
		time.Sleep(10 * time.Minute)
		for range 100 {
			mallory.login(session.NewSecret())
		}
		ana.edit = mallory.edit
		ana.want("a renewal at the same address", ana.login(""), 200)
		for range 3 * limit.SignInBurst {
			ana.send(d.Login(), http.MethodPost, "/-/login?doubt=1", "")
		}
		ana.want("in doubt all the time", ana.send(d.Login(), http.MethodPost, "/-/login?doubt=1", "").Code, 429)
		v := from(t, d, "203.0.113.1")
		v.want("another, meanwhile", v.login("good"), 200)
	})
}

// TestSignInRate checks the limit for all addresses together, and that no address is charged for a
// failure of the apiserver.
func TestSignInRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, asked := counting(t, public(t))
		for n := range 1000 {
			from(t, d, fmt.Sprintf("198.51.%d.%d", n/250, n%250)).login("bad")
		}
		if *asked != limit.SignInBurst {
			t.Errorf("%d tokens were asked about at once", *asked)
		}
		time.Sleep(time.Minute)
		down := NewToken(public(t), func(context.Context, string, string) (Who, error) { return Who{}, fmt.Errorf("connection refused") })
		v := from(t, down, "192.0.2.1")
		for range limit.AddressBurst {
			v.want("while the apiserver is away", v.login("good"), 502)
		}
	})
}

// TestOneAddress checks that an address with a valid token gets at most its share of the sign-ins,
// and recovers soon after concurrent failures.
func TestOneAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := counting(t, public(t))
		time.Sleep(time.Minute)
		for range 60 {
			for range 100 {
				from(t, d, "192.0.2.66").login("good")
			}
			for n := range limit.SignInRate / 2 {
				v := from(t, d, fmt.Sprintf("198.51.100.%d", n))
				v.want("another address", v.login("good"), 200)
			}
			time.Sleep(time.Second)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		d := NewToken(public(t), func(ctx context.Context, _, token string) (Who, error) {
			if <-answer; token != "good" {
				return Who{}, ErrUnknown
			}
			return Who{User: "ana"}, nil
		})
		for range limit.AddressBurst {
			r := from(t, d, "192.0.2.1").request(http.MethodPost, "/-/login", "bad")
			go d.Login().ServeHTTP(httptest.NewRecorder(), r)
		}
		synctest.Wait()
		close(answer)
		synctest.Wait()
		time.Sleep((limit.FailureCost + 1) * time.Second / limit.AddressRate)
		v := from(t, d, "192.0.2.1")
		v.want("soon after failures at once", v.login("good"), 200)
	})
}

// TestRenewals checks that renewals of a session are limited, even with a captured request.
func TestRenewals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, asked := counting(t, public(t))
		v, other := from(t, d, "192.0.2.1"), from(t, d, "192.0.2.1")
		v.want("in", v.login("good"), 200)
		other.want("in", other.login("good"), 200)
		time.Sleep(14 * time.Minute) // due
		old := v.cookies["__Host-watchglass"]
		*asked = 0
		for range 300 {
			v.cookies["__Host-watchglass"] = old
			v.login("")
		}
		if *asked > limit.RenewBurst {
			t.Errorf("one session was renewed %d times at once", *asked)
		}
		other.want("another session", other.login(""), 200)
	})
}

// TestBesideAFront checks that an address next to a front's, which counts as the same client, is
// not treated as the front.
func TestBesideAFront(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := public(t)
		o.Fronts = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("2001:db8::7/128")}
		d, asked := counting(t, o)
		for address, most := range map[string]int{"127.0.0.66": limit.AddressBurst, "[2001:db8::66]": limit.AddressBurst, "127.0.0.1": limit.SignInBurst, "[2001:db8::7]": limit.SignInBurst} {
			*asked = 0
			for range 2 * limit.SignInBurst {
				from(t, d, address).login("good")
			}
			if *asked > most || *asked < most/2 {
				t.Errorf("%s signed in %d times at once, of %d", address, *asked, most)
			}
			time.Sleep(time.Minute)
		}
	})
}
