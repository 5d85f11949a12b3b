package rbac

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// policy builds a Policy from lines: "role NS/NAME VERBS GROUPS RESOURCES [NAMES]" adds a rule to a
// role and "bind NS/NAME KIND:ROLE KIND:[NS:]NAME…" is a binding. Without a namespace they are for the
// cluster; "-" is the core group.
func policy(t *testing.T, lines string) *Policy {
	t.Helper()
	p := new(Policy)
	rules := map[string][]Rule{}
	split := func(list string) []string { return strings.Split(strings.ReplaceAll(list, "-", ""), ",") }
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		w := strings.Fields(line)
		namespace, name, _ := strings.Cut(w[1], "/")
		switch w[0] {
		case "role":
			r := Rule{Verbs: split(w[2]), APIGroups: split(w[3]), Resources: split(w[4])}
			if len(w) > 5 {
				r.ResourceNames = strings.Split(w[5], ",")
			}
			rules[w[1]] = append(rules[w[1]], r)
			p.set(Roles, namespace, name, []string{encode(t, rules[w[1]])})
		case "bind":
			kind, role, _ := strings.Cut(w[2], ":")
			var subjects []Subject
			for _, text := range w[3:] {
				kind, name, _ := strings.Cut(text, ":")
				s := Subject{Kind: kind, Name: name}
				if namespace, name, found := strings.Cut(name, "/"); found && kind == ServiceAccount {
					s.Namespace, s.Name = namespace, name
				}
				subjects = append(subjects, s)
			}
			p.set(RoleBindings, namespace, name, []string{encode(t, map[string]string{"kind": kind, "name": role}), encode(t, subjects)})
		}
	}
	return p
}

func encode(t *testing.T, v any) string {
	t.Helper()
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

var secrets = Question{Resource: "secrets", ID: "secrets", Namespaced: true, Namespaces: []string{"a"}}

func named(q Question, name string) Question {
	q.Name = name
	return q
}

// verbsOf names verbs, as the rows of a table do.
func verbsOf(v Verbs) string {
	var out []string
	for i, name := range append(verbNames[:], "exec", "logs") {
		if v&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, ",")
}

// holders prints who holds what, one to a line.
func holders(a Answer) string {
	var out []string
	for _, h := range slices.Concat(a.Holders, a.Builtin) {
		line := h.Key() + " " + verbsOf(h.All)
		if h.Some != 0 {
			line += fmt.Sprintf(" some:%s/%d%s", verbsOf(h.Some), h.Spread, h.In)
		}
		if h.Named != 0 {
			line += " named:" + verbsOf(h.Named)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// TestRules checks what rules and bindings grant, case by case.
func TestRules(t *testing.T) {
	pods := Question{Resource: "pods", ID: "pods", Namespaced: true, Namespaces: []string{"a"}}
	nodes := Question{Resource: "nodes", ID: "nodes"}
	deployments := Question{Group: "apps", Resource: "deployments", ID: "deployments.apps", Namespaced: true, Namespaces: []string{"a"}}
	everywhere := secrets
	everywhere.Namespaces = nil
	two := secrets
	two.Namespaces = []string{"a", "b"}
	namespaces := Question{Resource: "namespaces", ID: "namespaces"}
	ofA := named(namespaces, "a")
	ofA.Namespaces = []string{"a"}
	old := pods
	old.Before35 = true
	for _, c := range []struct {
		name, policy string
		q            Question
		want         string
	}{
		{"a role in its namespace", "role a/r get,list - secrets\nbind a/b Role:r User:ana", secrets, "User /ana get,list"},
		{"a role of another namespace", "role b/r get - secrets\nbind a/b Role:r User:ana", secrets, ""},
		{"a binding of another namespace", "role b/r get - secrets\nbind b/b Role:r User:ana", secrets, ""},
		{"a cluster role in one namespace", "role /r get - secrets\nbind a/b ClusterRole:r User:ana\nbind b/b ClusterRole:r User:bob", secrets, "User /ana get"},
		{"a cluster role everywhere", "role /r get - secrets\nbind /b ClusterRole:r Group:devs", secrets, "Group /devs get"},
		{"a role in a cluster binding", "role a/r get - secrets\nrole /r get - secrets\nbind /b Role:r User:ana", secrets, ""},
		{"a missing role", "bind a/b Role:r User:ana", secrets, ""},
		{"a role of an unknown kind", "role a/r get - secrets\nrole /r get - secrets\nbind a/b Thing:r User:ana", secrets, ""},
		{"another group", "role a/r get apps secrets\nbind a/b Role:r User:ana", secrets, ""},
		{"wildcards", "role a/r * * *\nbind a/b Role:r User:ana", named(secrets, "db"), "User /ana get,list,watch,update,patch,delete,deletecollection"},
		{"a wildcard within a word", "role a/r ge* - secret*\nbind a/b Role:r User:ana", secrets, ""},
		{"two rules", "role a/r get - secrets\nrole a/r patch - secrets\nbind a/b Role:r User:ana", secrets, "User /ana get,patch"},
		{"rules do not mix", "role a/r get - pods\nrole a/r patch - secrets\nbind a/b Role:r User:ana", secrets, "User /ana patch"},
		{"by name", "role a/r get,list,update - secrets db,web\nbind a/b Role:r User:ana", named(secrets, "db"), "User /ana get,list,update"},
		{"by another name", "role a/r get - secrets web\nbind a/b Role:r User:ana", named(secrets, "db"), ""},
		{"a name does not limit what has none", "role a/r delete,deletecollection,create - secrets db\nbind a/b Role:r User:ana", named(secrets, "db"), "User /ana delete"},
		{"a kind by name", "role a/r get,delete - secrets db\nrole a/r list - secrets\nbind a/b Role:r User:ana", secrets, "User /ana list named:get,delete"},
		{"create is about a kind", "role a/r create - secrets\nbind a/b Role:r User:ana", named(secrets, "db"), ""},
		{"exec", "role a/r create - pods/exec\nbind a/b Role:r User:ana", pods, "User /ana exec"},
		{"exec by a wildcard subresource", "role a/r create - */exec\nbind a/b Role:r User:ana", pods, "User /ana exec"},
		{"no exec by pods/*", "role a/r create - pods/*\nbind a/b Role:r User:ana", pods, ""},
		{"no exec by pods", "role a/r get,create - pods\nbind a/b Role:r User:ana", pods, "User /ana get,create"},
		{"exec by all", "role a/r create - *\nbind a/b Role:r User:ana", pods, "User /ana create,exec"},
		{"logs", "role a/r get - pods/log\nbind a/b Role:r User:ana", pods, "User /ana logs"},
		{"exec of one pod", "role a/r create - pods/exec web\nbind a/b Role:r User:ana", named(pods, "web"), "User /ana exec"},
		{"a WebSocket of a new server", "role a/r get - pods/exec\nbind a/b Role:r User:ana", pods, ""},
		{"a WebSocket of an old server", "role a/r get - pods/exec\nbind a/b Role:r User:ana", old, "User /ana exec"},
		{"exec in the pods of a Deployment", "role a/r get apps deployments\nrole a/r create - pods/exec\nbind a/b Role:r User:ana", named(deployments, "web"), "User /ana get,exec"},
		{"exec in one pod of a Deployment, perhaps", "role a/r create - pods/exec web\nrole a/r get apps deployments db\nbind a/b Role:r User:ana", named(deployments, "web"), "User /ana  named:exec"},
		{"a subresource is not the resource", "role a/r patch apps deployments/scale\nbind a/b Role:r User:ana", deployments, ""},
		{"a cluster-scoped kind", "role /r get - nodes\nbind /b ClusterRole:r User:ana\nbind a/b ClusterRole:r User:bob", nodes, "User /ana get"},
		{"a namespace in itself", "role a/r get,list,delete,deletecollection - namespaces\nbind a/b Role:r User:ana", ofA, "User /ana get,delete"},
		{"namespaces", "role a/r get,list,watch,create,update,deletecollection - namespaces\nbind a/b Role:r User:ana", namespaces, "User /ana  some:get,update/1a"},
		{"two of the namespaces", "role /r delete - namespaces\nbind a/b ClusterRole:r User:ana\nbind b/b ClusterRole:r User:ana", namespaces, "User /ana  some:delete/2"},
		{"a namespace that its role names", "role /r get,list - namespaces a,c\nrole /r patch - namespaces b\nbind a/b ClusterRole:r User:ana\nbind b/b ClusterRole:r User:bob", namespaces, "User /ana  some:get/1a\nUser /bob  some:patch/1b"},
		{"namespaces everywhere, and one", "role /r get - namespaces\nrole /d delete - namespaces c\nbind /b ClusterRole:r User:ana\nbind /d ClusterRole:d User:ana\nbind a/b ClusterRole:r User:ana", namespaces, "User /ana get named:delete"},
		{"namespaces of another group", "role a/r get * namespaces\nbind a/b Role:r User:ana", Question{Group: "example.com", Resource: "namespaces", ID: "namespaces.example.com"}, ""},
		{"all namespaces", "role /r get - secrets\nbind /b ClusterRole:r User:ana\nbind a/b ClusterRole:r User:bob\nbind b/b ClusterRole:r User:bob", everywhere, "User /ana get\nUser /bob  some:get/2"},
		{"two namespaces", "role /r get - secrets\nrole /l list - secrets\nbind a/b ClusterRole:r User:bob\nbind b/b ClusterRole:r User:bob\nbind b/l ClusterRole:l User:bob\nbind c/l ClusterRole:l User:bob", two, "User /bob get some:list/1b"},
		{"an account of the binding's namespace", "role a/r get - secrets\nbind a/b Role:r ServiceAccount:ci", secrets, "ServiceAccount a/ci get"},
		{"an account of another namespace", "role a/r get - secrets\nbind a/b Role:r ServiceAccount:b/ci", secrets, "ServiceAccount b/ci get"},
		{"an account without a namespace", "role /r get - secrets\nbind /b ClusterRole:r ServiceAccount:ci", secrets, ""},
		{"an account by its full name", "role a/r get - secrets\nrole a/l list - secrets\nbind a/b Role:r User:system:serviceaccount:a:ci\nbind a/c Role:l ServiceAccount:ci", secrets, "ServiceAccount a/ci get,list"},
		{"a subject of an unknown kind", "role a/r get - secrets\nbind a/b Role:r Robot:ci", secrets, ""},
		{"a user and a group of one name", "role a/r get - secrets\nbind a/b Role:r Group:ana User:ana", secrets, "Group /ana get\nUser /ana get"},
		{"the order", "role a/r get - secrets\nbind a/b Role:r ServiceAccount:z User:zoe User:ana Group:devs Group:system:serviceaccounts:a", secrets,
			"Group /system:serviceaccounts:a get\nGroup /devs get\nUser /ana get\nUser /zoe get\nServiceAccount a/z get"},
	} {
		if got := holders(policy(t, c.policy).Answer(c.q, Options{})); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestBuiltin checks who is folded away: Kubernetes' own, but nobody who stands for everybody.
func TestBuiltin(t *testing.T) {
	p := policy(t, `
role /r get - secrets
bind /system:controller:x ClusterRole:r ServiceAccount:kube-system/x ServiceAccount:kube-system/y User:system:kube-scheduler Group:system:masters
bind /mine ClusterRole:r ServiceAccount:kube-system/y Group:system:authenticated Group:system:serviceaccounts Group:system:unauthenticated ServiceAccount:a/x`)
	a := p.Answer(secrets, Options{})
	want := "Group /system:authenticated get\nGroup /system:serviceaccounts get\nGroup /system:unauthenticated get\nServiceAccount a/x get\nServiceAccount kube-system/y get"
	if got := holders(a); got != want || a.Own != 3 {
		t.Errorf("%d are Kubernetes' own, besides\n%s", a.Own, got)
	}
	if a = p.Answer(secrets, Options{Builtin: true}); len(a.Builtin) != 3 {
		t.Errorf("%+v", a.Builtin)
	}
	for _, h := range a.Holders {
		if h.Everyone() == "" != !strings.HasPrefix(h.Name, "system:") {
			t.Errorf("%s: %q", h.Name, h.Everyone())
		}
	}
}

// TestBuiltinBindings checks that a name of Kubernetes' own hides nobody to whom somebody else has bound a
// role.
func TestBuiltinBindings(t *testing.T) {
	p := policy(t, `
role /r get - secrets
bind /system:x ClusterRole:r User:system:kube-scheduler User:system:ana Group:system:nodes User:system:anonymous
bind /mine ClusterRole:r User:system:ana
bind /cluster-admin ClusterRole:r Group:system:masters
bind a/system:hidden ClusterRole:r Group:system:nodes`)
	a := p.Answer(secrets, Options{})
	if got, want := holders(a), "User /system:anonymous get\nGroup /system:nodes get\nUser /system:ana get"; got != want || a.Own != 2 {
		t.Errorf("%d are Kubernetes' own, besides\n%s", a.Own, got)
	}
	if a.Holders[0].Everyone() == "" {
		t.Error("system:anonymous is not said to be anyone")
	}
}

// TestFilters checks the filters, what they leave out, and the grants of an open holder.
func TestFilters(t *testing.T) {
	p := policy(t, `
role /r get - secrets
role a/d delete - secrets db
bind /all ClusterRole:r Group:devs User:ana
bind a/del Role:d User:ana User:Bob
bind a/lost Role:nothing User:eve`)
	q := named(secrets, "db")
	a := p.Answer(q, Options{Verb: Remove, Open: []string{"User /ana"}})
	if got := holders(a); got != "User /Bob delete\nUser /ana get,delete" || a.Filtered != 1 || a.Unread != 1 {
		t.Errorf("%s; %+v", got, a)
	}
	want := []Grant{{Binding: "all", Role: "r", ClusterRole: true, Verbs: Get}, {In: "a", Binding: "del", Role: "d", Verbs: Delete, Named: Delete}}
	if a.Holders[0].Grants != nil || !slices.Equal(a.Holders[1].Grants, want) {
		t.Errorf("%+v", a.Holders)
	}
	if got := holders(p.Answer(q, Options{Text: "bOB"})); got != "User /Bob delete" {
		t.Error(got)
	}
	p.Remove(RoleBindings, "a", "del")
	p.Remove(ClusterRoles, "", "r")
	if a := p.Answer(q, Options{}); holders(a) != "" || a.Unread != 2 {
		t.Errorf("%+v", a)
	}
}

// TestBounds checks that an answer has a bounded number of holders, grants and bytes of a name.
func TestBounds(t *testing.T) {
	p := policy(t, "role /r get - secrets")
	for i := range 600 {
		name := fmt.Sprintf("u%03d", i)
		p.set(ClusterRoleBindings, "", name, []string{`{"kind":"ClusterRole","name":"r"}`, fmt.Sprintf(`[{"kind":"User","name":%q},{"kind":"User","name":"a"},{"kind":"User","name":%q}]`, name, strings.Repeat("é", 1000))})
	}
	a := p.Answer(secrets, Options{Open: []string{"User /a"}})
	if len(a.Holders) != holdersMost || a.More != 102 || len(a.Holders[0].Grants) != grantsMost || a.Holders[0].More != 595 {
		t.Errorf("%d holders, %d more; %+v", len(a.Holders), a.More, a.Holders[0])
	}
	for _, h := range p.Answer(secrets, Options{Text: "é"}).Holders {
		if len(h.Name) > nameMost+len("…") || !strings.HasSuffix(h.Name, "é…") {
			t.Errorf("%d bytes", len(h.Name))
		}
	}
	for _, cell := range []string{"", "<none>", "[", "null", "{}", "[null]", `[{"kind":7}]`} {
		p.set(ClusterRoles, "", "r", []string{cell})
		p.set(ClusterRoleBindings, "", "u000", []string{cell, cell})
		if a := p.Answer(secrets, Options{}); len(a.Holders) > 0 {
			t.Errorf("%s: %+v", cell, a.Holders)
		}
	}
}

// BenchmarkAnswer answers for 10,000 bindings with three subjects each.
func BenchmarkAnswer(b *testing.B) {
	p := new(Policy)
	for i := range 100 {
		p.set(ClusterRoles, "", fmt.Sprint("r", i), []string{`[{"verbs":["get","list"],"apiGroups":[""],"resources":["secrets","pods"]},{"verbs":["*"],"apiGroups":["apps"],"resources":["*"]}]`})
	}
	for i := range 10_000 {
		namespace := fmt.Sprint("team-", i%500)
		p.set(RoleBindings, namespace, fmt.Sprint("b", i), []string{fmt.Sprintf(`{"kind":"ClusterRole","name":"r%d"}`, i%100), fmt.Sprintf(`[{"kind":"User","name":"u%d"},{"kind":"Group","name":"g%d"},{"kind":"ServiceAccount","name":"ci"}]`, i%3000, i%70)})
	}
	q := secrets
	q.Namespaces = nil
	b.ReportAllocs()
	for b.Loop() {
		p.Answer(q, Options{})
	}
}

// TestManySubjects checks that of very many subjects the first are listed, in order, and the others counted,
// without holding them all.
func TestManySubjects(t *testing.T) {
	const many = 20_000
	p := policy(t, "role a/r get - secrets")
	var subjects []Subject
	for i := range many {
		subjects = append(subjects, Subject{Kind: User, Name: fmt.Sprintf("u%05d", i)}, Subject{Kind: User, Name: fmt.Sprintf("system:u%05d", i)})
	}
	doc, err := json.Marshal(subjects)
	if err != nil {
		t.Fatal(err)
	}
	p.set(ClusterRoles, "", "r", []string{`[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]`})
	p.set(ClusterRoleBindings, "", "system:all", []string{`{"kind":"ClusterRole","name":"r"}`, string(doc)})
	a := p.Answer(secrets, Options{Builtin: true})
	if len(a.Holders) != holdersMost || a.More != many-holdersMost || len(a.Builtin) != holdersMost || a.Own != many {
		t.Errorf("%d and %d more, %d of %d", len(a.Holders), a.More, len(a.Builtin), a.Own)
	}
	for i, h := range a.Holders {
		if h.Name != fmt.Sprintf("u%05d", i) || a.Builtin[i].Name != "system:"+h.Name {
			t.Fatalf("%d is %s, %s", i, h.Name, a.Builtin[i].Name)
		}
	}
	var l shortlist
	for i := range many {
		l.add(Holder{Subject: Subject{Kind: User, Name: fmt.Sprintf("u%05d", many-i)}})
		if len(l.first) > 2*holdersMost {
			t.Fatalf("%d are held", len(l.first))
		}
	}
}

// TestNamedCollection checks that no rule with names allows the deletion of a collection: such a request names nothing.
func TestNamedCollection(t *testing.T) {
	p := policy(t, "role a/r get,deletecollection - secrets db\nbind a/b Role:r User:ana")
	if got := holders(p.Answer(secrets, Options{})); got != "User /ana  named:get" {
		t.Errorf("%s", got)
	}
}
