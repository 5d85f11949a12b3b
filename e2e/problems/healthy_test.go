package problems

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

const app = `containers: [{name: main, image: "registry.example/app:1"}]`

// healthy is a cluster with one of everything, all of it well.
const healthy = `
{kind: Deployment, apiVersion: apps/v1, metadata: {name: web}, spec: {replicas: 4, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}, annotations: {watchglass.example.com/ready-after: 300ms}}, spec: {` + app + `}}}}
{kind: Deployment, apiVersion: apps/v1, metadata: {name: none}, spec: {replicas: 0, selector: {matchLabels: {app: none}}, template: {metadata: {labels: {app: none}}, spec: {` + app + `}}}}
{kind: StatefulSet, apiVersion: apps/v1, metadata: {name: db}, spec: {replicas: 2, serviceName: db, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {` + app + `}}}}
{kind: DaemonSet, apiVersion: apps/v1, metadata: {name: agent}, spec: {selector: {matchLabels: {app: agent}}, template: {metadata: {labels: {app: agent}}, spec: {` + app + `}}}}
{kind: Job, apiVersion: batch/v1, metadata: {name: import}, spec: {template: {spec: {restartPolicy: Never, ` + app + `}}}}
{kind: Job, apiVersion: batch/v1, metadata: {name: runs}, spec: {template: {metadata: {annotations: {watchglass.example.com/run-for: 1h}}, spec: {restartPolicy: OnFailure, ` + app + `}}}}
{kind: CronJob, apiVersion: batch/v1, metadata: {name: minutely}, spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, ` + app + `}}}}}}
{kind: CronJob, apiVersion: batch/v1, metadata: {name: nightly}, spec: {schedule: "@daily", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, ` + app + `}}}}}}
{kind: Service, apiVersion: v1, metadata: {name: web}, spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}}
{kind: Service, apiVersion: v1, metadata: {name: db}, spec: {clusterIP: None, selector: {app: db}, ports: [{port: 5432}]}}
{kind: Service, apiVersion: v1, metadata: {name: none}, spec: {selector: {app: none}, ports: [{port: 80}]}}
{kind: Service, apiVersion: v1, metadata: {name: elsewhere}, spec: {type: ExternalName, externalName: shop.example.com}}
{kind: Ingress, apiVersion: networking.k8s.io/v1, metadata: {name: web}, spec: {rules: [{host: shop.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}]}}]}}
{kind: PodDisruptionBudget, apiVersion: policy/v1, metadata: {name: web}, spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}}
{kind: PodDisruptionBudget, apiVersion: policy/v1, metadata: {name: none}, spec: {minAvailable: 1, selector: {matchLabels: {app: none}}}}
{kind: ResourceQuota, apiVersion: v1, metadata: {name: wide}, spec: {hard: {pods: "100", count/configmaps: "50"}}}
{kind: PersistentVolume, apiVersion: v1, metadata: {name: NS}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /tmp/NS}, storageClassName: "", persistentVolumeReclaimPolicy: Retain}}
{kind: PersistentVolume, apiVersion: v1, metadata: {name: spare-NS}, spec: {capacity: {storage: 1Mi}, accessModes: [ReadWriteMany], hostPath: {path: /tmp/NS}, storageClassName: spare, persistentVolumeReclaimPolicy: Retain}}
{kind: PersistentVolumeClaim, apiVersion: v1, metadata: {name: cache}, spec: {storageClassName: "", volumeName: NS, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
{kind: ValidatingWebhookConfiguration, apiVersion: admissionregistration.k8s.io/v1, metadata: {name: NS}, webhooks: [{name: a.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {namespace: NS, name: web}}, rules: [{apiGroups: [e2e.example.com], apiVersions: [v1], operations: [CREATE], resources: [nothing]}]}]}
`

// TestHealthy shows no row of a healthy cluster, and says so, while deployments are rolled out and
// scaled, jobs come and go, and a node joins. Nothing is hidden by waiting: the rows that ever
// showed are counted.
func TestHealthy(t *testing.T) {
	ns := place{t.Context(), stage.Namespace(t)}
	create(t, ns, healthy)
	for _, name := range []string{"PersistentVolume/NS", "PersistentVolume/spare-NS", "ValidatingWebhookConfiguration/NS"} {
		removeLater(t, ns, name)
	}
	must(t, ns.is("PersistentVolumeClaim/cache", "Bound", "status", "phase"))
	e := stage.Open(t, stage.Serve(t, proxy.Options{}).At("/"))
	e.Says("main", "No problems found", "New ones appear here as they are found.")
	e.AwaitState("live")
	stage.Eval[bool](e, notesRows)

	is := func(what, want string, path ...string) {
		t.Helper()
		must(t, ns.is(what, want, path...))
	}
	is("Deployment/web", "4", "status", "readyReplicas")
	must(t, ns.patch("Deployment/web", `{spec: {template: {spec: {containers: [{name: main, image: "registry.example/app:2"}]}}}}`))
	is("Deployment/web", "2", "metadata", "annotations", "deployment.kubernetes.io/revision")
	is("Deployment/web", "4", "status", "updatedReplicas")
	e.Says(".rollouts", "app 1 → 2")
	must(t, ns.patch("Deployment/web", `{spec: {replicas: 6}}`))
	is("Deployment/web", "6", "status", "readyReplicas")
	must(t, ns.patch("Deployment/web", `{spec: {replicas: 1}}`))
	is("Deployment/web", "1", "status", "replicas")
	must(t, ns.patch("StatefulSet/db", `{spec: {template: {metadata: {labels: {version: two}}}}}`))
	is("Job/import", "1", "status", "succeeded")
	_, err := stage.Cluster.Controllers().AddNode(t.Context())
	must(t, err)
	is("DaemonSet/agent", "4", "status", "numberReady")
	is("StatefulSet/db", "2", "status", "updatedReplicas")
	e.Says("main", "No problems found", "New ones appear here as they are found.")
	if all := stage.Now[[]string](e, `[...watchglassSeen.keys()]`); len(all) > 0 {
		t.Errorf("rows of a healthy cluster: %s", strings.Join(all, "\n"))
	}
	e.Keep("healthy")
}

// notesRows has the page note when it first had each row, and when it no longer had it, in
// milliseconds since 1970.
const notesRows = `(() => {
	globalThis.watchglassSeen = new Map();
	globalThis.watchglassGone = new Map();
	(async () => {
		for (let before = new Set(); ; await new Promise(next => setTimeout(next, 10))) {
			const {rows} = await watchglass.rows({offset: 0, limit: 1e6}), now = Date.now(), there = new Set(rows.map(r => r.uid));
			for (const r of there) if (!before.has(r)) watchglassSeen.set(r, now);
			for (const r of before) if (!there.has(r)) watchglassGone.set(r, now);
			before = there;
		}
	})();
	return true;
})()`

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, p place, text string) {
	t.Helper()
	must(t, p.create(text))
}

// removeLater deletes an object at the end of the test, if it is there.
func removeLater(t *testing.T, p place, what string) {
	t.Helper()
	t.Cleanup(func() {
		p := place{context.Background(), p.name}
		if err := p.remove(what); err != nil && !strings.Contains(err.Error(), "not found") {
			t.Error(fmt.Errorf("clean up: %w", err))
		}
	})
}
