package problems

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
	"watchglass/internal/hub/problems/recorded"
)

// state is a state of a cluster, as states.yaml of package recorded has it: its rows, objects, and what is done then.
type state struct {
	recorded.Fault `json:",inline"`
	Objects        []object
	Do             []deed
}

// object is an object without what expand adds.
type object map[string]any

// deed is one thing that is done to the objects.
type deed struct {
	Node   any      // adds a node, of that version if it is one
	Create []object // in the namespace In, by default the state's
	Patch  string   // an object, with With
	With   map[string]any
	Remove string // an object, within Grace seconds
	Grace  int64
	Wait   string // for an object, until the field At is Is
	At, Is string
	In     string
}

// states returns all states, with the names and times of a place.
func states(p place) (all []state, err error) {
	return all, yaml.UnmarshalStrict([]byte(p.text(string(recorded.States))), &all)
}

// fault returns a state as a fault, which reads the file with the names of its place.
func (s state) fault(i int) fault {
	return fault{name: s.Name, raise: func(p place) error {
		all, err := states(p)
		if err != nil {
			return err
		}
		return all[i].raise(p)
	}}
}

func (s state) raise(p place) error {
	if err := p.createAll(s.Objects); err != nil {
		return err
	}
	for _, d := range s.Do {
		if err := d.do(p); err != nil {
			return err
		}
	}
	return nil
}

func (d deed) do(p place) error {
	if d.In != "" {
		p.name = d.In
	}
	switch {
	case d.Node != nil:
		version, _ := d.Node.(string)
		return node(version)(p)
	case d.Patch != "":
		with, err := yaml.Marshal(d.With)
		if err != nil {
			return err
		}
		return p.patch(d.Patch, string(with))
	case d.Wait != "":
		return p.is(d.Wait, d.Is, strings.Split(d.At, "/")...)
	case d.Remove != "":
		kind, name, _ := strings.Cut(d.Remove, "/")
		return p.of(kind).Delete(p.ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &d.Grace})
	}
	return p.createAll(d.Create)
}

// createAll creates objects with their status.
func (p place) createAll(all []object) error {
	for _, o := range all {
		status := o.expand(p.name)
		made := unstructured.Unstructured{Object: o}
		of := p.of(made.GetKind())
		if _, err := of.Create(p.ctx, &made, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create %s %s: %w", made.GetKind(), made.GetName(), err)
		}
		if status == nil {
			continue
		}
		doc, err := yaml.Marshal(map[string]any{"status": status})
		if err == nil {
			err = p.patch(made.GetKind()+"/"+made.GetName()+"/status", string(doc))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take removes a field of the object, and returns what it was.
func (o object) take(name string) any {
	v := o[name]
	delete(o, name)
	return v
}

// part returns a field of a map that is one itself; an empty one if it is not there.
func part(of map[string]any, name string) map[string]any {
	m, _ := of[name].(map[string]any)
	if m == nil {
		m = make(map[string]any)
		of[name] = m
	}
	return m
}

// expand adds what all objects of the kind have, and returns the status, which is written apart.
func (o object) expand(ns string) (status any) {
	kind := fmt.Sprint(o["kind"])
	o["apiVersion"] = kinds[kind].GroupVersion().String()
	meta := map[string]any{"name": o.take("name")}
	if all := o.take("finalizers"); all != nil {
		meta["finalizers"] = all
	}
	o["metadata"] = meta
	switch kind {
	case "Pod":
		o.expandPod(meta)
	case "Event":
		o.expandEvent(ns)
	case "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job":
		o.expandTemplate(kind, fmt.Sprint(meta["name"]))
	case "CronJob":
		part(part(o, "spec"), "jobTemplate")["spec"] = map[string]any{"template": template(fmt.Sprint(meta["name"]), "Never", nil)}
	}
	return o.take("status")
}

// containers are those of a pod that says nothing of them.
func containers() []any {
	return []any{map[string]any{"name": "main", "image": "registry.example/app:1"}}
}

// expandPod completes a pod. One that says how its containers are, or "manual: true", is on node-1, where the test is
// its kubelet.
func (o object) expandPod(meta map[string]any) {
	spec := part(o, "spec")
	if spec["containers"] == nil {
		spec["containers"] = containers()
	}
	if labels := o.take("podLabels"); labels != nil {
		meta["labels"] = labels
	}
	fault := cluster.Manual
	if grace := o.take("grace"); grace != nil {
		spec["terminationGracePeriodSeconds"], fault = grace, cluster.Terminating
	}
	told := o["container"] != nil || o["phase"] != nil || o["status"] != nil
	if o.take("manual") == nil && !told {
		return
	}
	part(meta, "labels")[cluster.FaultLabel] = fault
	if spec["nodeName"] = "node-1"; told {
		o.expandStatus()
	}
}

// expandStatus writes the status of a pod that was scheduled seven minutes ago.
func (o object) expandStatus() {
	status, began := part(o, "status"), time.Now().Add(ahead-7*time.Minute).UTC().Format(time.RFC3339)
	if status["phase"] = o.take("phase"); status["phase"] == nil {
		status["phase"] = "Running"
	}
	status["startTime"] = began
	all, _ := o.take("conditions").([]any)
	status["conditions"] = append([]any{map[string]any{"type": "PodScheduled", "status": "True", "lastTransitionTime": began}}, all...)
	if c, ok := o.take("container").(map[string]any); ok {
		for name, v := range map[string]any{"name": "main", "image": "a", "imageID": "a", "restartCount": 0, "ready": false} {
			if c[name] == nil {
				c[name] = v
			}
		}
		status["containerStatuses"] = []any{c}
	}
}

// expandEvent writes an Event about "Kind/name" from its first and last times, or of a series.
func (o object) expandEvent(ns string) {
	kind, name, _ := strings.Cut(fmt.Sprint(o.take("of")), "/")
	about := map[string]any{"kind": kind, "namespace": ns, "name": name, "apiVersion": "v1"}
	if version := o.take("ofVersion"); version != nil {
		about["apiVersion"] = version
	}
	o["involvedObject"] = about
	if o["type"] == nil {
		o["type"] = "Warning"
	}
	if o["count"] == nil {
		o["count"] = 1
	}
	o["firstTimestamp"], o["lastTimestamp"] = o.take("first"), o.take("last")
	if series, ok := o["series"].(map[string]any); ok {
		for _, name := range []string{"count", "firstTimestamp", "lastTimestamp"} {
			delete(o, name)
		}
		at, _ := time.Parse(time.RFC3339, fmt.Sprint(series["lastObservedTime"]))
		series["lastObservedTime"] = at.Format(metav1.RFC3339Micro)
		o["eventTime"] = at.Add(-4 * time.Minute).Format(metav1.RFC3339Micro)
		o["reportingComponent"], o["reportingInstance"], o["action"] = "example.com/test", "test", "Testing"
	}
}

// template returns the template of pods of an app: what the object says of them, and the rest.
func template(app, restarts string, pod map[string]any) map[string]any {
	spec, labels := part(map[string]any{"spec": pod["spec"]}, "spec"), map[string]any{"app": app}
	if more, ok := pod["labels"].(map[string]any); ok {
		for name, value := range more {
			labels[name] = value
		}
	}
	if spec["containers"] == nil {
		spec["containers"] = containers()
	}
	if restarts != "" {
		spec["restartPolicy"] = restarts
	}
	return map[string]any{"metadata": map[string]any{"labels": labels}, "spec": spec}
}

// expandTemplate has a workload select the pods of its template by its name.
func (o object) expandTemplate(kind, name string) {
	pod, _ := o.take("pod").(map[string]any)
	spec, restarts := part(o, "spec"), ""
	switch kind {
	case "Job":
		restarts = "Never"
	case "ReplicationController":
		spec["selector"] = map[string]any{"app": name}
	default:
		spec["selector"] = map[string]any{"matchLabels": map[string]any{"app": name}}
	}
	if kind == "StatefulSet" {
		spec["serviceName"] = name
	}
	spec["template"] = template(name, restarts, pod)
}

// clusterOfFaults is a cluster that is in all states at once.
type clusterOfFaults struct {
	states []state
	table  []recorded.Fault
	faults []fault
	places []place
}

// raiseAll puts the cluster in all states, until the test ends.
func raiseAll(t *testing.T) *clusterOfFaults {
	t.Helper()
	all, err := states(place{t.Context(), "NS"})
	must(t, err)
	c := &clusterOfFaults{states: all}
	for i, s := range all {
		c.table = append(c.table, s.Fault)
		c.faults = append(c.faults, s.fault(i))
		c.places = append(c.places, place{t.Context(), namespace(t)})
	}
	t.Cleanup(c.remove)
	each(t, c.faults, c.places, func(f *fault, p place) error {
		if err := stage.Cluster.Controllers().NamespaceReady(p.ctx, p.name); err != nil {
			return err
		}
		return f.raise(p)
	})
	return c
}

// remove deletes the namespaces, and what the states have outside of them.
func (c *clusterOfFaults) remove() {
	for i, s := range c.states {
		p := place{context.Background(), c.places[i].name}
		for _, d := range s.Do {
			s.Objects = append(s.Objects, d.Create...)
		}
		for _, o := range s.Objects {
			what := fmt.Sprint(o["kind"], "/", o["name"])
			if o["finalizers"] != nil {
				in := p
				if kind := fmt.Sprint(o["kind"]); kind == "ConfigMap" {
					in.name = "of-" + p.name
				}
				_ = in.patch(what, `{metadata: {finalizers: null}}`) // a test that failed may not have made it
			}
			if strings.Contains(wide, " "+fmt.Sprint(o["kind"])+" ") {
				_ = p.remove(what)
			}
		}
		_ = p.remove("Node/NS")
		_ = p.remove("Namespace/NS")
	}
}

// names returns the namespaces of the states, by name.
func (c *clusterOfFaults) names() map[string]string { return namesOf(c.faults, c.places) }

// namesOf returns the namespaces of faults, by name.
func namesOf(faults []fault, places []place) map[string]string {
	names := make(map[string]string)
	for i, f := range faults {
		names[f.name] = places[i].name
	}
	return names
}

// differences compares the rows with those that are expected.
func (c *clusterOfFaults) differences(rows map[string]recorded.Row) []string {
	return recorded.Differences(c.table, c.names(), rows)
}
