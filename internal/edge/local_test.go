//go:build !js

package edge

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/edge/edgetest"
	"watchglass/internal/edge/session"
)

const here = "http://127.0.0.1:8001"

func local(k session.Key, token string) *Authenticator {
	return NewLocal(listen, token, Options{Key: k, Hosts: NewHosts(listen, "box.example:8001")})
}

// TestLocal follows a session of local mode from start to end.
func TestLocal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key, token := session.NewKey(), session.NewSecret()
		v := newBrowser(t, local(key, token), here)
		v.want("no token", v.login(""), 401)
		v.want("another token", v.login(session.NewSecret()), 401)
		v.want("too long a token", v.login(strings.Repeat("x", maxGiven+1)), 413)
		v.want("the token", v.login(token), 200)
		c := v.cookies["watchglass-8001"]
		if c == nil || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure || c.Path != "/" || c.Domain != "" || strings.Contains(c.Value, token) {
			t.Fatalf("%+v", c)
		}
		began, name := time.Now(), v.session
		code, _ := v.socket()
		v.want("the socket", code, 418)
		v.want("again", v.login(""), 200)
		if v.session != name {
			t.Error("another session has begun")
		}
		v.auth = local(key, session.NewSecret())
		v.want("after a restart", v.login(""), 200)
		v.want("by the address of the earlier launch, though the session is good", v.login(token), 200)
		code, _ = v.socket()
		v.want("the socket after a restart", code, 418)
		if v.session != name {
			t.Error("another launch has begun another session in the same browser")
		}
		v.auth = local(session.NewKey(), token)
		code, _ = v.socket()
		v.want("after the key file was deleted", code, 401)
		v.auth = local(key, token)
		for n := 0; v.login("") == 200; n++ {
			time.Sleep(time.Hour)
			if lasts := time.Since(began); lasts > localLife+time.Hour {
				t.Fatalf("it lasts %v", lasts)
			}
		}
		if lasted := time.Since(began); lasted < localLife {
			t.Errorf("it lasted %v", lasted)
		}
	})
}

// TestLocalRelaunch checks who keeps a session when another launch signs in: only a browser that proves
// with its key that it has one. A session that was ended stays ended, however late a copy would.
func TestLocalRelaunch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key, token, later := session.NewKey(), session.NewSecret(), session.NewSecret()
		for name, c := range map[string]struct {
			origin string
			again  func(v *browser) // how the browser comes to the other launch
			keeps  bool
		}{
			"the same browser":           {here, func(*browser) {}, true},
			"a copied cookie":            {here, func(v *browser) { v.key = edgetest.NewKey() }, false},
			"a browser without sessions": {here, func(v *browser) { clear(v.cookies) }, false},
			"a browser without keys":     {"http://box.example:8001", func(*browser) {}, false},
		} {
			v := newBrowser(t, local(key, token), c.origin)
			if c.origin != here {
				v.key = nil
			}
			v.want(name+": in", v.login(token), 200)
			before := v.session
			c.again(v)
			v.auth = local(key, later)
			v.want(name+": again", v.login(later), 200)
			if (v.session == before) != c.keeps {
				t.Errorf("%s: session %s, and before %s", name, v.session, before)
			}
		}
		v := newBrowser(t, local(key, token), here)
		v.want("in", v.login(token), 200)
		time.Sleep(localLife - time.Hour)
		copied := v.cookies["watchglass-8001"]
		v.want("out", v.send(v.auth.Logout(), http.MethodPost, "/-/logout", "").Code, 200)
		v.cookies["watchglass-8001"] = copied
		time.Sleep(30 * time.Minute)
		v.want("a copy, later", v.login(""), 401)
	})
}

// TestLocalServes checks that a session is valid for what was shown when it began, and for nothing else that is shown at
// the same address with the same key. A link signs in to either.
func TestLocalServes(t *testing.T) {
	key, token := session.NewKey(), session.NewSecret()
	serving := func(serves string) *Authenticator {
		return NewLocal(listen, token, Options{Key: key, Hosts: NewHosts(listen, "box.example:8001"), Serves: serves})
	}
	for _, c := range []struct {
		from, to string
		want     int
	}{{"", "", 200}, {"--demo", "--demo", 200}, {"--demo", "", 401}, {"", "--demo", 401}, {"--replay a", "--replay b", 401}} {
		v := newBrowser(t, serving(c.from), here)
		v.want(c.from+": in", v.login(token), 200)
		v.auth = serving(c.to)
		v.want(fmt.Sprintf("%q after %q", c.to, c.from), v.login(""), c.want)
		v.want(c.to+": by the link", v.login(token), 200)
	}
}

// TestLocalRequests checks which requests are refused even with a valid session.
func TestLocalRequests(t *testing.T) {
	token := session.NewSecret()
	v := newBrowser(t, local(session.NewKey(), token), here)
	v.want("in", v.login(token), 200)
	for name, c := range map[string]struct {
		edit       func(*http.Request)
		login, get int
	}{
		"another site":    {func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, 403, 403},
		"no Origin":       {func(r *http.Request) { r.Header.Del("Origin") }, 403, 403},
		"a cross-site":    {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403, 403},
		"a same-site":     {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, 403, 403},
		"typed":           {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") }, 403, 403},
		"says it twice":   {func(r *http.Request) { r.Header["Sec-Fetch-Site"] = []string{"same-origin", "cross-site"} }, 403, 403},
		"does not say it": {func(r *http.Request) { r.Header.Del("Sec-Fetch-Site") }, 200, 418},
		"rebound":         {func(r *http.Request) { r.Host = "evil.example:8001" }, 421, 421},
		"another method":  {func(r *http.Request) { r.Method = http.MethodPut }, 405, 405},
		"no cookie":       {func(r *http.Request) { r.Header.Del("Cookie") }, 401, 401},
		"a planted one": {func(r *http.Request) {
			r.Header["Cookie"] = append([]string{"watchglass-8001=planted"}, r.Header["Cookie"]...)
		}, 200, 418},
	} {
		v.edit = c.edit
		v.want(name+": login", v.login(""), c.login)
		code, _ := v.socket()
		v.want(name+": socket", code, c.get)
	}
	v.edit = func(*http.Request) {}
	v.want("out", v.send(v.auth.Logout(), http.MethodPost, "/-/logout", "").Code, 200)
	v.want("after logout", v.login(""), 401)
}

// TestLocalCopied checks that a cookie that was sent to another port of this machine is worthless:
// it opens no socket, is not renewed, and ends nobody's session.
func TestLocalCopied(t *testing.T) {
	for name, origin := range map[string]string{"with keys": here, "where browsers have no keys": "http://box.example:8001"} {
		token := session.NewSecret()
		v := newBrowser(t, local(session.NewKey(), token), origin)
		if origin != here {
			v.key = nil
		}
		v.want(name+": in", v.login(token), 200)
		c := v.cookies["watchglass-8001"]
		for _, key := range []*edgetest.Key{nil, edgetest.NewKey()} {
			thief := newBrowser(t, v.auth, origin)
			thief.key = key
			thief.cookies[c.Name] = c
			thief.want(name+": a renewal", thief.login(""), 401)
			r := thief.request(http.MethodGet, "/-/socket", "")
			proof := r.Header.Get(proofHeader)
			if v.auth.Proves(r, *v.auth.current(r))(proof) {
				t.Errorf("%s: a hello is taken", name)
			}
			thief.send(v.auth.Logout(), http.MethodPost, "/-/logout", "")
		}
		v.want(name+": the owner, then", v.login(""), 200)
	}
}

// TestUnbound checks the session of a browser without a key, over plain HTTP to another machine: a
// proof protects it, and it is not extended.
func TestUnbound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token := session.NewSecret()
		v := newBrowser(t, local(session.NewKey(), token), here)
		v.key = nil
		v.want("without a key where browsers have one", v.login(token), 401)
		v = newBrowser(t, v.auth, "http://box.example:8001")
		v.key = nil
		v.want("the token", v.login(token), 200)
		v.want("the token again", v.login(token), 200) // its session goes on
		began := time.Now()
		for v.login("") == 200 {
			time.Sleep(time.Hour)
		}
		if lasted := time.Since(began); lasted < unboundLife || lasted > unboundLife+time.Hour {
			t.Errorf("it lasted %v", lasted)
		}
		another := newBrowser(t, v.auth, "http://box.example:8001")
		another.key = nil
		another.want("the token in another browser", another.login(token), 401)
	})
}

// TestTickets checks how often a link signs in, and which browser.
func TestTickets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key, token := session.NewKey(), session.NewSecret()
		early := NewTicket(key, "8001", time.Now())
		time.Sleep(time.Second)
		d := local(key, token)
		time.Sleep(time.Second)
		ana, bob := newBrowser(t, d, here), newBrowser(t, d, here)
		ana.want("the printed link", ana.login(token), 200)
		bob.want("the same in another browser", bob.login(token), 401)
		clear(ana.cookies)
		ana.want("the same in the first browser, which lost its cookie", ana.login(token), 200)
		for name, bad := range map[string]string{
			"of an earlier launch": early, "for another port": NewTicket(key, "8002", time.Now()), "of another user": NewTicket(session.NewKey(), "8001", time.Now()),
			"of the future": NewTicket(key, "8001", time.Now().Add(time.Minute)), "for another use": key.Seal("ticket", []byte("12345678")),
		} {
			bob.want("a link "+name, bob.login(bad), 401)
		}
		fresh, unused := NewTicket(key, "8001", time.Now()), NewTicket(key, "8001", time.Now())
		bob.want("a fresh link", bob.login(fresh), 200)
		eve := newBrowser(t, d, here)
		eve.want("the same in another browser", eve.login(fresh), 401)
		for _, written := range []string{fresh[:10] + "\n" + fresh[10:], fresh[:10] + "\r\n" + fresh[10:], fresh + "=", fresh[:len(fresh)-1] + next(fresh[len(fresh)-1])} {
			eve.want("the same, written otherwise", eve.login(written), 401)
		}
		time.Sleep(ticketFor + time.Second)
		eve.want("a link that has expired", eve.login(unused), 401)
		eve.want("the printed one, much later", eve.login(token), 401)
		last := NewTicket(key, "8001", time.Now())
		eve.want("the last", eve.login(last), 200)
		tickets := d.mode.(*localMode).tickets
		if len(tickets.used) != 2 {
			t.Errorf("%d tickets are remembered", len(tickets.used))
		}
		if d := NewLocal(&net.UnixAddr{}, "", Options{Key: key}); newBrowser(t, d, here).login("") == 200 {
			t.Error("no token is a token")
		}
	})
}

// next returns another last character of base64 for the same bytes, using its unused bits.
func next(c byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[(strings.IndexByte(alphabet, c)+1)%len(alphabet)])
}
