package revision

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/document"
)

func parse(t testing.TB, doc string) document.Value {
	t.Helper()
	v, err := document.Parse([]byte(doc))
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return v
}

// template returns a pod template with an image.
func template(image, more string) string {
	return `{"metadata":{"creationTimestamp":null,"labels":{"app":"web"` + more + `}},"spec":{"containers":[{"name":"main","image":"` + image + `"}]}}`
}

// deployment is a Deployment as its controller left it.
type deployment struct {
	image            string
	generation, seen int
	want             int
	total, updated   int
	progress, reason string // of the condition Progressing
	spec             string // further fields
}

func (d deployment) value(t testing.TB) document.Value {
	conditions := ""
	if d.progress != "" {
		conditions = fmt.Sprintf(`{"type":"Progressing","status":%q,"reason":%q}`, d.progress, d.reason)
	}
	return parse(t, fmt.Sprintf(`{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","generation":%d},"spec":{"replicas":%d%s,"template":%s},"status":{"observedGeneration":%d,"replicas":%d,"updatedReplicas":%d,"conditions":[%s]}}`,
		d.generation, d.want, d.spec, template(d.image, ""), d.seen, d.total, d.updated, conditions))
}

// set returns a ReplicaSet: its number, when it was created, its image, and its pods.
func set(t testing.TB, number string, created int, image string, ready, total int, notes string) document.Value {
	hash := fmt.Sprint("h", created)
	return parse(t, fmt.Sprintf(`{"kind":"ReplicaSet","metadata":{"name":"web-%s","creationTimestamp":"2026-01-01T00:00:%02dZ","labels":{"pod-template-hash":%q},"annotations":{"deployment.kubernetes.io/revision":%q%s}},"spec":{"template":%s},"status":{"replicas":%d,"readyReplicas":%d,"availableReplicas":%d}}`,
		hash, created, hash, number, notes, template(image, `,"pod-template-hash":"`+hash+`"`), total, ready, ready))
}

// stored returns a ControllerRevision.
func stored(t testing.TB, number, created int, name, image string) document.Value {
	return parse(t, fmt.Sprintf(`{"kind":"ControllerRevision","metadata":{"name":%q,"creationTimestamp":"2026-01-01T00:00:%02dZ","labels":{"controller-revision-hash":%q}},"revision":%d,"data":{"spec":{"template":%s}}}`,
		name, created, name, number, strings.Replace(template(image, ""), "{", `{"$patch":"replace",`, 1)))
}

// line returns the revisions in a line: "3 live 2/2 b←a | 2 a".
func line(h History) string {
	var out []string
	for _, v := range h.Revisions {
		text := fmt.Sprint(v.Number)
		if v.State != "" {
			text += " " + string(v.State)
		}
		if v.Total > 0 {
			text += fmt.Sprintf(" %d/%d", v.Ready, v.Total)
		}
		for _, i := range v.Images {
			text += " " + i.Image
			if i.From != "" {
				text += "←" + i.From
			}
			if i.New {
				text += " new"
			}
		}
		if v.Cause != "" {
			text += " (" + v.Cause + ")"
		}
		if len(v.Was) > 0 {
			text += fmt.Sprint(" was ", v.Was)
		}
		out = append(out, text)
	}
	return strings.Join(out, " | ")
}

// said returns a rollout in a line.
func said(u *Rollout) string {
	if u == nil {
		return "none"
	}
	text := fmt.Sprintf("%d→%d, new %d of %d, old %d", u.From, u.To, u.Ready, u.Desired, u.Old)
	if !u.Counted {
		text = fmt.Sprintf("%d→%d, updated %d of %d, old %d", u.From, u.To, u.Updated, u.Desired, u.Old)
	}
	if u.Back {
		text += ", back"
	}
	for _, w := range u.Waits {
		text += "; "
		if w.Pod != "" {
			text += w.Pod
			if w.Also > 0 {
				text += fmt.Sprint(" and ", w.Also)
			}
			text += ": "
		}
		text += w.Text
	}
	return text
}

// why is the cause of each pod of the tests.
func why(pod string) Cause { return Cause{Words: "ImagePullBackOff of " + pod, Tone: "failed"} }

func TestDeployment(t *testing.T) {
	one, two := set(t, "1", 1, "a", 0, 0, ""), set(t, "2", 2, "b", 2, 2, `,"kubernetes.io/change-cause":"to b"`)
	done := deployment{image: "b", generation: 2, seen: 2, want: 2, total: 2, updated: 2, progress: "True", reason: "NewReplicaSetAvailable"}
	rolling := deployment{image: "c", generation: 3, seen: 3, want: 4, total: 5, updated: 2, progress: "True", reason: "ReplicaSetUpdated"}
	old, next := set(t, "2", 2, "b", 3, 3, ""), set(t, "3", 3, "c", 1, 2, "")
	pods := []Pod{{Name: "p1", Owner: "web-h3", Ready: true}, {Name: "p2", Owner: "web-h3"}, {Name: "p3", Owner: "web-h2"}, {Name: "p4", Owner: "other"}, {Name: "p5", Owner: "web-h3", Deleting: true}}
	with := func(d deployment, change func(*deployment)) document.Value {
		change(&d)
		return d.value(t)
	}
	for name, c := range map[string]struct {
		in            Input
		all, progress string
	}{
		"done":            {Input{Workload: done.value(t), Stored: []document.Value{one, two}}, "2 live 2/2 b←a (to b) | 1 a", "none"},
		"begins":          {Input{Workload: with(rolling, func(d *deployment) { d.reason = "NewReplicaSetAvailable" }), Stored: []document.Value{next, old}}, "3 next 1/2 c←b | 2 live 3/3 b", "2→3, new 1 of 4, old 3; 2 new pods to be created"},
		"two alike":       {Input{Workload: done.value(t), Stored: []document.Value{set(t, "3", 1, "b", 2, 2, ""), set(t, "2", 2, "b", 0, 0, "")}}, "3 live 2/2 b | 2 b", "none"},
		"pods fail later": {Input{Workload: done.value(t), Stored: []document.Value{one, set(t, "2", 2, "b", 0, 2, "")}}, "2 live 0/2 b←a | 1 a", "none"},
		"rolls": {Input{Workload: rolling.value(t), Stored: []document.Value{one, next, old}, Pods: pods, HasPods: true}, "3 next 1/2 c←b | 2 live 3/3 b←a | 1 a",
			"2→3, new 1 of 4, old 3; p2: ImagePullBackOff of p2"},
		"without pods": {Input{Workload: rolling.value(t), Stored: []document.Value{old, next}}, "3 next 1/2 c←b | 2 live 3/3 b", "2→3, new 1 of 4, old 3; 2 new pods to be created"},
		"deadline": {Input{Workload: with(rolling, func(d *deployment) { d.progress, d.reason = "False", "ProgressDeadlineExceeded" }), Stored: []document.Value{old, next}, Causes: []Cause{{"Other", "x", ""}, {"ProgressDeadlineExceeded", "late", "failed"}, {"ReplicaFailure", "quota", "failed"}}},
			"3 next 1/2 c←b | 2 live 3/3 b", "2→3, new 1 of 4, old 3; late; quota"},
		"paused before": {Input{Workload: with(rolling, func(d *deployment) { d.updated, d.total, d.spec = 0, 3, `,"paused":true` }), Stored: []document.Value{old, one}, Causes: []Cause{{"Paused", "rollout paused", ""}}},
			"2 live 3/3 b←a | 1 a", "2→0, new 0 of 4, old 3; rollout paused"},
		"paused and done": {Input{Workload: with(done, func(d *deployment) { d.spec, d.progress, d.reason = `,"paused":true`, "Unknown", "DeploymentPaused" }), Stored: []document.Value{one, two}}, "2 live 2/2 b←a (to b) | 1 a", "none"},
		"not seen": {Input{Workload: with(done, func(d *deployment) { d.image, d.generation = "c", 3 }), Stored: []document.Value{one, two}},
			"2 live 2/2 b←a (to b) | 1 a", "2→0, new 0 of 2, old 2; the controller to see the change"},
		"a rollback that is not seen": {Input{Workload: with(done, func(d *deployment) { d.image, d.generation = "a", 3 }), Stored: []document.Value{one, two}},
			"2 live 2/2 b←a (to b) | 1 next a", "2→1, new 0 of 2, old 2, back; the controller to see the change"},
		"scaled, not seen": {Input{Workload: with(done, func(d *deployment) { d.want, d.generation = 5, 3 }), Stored: []document.Value{one, two}}, "2 live 2/2 b←a (to b) | 1 a", "none"},
		"rolled back": {Input{Workload: with(rolling, func(d *deployment) { d.image = "a" }), Stored: []document.Value{set(t, "3", 1, "a", 1, 2, `,"deployment.kubernetes.io/revision-history":"1"`), old}},
			"3 next 1/2 a←b was [1] | 2 live 3/3 b", "2→3, new 1 of 4, old 3, back; 2 new pods to be created"},
		"first":        {Input{Workload: with(rolling, func(d *deployment) { d.total, d.updated, d.reason = 2, 2, "NewReplicaSetCreated" }), Stored: []document.Value{set(t, "1", 1, "c", 1, 2, "")}}, "1 next 1/2 c", "0→1, new 1 of 4, old 0; 2 new pods to be created"},
		"ready, young": {Input{Workload: with(rolling, func(d *deployment) { d.total, d.updated, d.want, d.spec = 2, 2, 2, `,"minReadySeconds":30` }), Stored: []document.Value{parse(t, strings.Replace(text(t, set(t, "3", 3, "c", 2, 2, "")), `"availableReplicas":2`, `"availableReplicas":0`, 1))}}, "3 next 2/2 c", "0→3, new 2 of 2, old 0; 2 pods to be ready for 30s (minReadySeconds)"},
		"recreated": {Input{Workload: with(rolling, func(d *deployment) { d.total, d.updated, d.spec = 0, 0, `,"strategy":{"type":"Recreate"}` }), Stored: []document.Value{set(t, "2", 2, "b", 0, 0, ""), set(t, "3", 3, "c", 0, 0, "")}, Pods: []Pod{{Name: "p4", Owner: "web-h2", Deleting: true}, {Name: "p1", Owner: "web-h2", Deleting: true}, {Name: "p0", Owner: "other", Deleting: true}}, HasPods: true},
			"3 next c←b | 2 live b", "2→3, new 0 of 4, old 0; p1 and 1 more to be deleted"},
	} {
		c.in.HasStored, c.in.Why = true, why
		h := Read(c.in)
		if got := line(h); got != c.all {
			t.Errorf("%s:\nhave %s\nwant %s", name, got, c.all)
		}
		if got := said(h.Rollout); got != c.progress {
			t.Errorf("%s:\nhave %s\nwant %s", name, got, c.progress)
		}
	}
	denied := Read(Input{Workload: rolling.value(t)})
	if got := said(denied.Rollout); got != "0→0, updated 2 of 4, old 3; 2 new pods to be created" || denied.Counted {
		t.Error(got)
	}
	if got := Read(Input{Workload: done.value(t)}); got.Rollout != nil || len(got.Revisions) != 0 {
		t.Errorf("%+v", got)
	}
}

// text returns a value as JSON.
func text(t testing.TB, v document.Value) string {
	t.Helper()
	doc, err := json.Marshal(v.Any())
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

func TestStatefulSet(t *testing.T) {
	workload := func(current, update string, updated int, spec string) document.Value {
		return parse(t, fmt.Sprintf(`{"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{"name":"db","generation":2},"spec":{"replicas":3,"template":%s%s},"status":{"observedGeneration":2,"replicas":3,"updatedReplicas":%d,"currentRevision":%q,"updateRevision":%q}}`, template("b", ""), spec, updated, current, update))
	}
	all := []document.Value{stored(t, 1, 1, "db-1", "a"), stored(t, 2, 2, "db-2", "b")}
	pods := []Pod{{Name: "db-0", Hash: "db-1", Ready: true}, {Name: "db-1", Hash: "db-1"}, {Name: "db-2", Hash: "db-2"}}
	why := func(pod string) Cause { return map[string]Cause{"db-2": {Words: "OOMKilled"}}[pod] }
	for name, c := range map[string]struct {
		in            Input
		all, progress string
	}{
		"done":         {Input{Workload: workload("db-2", "db-2", 3, ""), Pods: []Pod{{Name: "db-0", Hash: "db-2", Ready: true}, {Name: "db-1", Hash: "db-2"}}}, "2 live 1/2 b←a | 1 a", "none"},
		"rolls":        {Input{Workload: workload("db-1", "db-2", 1, ""), Pods: pods}, "2 next 0/1 b←a | 1 live 1/2 a", "1→2, new 0 of 3, old 2; db-1: not ready; db-2: OOMKilled"},
		"the last one": {Input{Workload: workload("db-1", "db-2", 3, ""), Pods: []Pod{{Name: "db-0", Hash: "db-2"}}}, "2 next 0/1 b←a | 1 live a", "1→2, new 0 of 3, old 0; db-0: not ready"},
		"partition":    {Input{Workload: workload("db-1", "db-2", 1, `,"updateStrategy":{"rollingUpdate":{"partition":2}}`), Pods: []Pod{pods[0], {Name: "db-2", Hash: "db-2", Ready: true}}}, "2 next 1/1 b←a | 1 live 1/1 a", "1→2, new 1 of 1, old 1; partition 2: db-0 to db-1 not updated"},
		"more than it": {Input{Workload: workload("db-1", "db-2", 0, `,"ordinals":{"start":4},"updateStrategy":{"rollingUpdate":{"partition":9}}`)}, "2 next b←a | 1 live a", "1→2, new 0 of 0, old 0; partition 9: db-4 to db-6 not updated"},
		"on delete":    {Input{Workload: workload("db-1", "db-2", 1, `,"updateStrategy":{"type":"OnDelete"}`), Pods: []Pod{pods[0], {Name: "db-2", Hash: "db-2", Ready: true}}}, "2 next 1/1 b←a | 1 live 1/1 a", "1→2, new 1 of 3, old 1; OnDelete: 1 old pod to be deleted by a user"},
		"all deleted":  {Input{Workload: workload("db-1", "db-2", 3, `,"updateStrategy":{"type":"OnDelete"}`), Pods: []Pod{{Name: "db-2", Hash: "db-2", Ready: true}}}, "2 live 1/1 b←a | 1 a", "none"},
		"ends":         {Input{Workload: workload("db-1", "db-2", 1, ""), Pods: []Pod{{Name: "db-1", Hash: "db-1", Deleting: true}}}, "2 next b←a | 1 live a", "1→2, new 0 of 3, old 0; db-1 to be deleted"},
	} {
		c.in.Stored, c.in.HasStored, c.in.HasPods, c.in.Why = all, true, true, why
		h := Read(c.in)
		if got := line(h); got != c.all {
			t.Errorf("%s:\nhave %s\nwant %s", name, got, c.all)
		}
		if got := said(h.Rollout); got != c.progress {
			t.Errorf("%s:\nhave %s\nwant %s", name, got, c.progress)
		}
	}
	h := Read(Input{Workload: workload("db-1", "db-2", 1, ""), Stored: all, HasStored: true})
	if got := said(h.Rollout); got != "1→2, updated 1 of 3, old 2; 2 new pods to be created" || h.Counted {
		t.Error(got)
	}
}

func TestDaemonSet(t *testing.T) {
	workload := func(image string, seen, updated int) document.Value {
		return parse(t, fmt.Sprintf(`{"kind":"DaemonSet","apiVersion":"apps/v1","metadata":{"name":"logs","generation":3},"spec":{"template":%s},"status":{"observedGeneration":%d,"desiredNumberScheduled":3,"currentNumberScheduled":3,"updatedNumberScheduled":%d}}`, template(image, ""), seen, updated))
	}
	all := []document.Value{stored(t, 1, 1, "x", "a"), stored(t, 3, 3, "z", "c"), stored(t, 2, 2, "y", "b")}
	pods := []Pod{{Name: "p1", Hash: "y", Ready: true}, {Name: "p2", Hash: "z", Ready: true}, {Name: "p3", Hash: "z"}}
	for name, c := range map[string]struct {
		in            Input
		all, progress string
	}{
		"rolls":         {Input{Workload: workload("c", 3, 2), Pods: pods, HasPods: true}, "3 next 1/2 c←b | 2 live 1/1 b←a | 1 a", "2→3, new 1 of 3, old 1; p3: not ready"},
		"done":          {Input{Workload: workload("c", 3, 3), Pods: pods[1:], HasPods: true}, "3 live 1/2 c←b | 2 b←a | 1 a", "none"},
		"a new node":    {Input{Workload: workload("c", 3, 2), Pods: pods[1:], HasPods: true}, "3 live 1/2 c←b | 2 b←a | 1 a", "none"},
		"without pods":  {Input{Workload: workload("c", 3, 2)}, "3 next c←b | 2 live b←a | 1 a", "2→3, updated 2 of 3, old 1; 1 new pod to be created"},
		"not seen":      {Input{Workload: workload("d", 2, 3), Pods: pods[1:], HasPods: true}, "3 live 1/2 c←b | 2 b←a | 1 a", "3→0, new 0 of 3, old 3; the controller to see the change"},
		"other, unseen": {Input{Workload: workload("c", 2, 3), Pods: pods[1:], HasPods: true}, "3 live 1/2 c←b | 2 b←a | 1 a", "none"},
	} {
		c.in.Stored, c.in.HasStored = all, true
		h := Read(c.in)
		if got := line(h); got != c.all {
			t.Errorf("%s:\nhave %s\nwant %s", name, got, c.all)
		}
		if got := said(h.Rollout); got != c.progress {
			t.Errorf("%s:\nhave %s\nwant %s", name, got, c.progress)
		}
	}
}

// TestCutOff checks when older revisions are missing: rollbacks take numbers away without a loss.
func TestCutOff(t *testing.T) {
	deployed := deployment{image: "c", want: 1, spec: `,"revisionHistoryLimit":2`}.value(t)
	daemons := parse(t, `{"kind":"DaemonSet","apiVersion":"apps/v1","spec":{"revisionHistoryLimit":2}}`)
	before := func(numbers string) string { return `,"deployment.kubernetes.io/revision-history":"` + numbers + `"` }
	for name, c := range map[string]struct {
		workload document.Value
		stored   []document.Value
		want     int64
	}{
		"none":             {deployed, nil, 0},
		"all":              {deployed, []document.Value{set(t, "1", 1, "a", 0, 0, ""), set(t, "2", 2, "b", 0, 0, "")}, 0},
		"cut":              {deployed, []document.Value{set(t, "4", 1, "a", 0, 0, ""), set(t, "5", 2, "b", 0, 0, "")}, 4},
		"rolled back":      {deployed, []document.Value{set(t, "2", 2, "b", 0, 0, ""), set(t, "3", 1, "a", 0, 0, before("1"))}, 0},
		"again and again":  {deployed, []document.Value{set(t, "5", 2, "b", 0, 0, before("2,4")), set(t, "6", 1, "a", 0, 0, before("1,3"))}, 0},
		"rolled back, cut": {deployed, []document.Value{set(t, "4", 2, "b", 0, 0, ""), set(t, "5", 1, "a", 0, 0, before("3,3,3"))}, 4},
		"no number":        {deployed, []document.Value{set(t, "x", 2, "b", 0, 0, "")}, 0},
		"controller":       {daemons, []document.Value{stored(t, 4, 4, "d", "d"), stored(t, 5, 5, "e", "e")}, 4},
		"used again":       {daemons, []document.Value{stored(t, 4, 4, "d", "d"), stored(t, 5, 1, "e", "e")}, 0},
		"again, full":      {daemons, []document.Value{stored(t, 3, 3, "c", "c"), stored(t, 4, 4, "d", "d"), stored(t, 5, 1, "e", "e")}, 3},
	} {
		if got := Read(Input{Workload: c.workload, Stored: c.stored, HasStored: true}).Oldest; got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestMany checks that the newest revisions are kept.
func TestMany(t *testing.T) {
	var all []document.Value
	for i := range mostRevisions + 7 {
		all = append(all, set(t, fmt.Sprint(i+1), i%60, fmt.Sprint("i", i), 0, 0, `,"deployment.kubernetes.io/revision-history":"`+strings.Repeat("1,", 50)+`2"`))
	}
	h := Read(Input{Workload: deployment{image: "x"}.value(t), Stored: all, HasStored: true})
	if len(h.Revisions) != mostRevisions || h.More != 7 || h.Revisions[0].Number != mostRevisions+7 || len(h.Revisions[0].Was) != mostBefore {
		t.Errorf("%d and %d more, from %d, was %v", len(h.Revisions), h.More, h.Revisions[0].Number, h.Revisions[0].Was)
	}
	var pods []Pod
	for i := range mostAsked + 5 {
		pods = append(pods, Pod{Name: fmt.Sprintf("p%02d", mostAsked+4-i), Owner: "web-h1"})
	}
	in := Input{Workload: deployment{image: "a", generation: 1, seen: 1, want: 25, total: 25, updated: 25, progress: "True"}.value(t), Stored: []document.Value{set(t, "1", 1, "a", 0, 25, "")}, HasStored: true, Pods: pods, HasPods: true}
	if got := said(Read(in).Rollout); got != "0→1, new 0 of 25, old 0; p00 and 19: not ready; 5 more pods not ready" {
		t.Error(got)
	}
	asked := 0
	in.Why = func(pod string) Cause { asked++; return Cause{Words: "cause " + pod[2:], Tone: "failed"} }
	if got := said(Read(in).Rollout); got != "0→1, new 0 of 25, old 0; p00 and 1: cause 0; p01 and 1: cause 1; p02 and 1: cause 2; 19 more pods not ready" || asked != mostAsked {
		t.Error(got, asked)
	}
}

// TestTemplate checks what is ignored of a template.
func TestTemplate(t *testing.T) {
	plain := Template(parse(t, strings.Replace(text(t, deployment{image: "a"}.value(t)), `"creationTimestamp":null,`, "", 1)))
	for name, other := range map[string]document.Value{"ReplicaSet": set(t, "1", 1, "a", 0, 0, ""), "ControllerRevision": stored(t, 1, 1, "x", "a")} {
		if got := Template(other); !SameTemplate(got, plain) {
			t.Errorf("%s: %s, want %s", name, text(t, got), text(t, plain))
		}
	}
	if SameTemplate(plain, Template(set(t, "1", 1, "b", 0, 0, ""))) {
		t.Error("another image is the same")
	}
}

func TestStoredAs(t *testing.T) {
	for doc, want := range map[string]string{
		`{"kind":"Deployment","apiVersion":"apps/v1"}`: ReplicaSets, `{"kind":"StatefulSet","apiVersion":"apps/v1"}`: ControllerRevisions, `{"kind":"DaemonSet","apiVersion":"apps/v1"}`: ControllerRevisions,
		`{"kind":"Deployment","apiVersion":"example.com/v1"}`: "", `{"kind":"ReplicaSet","apiVersion":"apps/v1"}`: "",
	} {
		if got := StoredAs(parse(t, doc)); got != want {
			t.Errorf("%s: %q", doc, got)
		}
		if InProgress(parse(t, doc)) && want == "" {
			t.Errorf("%s rolls out", doc)
		}
	}
}

// FuzzRead checks that nothing that tenants write stops the reader, and that numbers come in order.
func FuzzRead(f *testing.F) {
	f.Add(`{"kind":"Deployment","apiVersion":"apps/v1","spec":{"template":{"metadata":1,"spec":{"containers":[{"image":{}},2]}}}}`, `{"metadata":{"annotations":{"deployment.kubernetes.io/revision":"-9"}}}`, `{"revision":1e99,"data":[]}`)
	f.Add(`{"kind":"StatefulSet","apiVersion":"apps/v1","spec":{"replicas":-4,"updateStrategy":{"rollingUpdate":{"partition":9}}},"status":{"updateRevision":"a"}}`, `{"revision":2}`, `{"metadata":{"name":"a"}}`)
	f.Fuzz(func(t *testing.T, workload, one, two string) {
		in := Input{HasStored: true, HasPods: true, Pods: []Pod{{Name: "p", Hash: "a", Owner: "a"}}}
		var err error
		if in.Workload, err = document.Parse([]byte(workload)); err != nil {
			return
		}
		for _, doc := range []string{one, two} {
			if v, err := document.Parse([]byte(doc)); err == nil {
				in.Stored = append(in.Stored, v)
			}
		}
		h := Read(in)
		if !slices.IsSortedFunc(h.Revisions, newestFirst) {
			t.Errorf("%s", line(h))
		}
		if u := h.Rollout; u != nil && len(u.Waits) == 0 {
			t.Errorf("%+v waits for nothing", u)
		}
	})
}

// TestLongHistory checks that an annotation with former numbers that no controller has written takes no long
// time, and that of more numbers than are read the last ones count.
func TestLongHistory(t *testing.T) {
	var notes strings.Builder
	for i := 2; notes.Len() < 250<<10; i++ {
		fmt.Fprint(&notes, i, ",")
	}
	h := Read(Input{Workload: deployment{image: "a"}.value(t), HasStored: true, Stored: []document.Value{
		set(t, "1000000", 1, "a", 0, 0, `,"deployment.kubernetes.io/revision-history":"`+notes.String()+`999999"`)}})
	if was := h.Revisions[0].Was; len(was) != mostBefore || was[mostBefore-1] != 999999 || was[0] < 10000 {
		t.Errorf("it was %d", was)
	}
	r := reader{kind: "Deployment"}
	if n := len(r.read(set(t, "1000000", 1, "a", 0, 0, `,"deployment.kubernetes.io/revision-history":"`+notes.String()+`1"`)).Was); n > mostHistory/2 {
		t.Errorf("%d numbers are kept to be compared with each other", n)
	}
}

// TestNegativeNumber checks that a number that no controller writes says nothing of older revisions.
func TestNegativeNumber(t *testing.T) {
	h := Read(Input{Workload: deployment{image: "a"}.value(t), HasStored: true, Stored: []document.Value{set(t, "-9223372036854775808", 1, "a", 0, 0, "")}})
	if h.Oldest != 0 || h.Revisions[0].Number != 0 {
		t.Errorf("revision %d, the oldest is %d", h.Revisions[0].Number, h.Oldest)
	}
}

// TestAfter checks since when revisions are known to be used: one that is older than one of a lower number was used again
// after that.
func TestAfter(t *testing.T) {
	all := []*Revision{{Number: 5, Created: 100}, {Number: 4, Created: 300}, {Number: 3, Created: 200}, {Number: 2, Created: 200}}
	setAgain(all)
	for i, want := range []int64{300, 0, 0, 0} {
		if all[i].After != want {
			t.Errorf("revision %d: after %d, want %d", all[i].Number, all[i].After, want)
		}
	}
}
