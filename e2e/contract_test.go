package e2e

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// contractKind is a custom kind, and one object of it.
const contractKind = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gauges.contract.example.com}
spec:
  group: contract.example.com
  scope: Namespaced
  names: {plural: gauges, singular: gauge, kind: Gauge}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    additionalPrinterColumns:
    - {name: Reading, type: string, jsonPath: .spec.reading}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
`

const gauge = `
apiVersion: contract.example.com/v1
kind: Gauge
metadata: {name: one, namespace: default}
spec: {reading: "7"}
`

// TestContract holds the real apiserver to what the demo's is held to.
func TestContract(t *testing.T) {
	stage.Apply(t, contractKind)
	if _, err := stage.Cluster.Kubectl(t.Context(), "wait", "--for=condition=Established", "crd/gauges.contract.example.com"); err != nil {
		t.Fatal(err)
	}
	stage.Apply(t, gauge)
	if err := stage.Cluster.Expire(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	log := contractLog(t)
	churn, err := stage.Cluster.Churn(ctx, cluster.ChurnOptions{PerSecond: 20})
	if err != nil {
		t.Fatal(err)
	}
	// There have to be changes in the server's memory.
	err = wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, stage.Soon, true, func(context.Context) (bool, error) {
		n := churn.Counts()
		return n.Status+n.Label+n.Create+n.Delete >= 40, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-run", "^TestServer$", "./internal/demo/contract")
	c.Dir = ".."
	c.Env = append(os.Environ(), "CONTRACT_SERVER="+stage.Cluster.URL(), "CONTRACT_CA_FILE="+stage.Cluster.CAFile(), "CONTRACT_TOKEN="+operator.Token, "CONTRACT_CUSTOM=/apis/contract.example.com/v1/gauges", "CONTRACT_LOG="+log)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	stop()
	if err := churn.Wait(); err != nil {
		t.Error(err)
	}
}

// contractLog runs a container that writes 20 lines a second, and returns the path of its
// log.
func contractLog(t *testing.T) string {
	t.Helper()
	g := cluster.NewGush(2000, time.Hour)
	g.Begin()
	k, err := stage.Cluster.StartKubelet(t.Context(), "contract", func(string, string, string, bool) cluster.Log { return g })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Stop(); err != nil {
			t.Error(err)
		}
	})
	pod, err := k.Run(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "writes", Namespace: stage.Namespace(t)},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.example/app:1"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return "/api/v1/namespaces/" + pod.Namespace + "/pods/" + pod.Name + "/log"
}
