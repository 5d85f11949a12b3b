package releases

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/object"
)

// prefix begins the name of each Secret in which Helm stores a revision.
const prefix = "sh.helm.release.v1."

// revision is one revision of a release, as the labels of its Secret describe it.
type revision struct {
	number  int
	status  string        // Helm's word
	updated int64         // when Helm last wrote it, in unix seconds
	created int64         // when it was first stored
	version string        // of the Secret
	labels  object.Labels // the user's
}

// id is the release and the number of a revision.
type id struct {
	namespace, name string
	number          int
}

// read returns the revision that a Secret stores. Its labels and its name must agree, and its number
// must be as Helm writes it; otherwise ok is false. Anybody who may write Secrets may write such ones.
func read(o *object.Object) (of id, r revision, ok bool) {
	of, ok = parseName(o.Namespace(), o.Name())
	labels := o.Labels()
	if !ok || labels.Get("owner") != "helm" || labels.Get("name") != of.name || labels.Get("version") != strconv.Itoa(of.number) {
		return of, revision{}, false
	}
	r = revision{number: of.number, status: statusOf(labels.Get("status")), created: o.Created(), version: strings.Clone(o.Version()), labels: others(labels)}
	for _, label := range []string{"modifiedAt", "createdAt"} { // the first write has no modifiedAt
		if r.updated == 0 {
			r.updated = seconds(labels.Get(label))
		}
	}
	if r.updated == 0 {
		r.updated = r.created
	}
	return of, r, true
}

// statuses are Helm's words for the status of a release.
var statuses = []string{"unknown", "deployed", "uninstalled", "superseded", "failed", "uninstalling", "pending-install", "pending-upgrade", "pending-rollback"}

// statusOf returns the status that a label means. Like all that is kept of a Secret, it shares no memory
// with it.
func statusOf(label string) string {
	if label == "" {
		return statuses[0]
	}
	if i := slices.Index(statuses, label); i >= 0 {
		return statuses[i]
	}
	return strings.Clone(label)
}

// own are the labels that Helm gives to each revision. The others are the user's, by which 'helm list'
// selects.
var own = []string{"createdAt", "modifiedAt", "name", "owner", "status", "version"}

// others returns the labels that are not Helm's own.
func others(all object.Labels) object.Labels {
	var out []byte
	for name, value := range all.All() {
		if !slices.Contains(own, name) {
			out = append(append(append(append(out, name...), 0), value...), 0)
		}
	}
	return object.Labels(out)
}

// parseName returns the revision that the name of a Secret stands for.
func parseName(namespace, secret string) (of id, ok bool) {
	rest, ours := strings.CutPrefix(secret, prefix)
	at := strings.LastIndex(rest, ".v")
	if !ours || at <= 0 || !detail.IsReleaseName(rest[:at]) {
		return id{}, false
	}
	n, err := strconv.ParseInt(rest[at+2:], 10, 32)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != rest[at+2:] {
		return id{}, false
	}
	return id{namespace, rest[:at], int(n)}, true
}

// latest is the last second that is printed: that of the year 9999.
var latest = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()

// seconds reads a label with a time; 0 if it has none.
func seconds(label string) int64 {
	n, err := strconv.ParseInt(label, 10, 64)
	if err != nil || n < 0 || n > latest {
		return 0
	}
	return n
}
