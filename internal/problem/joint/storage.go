package joint

import (
	"watchglass/internal/object"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
	"watchglass/internal/problem/text"
)

// mayProvision is how long a claim may be pending, in seconds.
const mayProvision = 60

// claimCauses reports a claim that stays pending. One that waits for a pod is not a problem.
func claimCauses(w Cluster, r *Subject, now int64) []rule.Cause {
	c := r.Facts.Claim
	if c == nil || !w.Known(kinds.StorageClasses) {
		return nil
	}
	class := w.Find(facts.ID{Resource: kinds.StorageClasses, Name: c.Class})
	words, at := "", r.Object.Created()
	switch {
	case c.Volume != "":
		words = "volume " + c.Volume + " is not bound"
	case !c.Classed:
		words = "no StorageClass"
	case c.Class == "":
		words = "no PersistentVolume matches"
	case class == nil || class.Object == nil:
		words = "no StorageClass " + text.Clean(c.Class)
	case object.OnlyMetadata(class.Object): // history has lost how it binds
		return nil
	case w.Cell(class.ID, "VolumeBindingMode") == "WaitForFirstConsumer" && !c.Selected:
		return nil
	case w.Cell(class.ID, "VolumeBindingMode") == "WaitForFirstConsumer":
		at = max(at, r.noticedAt("Pending", now)) // nothing says when the node was chosen
		fallthrough
	default:
		words = "StorageClass " + text.Clean(c.Class) + " has provisioned no volume"
	}
	return []rule.Cause{{Reason: "Pending", Severity: tone.Warning, Words: "Pending: " + words, Evidence: "status.phase", Since: r.Object.Created(), From: at + mayProvision, Tab: "events"}}
}
