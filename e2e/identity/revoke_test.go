package identity

import (
	"strings"
	"testing"
	"watchglass/e2e/stage"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// TestRightLost takes a right away while its watch is open. The apiserver goes on
// sending; the proxy does not, says why, and the tab lets go of what it has.
func TestRightLost(t *testing.T) {
	token, revoke := account(t, "loser")
	p := serve(t, gate, "", "--auth", "token", "--revoke-within", "4s")
	e := person(t)
	e.Must(e.Open(p.At("/configmaps")))
	e.SignIn(token)
	e.sees("of-green")
	e.AwaitState("live")
	revoke()
	e.AwaitState("denied")
	e.Await(`watchglass.list("configmaps").then(l => l.length === 0, () => true)`)
	must(t, configMap(t.Context(), "green", "after-the-right"))
	e.Says(".panel", "forbidden", "loser")
	if e.shows("after-the-right") || e.shows("of-green") {
		t.Error("what may not be seen is there")
	}
	e.Keep("denied")
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
	if at := stage.Eval[string](e, "location.href"); !strings.Contains(at, "/-/signin?") || strings.Contains(at, token) {
		t.Errorf("the address is %s", at)
	}
}
