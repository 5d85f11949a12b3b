package stage

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/e2e/cluster"
)

// Namespace makes a namespace that no other test uses, and returns its name.
func Namespace(t *testing.T) string {
	t.Helper()
	ns, err := Admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if controllers := Cluster.Controllers(); controllers != nil {
		t.Cleanup(func() { deleteNamespace(t, ns.Name) })
		if err := controllers.NamespaceReady(t.Context(), ns.Name); err != nil {
			t.Fatal(err)
		}
		return ns.Name
	}
	t.Cleanup(func() {
		// Nobody empties a namespace here, so its pods are taken away by hand.
		background := context.Background()
		now := int64(0)
		if err := Admin.CoreV1().Pods(ns.Name).DeleteCollection(background, metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{}); err != nil {
			t.Error(err)
		}
	})
	return ns.Name
}

// Create makes a pod with one container.
func Create(t *testing.T, ns, name string, change ...func(*corev1.Pod)) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: new(bool),
			Containers:                   []corev1.Container{{Name: "main", Image: "registry.example/app:1"}},
		},
	}
	for _, f := range change {
		f(pod)
	}
	made, err := Admin.CoreV1().Pods(ns).Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// SetStatus gives a pod a status, as its kubelet would.
func SetStatus(t *testing.T, pod *corev1.Pod, status corev1.PodStatus) {
	t.Helper()
	doc, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Admin.CoreV1().Pods(pod.Namespace).Patch(t.Context(), pod.Name, types.MergePatchType, doc, metav1.PatchOptions{}, "status")
	if err != nil {
		t.Fatal(err)
	}
}

func Remove(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	now := int64(0)
	if err := Admin.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		t.Fatal(err)
	}
}

func Running(restarts int32) corev1.PodStatus {
	return corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "main", Ready: true, RestartCount: restarts, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}},
	}}}
}

// Apply creates what a manifest says, or changes it to that.
func Apply(t *testing.T, manifest string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Cluster.Kubectl(t.Context(), "apply", "-f", file); err != nil {
		t.Fatal(err)
	}
}

// Post makes an object of a document.
func Post(t *testing.T, path, doc string) {
	t.Helper()
	if err := Admin.CoreV1().RESTClient().Post().AbsPath(path).SetHeader("Content-Type", "application/json").Body([]byte(doc)).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
}

// Kubectl runs kubectl and returns its lines.
func Kubectl(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := Cluster.Kubectl(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == '\n' })
}

// Reads are the verbs of who may see.
var Reads = []string{"get", "list", "watch"}

// Someone is a user whom no other test knows, and who may nothing yet.
func Someone(t *testing.T) cluster.User {
	return cluster.User{Name: strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-"))}
}

// Grant lets a user do something with resources of the core in a namespace, or in the
// whole cluster, until the test ends or what it returns is called.
func Grant(t *testing.T, user cluster.User, ns string, verbs []string, resources ...string) (revoke func()) {
	t.Helper()
	meta := metav1.ObjectMeta{GenerateName: "e2e-", Namespace: ns}
	rules := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: resources, Verbs: verbs}}
	subjects := []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: user.Name}}
	rbac := Admin.RbacV1()
	var err, err2 error
	var remove func(context.Context, string, metav1.DeleteOptions) error
	var name string
	if ns == "" {
		role, failed := rbac.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
		binding := &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name}}
		binding, err2 = rbac.ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{})
		err, name, remove = failed, binding.Name, rbac.ClusterRoleBindings().Delete
	} else {
		role, failed := rbac.Roles(ns).Create(t.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
		binding := &rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name}}
		binding, err2 = rbac.RoleBindings(ns).Create(t.Context(), binding, metav1.CreateOptions{})
		err, name, remove = failed, binding.Name, rbac.RoleBindings(ns).Delete
	}
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	revoked := false
	revoke = func() {
		if !revoked {
			revoked = true
			if err := remove(context.Background(), name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(revoke)
	return revoke
}
