//go:build !js

package relay

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/api/validate/content"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// withhold removes from an object what the tab must not have, the values of Secrets, and
// what it does not need, managedFields. It works on the bytes as they stand, protobuf and
// JSON alike.
//
// A Secret is rebuilt from the fields that are named here: a field that nobody thought of
// does not pass.
type withhold struct {
	secret        bool   // whatever comes is a Secret: Secrets were asked for
	namesake      bool   // the same of a resource that is called secrets in another API group
	managedFields bool   // kept, on request
	kindless      string // what an answer is that says no kind; none: it is refused

	meta, obj []byte // scratch
}

// withholdOf is what is withheld of the answer to a request.
func withholdOf(r wire.Request) withhold {
	if r.Verb == wire.Discover && r.Resource == wire.ServerVersion.Resource {
		return withhold{kindless: "Version"}
	}
	secrets := r.Resource == "secrets"
	return withhold{secret: secrets && r.Group == "", namesake: secrets && r.Group != "", managedFields: r.Verb == wire.Get && r.ManagedFields}
}

// about is what an object says it is. It decides what is withheld.
type about struct {
	apiVersion, kind, name string
	values                 bool // it has a field that is called as the values of a Secret are
}

// rule says what becomes of a field of an object that is rebuilt. The zero value: it goes.
type rule byte

const (
	_          rule = iota
	passes          // as it is
	keysPass        // a map, whose values become empty
	asMetadata      // rebuilt by metadataRules
	asNotes         // annotations: their names pass, and few values
	asManaged       // managedFields, if they were asked for
	asFields        // the fields that one of those owns
	outside         // it passes, and stands beside the message in protobuf
)

// rules are those of all fields of an object, by name and by number.
type rules struct {
	byName   map[string]rule
	byNumber map[protowire.Number]rule
}

// rulesOf finds the numbers of fields of a kind, behind a prefix of their path.
func rulesOf(kind, prefix string, byName map[string]rule) *rules {
	r := &rules{byName, make(map[protowire.Number]rule, len(byName))}
	for name, what := range byName {
		if what != outside {
			r.byNumber[protowire.Number(object.FieldNumber("v1", kind, prefix+name))] = what
		}
	}
	return r
}

var (
	secretRules = rulesOf("Secret", "", map[string]rule{
		"apiVersion": outside, "kind": outside, "metadata": asMetadata,
		"data": keysPass, "stringData": keysPass, "type": passes, "immutable": passes,
	})
	// releaseRules are of a ConfigMap in which Helm keeps a release: the manifests of its
	// Secrets are in it, compressed.
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

// helmRelease begins the name of whatever Helm keeps a release in.
const helmRelease = "sh.helm.release.v1."

// rules are those by which an object is rebuilt; none: it passes.
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

// names are the annotations whose values pass: by their meaning each is the name or the
// UID of an object, written by what made the Secret. All others may hold what is in it:
// kubectl, kapp and Rancher keep copies there, plain or compressed, and some keep hashes.
var names = map[string]bool{
	"kubernetes.io/service-account.name": true,
	"kubernetes.io/service-account.uid":  true,
	"meta.helm.sh/release-name":          true,
	"meta.helm.sh/release-namespace":     true,
	"cert-manager.io/certificate-name":   true,
	"cert-manager.io/issuer-name":        true,
	"objectset.rio.cattle.io/owner-name": true,
}

// notePasses reports whether the value of an annotation passes: it is meant to be a name,
// and has a name's form.
func notePasses(key, value string) bool {
	return names[key] && len(content.IsDNS1123Subdomain(value)) == 0
}

// listed reports whether fields of a Secret may be told apart in managedFields by their
// values, and not by their names alone.
func listed(field string) bool { return field == "f:finalizers" || field == "f:ownerReferences" }
