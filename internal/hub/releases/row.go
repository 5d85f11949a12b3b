package releases

import (
	"strconv"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/object/encoded"
)

// Kind is the kind of a release. No server can have its version, which is the type of Helm's Secrets, so
// that a request tells it from a custom resource of the same name.
var Kind = object.Kind{Group: "helm.sh", Version: "release.v1", Resource: "releases", Name: "Release", Singular: "release", Short: []string{"helm"}, Namespaced: true}

// Printing says that the rows come with whole objects: the summary reads the revisions there.
var Printing = object.Printing{Body: true}

// columns are the columns of the list.
const columns = `[
{"name":"Name","type":"string","format":"name"},
{"name":"Revision","type":"integer"},
{"name":"Status","type":"string"},
{"name":"Updated","type":"date","description":"Custom resource definition column (in JSONPath format): .status.updated"},
{"name":"Stored","type":"integer"}]`

// mostListed is how many revisions an object lists, the newest first. Helm keeps ten unless it is told
// otherwise.
const mostListed = 100

// row returns the row of a release, at a version. A release without revisions has one too: that of an
// event that says it is gone.
func (b book) row(of key, version string) []byte {
	all := b[of]
	var now, first revision
	if len(all) > 0 {
		now, first = all[len(all)-1], all[0]
	}
	if version == "" {
		version = now.version
	}
	out := member([]byte(`{"cells":[`), "", of.name)
	out = append(strconv.AppendInt(append(out, ','), int64(now.number), 10), ',')
	out = append(member(out, "", now.status), `,"0s",`...) // the instant is in the object
	out = append(strconv.AppendInt(out, int64(len(all)), 10), `],"object":{"kind":"`+Kind.Name+`","apiVersion":"`+Kind.APIVersion()+`","metadata":{`...)
	out = append(member(out, "name", of.name), ',')
	if of.namespace != "" {
		out = append(member(out, "namespace", of.namespace), ',')
	}
	out = append(member(out, "uid", Kind.ID()+"/"+of.namespace+"/"+of.name), ',')
	out = append(member(out, "resourceVersion", version), ',')
	out = append(moment(out, "creationTimestamp", first.created), `,"labels":{`...)
	for name, value := range now.labels.All() {
		out = append(member(out, name, value), ',')
	}
	out = append(trim(out), `}},"status":`...)
	out = append(revisionDoc(out, now), `,"stored":`...)
	out = append(strconv.AppendInt(out, int64(len(all)), 10), `,"revisions":[`...)
	for i := range min(len(all), mostListed) {
		out = append(revisionDoc(out, all[len(all)-1-i]), `},`...)
	}
	return append(trim(out), `]}}}`...)
}

// revisionDoc appends a revision, without the brace that ends it.
func revisionDoc(dst []byte, r revision) []byte {
	dst = strconv.AppendInt(append(dst, `{"revision":`...), int64(r.number), 10)
	dst = append(member(append(dst, ','), "status", r.status), ',')
	dst = moment(dst, "updated", r.updated)
	return moment(append(dst, ','), "created", r.created)
}

// member appends a text, after its name if it has one.
func member(dst []byte, name, text string) []byte {
	if name != "" {
		dst = append(encoded.AppendString(dst, name), ':')
	}
	return encoded.AppendString(dst, text)
}

// moment appends a time.
func moment(dst []byte, name string, at int64) []byte {
	return member(dst, name, time.Unix(at, 0).UTC().Format(time.RFC3339))
}

// trim removes a comma from the end.
func trim(dst []byte) []byte {
	if n := len(dst) - 1; dst[n] == ',' {
		return dst[:n]
	}
	return dst
}
