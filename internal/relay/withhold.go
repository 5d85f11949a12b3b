//go:build !js

package relay

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/object/schema"
	"watchglass/internal/wire"
)

// withhold removes from an object what the tab must not have (the values of Secrets) and what it
// does not need (managedFields). It works on the encoded bytes, protobuf and JSON alike.
//
// A Secret is rebuilt from the fields that are named here, so a field that nobody thought of
// does not pass.
type withhold struct {
	secret        bool   // every object is a Secret, since Secrets were requested
	namesake      bool   // a resource named secrets of another API group was requested
	managedFields bool   // kept, because they were requested
	kindless      string // the kind of an answer that names none; "" refuses such an answer

	meta, obj []byte // scratch
}

// withholdOf returns what is withheld from the answer to a request.
func withholdOf(r wire.Request) withhold {
	if r.Verb == wire.Discover && r.Resource == wire.ServerVersion.Resource {
		return withhold{kindless: "Version"}
	}
	secrets := r.Resource == "secrets"
	return withhold{secret: secrets && r.Group == "", namesake: secrets && r.Group != "", managedFields: r.Verb == wire.Get && r.ManagedFields}
}

// about identifies an object. It decides what is withheld.
type about struct {
	apiVersion, kind, name string
	values                 bool // it has a field with the name of a Secret's values
}

// rule is what happens to a field of an object that is rebuilt. The zero value drops it.
type rule byte

const (
	_          rule = iota
	passes          // unchanged
	keysPass        // a map; its values become empty
	asMetadata      // rebuilt by metadataRules
	asNotes         // annotations: all names pass, and few values
	asManaged       // managedFields, if they were requested
	asFields        // the fields that an entry of managedFields owns
	outside         // unchanged; in protobuf it is not part of the message
)

// rules are the rules of all fields of an object, by name and by number.
type rules struct {
	byName   map[string]rule
	byNumber map[int]rule
}

// rulesOf adds the numbers of the fields of a kind, whose paths begin with prefix.
func rulesOf(kind, prefix string, byName map[string]rule) *rules {
	r := &rules{byName, make(map[int]rule, len(byName))}
	for name, what := range byName {
		if what != outside {
			r.byNumber[schema.FieldNumber("v1", kind, prefix+name)] = what
		}
	}
	return r
}

var (
	secretRules = rulesOf("Secret", "", map[string]rule{
		"apiVersion": outside, "kind": outside, "metadata": asMetadata,
		"data": keysPass, "stringData": keysPass, "type": passes, "immutable": passes,
	})
	// releaseRules are for a ConfigMap in which Helm stores a release. It contains the manifests
	// of Secrets, compressed.
	releaseRules = rulesOf("ConfigMap", "", map[string]rule{
		"apiVersion": outside, "kind": outside, "metadata": asMetadata,
		"data": keysPass, "binaryData": keysPass, "immutable": passes,
	})
	metadataRules = rulesOf("Secret", "metadata.", map[string]rule{
		"name": passes, "generateName": passes, "namespace": passes, "selfLink": passes, "uid": passes,
		"resourceVersion": passes, "generation": passes, "labels": passes, "ownerReferences": passes, "finalizers": passes,
		"creationTimestamp": passes, "deletionTimestamp": passes, "deletionGracePeriodSeconds": passes,
		"annotations": asNotes, "managedFields": asManaged,
	})
	managedRules = rulesOf("Secret", "metadata.managedFields.", map[string]rule{
		"manager": passes, "operation": passes, "apiVersion": passes, "time": passes, "fieldsType": passes, "subresource": passes,
		"fieldsV1": asFields,
	})
)

// helmRelease is the prefix of the name of every object in which Helm stores a release.
const helmRelease = "sh.helm.release.v1."

// rules returns the rules by which an object is rebuilt, or nil if it passes.
func (w *withhold) rules(a about) *rules {
	core := !strings.Contains(a.apiVersion, "/")
	switch {
	case w.secret, a.kind == "Secret" && (core || a.values), a.kind == "PartialObjectMetadata" && w.namesake:
		return secretRules
	case a.kind == "ConfigMap" && core && strings.HasPrefix(a.name, helmRelease):
		return releaseRules
	}
	return nil
}

// names are the annotations whose values pass. Each is the name or UID of an object, written by
// the creator of the Secret. Any other annotation may contain values: kubectl, kapp and Rancher
// store copies there, plain or compressed, and some store hashes.
var names = map[string]bool{
	"kubernetes.io/service-account.name": true,
	"kubernetes.io/service-account.uid":  true,
	"meta.helm.sh/release-name":          true,
	"meta.helm.sh/release-namespace":     true,
	"cert-manager.io/certificate-name":   true,
	"cert-manager.io/issuer-name":        true,
	"objectset.rio.cattle.io/owner-name": true,
}

// notePasses reports whether the value of an annotation passes: it must be one of names, and
// have the form of a name. The mark of the bookmark that ends a watch-list's initial events passes,
// with the one value that an apiserver gives it; without it the tab waits, and lists again.
func notePasses(key, value string) bool {
	return names[key] && len(content.IsDNS1123Subdomain(value)) == 0 || key == metav1.InitialEventsAnnotationKey && value == "true"
}

// listed reports whether managedFields may identify the elements of a Secret's field by their
// values, not only by their names.
func listed(field string) bool { return field == "f:finalizers" || field == "f:ownerReferences" }
