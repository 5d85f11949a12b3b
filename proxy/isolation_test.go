//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"watchglass/internal/edge/edgetest"
	"watchglass/internal/edge/session"
	"watchglass/internal/wire"
)

// everybody is the users of the proxy in these tests.
var everybody = []string{"ana", "bob"}

// foreign returns an error if data that a user received contains the canary of somebody else.
func foreign(user, got string) error {
	for _, other := range append(slices.Clone(everybody), "the proxy", "") {
		if other != user && strings.Contains(got, canary(other)) {
			return fmt.Errorf("%s got what is %q's: %.200q", user, other, got)
		}
	}
	return nil
}

// crowd is a set of browsers that use one proxy concurrently.
type crowd struct {
	t       *testing.T
	program *program
	left    atomic.Int64 // operations
	marks   atomic.Int64

	mu    sync.Mutex
	asker map[string]browser // who has asked for a namespace, as they were then
	did   map[string]int
}

func (c *crowd) count(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.did[what]++
}

// mark returns a namespace that no other browser requests.
func (c *crowd) mark(b browser) string {
	name := fmt.Sprintf("mark-%d-end", c.marks.Add(1))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asker[name] = b
	return name
}

// household is a browser with several tabs.
type household struct {
	crowd *crowd
	other *household

	mu    sync.Mutex
	now   browser
	pages map[*tabPage]bool
}

// look returns a copy of the browser.
func (h *household) look() browser {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.now
	b.cookies = maps.Clone(b.cookies)
	return b
}

// keep stores the cookies and the session of a response. The last response wins.
func (h *household) keep(b browser) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = b
}

// post sends a request as a page's script does, and checks that the response is for its user.
func (h *household) post(b *browser, path, body string) (int, string) {
	resp, text, err := b.send(http.MethodPost, path, body)
	if err != nil {
		h.crowd.t.Error(err)
		return 0, ""
	}
	if err := foreign(b.user, fmt.Sprint(text, resp.Header)); err != nil {
		h.crowd.t.Error(err)
	}
	return resp.StatusCode, text
}

// signIn signs in with a new token.
func (h *household) signIn(user string) {
	b := h.look()
	given := ""
	if b.user = user; b.program.mode == authToken {
		b.token = fmt.Sprintf("token-%s-%d", user, h.crowd.marks.Add(1))
		b.program.cluster.knows(b.token, user)
		given = b.token
	}
	open := h.opened(b.session)
	code, text, err := b.login(given)
	if err != nil || code != http.StatusOK || foreign(user, text) != nil {
		h.crowd.t.Errorf("%s signs in: %d %s %v", user, code, text, err)
		return
	}
	h.keep(b)
	h.crowd.count("signed in as " + user)
	for _, p := range open {
		if p.as.user != user && len(p.as.cookies) > 0 && p.ends(h.crowd.t) {
			h.crowd.count("saw another user sign in")
		}
	}
}

// opened returns the open pages of a session.
func (h *household) opened(session string) []*tabPage {
	h.mu.Lock()
	defer h.mu.Unlock()
	var open []*tabPage
	for p := range h.pages {
		if p.as.session == session {
			open = append(open, p)
		}
	}
	return open
}

// ends checks that a page ends, and reports whether it ended for the expected reason.
func (p *tabPage) ends(t *testing.T) bool {
	p.closing.Lock() // its tab is not to close it
	defer p.closing.Unlock()
	select {
	case <-p.over:
		return errors.Is(p.why, session.SignedOut) || errors.Is(p.why, session.Over)
	case <-time.After(10 * time.Second):
		t.Errorf("a page of %s's goes on", p.as.user)
		return false
	}
}

// renew renews the session as the page does.
func (h *household) renew() {
	b := h.look()
	was, cookies := b.session, maps.Clone(b.cookies)
	code, text, err := b.login("")
	switch {
	case err != nil || code != http.StatusOK && code != http.StatusUnauthorized:
		h.crowd.t.Errorf("%s renews: %d %s %v", b.user, code, text, err)
	case code == http.StatusUnauthorized:
		h.crowd.count("too late to renew")
		h.signIn(b.user)
	case b.session == was && !maps.Equal(cookies, b.cookies):
		h.crowd.count("renewed")
		h.keep(b)
	case b.session != was && b.program.mode == authToken:
		h.crowd.t.Errorf("%s renews, and has another session", b.user)
	default:
		h.keep(b)
	}
}

// logout ends the session, and checks that all its pages end.
func (h *household) logout() {
	b := h.look()
	open := h.opened(b.session)
	had := len(b.cookies) > 0 // else somebody else has ended it
	if code, text := h.post(&b, "/-/logout", ""); code != http.StatusOK {
		h.crowd.t.Errorf("%s logs out: %d %s", b.user, code, text)
	}
	b.cookies, b.session = make(map[string]string), ""
	h.keep(b)
	for _, p := range open {
		if had && p.ends(h.crowd.t) {
			h.crowd.count("logged out of a page")
		}
	}
}

// tabPage is a tab's socket, and the user who opened it.
type tabPage struct {
	as      browser
	conn    *websocket.Conn
	next    uint32
	streams []uint32
	came    chan struct{} // something of the user's did
	over    chan struct{} // closed when it has ended
	why     error         // then
	closing sync.Mutex    // held by who closes it, and by who waits for its end
}

// close closes the socket from the client's end.
func (p *tabPage) close() {
	p.closing.Lock()
	defer p.closing.Unlock()
	p.conn.CloseNow()
	<-p.over
}

// open opens a socket, or returns nil if it is refused.
func (h *household) open(as browser) *tabPage {
	conn, _, err := as.dial(h.crowd.t.Context())
	if err != nil {
		return nil
	}
	_, msg, err := conn.Read(h.crowd.t.Context())
	f, wrong := wire.ParseFrame(msg)
	if err := errors.Join(err, wrong); err != nil || f.Kind != wire.KindWelcome {
		conn.CloseNow()
		return nil
	}
	var w wire.Welcome
	if err := f.JSON(&w); err != nil || w.User != as.user {
		h.crowd.t.Errorf("%s is welcome as %q", as.user, w.User)
	}
	p := &tabPage{as: as, conn: conn, next: wire.EarlyStream + 1, came: make(chan struct{}), over: make(chan struct{})}
	h.mu.Lock()
	h.pages[p] = true
	h.mu.Unlock()
	go h.read(p)
	return p
}

// read checks that everything received belongs to the user.
func (h *household) read(p *tabPage) {
	defer func() {
		h.mu.Lock()
		delete(h.pages, p)
		h.mu.Unlock()
		close(p.over)
	}()
	for {
		_, msg, err := p.conn.Read(context.WithoutCancel(h.crowd.t.Context()))
		var closed websocket.CloseError
		switch {
		case errors.As(err, &closed) && closed.Reason == session.SignedOut.Why:
			p.why = session.SignedOut
			return
		case errors.As(err, &closed) && closed.Reason == session.Over.Why:
			p.why = session.Over
			h.crowd.count("a page's session was over")
			return
		case err != nil:
			return
		}
		if err := foreign(p.as.user, string(msg)); err != nil {
			h.crowd.t.Error(err)
		}
		if strings.Contains(string(msg), canary(p.as.user)) {
			h.crowd.count("data for " + p.as.user)
			select {
			case p.came <- struct{}{}:
			default: // nobody waits
			}
		}
	}
}

// send sends a frame. It ignores errors of a closed page.
func (p *tabPage) send(t *testing.T, frame []byte) {
	_ = p.conn.Write(t.Context(), websocket.MessageBinary, frame)
}

// ask opens a stream.
func (p *tabPage) ask(c *crowd, r wire.Request) {
	p.send(c.t, wire.JSONFrame(wire.KindOpen, p.next, r))
	p.streams = append(p.streams, p.next)
	p.next++
	c.count("asked: " + string(r.Verb))
}

// tab performs operations until none are left.
func (h *household) tab(random *rand.Rand) {
	c := h.crowd
	var p *tabPage
	defer func() {
		if p != nil {
			p.close()
		}
	}()
	for c.left.Add(-1) >= 0 && !c.t.Failed() {
		switch n := random.IntN(100); {
		case n < 3:
			h.signIn(h.look().user)
		case n < 6:
			h.signIn(everybody[random.IntN(len(everybody))])
		case n < 21:
			h.renew()
		case n < 24:
			h.logout()
		case n < 32:
			h.swap(random)
		case p == nil || p.ended() || len(p.streams) > 100 || n < 36:
			if p != nil {
				p.close()
			}
			p = h.open(h.look())
		default:
			p.use(c, random)
		}
	}
}

func (p *tabPage) ended() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// use performs an operation of a page.
func (p *tabPage) use(c *crowd, random *rand.Rand) {
	kind := wire.Request{Version: "v1", Resource: "secrets", Namespace: c.mark(p.as), Encoding: []wire.Encoding{"", wire.EncodingJSON}[random.IntN(2)]}
	some := p.next
	if len(p.streams) > 0 {
		some = p.streams[random.IntN(len(p.streams))]
	}
	switch random.IntN(7) {
	case 0:
		kind.Verb = wire.Watch
		p.ask(c, kind)
	case 1:
		kind.Verb = wire.Watch
		p.ask(c, kind)
		p.wait(random.IntN(12))
	case 2:
		kind.Verb = wire.List
		p.ask(c, kind)
	case 3:
		kind.Verb, kind.Name = wire.Get, "object"
		p.ask(c, kind)
	case 4:
		p.ask(c, wire.Request{Verb: wire.Review, Resource: "selfsubjectaccessreviews", Access: &wire.Access{Namespace: kind.Namespace, Verb: "list", Resource: "secrets"}})
	case 5:
		p.send(c.t, wire.CreditFrame(some, random.IntN(wire.StreamWindow)))
	case 6:
		p.send(c.t, append(wire.AppendHeader(nil, wire.KindClose, some), []byte{}...))
	}
}

// wait waits until the given amount has arrived, or the page has ended.
func (p *tabPage) wait(n int) {
	for ; n > 0; n-- {
		select {
		case <-p.came:
		case <-p.over:
			return
		}
	}
}

// swap tries to sign in with parts of different sessions.
func (h *household) swap(random *rand.Rand) {
	mine, theirs := h.look(), h.other.look()
	switch random.IntN(3) {
	case 0:
		mine.key = edgetest.NewKey()
	case 1:
		mine.key = theirs.key
	case 2:
		mine.cookies = theirs.cookies
	}
	if p := h.open(mine); p != nil {
		h.crowd.t.Errorf("%s came in with what is not of one session", mine.user)
		p.close()
	}
	h.crowd.count("kept out")
}

// live runs a session from start to end, or a part of it.
func (h *household) live(whole bool) {
	c := h.crowd
	for range 20 {
		h.signIn(h.look().user)
		p := h.open(h.look())
		if p == nil {
			continue // it was over already: the machine is busy
		}
		p.ask(c, wire.Request{Verb: wire.Watch, Version: "v1", Resource: "secrets", Namespace: c.mark(p.as)})
		if !whole {
			p.wait(50)
			p.close()
			return
		}
		for !p.ended() {
			h.renew()
		}
		if c.times("renewed") > 0 && c.times("a page's session was over") > 0 {
			return
		}
	}
}

func (c *crowd) times(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.did[what]
}

// asked checks that each request upstream was made as the user who caused it, and as nobody else.
func (c *crowd) asked() {
	for _, a := range c.program.cluster.take() {
		if strings.HasSuffix(a.path, "/selfsubjectreviews") && c.program.mode == authToken && slices.Contains(everybody, a.known) {
			continue // at sign-in
		}
		_, mark, _ := strings.Cut(a.path+a.body, "mark-")
		mark, _, _ = strings.Cut(mark, "-end")
		b, ok := c.asker["mark-"+mark+"-end"]
		want := ask{authorization: []string{"Bearer " + b.token}}
		if c.program.mode == authProxy {
			want = ask{authorization: []string{"Bearer " + c.program.cluster.own}, user: []string{b.user}, groups: []string{"dev"}}
		}
		if strings.Contains(a.body, `"verb":"watch"`) {
			c.did["the right to a watch was asked for again"]++
		}
		if !ok || a.known != b.user || !slices.Equal(a.authorization, want.authorization) || !slices.Equal(a.user, want.user) || !slices.Equal(a.groups, want.groups) {
			c.t.Errorf("%+v is %s's: %v", a, b.user, want)
		}
	}
}

// brief is the lifetime of sessions that end before a tab has done much.
const brief = "150ms"

// gather runs operations in two browsers with two tabs each.
func gather(t *testing.T, mode, session string, operations int) *crowd {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("the seed is %d", seed)
	p := launch(t, mode, "--session", session, "--revoke-within", "1s", "--max-lists", "10000", "--max-connections", "1000", "-v",
		"--front-cidr", "127.0.0.0/8") // who signs in so often is many, behind a front
	c := &crowd{t: t, program: p, asker: make(map[string]browser), did: make(map[string]int)}
	c.left.Store(int64(operations))
	var houses []*household
	for _, user := range everybody {
		h := &household{crowd: c, now: *p.browser(t, user), pages: make(map[*tabPage]bool)}
		h.signIn(user)
		houses = append(houses, h)
	}
	var tabs sync.WaitGroup
	for i, h := range houses {
		h.other = houses[1-i]
		for n := range 2 {
			random := rand.New(rand.NewPCG(seed, uint64(2*i+n)))
			tabs.Go(func() { h.tab(random) })
		}
	}
	tabs.Wait()
	for h := range slices.Values(houses) {
		h.live(session == brief)
	}
	c.asked()
	c.logged()
	return c
}

// logged checks that the log contains neither credentials nor data that only one user may see.
func (c *crowd) logged() {
	secret := []string{"token-ana", "token-bob", canary("ana"), canary("bob"), c.program.cluster.own}
	for _, b := range c.asker {
		secret = append(secret, b.proof)
		secret = slices.AppendSeq(secret, maps.Values(b.cookies))
	}
	lines := c.program.logged.String()
	for _, s := range secret {
		if strings.Contains(lines, s) {
			c.t.Errorf("%q is logged", s)
		}
	}
	if !strings.Contains(lines, "mark-") {
		c.t.Error("nobody's requests are logged: what is looked at is not what there is")
	}
}

// testTwoUsers runs a thousand concurrent operations in random order for two users with two tabs
// each, with short and long sessions. Each user receives only their own data, and each request to
// the apiserver belongs to one user.
func testTwoUsers(t *testing.T) {
	did := make(map[string]int)
	for _, run := range []struct {
		mode, session string
		operations    int
	}{{authToken, brief, 1000}, {authToken, "5m", 400}, {authProxy, brief, 300}, {authProxy, "5m", 300}} {
		t.Run(run.mode+" "+run.session, func(t *testing.T) {
			for what, times := range gather(t, run.mode, run.session, run.operations).did {
				did[what] += times
			}
		})
	}
	for _, what := range []string{
		"signed in as ana", "signed in as bob", "renewed", "too late to renew", "a page's session was over", "logged out of a page", "saw another user sign in", "kept out",
		"data for ana", "data for bob", "asked: watch", "asked: list", "asked: get", "asked: review", "the right to a watch was asked for again",
	} {
		if did[what] == 0 {
			t.Errorf("it never came to this: %s", what)
		}
	}
	t.Log(did)
	if foreign("ana", "a"+canary("bob")) == nil || foreign("ana", canary("ana")) != nil {
		t.Error("what is another's is not seen")
	}
}

// TestLogoutUnheard checks that no data is read for a user after logout, even if the page does not
// read the close frame.
func TestLogoutUnheard(t *testing.T) {
	p := launch(t, authToken)
	b := p.browser(t, "ana")
	b.token = "token-of-ana"
	b.signIn()
	b.open().ask(wire.Request{Verb: wire.Watch, Version: "v1", Resource: "secrets"}) // and reads no more
	if open := p.cluster.watching.Load(); open != 1 {
		t.Fatalf("%d watches", open)
	}
	began := time.Now()
	if resp, _, err := b.send(http.MethodPost, "/-/logout", ""); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	for p.cluster.watching.Load() > 0 && time.Since(began) < 30*time.Second {
		<-time.After(time.Millisecond)
	}
	if took := time.Since(began); took > 10*closeWithin {
		t.Errorf("the watch went on for %v, and a page has %v to hear that it is over", took, closeWithin)
	}
}
