package rule

import (
	"slices"

	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// storageRules are what can be wrong with volumes. What a pending claim waits for depends on its
// StorageClass.
var storageRules = []rule{
	{kinds.Claims, "Lost", tone.Failed, claimLost},
	{kinds.Claims, "Terminating", tone.Warning, claimStuck},
	{kinds.Volumes, "Failed", tone.Warning, volumeFailed},
	{kinds.Volumes, "Released", tone.Warning, volumeKept},
}

func claimLost(s *subject) {
	if s.doc.TextAt("status.phase") == "Lost" {
		s.raise(Cause{Words: "Lost: " + text.Join("volume", " ", s.doc.TextAt("spec.volumeName")) + " does not exist", Evidence: "status.phase", Tab: "summary", Undated: true, Final: true})
	}
}

func volumeFailed(s *subject) {
	if s.doc.TextAt("status.phase") == "Failed" {
		s.raise(Cause{Words: text.Join(text.Join("Failed", ", ", s.doc.TextAt("status.reason")), ": ", s.doc.TextAt("status.message")), Evidence: "status.phase", Since: facts.Instant(s.doc.Get("status.lastPhaseTransitionTime")), Tab: "summary"})
	}
}

// Times that deletion may take, in seconds.
const (
	mayUnmount = 60 * 60 // while a pod still uses a claim
	mayReclaim = 15 * 60
)

// claimStuck reports a claim that was deleted but is still in use, or is kept by finalizers of others.
func claimStuck(s *subject) {
	at := facts.Instant(s.doc.Get("metadata.deletionTimestamp"))
	if at == 0 {
		return
	}
	c := Cause{Words: "Terminating, still in use", Evidence: "metadata.deletionTimestamp", Since: at, From: at + mayUnmount, Tab: "related"}
	if kept := s.finalizers(); len(kept) > 0 && !slices.Contains(kept, "kubernetes.io/pvc-protection") {
		c.Words, c.Evidence, c.Tab = "Terminating, finalizers "+text.Names(kept), "metadata.finalizers", "yaml"
	}
	s.raise(c)
}

// volumeKept reports a volume that should have been deleted with its claim.
func volumeKept(s *subject) {
	if s.doc.TextAt("status.phase") == "Released" && s.doc.TextAt("spec.persistentVolumeReclaimPolicy") == "Delete" {
		at := max(facts.Instant(s.doc.Get("status.lastPhaseTransitionTime")), s.created)
		s.raise(Cause{Words: "Released, not deleted despite reclaim policy Delete", Evidence: "status.phase", Since: at, From: at + mayReclaim, Tab: "events"})
	}
}
