package describe

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// TestSums compares the columns of nodes with what kubectl describes, while pods come, change
// and go, and checks that a user who may not list pods is told so.
func TestSums(t *testing.T) {
	ns := stage.Namespace(t)
	for i, memory := range []string{"8Gi", "16393244Ki"} {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(ns, "-", i)}}
		n.Status.Capacity = corev1.ResourceList{"cpu": resource.MustParse("4"), "memory": resource.MustParse(memory), "pods": resource.MustParse("110")}
		if _, err := stage.Admin.CoreV1().Nodes().Create(t.Context(), n, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = stage.Admin.CoreV1().Nodes().Delete(context.Background(), n.Name, metav1.DeleteOptions{})
		})
	}
	on := func(node int, cpu, memory string) func(p *corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.NodeName = fmt.Sprint(ns, "-", node)
			p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
			p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory)}
			p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"memory": resource.MustParse("3Gi")}
		}
	}
	stage.Create(t, ns, "a", on(0, "1250m", "1Gi"))
	stage.Create(t, ns, "b", on(0, "250m", "500M"))
	ended := stage.Create(t, ns, "c", on(1, "3800m", "1500M"))
	p := stage.Serve(t, proxy.Options{})
	e := stage.Open(t, p.At("/nodes?q="+ns+"&cols=Name,Pods,CPU+Requests,CPU+Limits,Memory+Requests,Memory+Limits"))
	e.AwaitState("live")
	check := func() {
		t.Helper()
		for node := range 2 {
			key := fmt.Sprint(ns, "-", node)
			text, err := stage.Cluster.Kubectl(t.Context(), "describe", "node", key)
			if err != nil {
				t.Fatal(err)
			}
			want := regexp.MustCompile(`Non-terminated Pods:\s+\((\d+) in total`).FindStringSubmatch(text)
			rows := regexp.MustCompile(`(?m)^  (?:cpu|memory)\s+(\S+ \(\d+%\))\s+(\S+ \(\d+%\))`).FindAllStringSubmatch(text[strings.Index(text, "Allocated resources:"):], -1)
			e.AwaitCell(key, "Pods", want[1]+"/110")
			for i, name := range []string{"CPU", "Memory"} {
				e.AwaitCell(key, name+" Requests", rows[i][1])
				e.AwaitCell(key, name+" Limits", rows[i][2])
			}
		}
	}
	check()
	stage.SetStatus(t, ended, corev1.PodStatus{Phase: corev1.PodSucceeded})
	check()
	stage.Create(t, ns, "d", on(1, "3700m", "1Gi"))
	check()
	e.Keep("columns")

	few := stage.Open(t, p.At("/nodes?q=requested>90%25+"+ns))
	few.AwaitState("live")
	few.Await(fmt.Sprintf(`document.querySelectorAll('[role=row][data-key^=%q]:not([hidden])').length === 1`, ns))
	stage.AwaitValue(few, browser.AllRows, func(r browser.Rows) bool { return slices.Equal(r.Keys(), []string{ns + "-1"}) })
	few.At(stage.Looks[0])
	few.Keep("filtered")
	few.Must(few.Open(p.At("/nodes?sort=-Pods")))
	few.AwaitState("live")
	few.Must(few.Resize(1900, 900))
	few.Await(`document.querySelector('.head [data-column="CPU Requests"]') !== null`)
	few.AwaitCell(ns+"-0", "Pods", "2/110")
	few.Keep("wide")

	user := stage.Someone(t)
	stage.Grant(t, user, "", []string{"list", "watch"}, "nodes")
	mine := stage.Open(t, stage.ServeTo(t, user, "").At("/nodes?cols=Name,Pods&q="+ns), "403")
	mine.AwaitState("live")
	mine.Says(".banner", "Pods: no permission to list.")
	mine.AwaitCell(ns+"-0", "Pods", "")
	stage.Is(mine, `document.querySelector('.head [data-column="Pods"]').title`, "Pods: no permission to list. Sort by Pods")
	mine.Keep("denied")
}
