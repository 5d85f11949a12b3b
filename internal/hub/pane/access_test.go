package pane

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/detail/rbac"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// roleOf is a role that allows some verbs on a resource of the core.
func roleOf(resource, namespace, name, verbs, of string) testObject {
	var rule []byte
	for verb := range strings.SplitSeq(verbs, ",") {
		rule = field(rule, 1, verb)
	}
	return testObject{resource: resource, namespace: namespace, name: name, body: string(field(nil, 2, string(field(field(rule, 2, ""), 3, of))))}
}

// bindingOf binds a role, KIND/NAME, to a user.
func bindingOf(resource, namespace, name, role, user string) testObject {
	kind, role, _ := strings.Cut(role, "/")
	subject := field(field(nil, 1, "User"), 3, user)
	return testObject{resource: resource, namespace: namespace, name: name, body: string(field(field(nil, 2, string(subject)), 3, string(field(field(nil, 2, kind), 3, role))))}
}

// whoMay are the roles and bindings of two namespaces.
func whoMay() *server {
	return newServer(
		roleOf("clusterroles", "", "reader", "get,list", "pods"), roleOf("roles", "a", "deleter", "delete", "pods"), roleOf("clusterroles", "", "nodes", "get", "nodes"),
		bindingOf("clusterrolebindings", "", "readers", "ClusterRole/reader", "ana"), bindingOf("rolebindings", "a", "deleters", "Role/deleter", "bob"),
		bindingOf("rolebindings", "b", "readers", "ClusterRole/reader", "cem"), bindingOf("clusterrolebindings", "", "nodes", "ClusterRole/nodes", "dan"))
}

// line prints an answer: who may do what, and which lists are missing.
func line(a rbac.Answer) string {
	var all []string
	for _, h := range a.Holders {
		all = append(all, fmt.Sprintf("%s %d/%d", h.Name, h.All, h.Some))
	}
	for _, g := range a.Gaps {
		resource, _, _ := strings.Cut(g.Resource, ".")
		all = append(all, resource+"/"+g.Only+" "+g.State)
	}
	if a.Blind {
		all = append(all, "blind")
	}
	return strings.Join(all, ", ")
}

// wantAnswer checks the last answer that was sent.
func (h *host) wantAnswer(want string) {
	h.t.Helper()
	if got := line(last[rbac.Answer](h)); got != want {
		h.t.Errorf("%s\nwant\n%s", got, want)
	}
}

// awaitAnswer waits until the last answer that was sent is as wanted.
func (h *host) awaitAnswer(want string) {
	h.t.Helper()
	got := "nothing"
	for range 120 {
		h.Wait(time.Second)
		for _, a := range read[rbac.Answer](h) {
			got = line(a)
		}
		if got == want {
			return
		}
	}
	h.t.Errorf("%s\nwant\n%s", got, want)
}

// onKind opens who may do something to the objects of a kind.
func (h *host) onKind(resource string, o rbac.Options) {
	h.t.Helper()
	h.opens(NewAccess, resource, "", "", o)
}

// TestAccessLists checks which lists an object needs, that the answer follows them, that nothing is
// sent while nothing changes, and that they are released.
func TestAccessLists(t *testing.T) {
	onHost(t, whoMay(), nil, func(t *testing.T, h *host) {
		h.opens(NewAccess, "pods", "a", "web1", nil)
		h.Wait(soon)
		h.wantAsked("watch clusterrolebindings, watch clusterroles, watch rolebindings/a, watch roles/a")
		h.wantAnswer("ana 3/0, bob 64/0")
		h.server.change(wire.Added, bindingOf("rolebindings", "a", "more", "Role/deleter", "zoe"))
		h.Wait(soon)
		h.wantAnswer("ana 3/0, bob 64/0, zoe 64/0")
		h.server.change(wire.Deleted, testObject{resource: "rolebindings", namespace: "a", name: "deleters"})
		h.server.change(wire.Modified, roleOf("clusterroles", "", "reader", "get", "pods"))
		h.Wait(soon)
		h.wantAnswer("ana 1/0, zoe 64/0")
		h.server.change(wire.Deleted, testObject{resource: "clusterroles", name: "reader"})
		h.Wait(soon)
		h.wantAnswer("zoe 64/0")
		h.Wait(5 * time.Second)
		h.wantShown(0)
		h.options(rbac.Options{Verb: rbac.Get})
		h.wantAnswer("")
		h.wantAsked("")
		h.Close()
		h.Wait(2 * linger)
		h.wantAsked("close watch clusterrolebindings, close watch clusterroles, close watch rolebindings/a, close watch roles/a")
	})
}

// TestAccessScopes checks what is read for kinds: of the cluster, of all namespaces and of some.
func TestAccessScopes(t *testing.T) {
	onHost(t, whoMay(), nil, func(t *testing.T, h *host) {
		h.onKind("nodes", rbac.Options{})
		h.Wait(soon)
		h.wantAsked("watch clusterrolebindings, watch clusterroles")
		h.wantAnswer("dan 1/0")
		h.onKind("pods", rbac.Options{})
		h.Wait(soon)
		h.wantAsked("watch rolebindings, watch roles")
		h.wantAnswer("ana 3/0, bob 0/64, cem 0/3")
		h.options(rbac.Options{Namespaces: []string{"a"}})
		h.Wait(soon)
		h.wantAnswer("ana 3/0, bob 64/0")
		h.options(rbac.Options{Namespaces: []string{"a", "b"}})
		h.Wait(soon)
		h.wantAnswer("ana 3/0, bob 0/64, cem 0/3")
		h.wantAsked("watch rolebindings/a, watch rolebindings/b, watch roles/a, watch roles/b")
		var many []string
		for i := range accessNamespaces + 1 {
			many = append(many, fmt.Sprint("n", i))
		}
		h.options(rbac.Options{Namespaces: append(many, "b")})
		h.Wait(soon)
		h.wantAnswer("ana 3/0, cem 0/3")
		h.wantAsked("")
		h.opens(NewAccess, "namespaces", "", "b", nil)
		h.Wait(soon)
		h.wantAsked("")
		h.wantAnswer("")
	})
}

// TestAccessNamespaces opens who may do something to the namespaces: a RoleBinding counts for the namespace that it is in.
func TestAccessNamespaces(t *testing.T) {
	s := whoMay()
	s.change(wire.Added, roleOf("clusterroles", "", "keeper", "get,list,delete", "namespaces"))
	s.change(wire.Added, bindingOf("rolebindings", "b", "keepers", "ClusterRole/keeper", "eve"))
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.onKind("namespaces", rbac.Options{})
		h.Wait(soon)
		h.wantAsked("watch clusterrolebindings, watch clusterroles, watch rolebindings, watch roles")
		if a := last[rbac.Answer](h); line(a) != "eve 0/65" || a.Holders[0].In != "b" {
			t.Errorf("%+v", a)
		}
	})
}

// TestAccessDenied checks that lists that may not be read are named, and that nobody is said to be
// nobody while no bindings, or no roles, can be read.
func TestAccessDenied(t *testing.T) {
	deny := ""
	s := whoMay()
	s.deny = func(r wire.Request) *wire.Status {
		if strings.Contains(deny, " "+r.Resource+" ") {
			return forbidden
		}
		return nil
	}
	for _, c := range []struct{ deny, want string }{
		{"clusterroles", "bob 64/0, clusterroles/ denied"},
		{"clusterrolebindings", "bob 64/0, clusterrolebindings/ denied"},
		{"rolebindings roles", "ana 3/0, rolebindings/a denied, roles/a denied"},
		{"rolebindings clusterrolebindings", "clusterrolebindings/ denied, rolebindings/a denied, blind"},
		{"roles clusterroles", "clusterroles/ denied, roles/a denied, blind"},
	} {
		deny = " " + c.deny + " "
		onHost(t, s, nil, func(t *testing.T, h *host) {
			h.opens(NewAccess, "pods", "a", "web1", nil)
			h.Wait(soon)
			h.wantAnswer(c.want)
		})
	}
}

// TestAccessUnreachable opens who can while the proxy can't be reached: that nobody can is not claimed.
func TestAccessUnreachable(t *testing.T) {
	s := whoMay()
	var down atomic.Bool
	down.Store(true)
	s.deny = func(wire.Request) *wire.Status {
		if down.Load() {
			return &wire.Status{Origin: wire.FromSocket, Message: "connection refused"}
		}
		return nil
	}
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewAccess, "nodes", "", "n1", nil)
		h.Wait(soon)
		if a := last[rbac.Answer](h); !a.Blind || len(a.Gaps) != 2 || a.Gaps[0].Cause == "" {
			t.Errorf("%+v", a)
		}
		down.Store(false)
		h.Wait(time.Minute)
		h.wantAnswer("dan 1/0")
	})
}

// TestAccessRefused checks that nobody is said to be known of bindings that were refused, and then lost with the connection.
func TestAccessRefused(t *testing.T) {
	onHost(t, whoMay(), nil, func(t *testing.T, h *host) {
		h.opens(NewAccess, "nodes", "", "n1", nil)
		h.Wait(soon)
		h.wantAnswer("dan 1/0")
		h.server.refuse(denies("clusterrolebindings", forbidden))
		h.awaitAnswer("clusterrolebindings/ denied, blind")
		h.server.refuse(denies("clusterrolebindings", informer.Unreachable(nil)))
		h.awaitAnswer("clusterrolebindings/ stale, blind")
		h.server.refuse(denies("", nil))
		h.awaitAnswer("dan 1/0")
	})
}

// TestAccessComing checks that a list that is still coming in is a gap, and that a long one is read
// in parts.
func TestAccessComing(t *testing.T) {
	s := whoMay()
	for i := range 3 * accessRead {
		s.change(wire.Added, bindingOf("rolebindings", "a", fmt.Sprint("b", i), "Role/deleter", fmt.Sprint("u", i%7)))
	}
	s.endless = "roles"
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewAccess, "pods", "a", "web1", nil)
		h.Wait(soon)
		a := last[rbac.Answer](h)
		if len(a.Gaps) != 1 || a.Gaps[0].Resource != rbac.Roles || a.Gaps[0].State != "syncing" || len(a.Holders) < 8 {
			t.Errorf("%+v", a)
		}
	})
}

// TestAccessPaths checks that every list is built in, and that its columns have what is read.
func TestAccessPaths(t *testing.T) {
	for _, resource := range []string{rbac.Roles, rbac.ClusterRoles, rbac.RoleBindings, rbac.ClusterRoleBindings} {
		if _, ok := object.Builtin(resource); !ok || len(rbac.Paths(resource)) == 0 {
			t.Error(resource)
		}
	}
}

// TestAccessLarge checks that bindings with very many subjects, which tenants write, are not all read at once.
func TestAccessLarge(t *testing.T) {
	s := whoMay()
	s.change(wire.Added, bindingOf("clusterrolebindings", "", "zz", "ClusterRole/reader", strings.Repeat("x", 600<<10)))
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewAccess, "pods", "a", "web1", nil)
		h.Wait(soon)
		p := h.pane.(*accessPane)
		l := p.lists[0]
		for _, o := range l.Store().List() {
			if o.Name() == "zz" {
				l.drained = append(l.drained, source.Change{Key: "zz", Now: o}, source.Change{Key: "zz", Now: o}, source.Change{Key: "zz", Now: o})
			}
		}
		for left := 2; left >= 0; left-- {
			if p.apply(l, accessRead); len(l.drained) != left {
				t.Fatalf("%d are left, not %d", len(l.drained), left)
			}
		}
		if p.read() {
			t.Error("there is more")
		}
	})
}
