package controllers

import (
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

func TestDeployment(t *testing.T) {
	t.Parallel()
	ns := stage.Namespace(t)
	deploy(t, ns, "web", 3)
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.ServiceSpec{
		Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080)}},
	}}
	if _, err := stage.Admin.CoreV1().Services(ns).Create(t.Context(), service, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	deployments := stage.Admin.AppsV1().Deployments(ns)
	stage.WaitFor(t, "the deployment is available", func() bool {
		d, err := deployments.Get(t.Context(), "web", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return d.Status.ReadyReplicas == 3 && condition(d, appsv1.DeploymentAvailable).Status == corev1.ConditionTrue &&
			condition(d, appsv1.DeploymentProgressing).Reason == "NewReplicaSetAvailable"
	})
	addresses := map[string]bool{}
	pods := podsOf(t, ns, "app=web")
	for _, p := range pods {
		if !ready(&p) || p.Status.Phase != corev1.PodRunning || !strings.HasPrefix(p.Spec.NodeName, "node-") {
			t.Errorf("%s is %s on %q, ready: %t", p.Name, p.Status.Phase, p.Spec.NodeName, ready(&p))
		}
		if len(p.Spec.Volumes) != 1 || p.Spec.Volumes[0].Projected == nil {
			t.Errorf("%s has the volumes %v, want its service account's token", p.Name, p.Spec.Volumes)
		}
		addresses[p.Status.PodIP] = true
	}
	if len(addresses) != 3 {
		t.Errorf("%d pods have the addresses %v", len(pods), addresses)
	}
	stage.WaitFor(t, "the endpoint slice has all pods", func() bool {
		slices, err := stage.Admin.DiscoveryV1().EndpointSlices(ns).List(t.Context(), metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=web"})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, s := range slices.Items {
			for _, e := range s.Endpoints {
				if *e.Conditions.Ready && addresses[e.Addresses[0]] {
					n++
				}
			}
		}
		return n == 3
	})
	stage.WaitFor(t, "the endpoints have all pods", func() bool {
		lines := stage.Kubectl(t, "get", "endpoints", "-n", ns, "-o", `jsonpath={range .items[*].subsets[*].addresses[*]}{.ip}{"\n"}{end}`)
		return len(lines) == 3 && addresses[lines[0]] && addresses[lines[1]] && addresses[lines[2]]
	})
	if lines := stage.Kubectl(t, "logs", "-n", ns, pods[0].Name); len(lines) != 1 || lines[0] != ns+"/"+pods[0].Name+"/main started" {
		t.Errorf("the log is %q", lines)
	}
	if err := deployments.Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	stage.WaitFor(t, "the pods of a deleted deployment are gone", func() bool { return len(podsOf(t, ns, "app=web")) == 0 })
}

func TestJob(t *testing.T) {
	t.Parallel()
	ns := stage.Namespace(t)
	completions := int32(2)
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "count"}, Spec: batchv1.JobSpec{
		Completions: &completions, Parallelism: &completions,
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{cluster.RunFor: "100ms"}},
			Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "registry.example/app:1"}}},
		},
	}}
	backoff := int32(0)
	failing := job.DeepCopy()
	failing.Name, failing.Spec.BackoffLimit, failing.Spec.Template.Labels = "fail", &backoff, map[string]string{cluster.FaultLabel: cluster.OOMKilled}
	for _, j := range []*batchv1.Job{job, failing} {
		if _, err := stage.Admin.BatchV1().Jobs(ns).Create(t.Context(), j, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	has := func(name string, kind batchv1.JobConditionType, reason string) bool {
		j, err := stage.Admin.BatchV1().Jobs(ns).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range j.Status.Conditions {
			if c.Type == kind && c.Status == corev1.ConditionTrue && c.Reason == reason {
				return true
			}
		}
		return false
	}
	stage.WaitFor(t, "the job is complete", func() bool { return has("count", batchv1.JobComplete, "CompletionsReached") })
	stage.WaitFor(t, "the other job has failed", func() bool { return has("fail", batchv1.JobFailed, "BackoffLimitExceeded") })
	for _, p := range podsOf(t, ns, "job-name=count") {
		if end := p.Status.ContainerStatuses[0].State.Terminated; p.Status.Phase != corev1.PodSucceeded || end == nil || end.Reason != "Completed" {
			t.Errorf("%s is %s, its container %v", p.Name, p.Status.Phase, end)
		}
	}
}

func TestUnschedulable(t *testing.T) {
	t.Parallel()
	ns := stage.Namespace(t)
	pod := stage.Create(t, ns, "huge", func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1000")}
	})
	message := regexp.MustCompile(`^0/\d+ nodes are available: .*\b4 Insufficient cpu\b.* preemption: 0/\d+ nodes are available: `)
	stage.WaitFor(t, "the scheduler says why the pod is pending", func() bool {
		now := getPod(t, pod)
		c := podCondition(now, corev1.PodScheduled)
		return now.Status.Phase == corev1.PodPending && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable && message.MatchString(c.Message)
	})
}

func TestProgressDeadline(t *testing.T) {
	t.Parallel()
	ns := stage.Namespace(t)
	deadline := int32(2)
	deploy(t, ns, "web", 2, func(d *appsv1.Deployment) {
		d.Spec.ProgressDeadlineSeconds = &deadline
		d.Spec.Template.Labels[cluster.FaultLabel] = cluster.ImagePull
	})
	stage.WaitFor(t, "the deployment exceeds its deadline", func() bool {
		d, err := stage.Admin.AppsV1().Deployments(ns).Get(t.Context(), "web", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		c := condition(d, appsv1.DeploymentProgressing)
		return c.Status == corev1.ConditionFalse && c.Reason == "ProgressDeadlineExceeded"
	})
}

func TestQuota(t *testing.T) {
	t.Parallel()
	ns := stage.Namespace(t)
	quotas := stage.Admin.CoreV1().ResourceQuotas(ns)
	_, err := quotas.Create(t.Context(), &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "small"}, Spec: corev1.ResourceQuotaSpec{
		Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("2"), corev1.ResourceRequestsMemory: resource.MustParse("1Gi")},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	used := func() (pods, memory string) {
		q, err := quotas.Get(t.Context(), "small", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, m := q.Status.Used[corev1.ResourcePods], q.Status.Used[corev1.ResourceRequestsMemory]
		return p.String(), m.String()
	}
	stage.WaitFor(t, "the quota is counted", func() bool {
		q, err := quotas.Get(t.Context(), "small", metav1.GetOptions{})
		return err == nil && len(q.Status.Used) == 2
	})
	request := func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("300Mi")}
	}
	first := stage.Create(t, ns, "one", request)
	stage.Create(t, ns, "two", request)
	stage.WaitFor(t, "two pods are counted", func() bool { pods, memory := used(); return pods == "2" && memory == "600Mi" })
	third := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "three"}, Spec: *first.Spec.DeepCopy()}
	if _, err := stage.Admin.CoreV1().Pods(ns).Create(t.Context(), third, metav1.CreateOptions{}); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "exceeded quota: small") {
		t.Errorf("a third pod: %v", err)
	}
	stage.Remove(t, first)
	stage.WaitFor(t, "the deleted pod is not counted", func() bool { pods, memory := used(); return pods == "1" && memory == "300Mi" })
}

func TestEviction(t *testing.T) {
	t.Parallel()
	ns := stage.Namespace(t)
	deploy(t, ns, "web", 2)
	two := intstr.FromInt32(2)
	budgets := stage.Admin.PolicyV1().PodDisruptionBudgets(ns)
	_, err := budgets.Create(t.Context(), &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: policyv1.PodDisruptionBudgetSpec{
		MinAvailable: &two, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	allowed := func(healthy, disruptions int32) func() bool {
		return func() bool {
			b, err := budgets.Get(t.Context(), "web", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return b.Status.CurrentHealthy == healthy && b.Status.DisruptionsAllowed == disruptions
		}
	}
	stage.WaitFor(t, "the budget allows nothing", allowed(2, 0))
	pod := podsOf(t, ns, "app=web")[0]
	evict := func() error {
		return stage.Admin.PolicyV1().Evictions(ns).Evict(t.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: ns}})
	}
	if err := evict(); !apierrors.IsTooManyRequests(err) {
		t.Errorf("the eviction of a pod that the budget needs: %v", err)
	}
	stage.Kubectl(t, "scale", "-n", ns, "deployment/web", "--replicas=3")
	stage.WaitFor(t, "the budget allows an eviction", allowed(3, 1))
	if err := evict(); err != nil {
		t.Error(err)
	}
	stage.WaitFor(t, "the evicted pod is gone", func() bool { return gone(t, &pod) })
}

func TestNamespaceIsEmptied(t *testing.T) {
	t.Parallel()
	ns := stage.Namespace(t)
	waitReady(t, stage.Create(t, ns, "one"))
	namespaces := stage.Admin.CoreV1().Namespaces()
	if err := namespaces.Delete(t.Context(), ns, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	stage.WaitFor(t, "the namespace is gone", func() bool {
		_, err := namespaces.Get(t.Context(), ns, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}
