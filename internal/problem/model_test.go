//go:build !js

package problem

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"watchglass/internal/problem/problemtest"
	"watchglass/internal/problem/text"
)

// palette are the objects of the model, each with the states between which it changes.
var palette = func() [][]string {
	owned := func(kind, group, name string) string {
		return fmt.Sprintf(`{"metadata":{"ownerReferences":[{"apiVersion":"%s/v1","kind":"%s","name":"%s","controller":true}]}}`, group, kind, name)
	}
	states := func(docs []string, changes ...string) (all []string) {
		for _, change := range changes {
			all = append(all, strings.Join(append(docs[:len(docs):len(docs)], change), "\x00"))
		}
		return all
	}
	podStates := []string{
		`{}`, oomStatus, problemtest.UnreadySince5m, problemtest.ScheduledPod, `{"metadata":{"deletionTimestamp":"-5m"}}`, `{"status":{"phase":"Failed","reason":"Evicted"}}`,
		problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":2,"state":{"running":{"startedAt":"-9m"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error","startedAt":"-50m","finishedAt":"-9m"}}}`),
		problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"running":{"startedAt":"-30s"}}}`),
	}
	all := [][]string{
		states([]string{problemtest.HealthyDeployment}, `{}`, `{"status":{"readyReplicas":5,"availableReplicas":5}}`, `{"spec":{"replicas":0},"status":{"readyReplicas":null}}`, `{"spec":{"paused":true}}`, problemtest.WithCondition("Progressing", "False", "ProgressDeadlineExceeded", "late", "-5m")),
		states([]string{webSet}, `{}`, owned("Deployment", "apps", "other"), `{"metadata":{"ownerReferences":null},"spec":{"replicas":7}}`),
		states([]string{webSet, named("web-77aa"), owned("Deployment", "apps", "web")}, `{"metadata":{"annotations":{"deployment.kubernetes.io/revision":"1"}}}`, `{"metadata":{"annotations":{"deployment.kubernetes.io/revision":"3"}},"spec":{"template":{"spec":{"containers":[{"name":"api","image":"web:2"}]}}}}`, `{"metadata":{"creationTimestamp":"-20m"}}`),
		states([]string{`{"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{"name":"db","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"replicas":2,"template":{"metadata":{"labels":{"app":"web"}}}}}`}, `{"status":{"readyReplicas":2}}`, `{"status":{"readyReplicas":1}}`, `{"spec":{"replicas":0}}`),
		states([]string{dbRevision}, `{}`, `{"revision":3}`, `{"metadata":{"ownerReferences":null}}`),
		states([]string{dbRevision, named("db-2")}, `{"revision":2,"metadata":{"creationTimestamp":"-20m"}}`, `{"revision":4,"data":{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"db:2"}]}}}}}`),
		states([]string{`{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"j","namespace":"checkout","creationTimestamp":"-1h"}}`, owned("CronJob", "batch", "cj")}, `{}`, `{"status":{"failed":1,"active":1}}`, problemtest.WithCondition("Failed", "True", "BackoffLimitExceeded", "", "-5m")),
		states([]string{`{"kind":"CronJob","apiVersion":"batch/v1","metadata":{"name":"cj","namespace":"checkout","creationTimestamp":"-9h"},"spec":{"schedule":"0 * * * *"}}`}, `{"status":{"lastScheduleTime":"-1h"}}`, `{"status":{"lastScheduleTime":"-1h","lastSuccessfulTime":"-2m"}}`, `{}`, `{"spec":{"suspend":true}}`),
		states([]string{webService}, `{}`, `{"spec":{"selector":null}}`, `{"spec":{"ports":[{"name":"grpc","port":81}]}}`),
		states([]string{webSlice}, `{}`, unready, noneAtAll),
		states([]string{webSlice, named("web-y")}, `{}`, unready, noneAtAll),
		states([]string{`{"kind":"Ingress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"shop","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"defaultBackend":{"service":{"name":"web","port":{"number":80}}}}}`}, `{}`, `{"spec":{"defaultBackend":{"service":{"name":"other"}}}}`, `{"spec":{"ingressClassName":"edge"}}`),
		states([]string{`{"kind":"IngressClass","apiVersion":"networking.k8s.io/v1","metadata":{"name":"edge","creationTimestamp":"-1h"}}`}, `{}`),
		states([]string{`{"kind":"IngressClass","apiVersion":"networking.k8s.io/v1","metadata":{"name":"other","creationTimestamp":"-1h"}}`}, `{}`),
		states([]string{`{"kind":"MutatingWebhookConfiguration","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"policy","creationTimestamp":"-1h"}}`}, `{"webhooks":[{"name":"a.example.com","clientConfig":{"service":{"namespace":"checkout","name":"web"}}}]}`, `{}`),
		states([]string{`{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"c","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"storageClassName":"fast"}}`}, `{"status":{"phase":"Pending"}}`, `{"status":{"phase":"Bound"}}`, `{"status":{"phase":"Lost"}}`),
		states([]string{`{"kind":"StorageClass","apiVersion":"storage.k8s.io/v1","metadata":{"name":"fast","creationTimestamp":"-1h"},"provisioner":"x"}`}, `{}`, `{"volumeBindingMode":"WaitForFirstConsumer"}`),
		states([]string{`{"kind":"Node","apiVersion":"v1","metadata":{"name":"n7","creationTimestamp":"-1h"}}`}, problemtest.WithCondition("Ready", "True", "", "", "-5m"), problemtest.WithCondition("Ready", "Unknown", "", "", "-5m"), `{"spec":{"unschedulable":true}}`),
	}
	for _, pod := range [][]string{{problemtest.HealthyPod, named("web-5d9c-a")}, {problemtest.HealthyPod, named("web-5d9c-b")}, {problemtest.HealthyPod, named("db-0"), owned("StatefulSet", "apps", "db")}, {problemtest.HealthyPod, named("lone"), `{"metadata":{"ownerReferences":null}}`}, {problemtest.HealthyPod, named("j-x"), owned("Job", "batch", "j")}} {
		all = append(all, states(pod, podStates...))
	}
	for _, about := range [][2]string{{"Pod", "web-5d9c-a"}, {"Pod", "db-0"}, {"Deployment", "web"}, {"Service", "web"}, {"Pod", "nobody"}, {"PersistentVolumeClaim", "c"}} {
		for _, reason := range []string{"FailedMount", "Unhealthy", "Strange", "ProvisioningFailed"} {
			all = append(all, states([]string{eventDoc(about[0], about[1], reason, "because", 9)}, `{}`, `{"count":2}`, `{"lastTimestamp":"-30m","firstTimestamp":"-40m"}`, `{"message":"`+strings.Repeat("x", 400)+`"}`))
		}
	}
	return all
}()

// dbRevision is a revision of a StatefulSet.
const dbRevision = `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"db-1","namespace":"checkout","creationTimestamp":"-1h","ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","name":"db","controller":true}]},"data":{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"db:1"}]}}}},"revision":1}`

// undatedReasons are reasons whose objects do not say since when, so that each engine has its own
// answer.
const undatedReasons = " BelowDesired Misscheduled ServiceNotFound PortNotFound IngressClassNotFound Suspended WebhookUnavailable Lost NoEndpoints NoReadyEndpoints "

// TestModel compares the rows of an engine that saw many changes, in small steps, with those of
// one that saw the final objects only.
func TestModel(t *testing.T) {
	runs := 15
	if os.Getenv("SOAK") != "" {
		runs = 2000
	}
	for seed := range runs {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		c := newCluster(t)
		c.now = problemtest.Noon.Add(-2 * time.Hour)
		for range 300 {
			object := palette[r.IntN(len(palette))]
			change := decode(t, r.IntN(20) > 0, strings.Split(object[r.IntN(len(object))], "\x00")...)
			key := change.Kind.ID() + "/" + change.After.Key()
			switch _, there := c.objects[key]; {
			case !there || r.IntN(3) > 0:
				c.apply(change)
			default:
				c.remove(key)
			}
			if r.IntN(4) == 0 {
				c.now = c.now.Add(time.Duration(r.IntN(40)) * time.Second)
				c.text()
			}
		}
		c.now = problemtest.Noon.Add(-10 * time.Minute)
		c.text()
		fresh := newCluster(t)
		fresh.now = c.now
		for _, change := range c.objects { // in any order
			change.Before = nil
			fresh.apply(change)
			if r.IntN(20) == 0 {
				fresh.text()
			}
		}
		fresh.text()
		c.now, fresh.now = problemtest.Noon, problemtest.Noon
		if got, want := settled(c), settled(fresh); got != want {
			t.Fatalf("seed %d: after all changes\n%s\nof the final objects\n%s", seed, got, want)
		}
		if a, b := untimed(c.engine.Rollouts()), untimed(fresh.engine.Rollouts()); !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d: %+v and %+v", seed, a, b)
		}
		if c.totals != fresh.totals {
			t.Fatalf("seed %d: %+v and %+v", seed, c.totals, fresh.totals)
		}
		if a, b := c.engine.Warnings(problemtest.Noon), fresh.engine.Warnings(problemtest.Noon); a != b {
			t.Fatalf("seed %d: %d and %d warnings", seed, a, b)
		}
	}
}

// untimed returns rollouts by name, without their times: a template that was seen to be used again is
// newer than one that always was.
func untimed(all []Rollout) map[string]Rollout {
	named := make(map[string]Rollout)
	for _, r := range all {
		r.At, r.After = 0, false
		named[r.Resource+"/"+r.Name] = r
	}
	return named
}

// settled returns the rows of a cluster, without times that depend on when it was looked at, and
// without missed runs, which depend on whether the CronJob was seen to be resumed.
func settled(c *cluster) string {
	c.text()
	rows := make(map[string]Row)
	for key, row := range c.rows {
		if row.Reason == "MissedSchedule" {
			continue
		}
		if text.Listed(undatedReasons, row.Reason) || strings.HasPrefix(row.Evidence, "column ") {
			row.Since = 0
		}
		rows[key] = row
	}
	return rowsText(rows)
}
