package deploy

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"watchglass/e2e/stage"
)

// role returns a role of a rendering whose name ends in suffix.
func role(t *testing.T, r rendering, suffix string) *rbacv1.ClusterRole {
	t.Helper()
	for _, role := range find[*rbacv1.ClusterRole](r) {
		if strings.HasSuffix(role.Name, suffix) {
			return role
		}
	}
	t.Fatalf("%s has no role %s", r.name, suffix)
	return nil
}

// create creates objects as the admin, and deletes them when the test ends.
func create(t *testing.T, objects ...any) {
	t.Helper()
	var text strings.Builder
	for _, o := range objects {
		doc, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("---\n" + string(doc))
	}
	file := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := shared.Kubectl(t.Context(), "create", "-f", file); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := shared.Kubectl(context.Background(), "delete", "--wait=false", "-f", file); err != nil {
			t.Error(err)
		}
	})
}

// bind returns a binding of a role to a user or a group.
func bind(role, kind, name string) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRoleBinding"},
		ObjectMeta: metav1.ObjectMeta{GenerateName: "test-", Name: strings.ToLower("test-" + role + "-" + strings.ReplaceAll(name, ":", "-"))},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}},
	}
}

// TestViewer shows that the shipped viewer may do what testdata/viewer.txt lists and nothing else,
// and that the chart and the overlays have the same one.
func TestViewer(t *testing.T) {
	viewer := role(t, renderingOf(t, "chart-token"), "-viewer")
	if other := role(t, renderingOf(t, "overlay-token"), "-viewer"); !reflect.DeepEqual(viewer.Rules, other.Rules) {
		t.Errorf("the overlays have another viewer than the chart:\n%v\n%v", other.Rules, viewer.Rules)
	}
	mine, other := role(t, renderingOf(t, "chart-oauth2-proxy"), "-impersonator"), role(t, renderingOf(t, "overlay-proxy"), "-impersonator")
	if !reflect.DeepEqual(mine.Rules, other.Rules) {
		t.Errorf("the overlays impersonate otherwise than the chart:\n%v\n%v", other.Rules, mine.Rules)
	}
	create(t, viewer, bind(viewer.Name, "Group", "test:viewers"))
	asViewer := shared.Config()
	asViewer.Impersonate = rest.ImpersonationConfig{UserName: "test:ada", Groups: []string{"test:viewers"}}
	client, err := kubernetes.NewForConfig(asViewer)
	if err != nil {
		t.Fatal(err)
	}
	check(t, []try{{"a viewer lists pods", true, listPods, client}, {"a viewer lists Secrets", false, listSecrets, client}})
	got, err := shared.Kubectl(t.Context(), "auth", "can-i", "--list", "--as", "test:ada", "--as-group", "test:viewers")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(got), "\n")[1:] {
		resource := strings.Fields(line)[0]
		verbs := line[strings.LastIndex(line, "["):]
		switch {
		case strings.HasPrefix(line, " "): // addresses of the API server itself, which every user may read
		case strings.HasPrefix(resource, "selfsubject"): // asks about the user's own rights
		case strings.ContainsAny(line, "*"), strings.HasPrefix(resource, "secrets"), strings.Contains(resource, "/") && resource != "pods/log",
			strings.Trim(strings.NewReplacer("get", "", "list", "", "watch", "").Replace(verbs), "[ ]") != "":
			t.Errorf("the viewer has too many rights: %s", line)
		}
	}
	golden := filepath.Join("testdata", "viewer.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the viewer's rights are not those of %s (-update writes them):\n%s", golden, got)
	}
	for question, want := range map[string]string{
		"get pods --subresource=log": "yes", "watch pods": "yes", "list nodes": "yes", "get secrets": "no", "delete pods": "no",
		"create pods --subresource=exec": "no", "get pods --subresource=exec": "no", "get pods --subresource=proxy": "no",
		"get nodes --subresource=proxy": "no", "get services --subresource=proxy": "no", "create serviceaccounts --subresource=token": "no",
	} {
		args := append([]string{"auth", "can-i", "--all-namespaces", "--as", "test:ada", "--as-group", "test:viewers"}, strings.Fields(question)...)
		if got, _ := shared.Kubectl(t.Context(), args...); strings.TrimSpace(got) != want { // it exits with 1 for no
			t.Errorf("may the viewer %s: %q, want %s", question, got, want)
		}
	}
}

// as returns a client that impersonates a user with the account's token; without a name it is the
// account itself.
func as(t *testing.T, token, user string, groups ...string) *kubernetes.Clientset {
	t.Helper()
	config := rest.AnonymousClientConfig(shared.Config())
	config.BearerToken = token
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// try is a request and whether the API server allows it.
type try struct {
	what    string
	allowed bool
	do      func(*kubernetes.Clientset) error
	client  *kubernetes.Clientset
}

func listPods(c *kubernetes.Clientset) error {
	_, err := c.CoreV1().Pods("").List(context.Background(), metav1.ListOptions{})
	return err
}

func listSecrets(c *kubernetes.Clientset) error {
	_, err := c.CoreV1().Secrets("").List(context.Background(), metav1.ListOptions{})
	return err
}

func createConfigMap(c *kubernetes.Clientset) error {
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	_, err := c.CoreV1().ConfigMaps(namespace).Create(context.Background(), m, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

func getExec(c *kubernetes.Clientset) error {
	err := c.CoreV1().RESTClient().Get().Namespace(namespace).Resource("pods").Name("none").SubResource("exec").Do(context.Background()).Error()
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func discover(c *kubernetes.Clientset) error {
	_, err := c.Discovery().ServerVersion()
	if err == nil {
		_, err = c.Discovery().ServerGroups()
	}
	return err
}

// check makes the requests. It waits for one that should be allowed, since the API server learns
// of new roles a moment later; so put one of those first.
func check(t *testing.T, tries []try) {
	t.Helper()
	for _, x := range tries {
		err := x.do(x.client)
		if x.allowed && apierrors.IsForbidden(err) {
			stage.WaitFor(t, x.what+" is allowed", func() bool {
				err = x.do(x.client)
				return !apierrors.IsForbidden(err)
			})
		}
		if err != nil && !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v", x.what, err)
		} else if allowed := err == nil; allowed != x.allowed {
			t.Errorf("%s: allowed %t, want %t: %v", x.what, allowed, x.allowed, err)
		}
	}
}

// TestConstrained shows that the account of constrained impersonation can read what the viewer may
// see, as users who may, and can do nothing else: not even as users who may do everything.
func TestConstrained(t *testing.T) {
	for token, name := range map[string]string{chartToken: "chart-oauth2-proxy", overlayToken: "overlay-proxy"} {
		t.Run(name, func(t *testing.T) {
			r := renderingOf(t, name)
			viewer := role(t, r, "-viewer")
			objects := []any{viewer, bind(viewer.Name, "Group", "test:viewers"), bind("cluster-admin", "User", "test:root"), bind("cluster-admin", "User", "system:serviceaccount:kube-system:default"), role(t, r, "-impersonator")}
			for _, b := range find[*rbacv1.ClusterRoleBinding](r) {
				if b.Subjects[0].Kind == "ServiceAccount" {
					objects = append(objects, b)
				}
			}
			create(t, objects...)
			viewers := []string{"test:viewers", "test:a", "test:b", "test:c"}
			check(t, []try{
				{"a viewer lists pods", true, listPods, as(t, token, "test:ada", viewers...)},
				{"a viewer reads the version", true, discover, as(t, token, "test:ada", viewers...)},
				{"a viewer lists Secrets", false, listSecrets, as(t, token, "test:ada", viewers...)},
				{"somebody lists pods", false, listPods, as(t, token, "test:bob")},
				{"an admin lists pods", true, listPods, as(t, token, "test:root")},
				{"an admin lists Secrets", false, listSecrets, as(t, token, "test:root")},
				{"an admin creates a ConfigMap", false, createConfigMap, as(t, token, "test:root")},
				{"an admin gets exec", false, getExec, as(t, token, "test:root")},
				{"system:masters lists pods", false, listPods, as(t, token, "test:ada", "system:masters")},
				{"a service account lists pods", false, listPods, as(t, token, "system:serviceaccount:kube-system:default")},
				{"the account lists pods", false, listPods, as(t, token, "")},
			})
			if _, err := as(t, token, "test:ada", viewers...).AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{}); err != nil {
				t.Errorf("a viewer asks who they are: %v", err)
			}
		})
	}
}

// TestNamed shows that the account can impersonate the users and groups that the values name, and
// nobody else.
func TestNamed(t *testing.T) {
	r := renderingOf(t, "chart-named")
	objects := []any{role(t, r, "-impersonator"), bind("cluster-admin", "User", "sso:ada"), bind("cluster-admin", "User", "sso:bob"), bind("cluster-admin", "Group", "sso:admins")}
	for _, b := range find[*rbacv1.ClusterRoleBinding](r) {
		objects = append(objects, b)
	}
	create(t, objects...)
	check(t, []try{
		{"ada", true, listPods, as(t, chartToken, "sso:ada", "sso:developers")},
		{"bob", false, listPods, as(t, chartToken, "sso:bob", "sso:developers")},
		{"another group", false, listPods, as(t, chartToken, "sso:ada", "sso:admins")},
		{"system:masters", false, listPods, as(t, chartToken, "sso:ada", "system:masters")},
		{"the account", false, listPods, as(t, chartToken, "")},
	})
}
