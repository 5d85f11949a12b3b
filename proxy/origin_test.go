//go:build !js

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// modes are the authentication modes.
var modes = []string{authLocal, authToken, authOIDC, authProxy}

// origins are header lines with wrong origins. Requests with them are refused.
func (p *program) origins() map[string]string {
	scheme, host := p.public.Scheme, p.public.Host
	name, port := p.public.Hostname(), ""
	if p.public.Port() != "" {
		port = ":" + p.public.Port()
	}
	other := map[string]string{"http": "https", "https": "http"}[scheme]
	sibling := map[string]string{"http": "localhost" + port, "https": "other.example.com"}[scheme]
	all := map[string]string{
		"null":                  "null",
		"another port":          scheme + "://" + name + ":1",
		"the port of the other": scheme + "://" + name + map[string]string{"http": ":443", "https": ":80"}[scheme],
		"the other scheme":      other + "://" + host,
		"with more behind it":   scheme + "://" + name + ".evil.example" + port,
		"with more before it":   scheme + "://evil" + host,
		"with a user":           scheme + "://ana@" + host,
		"as a user":             scheme + "://" + host + "@evil.example",
		"a look-alike":          scheme + "://" + strings.Replace(strings.Replace(host, "l", "\u2113", 1), "1", "\uff11", 1),
		"one in punycode":       scheme + "://xn--" + name + "-hxa" + port,
		"a sibling":             scheme + "://" + sibling,
		"a dot behind it":       scheme + "://" + name + "." + port,
		"in upper case":         strings.ToUpper(p.origin()),
		"a path":                p.origin() + "/",
		"no scheme":             host,
		"empty":                 "",
		"twice in a line":       p.origin() + ", " + p.origin(),
		"twice with a space":    p.origin() + " " + p.origin(),
	}
	for name, value := range all {
		all[name] = "Origin: " + value + "\r\n"
	}
	all["missing"] = ""
	all["twice"] = strings.Repeat("Origin: "+p.origin()+"\r\n", 2)
	all["with another"] = "Origin: " + p.origin() + "\r\nOrigin: https://evil.example\r\n"
	return all
}

// shape is a request with an effect, as a page can send it.
type shape struct {
	name, method, path string
	head               string // lines
	body               func(*browser) string
	code               func(mode string) int // of one that is let in
}

func always(code int) func(string) int { return func(string) int { return code } }

// shapes returns requests of all kinds. The attacker knows everything, including the proof; the
// victim's browser adds the cookies, and the front adds the name.
func shapes() []shape {
	token := func(b *browser) string { return b.given() }
	nothing := func(*browser) string { return "" }
	const text, form = "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"
	const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	return []shape{
		{"a socket", "GET", "/-/socket", upgrade, nothing, always(101)},
		{"a login in text", "POST", "/-/login", text, token, always(200)},
		{"a login of a form", "POST", "/-/login", form, token, always(200)},
		{"a sign-in", "POST", "/-/signin", form, func(b *browser) string { return "to=%2Fpods&token=" + b.given() }, func(mode string) int {
			if mode == authOIDC {
				return 200
			}
			return 404 // there is no provider
		}},
		{"a login that says more", "POST", "/-/login", text + "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n", token, always(200)},
		{"a logout", "POST", "/-/logout", text, nothing, always(200)},
	}
}

// given returns the body of a login in the browser's mode.
func (b *browser) given() string {
	switch b.program.mode {
	case authLocal:
		var link strings.Builder
		if err := b.program.options.printLink(&link); err != nil {
			b.t.Fatal(err)
		}
		_, token, _ := strings.Cut(strings.TrimSpace(link.String()), "#token=")
		return token
	case authToken:
		return b.token
	}
	return ""
}

// raw returns the request as it is sent, with a Host and an origin.
func (s shape) raw(b *browser, target, hosts, origin string) string {
	h := b.header(s.path)
	h.Del("Origin")
	var head strings.Builder
	_ = h.Write(&head) // a strings.Builder takes all
	body := s.body(b)
	if s.method == "POST" {
		fmt.Fprintf(&head, "Content-Length: %d\r\n", len(body))
	}
	return s.method + " " + target + " HTTP/1.1\r\n" + hosts + origin + s.head + head.String() + "\r\n" + body
}

// exchange writes a raw request, and reads the header of the response and, unless it is a socket,
// the body.
func (p *program) exchange(t *testing.T, raw string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", p.listens)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, raw); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%v of %q", err, raw)
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, ""
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// victimised is a signed-in browser with a page.
type victimised struct {
	*browser
	page *page
}

func (p *program) victim(t *testing.T) victimised {
	t.Helper()
	b := p.browser(t, "ana")
	b.token = "token-of-ana"
	b.signIn()
	return victimised{b, b.open()}
}

// goesOn checks that the session and its page are unchanged.
func (v victimised) goesOn() {
	v.t.Helper()
	if got := v.page.ask(someSecrets()); !strings.Contains(got, "canary-of-") {
		v.t.Errorf("the page that was open sees %q", got)
	}
	if code, text, err := v.login(""); code != 200 || err != nil {
		v.t.Errorf("the session is renewed: %d %s %v", code, text, err)
	}
}

// had returns the requests upstream since the last call.
func (p *program) had() (n int) {
	if p.at != nil {
		for _, path := range []string{"/token", "/revoke", "/authorize", "/logout"} {
			n += p.at.Asked(path)
		}
	}
	return n + len(p.cluster.take())
}

// turnedAway checks that a request was refused without an effect.
func turnedAway(t *testing.T, resp *http.Response, body string, codes ...int) {
	t.Helper()
	if !slices.Contains(codes, resp.StatusCode) || len(resp.Header["Set-Cookie"]) > 0 || resp.Header.Get("Location") != "" || strings.Contains(body, "session\"") {
		t.Errorf("it is answered %s %v %q", resp.Status, resp.Header, body)
	}
}

// TestOrigins sends every request that pages of other origins can make a browser send, with
// everything that the victim's browser and front add. None has an effect, while the same request
// from one of our pages has.
func TestOrigins(t *testing.T) {
	for _, mode := range modes {
		p := launch(t, mode)
		host := "Host: " + p.public.Host + "\r\n"
		right := "Origin: " + p.origin() + "\r\n"
		victim := p.victim(t)
		for _, s := range shapes() {
			t.Run(mode+"/"+s.name, func(t *testing.T) {
				p.had()
				asked := p.had() // the provider's are counted from the start
				for name, origin := range p.origins() {
					resp, body := p.exchange(t, s.raw(victim.browser, s.path, host, origin))
					if turnedAway(t, resp, body, 403); t.Failed() {
						t.Fatal(name)
					}
				}
				if now := p.had(); now != asked {
					t.Errorf("upstreams were asked %d times", now-asked)
				}
				b := p.browser(t, "ana")
				b.token = "token-of-ana"
				b.signIn()
				resp, body := p.exchange(t, s.raw(b, s.path, host, right))
				if resp.StatusCode != s.code(mode) {
					t.Errorf("a page of ours is answered %s %v %q", resp.Status, resp.Header, body)
				}
			})
		}
		victim.t = t
		victim.goesOn()
	}
}

// TestFetchSites sends requests with the right Origin, but with a Sec-Fetch-Site of another site.
func TestFetchSites(t *testing.T) {
	for _, mode := range modes {
		p := launch(t, mode)
		host, right := "Host: "+p.public.Host+"\r\n", "Origin: "+p.origin()+"\r\n"
		victim := p.victim(t)
		for _, s := range shapes()[1:4] {
			for _, site := range []string{"same-site", "cross-site", "none", "", "SAME-ORIGIN", "same-origin, cross-site", "same-origin\r\nSec-Fetch-Site: cross-site"} {
				p.had()
				asked := p.had()
				resp, body := p.exchange(t, s.raw(victim.browser, s.path, host, right+"Sec-Fetch-Site: "+site+"\r\n"))
				if turnedAway(t, resp, body, 403); p.had() != asked || t.Failed() {
					t.Fatalf("%s: %s from %q", mode, s.name, site)
				}
			}
			resp, body := p.exchange(t, s.raw(victim.browser, s.path, host, right+"Sec-Fetch-Site: same-origin\r\n"))
			if resp.StatusCode != s.code(mode) {
				t.Errorf("%s: %s from here: %s %q", mode, s.name, resp.Status, body)
			}
		}
	}
}

// hostForms are header lines with ways to write the Host, and whether each is accepted. A page
// whose name was rebound to our address sends its own name.
func (p *program) hostForms() map[string]bool {
	name, port := p.public.Hostname(), ":"+p.public.Port()
	ours := []string{name + port, strings.ToUpper(name) + port, name + "." + port, "localhost" + port, "LocalHost." + port, "[::1]" + port}
	theirs := []string{"evil.example" + port, name + port + "0", name, "0.0.0.0" + port, "2130706433" + port, "0x7f.1" + port, "[::]" + port, "[::ffff:127.0.0.1]" + port}
	if p.mode != authLocal {
		ours = []string{name, strings.ToUpper(name), name + ".", name + ":443", name + ".:443", "[fd00::1]:8443", "[FD00::1]:8443"}
		theirs = []string{"evil.example", name + ":8443", p.listens, "localhost", "[::1]", "[fd00::1]", "fd00::1:8443", "other.example.com"}
	}
	theirs = append(theirs, name+".evil.example"+port, "evil"+name+port, name+".."+port, name+",evil.example", "evil.example@"+name+port, name+port+"/evil", "")
	forms := make(map[string]bool)
	for i, host := range append(ours, theirs...) {
		forms["Host: "+host+"\r\n"] = i < len(ours)
	}
	forms[""] = false
	forms["Host: "+p.public.Host+"\r\nHost: evil.example\r\n"] = false
	forms["Host : "+p.public.Host+"\r\n"] = false
	forms["Host: evil.example\r\nX-Forwarded-Host: "+p.public.Host+"\r\nForwarded: host="+p.public.Host+"\r\n"] = false
	return forms
}

// TestHostForms checks which Hosts are accepted, and that requests for another Host have no
// effect, even with the browser's cookies and a matching Origin.
func TestHostForms(t *testing.T) {
	for _, mode := range modes {
		args := []string{"--host", "[fd00::1]:8443"}
		p := launch(t, mode, args...)
		victim := p.victim(t)
		forms, opening := p.hostForms(), shapes()[0]
		if len(forms) < 20 {
			t.Fatal(len(forms))
		}
		for lines, ours := range forms {
			host, _, _ := strings.Cut(strings.TrimPrefix(lines, "Host: "), "\r\n")
			origin := "Origin: http://" + strings.ToLower(host) + "\r\n"
			if ours && mode != authLocal {
				origin = "Origin: " + p.origin() + "\r\n"
			}
			page := shape{method: "GET", body: opening.body}
			for what, c := range map[string]struct {
				raw  string
				code int
			}{
				"a page":   {page.raw(victim.browser, "/pods", lines, ""), 200},
				"a file":   {page.raw(victim.browser, "/-/files/boot.def.js", lines, ""), 200},
				"a socket": {opening.raw(victim.browser, opening.path, lines, origin), 101},
			} {
				p.had()
				asked := p.had()
				resp, body := p.exchange(t, c.raw)
				if ours && resp.StatusCode != c.code {
					t.Errorf("%s: %s of %q: %s %q", mode, what, lines, resp.Status, body)
				}
				if !ours {
					turnedAway(t, resp, body, 400, 421)
				}
				if p.had() != asked || t.Failed() {
					t.Fatalf("%s: %s of %q", mode, what, lines)
				}
			}
		}
		for target, code := range map[string]int{"http://evil.example/pods": 421, "http://" + p.public.Host + "/pods": 200} {
			page := shape{method: "GET", body: opening.body}
			if resp, _ := p.exchange(t, page.raw(victim.browser, target, "Host: "+p.public.Host+"\r\n", "")); resp.StatusCode != code {
				t.Errorf("%s: the target %s: %s", mode, target, resp.Status)
			}
		}
		victim.goesOn()
	}
}
