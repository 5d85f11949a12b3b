package problem

import (
	"slices"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

const (
	claims         = "persistentvolumeclaims"
	volumes        = "persistentvolumes"
	storageClasses = "storageclasses.storage.k8s.io"
)

// storageRules are what can be wrong with volumes. What a pending claim waits for depends on its
// StorageClass.
var storageRules = []rule{
	{claims, "Lost", object.Failed, claimLost},
	{claims, "Terminating", object.Warning, claimStuck},
	{volumes, "Failed", object.Warning, volumeFailed},
	{volumes, "Released", object.Warning, volumeKept},
}

// mayProvision is how long a claim may be pending, in seconds.
const mayProvision = 60

func claimLost(s *subject) {
	if s.doc.TextAt("status.phase") == "Lost" {
		s.raise(Cause{Words: "Lost: " + join("volume", " ", s.doc.TextAt("spec.volumeName")) + " does not exist", Evidence: "status.phase", Tab: "summary", undated: true, final: true})
	}
}

func volumeFailed(s *subject) {
	if s.doc.TextAt("status.phase") == "Failed" {
		s.raise(Cause{Words: join(join("Failed", ", ", s.doc.TextAt("status.reason")), ": ", s.doc.TextAt("status.message")), Evidence: "status.phase", Since: instant(s.doc.Get("status.lastPhaseTransitionTime")), Tab: "summary"})
	}
}

// Times that deletion may take, in seconds.
const (
	mayUnmount = 60 * 60 // while a pod still uses a claim
	mayReclaim = 15 * 60
)

// claimStuck reports a claim that was deleted but is still in use, or is kept by finalizers of others.
func claimStuck(s *subject) {
	at := instant(s.doc.Get("metadata.deletionTimestamp"))
	if at == 0 {
		return
	}
	c := Cause{Words: "Terminating, still in use", Evidence: "metadata.deletionTimestamp", Since: at, From: at + mayUnmount, Tab: "related"}
	if kept := s.finalizers(); len(kept) > 0 && !slices.Contains(kept, "kubernetes.io/pvc-protection") {
		c.Words, c.Evidence, c.Tab = "Terminating, finalizers "+names(kept), "metadata.finalizers", "yaml"
	}
	s.raise(c)
}

// volumeKept reports a volume that should have been deleted with its claim.
func volumeKept(s *subject) {
	if s.doc.TextAt("status.phase") == "Released" && s.doc.TextAt("spec.persistentVolumeReclaimPolicy") == "Delete" {
		at := max(instant(s.doc.Get("status.lastPhaseTransitionTime")), s.created)
		s.raise(Cause{Words: "Released, not deleted despite reclaim policy Delete", Evidence: "status.phase", Since: at, From: at + mayReclaim, Tab: "events"})
	}
}

// claim is what a pending claim waits for.
type claim struct {
	class    string
	volume   string
	classed  bool // it names a class, perhaps none
	selected bool // a node was chosen, so that it need not wait for a pod
}

// readClaim returns what a claim waits for; nil if it is not pending.
func readClaim(doc document.Value) *claim {
	if doc.TextAt("status.phase") != "Pending" || doc.Get("metadata.deletionTimestamp").Exists() {
		return nil
	}
	annotations := doc.Get("metadata.annotations")
	c := &claim{class: doc.TextAt("spec.storageClassName"), volume: clean(doc.TextAt("spec.volumeName")), classed: doc.Get("spec.storageClassName").Exists()}
	if old := annotations.At("volume.beta.kubernetes.io/storage-class"); old.Exists() {
		c.class, c.classed = old.Text(), true
	}
	c.selected = annotations.At("volume.kubernetes.io/selected-node").Exists()
	return c
}

// claimCauses reports a claim that stays pending. One that waits for a pod is not a problem.
func (e *Engine) claimCauses(r *record, now int64) []Cause {
	c := r.facts.claim
	if c == nil || !e.known(storageClasses) {
		return nil
	}
	class := e.records[ID{Resource: storageClasses, Name: c.class}]
	words, at := "", r.object.Created()
	switch {
	case c.volume != "":
		words = "volume " + c.volume + " is not bound"
	case !c.classed:
		words = "no StorageClass"
	case c.class == "":
		words = "no PersistentVolume matches"
	case class == nil || class.object == nil:
		words = "no StorageClass " + clean(c.class)
	case object.OnlyMetadata(class.object): // history has lost how it binds
		return nil
	case class.cell("VolumeBindingMode") == "WaitForFirstConsumer" && !c.selected:
		return nil
	case class.cell("VolumeBindingMode") == "WaitForFirstConsumer":
		at = max(at, r.noticedAt("Pending", now)) // nothing says when the node was chosen
		fallthrough
	default:
		words = "StorageClass " + clean(c.class) + " has provisioned no volume"
	}
	return []Cause{{Reason: "Pending", Severity: object.Warning, Words: "Pending: " + words, Evidence: "status.phase", Since: r.object.Created(), From: at + mayProvision, Tab: "events"}}
}
