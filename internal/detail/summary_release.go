package detail

import (
	"strconv"
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/object/tone"
)

// Releases is the ID of the kind of Helm's releases, and ReleaseVersion its API version. The hub makes
// its objects.
const (
	Releases       = "releases.helm.sh"
	ReleaseVersion = "helm.sh/release.v1"
)

// longestRelease is how long the name of a release may be, as Helm has it.
const longestRelease = 53

// IsReleaseName reports whether a Helm release can have a name.
func IsReleaseName(name string) bool { return len(name) <= longestRelease && isDNSName(name) }

// isDNSName reports whether a text is what DNS calls a name, as the apiserver has it: a subdomain.
func isDNSName(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		odd := strings.ContainsFunc(part, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' })
		if part == "" || odd || part[0] == '-' || part[len(part)-1] == '-' {
			return false
		}
	}
	return true
}

// isRelease reports whether an object is a Helm release.
func isRelease(v document.Value) bool { return v.TextAt("apiVersion") == ReleaseVersion }

// releaseSheet is the sheet of a Helm release.
const releaseSheet = `[Release]
Name: {metadata.name:code}
Namespace: {metadata.namespace:ref Namespace}
Status: {status.status:released} {status.status:pending}
Revision: {status.revision}
Updated: {status.updated:time}
Oldest stored revision: {metadata.creationTimestamp:time}
Chart and values: {:unread}
[Objects]
!releaseObjects
[Revisions]
!revisions status
`

// instanceLabel is the label that charts give to the objects of a release.
const instanceLabel = "app.kubernetes.io/instance"

// ofRelease are the kinds of which the objects of a release are counted.
var ofRelease = []string{
	"deployments.apps", "statefulsets.apps", "daemonsets.apps", "jobs.batch", "cronjobs.batch", "pods", "services", "ingresses.networking.k8s.io",
	"configmaps", "secrets", "serviceaccounts", "persistentvolumeclaims",
}

// releaseWants returns the lists of the objects that are labelled as a release's.
func releaseWants(v document.Value) (all []Want) {
	for _, id := range ofRelease {
		all = append(all, Want{Key: id, Resource: id, Namespace: v.TextAt("metadata.namespace"), Labels: instanceLabel + "=" + v.TextAt("metadata.name"), Metadata: true})
	}
	return all
}

// releaseObjects writes how many objects of each kind are labelled as the release's, with links to them.
func releaseObjects(w *writer, v document.Value) {
	labels, missing := instanceLabel+"="+v.TextAt("metadata.name"), false
	for _, id := range ofRelease {
		n, known := 0, false
		if counts, ok := w.more.Counts[id]; ok {
			n, known = counts[""], true
		}
		kind, _ := object.Builtin(id)
		p := Span{Text: strconv.Itoa(n), List: &Listing{Resource: id, Namespace: w.namespace, Labels: labels}}
		if !known {
			p.Text, missing = "…", true
		}
		if n > 0 || !known && !w.denied(id) {
			w.row(kind.Name, Line{p})
		}
	}
	if len(w.last().Rows) == 0 && !missing {
		w.row("None", Line{}.styled(Quiet, "No object of the kinds counted here has the label "+labels+". Others are not counted."))
	}
}

// denied reports whether a list may not be read.
func (w *writer) denied(resource string) bool {
	for _, d := range w.more.Denied {
		if d.Resource == resource {
			return true
		}
	}
	return false
}

// revisions writes the stored revisions of a release, the newest first.
func revisions(w *writer, v document.Value) {
	w.run("|@revisions|>Revision {revision}|Status {status:released}|Updated {updated:time}", v)
	if tables := w.last().Tables; len(tables) > 0 {
		t := &tables[len(tables)-1]
		t.More = max(0, int(v.Get("stored").Int())-len(t.Rows))
	}
}

// released shows the status of a release in its tone.
func (w *writer) released(v document.Value, _ string) []Line {
	return one(Span{Text: v.Text(), Style: string(tone.OfState("Release", v.Text()))})
}

// pending says what the status of a pending release means.
func (w *writer) pending(v document.Value, _ string) []Line {
	if !strings.HasPrefix(v.Text(), "pending-") {
		return nil
	}
	return one(Span{Text: "a helm command is running, or was interrupted", Style: Quiet})
}

// unread says why the summary of a release has no chart.
func (w *writer) unread(document.Value, string) []Line {
	return one(Span{Text: "not read: they are in the Secret's payload", Style: Quiet})
}

// release links to the Helm release that an object says it belongs to, or whose revision it stores.
// Anybody may write that: names that no release can have are ignored.
func release(w *writer, meta document.Value) {
	labels, annotations := meta.Get("labels"), meta.Get("annotations")
	namespace, name := annotations.At("meta.helm.sh/release-namespace").Text(), annotations.At("meta.helm.sh/release-name").Text()
	managed := labels.At("app.kubernetes.io/managed-by").Text() == "Helm"
	if w.kind == "Secret" && labels.At("owner").Text() == "helm" {
		of := labels.At("name").Text()
		if meta.TextAt("name") == "sh.helm.release.v1."+of+".v"+labels.At("version").Text() {
			namespace, name, managed = w.namespace, of, true
		}
	}
	if !managed || !IsReleaseName(name) || !isNamespace(namespace) {
		return
	}
	text := name
	if namespace != w.namespace {
		text = namespace + "/" + name
	}
	w.row("Helm release", Line{{Text: text, Ref: &Ref{Group: "helm.sh", Kind: "Release", Resource: Releases, Namespace: namespace, Name: name}}})
}

// isNamespace reports whether a namespace can have a name.
func isNamespace(name string) bool {
	return len(name) <= 63 && !strings.Contains(name, ".") && isDNSName(name)
}
