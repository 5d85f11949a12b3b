package rule

import (
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// policyRules are what can be wrong with what limits and scales others.
var policyRules = []rule{
	{kinds.Autoscalers, "ScalingInactive", tone.Warning, scalingInactive},
	{kinds.Autoscalers, "TooManyReplicas", tone.Warning, scalingLimited},
	{kinds.Autoscalers, "NotObserved", tone.Warning, scalingUnseen},
	{kinds.Budgets, "DisruptionsBlocked", tone.Warning, blocksDrains},
	{kinds.Budgets, "InsufficientPods", tone.Warning, insufficientPods},
	{kinds.Budgets, "SyncFailed", tone.Warning, budgetFailed},
	{kinds.Quotas, "QuotaNearlyFull", tone.Warning, quotaFull},
	{kinds.APIServices, "APIServiceUnavailable", tone.Failed, apiUnavailable},
	{kinds.Namespaces, "Terminating", tone.Warning, namespaceStuck},
}

const (
	mayMeasure = 2 * 60 // seconds until an autoscaler has metrics, and acts on them
	mayRecover = 2 * 60 // seconds in which disrupted pods come back
	mayEmpty   = 5 * 60 // seconds in which what was deleted goes away
)

// scalingInactive reports an autoscaler that cannot scale: without metrics, or without a target. A
// target scaled to zero is not a problem.
func scalingInactive(s *subject) {
	for _, kind := range []string{"ScalingActive", "AbleToScale"} {
		c := condition(s.doc, kind)
		if reason := c.TextAt("reason"); is(c, "False") && reason != "ScalingDisabled" {
			at := max(since(c), s.created)
			s.raise(Cause{Reason: reason, Words: reasonAndMessage(c), Brief: reason, Evidence: "condition " + kind, Since: at, From: at + mayMeasure, Tab: "summary"})
			return
		}
	}
}

// scalingUnseen reports an autoscaler without a status, as its controller does not run.
func scalingUnseen(s *subject) {
	if len(s.doc.ListAt("status.conditions")) == 0 {
		s.raise(Cause{Words: "no status; is the controller manager running?", Evidence: "status.conditions", From: s.created + mayMeasure, Tab: "summary"})
	}
}

// scalingLimited reports an autoscaler that wants more replicas than it may have.
func scalingLimited(s *subject) {
	c := condition(s.doc, "ScalingLimited")
	most := s.doc.Get("spec.maxReplicas").Int()
	if !is(c, "True") || c.TextAt("reason") != "TooManyReplicas" || s.doc.Get("status.currentReplicas").Int() < most {
		return
	}
	at := max(since(c), s.created)
	s.raise(Cause{Words: "at maxReplicas " + text.Decimal(most) + " and still above target", Evidence: "condition ScalingLimited", Since: at, From: at + mayMeasure, Tab: "summary"})
}

// budget returns the counts of a PodDisruptionBudget that allows no disruption.
func budget(doc document.Value) (expected, healthy, desired int64, at int64) {
	status := doc.Get("status")
	if status.Get("disruptionsAllowed").Int() > 0 {
		return 0, 0, 0, 0
	}
	return status.Get("expectedPods").Int(), status.Get("currentHealthy").Int(), status.Get("desiredHealthy").Int(), since(condition(doc, "DisruptionAllowed"))
}

// blocksDrains reports a budget that never allows a disruption, even with all pods healthy: a
// drained node waits for ever.
func blocksDrains(s *subject) {
	expected, healthy, desired, at := budget(s.doc)
	if expected <= 0 || desired < expected || healthy < desired {
		return
	}
	s.raise(Cause{Words: "no disruptions allowed: " + text.Decimal(desired) + " of " + text.Count(expected, "pod") + " must stay, drains are blocked", Evidence: "status.disruptionsAllowed", Since: at, From: max(at, s.created) + mayRecover, Tab: "summary"})
}

// insufficientPods reports a budget that allows no disruption because too few pods are healthy. A pod that does not run yet
// may be evicted all the same, and with the policy AlwaysAllow one that is not ready.
func insufficientPods(s *subject) {
	expected, healthy, desired, at := budget(s.doc)
	if expected <= 0 || healthy >= desired {
		return
	}
	blocked := ", running pods can't be evicted"
	switch always := s.doc.TextAt("spec.unhealthyPodEvictionPolicy") == "AlwaysAllow"; {
	case always && healthy == 0:
		blocked = ""
	case always:
		blocked = ", healthy pods can't be evicted"
	}
	at = max(at, s.created)
	s.raise(Cause{Words: text.Decimal(healthy) + " of " + text.Count(desired, "healthy pod") + " required" + blocked, Evidence: "status.currentHealthy", Since: at, From: at + mayRecover, Tab: "related"})
}

// budgetFailed reports a budget whose pods nobody can count.
func budgetFailed(s *subject) {
	if c := condition(s.doc, "DisruptionAllowed"); is(c, "False") && c.TextAt("reason") == "SyncFailed" {
		at := max(since(c), s.created)
		s.raise(Cause{Words: reasonAndMessage(c), Evidence: "condition DisruptionAllowed", Since: at, From: at + mayRecover, Tab: "related"})
	}
}

// quotaFull reports resources of a quota of which nearly all is used.
func quotaFull(s *subject) {
	hard, used := s.doc.Get("status.hard"), s.doc.Get("status.used")
	var parts []string
	reason := ""
	for _, name := range hard.Keys() {
		most, now := document.ParseQuantity(hard.At(name).Text()), document.ParseQuantity(used.At(name).Text())
		if most.Milli <= 0 || now.Milli <= 0 || float64(now.Milli) < 0.9*float64(most.Milli) {
			continue
		}
		if parts = append(parts, name+" "+used.At(name).Text()+" of "+hard.At(name).Text()); now.Milli >= most.Milli {
			reason = "QuotaFull"
		}
	}
	if len(parts) > 0 {
		s.raise(Cause{Reason: reason, Words: "used: " + text.Names(parts), Evidence: "status.used", Tab: "summary", Undated: true})
	}
}

// apiUnavailable reports an API whose own server does not answer.
func apiUnavailable(s *subject) {
	if c := condition(s.doc, "Available"); is(c, "False") {
		at := max(since(c), s.created)
		s.raise(Cause{Words: reasonAndMessage(c), Evidence: "condition Available", Since: at, From: at + MayServe, Tab: "yaml"})
	}
}

// stuck reports an object that was deleted but is kept by finalizers, whose controllers may be gone, unless a rule
// of its kind says more. What is deleted after its pods takes as long as they do, and a bound volume as long as its
// claim.
func (s *subject) stuck(id string) {
	at, kept := facts.Instant(s.doc.Get("metadata.deletionTimestamp")), s.finalizers()
	if at == 0 || len(kept) == 0 || len(s.causes) > 0 || kept[0] == "foregroundDeletion" || id == kinds.Pods || s.doc.TextAt("status.phase") == "Bound" {
		return
	}
	s.rule = &rule{reason: "Terminating", severity: tone.Warning}
	s.raise(Cause{Words: "Terminating, finalizers " + text.Names(kept), Evidence: "metadata.finalizers", Since: at, From: at + mayEmpty, Tab: "yaml"})
}

// namespaceStuck reports a namespace that was deleted but does not go away. Finalizers come first: what else
// remains follows from them.
func namespaceStuck(s *subject) {
	at := facts.Instant(s.doc.Get("metadata.deletionTimestamp"))
	if at == 0 {
		return
	}
	var parts []string
	for _, c := range s.doc.ListAt("status.conditions") {
		switch text := c.TextAt("message"); {
		case !is(c, "True") || text == "":
		case c.TextAt("type") == "NamespaceFinalizersRemaining":
			parts = append([]string{text}, parts...)
		default:
			parts = append(parts, text)
		}
	}
	s.raise(Cause{Words: text.Join("Terminating", ": ", strings.Join(parts, "; ")), Evidence: "metadata.deletionTimestamp", Since: at, From: at + mayEmpty, Tab: "yaml"})
}

// MayServe is how long a service may have no endpoints while its pods are replaced, in seconds.
const MayServe = 60
