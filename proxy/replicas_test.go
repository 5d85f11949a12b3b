//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/edge/session"
)

// keyFile returns a file with a key that replicas share.
func keyFile(t *testing.T) string {
	t.Helper()
	key, file := session.NewKey(), filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, key[:], 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// sees tries to sign in, and returns the content of a list, or "" if it is refused.
func (b *browser) sees() string {
	conn, _, err := b.dial(b.t.Context())
	if err != nil {
		return ""
	}
	conn.CloseNow()
	return b.open().ask(someSecrets())
}

// TestReplicas checks that proxies with the same key accept each other's sessions if they have the
// same cluster and mode, and that no others do.
func TestReplicas(t *testing.T) {
	one, other := newCluster(t), newCluster(t)
	config := kubeconfig(t, map[string]*cluster{"one": one}, "one")
	shared := []string{"--key-file", keyFile(t)}
	first := launchFor(t, one, config, authToken, shared...)
	b := first.browser(t, "ana")
	b.token = "token-of-ana"
	b.signIn()
	replica := launchFor(t, one, config, authToken, shared...)
	b = b.at(t, replica)
	if got := b.sees(); !strings.Contains(got, canary("ana")) {
		t.Errorf("a replica shows %q", got)
	}
	session := b.session
	if code, text, err := b.login(""); code != 200 || err != nil || b.session != session {
		t.Errorf("a replica renews: %d %s %v", code, text, err)
	}
	for name, p := range map[string]*program{
		"with another key":      launchFor(t, one, config, authToken, "--key-file", keyFile(t)),
		"with a key of its own": launchFor(t, one, config, authToken),
		"of another cluster":    launchFor(t, other, kubeconfig(t, map[string]*cluster{"one": other}, "one"), authToken, shared...),
		"of another mode":       launchFor(t, one, config, authProxy, shared...),
		"that impersonates":     launchFor(t, one, config, authOIDC, append(shared, "--oidc-impersonate")...),
	} {
		p.cluster.take()
		stranger := b.at(t, p)
		if got := stranger.sees(); got != "" {
			t.Errorf("a proxy %s shows %q", name, got)
		}
		if code, text, err := stranger.login(""); code == 200 && p.mode != authProxy || err != nil { // there the front says who it is
			t.Errorf("a proxy %s renews: %d %s %v", name, code, text, err)
		}
		if asked := p.cluster.take(); len(asked) > 0 {
			t.Errorf("a proxy %s asked %+v", name, asked)
		}
	}
}

// at returns the browser at another proxy, with everything that it has.
func (b *browser) at(t *testing.T, p *program) *browser {
	t.Helper()
	there := p.browser(t, b.user)
	there.token, there.key, there.session, there.context, there.cookies = b.token, b.key, b.session, b.context, maps.Clone(b.cookies)
	return there
}

// TestContextsApart checks that a session for one cluster is not valid for another and is not sent
// there, whichever cookie it is in.
func TestContextsApart(t *testing.T) {
	one, two := newCluster(t), newCluster(t)
	two.own += "-two"
	p := launchFor(t, one, kubeconfig(t, map[string]*cluster{"one": one, "two": two}, "one"), authToken)
	here, there := p.browser(t, "ana"), p.browser(t, "ana")
	here.token, there.token = "token-for-one", "token-for-two"
	here.signIn()
	two.knows(there.token, "ana")
	there.context = "two"
	there.signIn()
	for b, c := range map[*browser]*cluster{here: one, there: two} {
		c.take()
		if got := b.sees(); !strings.Contains(got, canary("ana")) {
			t.Errorf("the context %q shows %q", b.context, got)
		}
		for _, a := range c.take() {
			if !slices.Equal(a.authorization, []string{"Bearer " + b.token}) {
				t.Errorf("the context %q was asked with %q", b.context, a.authorization)
			}
		}
	}
	one.take()
	two.take()
	for _, names := range []string{"as it is", "renamed", "both"} {
		for _, pair := range [][2]*browser{{here, there}, {there, here}} {
			from, to := pair[0], pair[1]
			b := from.at(t, p)
			b.context = to.context
			for name := range to.cookies {
				for _, value := range from.cookies {
					if names != "as it is" {
						b.cookies[name] = value
					}
				}
				if names == "both" {
					b.cookies[name] = to.cookies[name] // and the key is the other's
				}
			}
			if conn, _, err := b.dial(t.Context()); err == nil {
				_, msg, err := conn.Read(t.Context())
				if err == nil && !strings.Contains(string(msg), "lacks the proof of its session") {
					t.Errorf("%s, what is for %q is let in to %q: %s", names, from.context, to.context, msg)
				}
				conn.CloseNow()
			}
			if code, text, err := b.login(""); code != 401 || err != nil {
				t.Errorf("%s, what is for %q is renewed for %q: %d %s %v", names, from.context, to.context, code, text, err)
			}
		}
	}
	if asked := append(one.take(), two.take()...); len(asked) > 0 {
		t.Errorf("clusters were asked %+v", asked)
	}
}
