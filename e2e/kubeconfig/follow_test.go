//lint:file-ignore SA1019 as in watchglass_test.go

package kubeconfig_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"nhooyr.io/websocket"
)

// TestFollows changes the kubeconfig while a tab is open, as "minikube start" or a
// login tool does. kubectl reads it each time; the proxy has to reach the same server
// as the same user again, without a restart.
func TestFollows(t *testing.T) {
	for name, before := range map[string]string{
		"a server that moved":     strings.ReplaceAll(kubeconfig(trusted, "token: t0ken", ""), "$SERVER", "127.0.0.1:1"),
		"a token that expired":    kubeconfig(trusted, "token: 0ld", ""),
		"another certificate":     kubeconfig(strings.ReplaceAll(trusted, "ca.crt", "stranger.crt"), "token: t0ken", ""),
		"a login with a password": kubeconfig(trusted, "username: ana, password: s3cret", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, startAPIServer(t, []string{"127.0.0.1"}, false), map[string]string{"config": before, "pki/stranger.crt": string(stranger().certPEM)})
			w := p.watchglass(t, nil, nil)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			signedIn := w.signIn(ctx, t)
			tab := signedIn.connect(ctx, t)
			defer func() { _ = tab.CloseNow() }()
			_ = nextFrame(ctx, t, tab, frameWelcome)

			p.write(t, "config", p.expand(t, kubeconfig(trusted, "token: t0ken", "")))
			awaitClose(ctx, t, tab)
			p.server.take()
			signedIn.openTab(ctx, t)
			byUs := understood(t, p.server.take())
			if said, err := p.kubectl(t, nil, nil); err != nil {
				t.Fatalf("kubectl: %v: %s", err, said)
			}
			byKubectl := understood(t, p.server.take())
			byKubectl.Namespace = "" // we ask for all
			if byUs != byKubectl {
				t.Errorf("watchglass resolved\n%+v, kubectl\n%+v", byUs, byKubectl)
			}
		})
	}
}

// awaitClose reads until the proxy closes a tab's connection, which has to be because of
// the kubeconfig and with a code at which tabs connect again.
func awaitClose(ctx context.Context, t *testing.T, tab *websocket.Conn) {
	t.Helper()
	for {
		_, _, err := tab.Read(ctx)
		if closed := (websocket.CloseError{}); errors.As(err, &closed) {
			if closed.Code != websocket.StatusServiceRestart || closed.Reason != "the kubeconfig has changed" {
				t.Errorf("closed with %d, %q", closed.Code, closed.Reason)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
