package recording

import (
	"slices"
	"strings"
)

// structural are members whose values have a meaning for the API, and are nobody's names. Other programs write texts
// of their own into some.
var structural = append([]string{"type", "protocol", "phase", "reason", "status", "operator", "effect", "imagePullPolicy", "restartPolicy", "apiGroups", "resources", "verbs"}, identifying...)

// identifying are those that say which object or kind is meant. ofRules do so in rules about rights.
var (
	identifying = []string{"apiVersion", "kind", "uid", "resourceVersion", "apiGroup"}
	ofRules     = []string{"apiGroups", "resources", "verbs"}
)

// hostMembers are members that are hosts or addresses.
var hostMembers = []string{"host", "hosts", "hostname", "hostnames", "ip", "podIP", "hostIP", "address", "addresses", "clusterIP", "clusterIPs", "externalIPs", "loadBalancerIP", "externalName", "podCIDR", "podCIDRs", "server", "url", "loadBalancerSourceRanges", "cidr", "cidrs", "searches"}

// nameMembers are members that are names of objects.
var nameMembers = []string{"claimName", "serviceAccountName", "serviceAccount", "secretName", "volumeName", "generateName", "persistentVolumeName", "serviceName", "container", "containerName"}

// namedParents are members whose own member "name" is a name of an object or a container.
var namedParents = []string{"metadata", "ownerReferences", "involvedObject", "regarding", "related", "subjects", "imagePullSecrets", "secret", "configMap", "service", "containers", "initContainers", "ephemeralContainers", "containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses", "volumesAttached", "secrets"}

// messages are members that may repeat the value of a variable among other words: what programs say, what they are
// called with, the requests of probes, and the cells of a Table. In a custom resource any member may.
var messages = []string{"message", "note", "args", "command", "path", "value", "cells"}

// namedByLabel are labels that have the name of an object, by which the page finds it.
var namedByLabel = []string{"job-name", "controller-revision-hash", "pod-template-hash"}

// otherNames are members of built-in kinds that are names too: of ports, drivers, controllers, keys, kinds and revisions.
var otherNames = []string{"name", "names", "key", "group", "resource", "verb", "plural", "singular", "port", "targetPort", "fieldPath", "finalizers", "driver", "provisioner", "attacher", "controller", "currentRevision", "updateRevision"}

// isName reports whether a member of a built-in kind is a name.
func isName(member string) bool {
	return endsIn(member, "Name", "Names", "Namespace", "Kind", "UID", "Key", "Keys") || slices.Contains(otherNames, member)
}

// hasConstant reports whether a member has one of the API's constants, mostly.
func hasConstant(member string) bool {
	return endsIn(member, "Policy", "policy", "Mode", "Modes", "Type", "Types", "modes") || slices.Contains([]string{"action", "scope", "scopes", "sessionAffinity", "ipFamilies", "qosClass", "state"}, member)
}

func endsIn(member string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(with string) bool { return strings.HasSuffix(member, with) })
}

// isConstant reports whether a text is written like a constant of the API: "ClusterIP". Some variable may have it as
// its value; replaced, it would make a Service of another type.
func isConstant(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < 'A' || c > 'Z') && (i == 0 || c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// inEnvironment reports whether a text is the value of a variable: any text within an environment, but for the names
// of variables and references to where their values are. Schemas of kinds describe environments only.
func inEnvironment(path []string) bool {
	found := false
	for _, member := range path[:len(path)-1] {
		switch {
		case member == "openAPIV3Schema", found && endsIn(member, "Ref", "From"):
			return false
		case !found:
			found = isEnvironment(member)
		}
	}
	return found && path[len(path)-1] != "name"
}

// isEnvironment reports whether a member has environment variables, as a list or by name. Custom resources call it
// env, envVars, extraEnv, container_env, environmentVariables, and so on; envoy, envelope and envFrom are none.
func isEnvironment(member string) bool {
	if !mayHaveEnv(member) {
		return false
	}
	found := false
	for word := range eachWord(member) {
		if word == "from" {
			return false
		}
		begins := strings.HasPrefix(word, "env") && !strings.HasPrefix(word, "envo") && !strings.HasPrefix(word, "envel") && !strings.HasSuffix(word, "from")
		found = found || begins || endsIn(word, "env", "envs", "envvar", "envvars", "environment", "environments")
	}
	return found
}

// mayHaveEnv reports whether a member has the letters of env in it.
func mayHaveEnv(member string) bool {
	for i := 2; i < len(member); i++ {
		if member[i]|0x20 == 'v' && member[i-1]|0x20 == 'n' && member[i-2]|0x20 == 'e' {
			return true
		}
	}
	return false
}

// eachWord yields the words of a member in lower case: of "containerEnv" and "container_env", "container" and "env".
func eachWord(member string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		begin := 0
		for i := range len(member) + 1 {
			ends := i == len(member) || !isLetterOrDigit(member[i])
			if !ends && (i == 0 || member[i] < 'A' || member[i] > 'Z' || member[i-1] < 'a' || member[i-1] > 'z') {
				continue
			}
			if begin < i && !yield(strings.ToLower(member[begin:i])) {
				return
			}
			if begin = i; ends {
				begin++
			}
		}
	}
}
