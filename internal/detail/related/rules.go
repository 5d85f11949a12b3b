package related

import (
	"slices"
	"strings"
)

// rule is a path at which objects of a kind name other objects.
type rule struct {
	verb Verb
	back bool   // the relation points from the other to this object
	to   string // the resource, if it is always the same
	name string // the path of the name
	old  string // the annotation that preceded the field, and takes precedence over it
	// Sibling paths: of the kind, of its apiVersion or apiGroup, and of the namespace, if the
	// other object may be in another one.
	kind, group, namespace string
}

// podSelector is a label selector of pods at a path.
type podSelector struct {
	path string
	bare bool // a plain map of labels, which selects nothing if it is empty
}

// rulesOf returns the rules of a kind.
func rulesOf(resource string) (rules []rule) {
	for line := range strings.Lines(known) {
		of, line, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if of != resource {
			continue
		}
		if spec, ok := strings.CutPrefix(line, "runs "); ok {
			rules = append(rules, template(spec+".")...)
		} else {
			rules = append(rules, parseRule(line, ""))
		}
	}
	return rules
}

// template returns the rules of a pod spec at a path.
func template(spec string) (rules []rule) {
	for line := range strings.Lines(ofPods) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.Contains(line, "containers[]") {
			rules = append(rules, parseRule(line, spec))
			continue
		}
		for _, list := range []string{"containers[]", "initContainers[]", "ephemeralContainers[]"} {
			rules = append(rules, parseRule(strings.Replace(line, "containers[]", list, 1), spec))
		}
	}
	return rules
}

// parseRule parses a line of these fields: a verb, prefixed with "<" if it points from the other
// object to this one; the resource, or "*" if the object names the kind beside the name; the path
// of the name, and after "|" the annotation that preceded it; then the names of the sibling fields
// with the group and the namespace.
func parseRule(line, at string) (r rule) {
	parts := strings.Fields(line)
	verb, back := strings.CutPrefix(parts[0], "<")
	path, old, _ := strings.Cut(at+parts[2], "|")
	r = rule{verb: Verb(slices.IndexFunc(words[:], func(w [2]string) bool { return strings.ReplaceAll(w[0], " ", "-") == verb })), back: back, to: parts[1], name: path, old: old}
	beside := strings.TrimSuffix(path, "name")
	if r.to == "*" {
		r.to, r.kind, r.group = "", beside+"kind", beside+parts[3]
		parts = parts[1:]
	}
	if len(parts) > 3 {
		r.namespace = beside + parts[3]
	}
	return r
}

// known lists the kinds that refer to others, one line per rule in parseRule's format; a line
// with "runs" gives the path of a pod spec.
const known = `pods runs spec
pods runs-on nodes spec.nodeName
deployments.apps runs spec.template.spec
replicasets.apps runs spec.template.spec
daemonsets.apps runs spec.template.spec
statefulsets.apps runs spec.template.spec
statefulsets.apps uses services spec.serviceName
jobs.batch runs spec.template.spec
cronjobs.batch runs spec.jobTemplate.spec.template.spec
replicationcontrollers runs spec.template.spec
endpointslices.discovery.k8s.io routes-to * endpoints[].targetRef.name apiVersion namespace
ingresses.networking.k8s.io routes-to services spec.rules[].http.paths[].backend.service.name
ingresses.networking.k8s.io routes-to services spec.defaultBackend.service.name
ingresses.networking.k8s.io uses secrets spec.tls[].secretName
ingresses.networking.k8s.io uses ingressclasses.networking.k8s.io spec.ingressClassName|kubernetes.io/ingress.class
horizontalpodautoscalers.autoscaling scales * spec.scaleTargetRef.name apiVersion
persistentvolumeclaims binds persistentvolumes spec.volumeName
persistentvolumeclaims uses storageclasses.storage.k8s.io spec.storageClassName|volume.beta.kubernetes.io/storage-class
persistentvolumes <binds persistentvolumeclaims spec.claimRef.name namespace
persistentvolumes uses storageclasses.storage.k8s.io spec.storageClassName|volume.beta.kubernetes.io/storage-class
serviceaccounts uses secrets secrets[].name
serviceaccounts uses secrets imagePullSecrets[].name
rolebindings.rbac.authorization.k8s.io binds * roleRef.name apiGroup
rolebindings.rbac.authorization.k8s.io binds * subjects[].name apiGroup namespace
clusterrolebindings.rbac.authorization.k8s.io binds * roleRef.name apiGroup
clusterrolebindings.rbac.authorization.k8s.io binds * subjects[].name apiGroup namespace
volumeattachments.storage.k8s.io attaches nodes spec.nodeName
volumeattachments.storage.k8s.io attaches persistentvolumes spec.source.persistentVolumeName
csinodes.storage.k8s.io uses csidrivers.storage.k8s.io spec.drivers[].name
`

// ofPods lists what a pod spec refers to. Rules for containers apply to all types of containers.
const ofPods = `mounts persistentvolumeclaims volumes[].persistentVolumeClaim.claimName
mounts configmaps volumes[].configMap.name
mounts configmaps volumes[].projected.sources[].configMap.name
mounts secrets volumes[].secret.secretName
mounts secrets volumes[].projected.sources[].secret.name
uses secrets volumes[].csi.nodePublishSecretRef.name
uses secrets imagePullSecrets[].name
uses serviceaccounts serviceAccountName
uses priorityclasses.scheduling.k8s.io priorityClassName
uses runtimeclasses.node.k8s.io runtimeClassName
uses configmaps containers[].env[].valueFrom.configMapKeyRef.name
uses secrets containers[].env[].valueFrom.secretKeyRef.name
uses configmaps containers[].envFrom[].configMapRef.name
uses secrets containers[].envFrom[].secretRef.name
`

// podSelectors are the pod selectors by kind.
var podSelectors = map[string]podSelector{
	services: {"spec.selector", true},
	budgets:  {"spec.selector", false},
	policies: {"spec.podSelector", false},
}

// sliceLabel is the label with the Service of an EndpointSlice.
const sliceLabel = "kubernetes.io/service-name"
