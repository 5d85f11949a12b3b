package cluster

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// listKeys are the fields that are lists of items with a name of their own, and
// what that name is made of. Every other list is owned as a whole.
var listKeys = map[string][]string{
	"conditions":       {"type"},
	"containers":       {"name"},
	"env":              {"name"},
	"initContainers":   {"name"},
	"ownerReferences":  {"uid"},
	"podIPs":           {"ip"},
	"ports":            {"containerPort", "protocol"},
	"volumeMounts":     {"mountPath"},
	"volumes":          {"name"},
	"imagePullSecrets": {"name"},
}

// wholes are the objects, and the lists of objects, each of which has one owner.
var wholes = []string{"ownerReferences", "fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "nodeSelector", "labelSelector"}

// silent are the fields that every pod has, even an empty one: nobody owns that
// they are there.
var silent = []string{"", "metadata", "spec", "spec.containers", "status"}

// managedEntry is what the apiserver keeps of a manager who owns fields.
func managedEntry(manager, subresource string, at time.Time, fields string) metav1.ManagedFieldsEntry {
	when := metav1.NewTime(at)
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Subresource: subresource,
		APIVersion: "v1", Time: &when,
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
	}
}

// fieldsOf lists, in the FieldsV1 form, the fields that are set in pod, as the
// apiserver does for the manager who set them. The paths in alsoSilent were there
// before that manager came.
func fieldsOf(pod *corev1.Pod, alsoSilent ...string) (string, error) {
	data, err := json.Marshal(pod)
	if err != nil {
		return "", err
	}
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		return "", err
	}
	delete(tree, "apiVersion")
	delete(tree, "kind")
	if pod.Spec.Containers == nil {
		delete(tree, "spec") // a status alone
	}
	set := objectFields(tree, "", append(alsoSilent, silent...))
	fields, err := json.Marshal(set)
	return string(fields), err
}

// objectFields is the set of the fields of one object; path is where it is.
func objectFields(object map[string]any, path string, silent []string) map[string]any {
	set := newSet(path, silent)
	for name, value := range object {
		child := strings.TrimPrefix(path+"."+name, ".")
		if fields := valueFields(name, value, child, silent); fields != nil {
			set["f:"+name] = fields
		}
	}
	return set
}

// newSet has a dot in it when it counts that there is something at path.
func newSet(path string, silent []string) map[string]any {
	if slices.Contains(silent, path) {
		return map[string]any{}
	}
	return map[string]any{".": struct{}{}}
}

// valueFields is nil for a field that is part of every pod and empty.
func valueFields(name string, value any, path string, silent []string) any {
	switch v := value.(type) {
	case map[string]any:
		switch {
		case len(v) == 0 && slices.Contains(silent, path):
			return nil
		case len(v) > 0 && !slices.Contains(wholes, name):
			return objectFields(v, path, silent)
		}
	case []any:
		if keys, ok := listKeys[name]; ok {
			return listFields(name, v, keys, path, silent)
		}
	}
	return struct{}{}
}

func listFields(name string, list []any, keys []string, path string, silent []string) map[string]any {
	set := newSet(path, silent)
	for _, item := range list {
		object, _ := item.(map[string]any)
		key := map[string]any{}
		for _, k := range keys {
			key[k] = object[k]
		}
		text, _ := json.Marshal(key) // cannot fail: it came from JSON
		if slices.Contains(wholes, name) {
			set["k:"+string(text)] = struct{}{}
		} else {
			set["k:"+string(text)] = objectFields(object, path+"[]", silent)
		}
	}
	return set
}
