package detail

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/stage"
)

// bind grants a role to subjects in a namespace, until the returned function is called. A subject
// is written KIND:NAME.
func bind(t *testing.T, ns, name, roleKind, role string, subjects ...string) (revoke func()) {
	t.Helper()
	b := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: roleKind, Name: role}}
	for _, text := range subjects {
		kind, name, _ := strings.Cut(text, ":")
		s := rbacv1.Subject{Kind: kind, Name: name, APIGroup: rbacv1.GroupName}
		if kind == rbacv1.ServiceAccountKind {
			s.APIGroup, s.Namespace = "", ns
		}
		b.Subjects = append(b.Subjects, s)
	}
	if _, err := stage.Admin.RbacV1().RoleBindings(ns).Create(t.Context(), b, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := stage.Admin.RbacV1().RoleBindings(ns).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func role(t *testing.T, ns, name string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	if _, err := stage.Admin.RbacV1().Roles(ns).Create(t.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// may awaits what the cells of a subject show, in the order of the columns.
func (e eyes) may(subject, want string) {
	e.T.Helper()
	e.Await(fmt.Sprintf(`[...document.querySelectorAll('.access tr[data-subject=%q] td')].map(td => td.dataset.verb + ":" + td.innerText).filter(c => !c.endsWith(":")).join(" ") === %q`, subject, want))
}

// absent awaits that a subject has no row, while the table is there.
func (e eyes) absent(subject string) {
	e.T.Helper()
	e.Await(fmt.Sprintf(`document.querySelector(".access table") && !document.querySelector('.access tr[data-subject=%q]')`, subject))
}

// secretWithReaders creates a Secret and some who may do something to it.
func secretWithReaders(t *testing.T) (ns string) {
	t.Helper()
	ns = stage.Namespace(t)
	for _, name := range []string{"db", "web"} {
		if _, err := stage.Admin.CoreV1().Secrets(ns).Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	core := []string{""}
	role(t, ns, "operator", rbacv1.PolicyRule{APIGroups: core, Resources: []string{"secrets"}, Verbs: []string{"*"}})
	role(t, ns, "db", rbacv1.PolicyRule{APIGroups: core, Resources: []string{"secrets"}, ResourceNames: []string{"db"}, Verbs: []string{"get", "patch"}})
	bind(t, ns, "operators", "Role", "operator", "Group:operators", "ServiceAccount:deployer")
	bind(t, ns, "db-readers", "Role", "db", "User:ana", "User:ev\u202eil", "Group:system:serviceaccounts:"+ns)
	bind(t, ns, "lost", "Role", "missing", "User:eve")
	return ns
}

// TestAccess shows who may do something to a Secret: live, filtered, explained, and by keys alone.
func TestAccess(t *testing.T) {
	ns := secretWithReaders(t)
	e := show(t, "/secrets?n="+ns+"&sel="+ns+"/db")
	e.standing("live")
	e.Press("8")
	e.onTab("access")
	const all = "get:✓ list:✓ watch:✓ edit:✓ delete:✓"
	e.may("Group /operators", all)
	e.may("ServiceAccount "+ns+"/deployer", all)
	e.may("User /ana", "get:✓ edit:patch")
	e.may("User /ev\ufffdil", "get:✓ edit:patch")
	e.may("Group /system:serviceaccounts:"+ns, "get:✓ edit:patch")
	e.absent("User /eve")
	e.Says(".access tbody tr", "all service accounts in "+ns) // the first
	e.Says(".access .own", "built-in subject")
	e.Says(".access .notes", "RBAC only", "system:masters", "values of a Secret")
	e.Await(`document.querySelector(".access .banner").hidden`)
	e.Axe(stage.AxeSource(t))
	e.Keep("access")

	revoke := bind(t, ns, "late", "Role", "operator", "User:ana", "User:zoe")
	e.may("User /zoe", all)
	e.may("User /ana", all)
	revoke()
	e.absent("User /zoe")
	e.may("User /ana", "get:✓ edit:patch")

	e.Must(e.Click(`.access thead button[data-value="delete"]`))
	e.AwaitQuery("verb", "delete")
	e.absent("User /ana")
	e.may("Group /operators", all)
	e.Must(e.Open(stage.Eval[string](e, `location.href`)))
	e.absent("User /ana")
	e.may("Group /operators", all)
	stage.Eval[any](e, `document.querySelector('.access thead button[data-value="delete"]').focus()`)
	e.Press(kb.Enter)
	e.may("User /ana", "get:✓ edit:patch")
	e.Must(e.Type("#access-filter", "DEPLOY"))
	e.absent("User /ana")
	e.may("ServiceAccount "+ns+"/deployer", all)
	e.AwaitQuery("who", "DEPLOY")
	stage.Eval[any](e, `document.querySelector(".access tbody button").focus()`)
	e.Press(kb.Enter)
	e.Says(".access .grants", "RoleBinding "+ns+"/operators", "Role operator", "get, list, watch, update, patch, delete, deletecollection")
	e.Axe(stage.AxeSource(t))
	e.KeepLooks("grants")
	e.Must(e.Click(`.access .grants a[data-value$="/operators"]`))
	e.Await(`location.pathname.endsWith("/rolebindings.rbac.authorization.k8s.io") && document.querySelector(".drawer .name").innerText === "operators"`)
	e.standing("live")
}

// TestAccessOfKind shows who may do something to the Secrets of a namespace, from the menu and the
// palette, and to the pods of all namespaces.
func TestAccessOfKind(t *testing.T) {
	ns := secretWithReaders(t)
	e := show(t, "/secrets?n="+ns)
	e.Press(":")
	e.Await(`document.activeElement.id === "palette-text"`)
	e.Must(e.Type("#palette-text", "who can"))
	e.Says("#offers", "Who can…")
	e.Press(kb.Enter)
	e.onTab("access")
	e.Await(`document.activeElement.id === "tab-access"`)
	e.Says(".drawer .name", "Secrets in "+ns)
	e.may("Group /operators", "get:✓ list:✓ watch:✓ create:✓ edit:✓ delete:✓")
	e.may("User /ana", "get:by name edit:by name")
	e.Axe(stage.AxeSource(t))
	e.Keep("kind")
	e.Press(kb.Escape)
	e.Await(`document.querySelector(".drawer").hidden && !location.search.includes("tab=")`)
	e.Must(e.Click("#view-menu"))
	e.Must(e.Click(`#view-popover [data-action="who-can"]`))
	e.may("User /ana", "get:by name edit:by name")
	e.Press("j", kb.Enter) // opens an object instead, in the same tab
	e.Await(`document.querySelector(".drawer .name").innerText === "db"`)
	e.onTab("access")
	e.may("User /ana", "get:✓ edit:patch")

	role(t, ns, "pods", rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods/exec", "pods/log"}, Verbs: []string{"create", "get"}})
	bind(t, ns, "pods", "Role", "pods", "User:ana")
	e.GoTo("/pods?tab=access")
	e.may("User /ana", "exec:some logs:some")
	e.Says(".drawer .name", "Pods in all namespaces")
	e.Says(".drawer .head", "Who can access")

	stage.Create(t, ns, "web")
	e.GoTo("/pods?tab=access&n=" + ns + "&sel=" + ns + "/web")
	e.may("User /ana", "exec:✓ logs:✓")
}

// TestAccessDenied checks what is said to users who may read no roles and bindings, or only those of
// a namespace: nobody is told that there is nobody.
func TestAccessDenied(t *testing.T) {
	ns := secretWithReaders(t)
	user := stage.Someone(t)
	stage.Grant(t, user, ns, stage.Reads, "secrets")
	e := eyes{stage.Open(t, stage.ServeTo(t, user, ns).At("/secrets?n="+ns+"&sel="+ns+"/db&tab=access"))}
	e.Says("#pane", "You can't list roles and bindings", user.Name, "kubectl auth can-i delete secrets/db -n "+ns+" --as USER")
	e.Await(`!document.querySelector(".access")`)
	e.Axe(stage.AxeSource(t))
	e.Keep("denied")
	role(t, ns, "rbac", rbacv1.PolicyRule{APIGroups: []string{rbacv1.GroupName}, Resources: []string{"roles", "rolebindings"}, Verbs: stage.Reads})
	bind(t, ns, "rbac", "Role", "rbac", "User:"+user.Name)
	bind(t, ns, "unread", "ClusterRole", "edit", "User:max")
	e.Must(e.Open(stage.Eval[string](e, `location.href`)))
	e.may("User /ana", "get:✓ edit:patch")
	e.Says(".access .banner", "Incomplete", "ClusterRoleBindings", "ClusterRoles", "no permission to list", "2 bindings to roles that you can't read")
	e.Keep("incomplete")
	e.Must(e.Type("#access-filter", "nobody"))
	e.Says(".access", "No subjects match")
}
