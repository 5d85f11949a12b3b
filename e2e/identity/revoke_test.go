package identity

import (
	"bytes"
	"context"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/informer"
	"watchglass/internal/wire"
)

// account makes a service account which may see everything, and a token of it.
func account(t *testing.T, name string) (token string, revoke func()) {
	t.Helper()
	ctx := t.Context()
	_, err := stage.Admin.CoreV1().ServiceAccounts("blue").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	must(t, err)
	must(t, bind(ctx, "see", "", "User", "system:serviceaccount:blue:"+name))
	tenMinutes := int64(600)
	r, err := stage.Admin.CoreV1().ServiceAccounts("blue").CreateToken(ctx, name, &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &tenMinutes}}, metav1.CreateOptions{})
	must(t, err)
	return r.Status.Token, func() {
		must(t, stage.Admin.RbacV1().ClusterRoleBindings().Delete(ctx, "see-system-serviceaccount-blue-"+name, metav1.DeleteOptions{}))
	}
}

// TestRightLost takes a right away while its watches are open: that of a page, and that of a tab without one, whose
// messages are kept. The apiserver goes on sending, as another user sees; the proxy does not, says why, and the page
// lets go of what it has.
func TestRightLost(t *testing.T) {
	token, revoke := account(t, "loser")
	p := serve(t, gate, "", "--auth", "token", "--revoke-within", "4s")
	e, other := person(t), person(t)
	for _, who := range []struct {
		eyes
		token string
	}{{e, token}, {other, vera.Token}} {
		who.Must(who.Open(p.At("/configmaps")))
		who.SignIn(who.token)
		who.sees("of-green")
		who.AwaitState("live")
	}
	tab, sniffed := sniffing(t, p, token)
	must(t, configMap(t.Context(), "green", "before-the-loss"))
	e.sees("before-the-loss")
	sent := func(name string) bool { return bytes.Contains(sniffed.Bytes(), []byte(name)) }
	stage.WaitFor(t, "the proxy sends what may be seen", func() bool { return sent("before-the-loss") })

	revoke()
	e.AwaitState("denied")
	e.Await(`watchglass.list("configmaps").then(() => false, () => true)`)
	e.Says(".panel", "forbidden", "loser")
	stage.WaitFor(t, "the other tab is denied, too", func() bool { return strings.HasPrefix(tab.ails(), string(informer.Denied)) })
	must(t, configMap(t.Context(), "green", "after-the-right"))
	other.sees("after-the-right")
	stage.WaitFor(t, "an answer that comes after it", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), stage.Soon)
		defer cancel()
		_, err := tab.client.Get(ctx, wire.Request{Verb: wire.Get, Version: "v1", Resource: "namespaces", Name: "kube-system"})
		status := wire.StatusOf(err)
		return status != nil && status.Denied()
	})
	if sent("after-the-right") {
		t.Error("the proxy goes on sending")
	}
	if e.shows("after-the-right") || e.shows("of-green") {
		t.Error("what may not be seen is there")
	}
	e.Keep("denied")
}

// sniffing signs in with a token and watches ConfigMaps without a page. It returns the source once it is live, and what
// the proxy sends to it.
func sniffing(t *testing.T, p *proxy.Proxy, token string) (*followed, *stage.Sniffed) {
	t.Helper()
	b, err := proxy.SignIn(t.Context(), p.Origin(), token, nil)
	must(t, err)
	sniffed, c := new(stage.Sniffed), &crowd{T: t, failed: make(map[string]int)}
	c.open(sniffed.Dial(b.Dial), 1, []string{"configmaps"})
	c.awaitLive("the tab is open")
	return c.sources[0], sniffed
}

// TestTokenGone ends what a token was given for: the account is deleted, and the pages are
// gone with all they held, long before the session is due.
func TestTokenGone(t *testing.T) {
	token, _ := account(t, "leaver")
	p := serve(t, gate, "", "--auth", "token", "--revoke-within", "3s")
	e := person(t)
	e.Must(e.Open(p.At("/configmaps")))
	e.SignIn(token)
	e.sees("of-green")
	beside := e.beside()
	beside.Must(beside.Open(p.At("/configmaps")))
	beside.sees("of-green")
	must(t, stage.Admin.CoreV1().ServiceAccounts("blue").Delete(t.Context(), "leaver", metav1.DeleteOptions{}))
	for _, tab := range []eyes{e, beside} {
		tab.Says("main", "Your session has ended")
	}
	at := stage.AwaitValue(e, "location.href", func(at string) bool { return strings.Contains(at, "/-/signin?") })
	if strings.Contains(at, token) {
		t.Errorf("the address is %s", at)
	}
}
