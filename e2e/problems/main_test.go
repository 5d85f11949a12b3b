package problems

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
	"watchglass/internal/hub/problems/recorded"
)

// client reads and writes objects of any kind.
var client *dynamic.DynamicClient

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, stage.Options{
		Cluster: cluster.Options{Controllers: &cluster.ControllerOptions{
			Nodes:                  3,
			ControllerManagerFlags: []string{"--horizontal-pod-autoscaler-sync-period=2s", "--horizontal-pod-autoscaler-downscale-stabilization=2s"},
		}},
		Prepare: func(ctx context.Context) (err error) {
			if client, err = dynamic.NewForConfig(stage.Cluster.Config()); err != nil {
				return err
			}
			definitions := place{ctx, "none"}
			if err = definitions.create(engines); err != nil {
				return err
			}
			return definitions.until("CustomResourceDefinition/engines.problems.example.com", "served", func(status map[string]any) bool {
				return strings.Contains(fmt.Sprint(status["conditions"]), "status:True type:Established")
			}, "status")
		},
	}))
}

// The clock of the tab is ahead by this, so that the tests need not wait for as long as the rules
// do: to the tab, what a test writes is that old. No rule that counts from a time of the object
// waits longer.
const ahead = 8 * time.Minute

// engines is a kind of somebody's controller, whose conditions say how an object is.
const engines = `
{kind: CustomResourceDefinition, apiVersion: apiextensions.k8s.io/v1, metadata: {name: engines.problems.example.com}, spec: {group: problems.example.com, scope: Namespaced, names: {plural: engines, singular: engine, kind: Engine, listKind: EngineList}, versions: [{name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`

// kinds are the resources of the kinds that the tests write.
var kinds = map[string]schema.GroupVersionResource{
	"Pod": {Version: "v1", Resource: "pods"}, "Node": {Version: "v1", Resource: "nodes"}, "Service": {Version: "v1", Resource: "services"},
	"Event": {Version: "v1", Resource: "events"}, "ConfigMap": {Version: "v1", Resource: "configmaps"}, "Namespace": {Version: "v1", Resource: "namespaces"},
	"ResourceQuota": {Version: "v1", Resource: "resourcequotas"}, "PersistentVolume": {Version: "v1", Resource: "persistentvolumes"},
	"PersistentVolumeClaim": {Version: "v1", Resource: "persistentvolumeclaims"},
	"Deployment":            {Group: "apps", Version: "v1", Resource: "deployments"}, "StatefulSet": {Group: "apps", Version: "v1", Resource: "statefulsets"},
	"DaemonSet": {Group: "apps", Version: "v1", Resource: "daemonsets"}, "Job": {Group: "batch", Version: "v1", Resource: "jobs"}, "CronJob": {Group: "batch", Version: "v1", Resource: "cronjobs"},
	"Ingress":                        {Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"},
	"EndpointSlice":                  {Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"},
	"HorizontalPodAutoscaler":        {Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
	"PodDisruptionBudget":            {Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	"ValidatingWebhookConfiguration": {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"},
	"MutatingWebhookConfiguration":   {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations"},
	"CustomResourceDefinition":       {Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	"Engine":                         {Group: "problems.example.com", Version: "v1", Resource: "engines"},
	"ReplicaSet":                     {Group: "apps", Version: "v1", Resource: "replicasets"},
	"ReplicationController":          {Version: "v1", Resource: "replicationcontrollers"},
	"LimitRange":                     {Version: "v1", Resource: "limitranges"}, "Secret": {Version: "v1", Resource: "secrets"},
	"StorageClass":     {Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"},
	"VolumeAttachment": {Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments"},
	"NetworkPolicy":    {Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
	"RoleBinding":      {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
	"APIService":       {Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"},
}

// wide are the kinds without a namespace.
const wide = " Node Namespace PersistentVolume ValidatingWebhookConfiguration MutatingWebhookConfiguration APIService CustomResourceDefinition StorageClass VolumeAttachment "

// place is a namespace in which a test writes. Its name is NS in every text.
type place struct {
	ctx  context.Context
	name string
}

func (p place) of(kind string) dynamic.ResourceInterface {
	if strings.Contains(wide, " "+kind+" ") {
		return client.Resource(kinds[kind])
	}
	return client.Resource(kinds[kind]).Namespace(p.name)
}

// instant is a time in a text: @-5m is five minutes before the tab's clock.
var instant = regexp.MustCompile(`@[-+]\d+[smh]`)

func (p place) text(s string) string {
	s = instant.ReplaceAllStringFunc(s, func(at string) string {
		d, _ := time.ParseDuration(at[1:])
		return `"` + time.Now().Add(ahead+d).UTC().Format(time.RFC3339) + `"`
	})
	return strings.ReplaceAll(s, "NS", p.name)
}

// create creates the objects of a YAML text, one after the other.
func (p place) create(text string) error {
	for doc := range strings.SplitSeq(p.text(text), "\n") {
		if strings.TrimSpace(doc) == "" {
			continue
		}
		var o unstructured.Unstructured
		if err := yaml.Unmarshal([]byte(doc), &o.Object); err != nil {
			return fmt.Errorf("%s: %w", doc, err)
		}
		if _, err := p.of(o.GetKind()).Create(p.ctx, &o, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

// patch merges a YAML text into an object, such as "Pod/bad" or, for its status, "Pod/bad/status".
func (p place) patch(what, text string) error {
	doc, err := yaml.YAMLToJSON([]byte(p.text(text)))
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	parts := strings.Split(p.text(what), "/")
	if _, err = p.of(parts[0]).Patch(p.ctx, parts[1], types.MergePatchType, doc, metav1.PatchOptions{}, parts[2:]...); err != nil {
		return fmt.Errorf("patch %s: %w", what, err)
	}
	return nil
}

// remove deletes an object, with what it owns.
func (p place) remove(what string) error {
	kind, name, _ := strings.Cut(p.text(what), "/")
	policy, now := metav1.DeletePropagationBackground, int64(0)
	if err := p.of(kind).Delete(p.ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy, GracePeriodSeconds: &now}); err != nil {
		return fmt.Errorf("delete %s: %w", what, err)
	}
	return nil
}

// is waits until a field of an object has a value.
func (p place) is(what, want string, path ...string) error {
	at := path[:len(path)-1]
	return p.until(what, strings.Join(path, ".")+" "+want, func(o map[string]any) bool { return fmt.Sprint(o[path[len(path)-1]]) == want }, at...)
}

// until waits until a part of an object fulfils a condition.
func (p place) until(what, condition string, ok func(map[string]any) bool, path ...string) error {
	kind, name, _ := strings.Cut(p.text(what), "/")
	var last map[string]any
	for deadline := time.Now().Add(stage.Soon); time.Now().Before(deadline); {
		o, err := p.of(kind).Get(p.ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		var there bool
		if last, there, _ = unstructured.NestedMap(o.Object, path...); there && ok(last) {
			return nil
		}
		select {
		case <-p.ctx.Done():
			return p.ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s: not %s: %v", what, condition, last)
}

// problems returns the rows on screen by their UIDs, such as "pods/shop/web-1/NotReady".
func problems(e stage.Eyes) map[string]recorded.Row {
	e.T.Helper()
	return Rows(e.Rows())
}
