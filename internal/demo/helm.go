//go:build !js

package demo

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// keepReleases is how many revisions Helm keeps of a release.
const keepReleases = 10

// helmRevision is a revision of an app's Helm release. Each is stored in a Secret.
type helmRevision struct {
	number            int
	status            string
	created, modified metav1.Time // modified is zero after the first write
}

// addReleases stores the revisions of an app's past. A few apps have an upgrade behind them that failed,
// or was interrupted.
func (w *world) addReleases(a *app) {
	for _, r := range slices.Concat(a.old, []*revision{a.revision}) {
		w.pend(a, "pending-install", r.created)
		w.settle(a, "deployed", r.created)
	}
	switch luck := helmRand(a.namespace + "/" + a.name).IntN(12); {
	case a.system:
	case luck == 0:
		w.pend(a, "pending-upgrade", w.ago(w.now.Sub(a.revision.created.Time)/2))
		w.settle(a, "failed", w.ago(w.now.Sub(a.revision.created.Time)/2))
	case luck == 1:
		w.pend(a, "pending-upgrade", w.ago(w.now.Sub(a.revision.created.Time)/2))
	}
}

// pend stores a revision that is being installed.
func (w *world) pend(a *app, status string, at metav1.Time) {
	next := helmRevision{number: 1, status: status, created: at}
	if n := len(a.helm); n > 0 {
		next.number = a.helm[n-1].number + 1
	}
	a.helm = append(a.helm, next)
	w.writeRelease(a, len(a.helm)-1)
	for len(a.helm) > keepReleases {
		meta := a.releaseMeta(&a.helm[0])
		remove[corev1.Secret](w, keyOf(&meta))
		a.helm = a.helm[1:]
	}
}

// settle ends the installation of the newest revision. If it succeeded, the revision that was deployed is
// superseded.
func (w *world) settle(a *app, status string, at metav1.Time) {
	last := len(a.helm) - 1
	for i := range a.helm[:last] {
		if r := &a.helm[i]; status == "deployed" && (r.status == "deployed" || r.status == "pending-upgrade") {
			r.status, r.modified = "superseded", at
			w.writeRelease(a, i)
		}
	}
	a.helm[last].status, a.helm[last].modified = status, at
	w.writeRelease(a, last)
}

// releaseMeta returns the metadata of a revision's Secret.
func (a *app) releaseMeta(r *helmRevision) metav1.ObjectMeta {
	number := strconv.Itoa(r.number)
	labels := map[string]string{"owner": "helm", "name": a.name, "version": number, "status": r.status, "createdAt": strconv.FormatInt(r.created.Unix(), 10)}
	if !r.modified.IsZero() {
		labels["modifiedAt"] = strconv.FormatInt(r.modified.Unix(), 10)
	}
	name := "sh.helm.release.v1." + a.name + ".v" + number
	return metav1.ObjectMeta{Namespace: a.namespace, Name: name, UID: newUID(helmRand(a.namespace + "/" + name)), CreationTimestamp: r.created, Labels: labels}
}

// writeRelease stores a revision. What it would say of the chart is left out: nobody may read it.
func (w *world) writeRelease(a *app, i int) {
	w.put(&corev1.Secret{ObjectMeta: a.releaseMeta(&a.helm[i]), Type: "helm.sh/release.v1", Data: map[string][]byte{"release": []byte("H4sI")}})
}

// helmRand returns random numbers that follow from a name alone, so that releases change nothing else of
// the cluster.
func helmRand(name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // it never fails
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}
