package problemtest

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// Noon is when all tests take place.
var Noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

var agePattern = regexp.MustCompile(`"-(\d+[hms][0-9hms]*)"`)

// Dated replaces ages like "-5m" in a document with instants before noon.
func Dated(doc string) string {
	return agePattern.ReplaceAllStringFunc(doc, func(age string) string {
		d, err := time.ParseDuration(strings.Trim(age, `"-`))
		if err != nil {
			panic(err)
		}
		return `"` + Noon.Add(-d).Format(time.RFC3339) + `"`
	})
}

// Parse returns a document, with ages as instants, and with others merged into it.
func Parse(t testing.TB, docs ...string) document.Value {
	t.Helper()
	var all any
	for _, doc := range docs {
		d := json.NewDecoder(strings.NewReader(Dated(doc)))
		d.UseNumber()
		var one any
		if err := d.Decode(&one); err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		all = merge(all, one)
	}
	return document.Of(all)
}

func merge(a, b any) any {
	into, ok := a.(map[string]any)
	from, ok2 := b.(map[string]any)
	if !ok || !ok2 {
		return b
	}
	for k, v := range from {
		into[k] = merge(into[k], v)
	}
	return into
}

// KindOf returns a built-in kind.
func KindOf(t testing.TB, resource string) object.Kind {
	t.Helper()
	k, ok := object.Builtin(resource)
	if !ok {
		t.Fatalf("%s is not built in", resource)
	}
	return k
}

// Age is how long before noon a time was; "?" if it is unknown.
func Age(at int64) string {
	if at == 0 {
		return "?"
	}
	return Noon.Sub(time.Unix(at, 0)).String()
}

// HealthyPod is a pod that runs and is ready.
const HealthyPod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-5d9c-x2x1p","namespace":"checkout","creationTimestamp":"-1h","labels":{"pod-template-hash":"5d9c"},
	"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-5d9c","controller":true}]},
	"spec":{"nodeName":"n7","restartPolicy":"Always","containers":[{"name":"api","image":"shop/web:1.4","resources":{"limits":{"memory":"512Mi"}}}]},
	"status":{"phase":"Running","startTime":"-1h","conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"-1h"},{"type":"Initialized","status":"True","lastTransitionTime":"-1h"},{"type":"ContainersReady","status":"True","lastTransitionTime":"-1h"},{"type":"Ready","status":"True","lastTransitionTime":"-1h"}],
	"containerStatuses":[{"name":"api","ready":true,"started":true,"restartCount":0,"state":{"running":{"startedAt":"-1h"}}}]}}`

// Parts of pods.
const (
	UnreadySince5m    = `{"status":{"conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"-1h"},{"type":"ContainersReady","status":"False","lastTransitionTime":"-5m"},{"type":"Ready","status":"False","lastTransitionTime":"-5m"}]}}`
	PendingPod        = `{"status":{"phase":"Pending","startTime":null,"containerStatuses":null,"conditions":[]},"metadata":{"creationTimestamp":"-3m"}}`
	ScheduledPod      = `{"status":{"phase":"Pending","startTime":"-150s","conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"-150s"}],"containerStatuses":[{"name":"api","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ContainerCreating"}}}]},"metadata":{"creationTimestamp":"-3m"}}`
	Initialized18mAgo = `{"metadata":{"creationTimestamp":"-20m"},"status":{"startTime":"-20m","conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"-20m"},{"type":"Initialized","status":"True","lastTransitionTime":"-18m"}]}}`
	JobPod            = `{"metadata":{"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"import","controller":true}]},"spec":{"restartPolicy":"Never"}}`
)

// WithStatus is a pod whose only container has a status.
func WithStatus(status string) string {
	return `{"status":{"containerStatuses":[` + status + `]}}`
}

// WithInit is a pod that initializes, with the statuses of its init containers.
func WithInit(status string) string {
	return `{"spec":{"initContainers":[{"name":"migrate"},{"name":"proxy","restartPolicy":"Always"}]},"status":{"phase":"Pending","containerStatuses":[{"name":"api","ready":false,"restartCount":0,"state":{"waiting":{"reason":"PodInitializing"}}}],"initContainerStatuses":[` + status + `]}}`
}

const HealthyDeployment = `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"checkout","creationTimestamp":"-1h","generation":2},
	"spec":{"replicas":6,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"api","image":"shop/web:1.4"}]}}},
	"status":{"observedGeneration":2,"replicas":6,"updatedReplicas":6,"readyReplicas":6,"availableReplicas":6,
	"conditions":[{"type":"Available","status":"True","reason":"MinimumReplicasAvailable","lastTransitionTime":"-1h"},{"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable","lastTransitionTime":"-1h"}]}}`

// WithCondition is a status with one condition.
func WithCondition(kind, status, reason, message, at string) string {
	return `{"status":{"conditions":[{"type":"` + kind + `","status":"` + status + `","reason":"` + reason + `","message":"` + message + `","lastTransitionTime":"` + at + `"}]}}`
}
