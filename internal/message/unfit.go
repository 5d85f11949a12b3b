package message

import (
	"sort"
	"strconv"
	"strings"
)

// mostUnfit is the longest message that is read as the scheduler's, in bytes.
const mostUnfit = 8 << 10

// unfit is the scheduler's message about a pod that no node fits:
//
//	0/7 nodes are available: 1 Too many pods, 6 Insufficient cpu. no new claims to deallocate, preemption: …
//
// FitError.Error in pkg/scheduler/framework/types.go writes it, the same from 1.32 to 1.37: one sentence of why, which is
// either what a PreFilter plugin said of all nodes or the reasons of Filter plugins, each behind the number of nodes
// and sorted as text; then what PostFilter plugins said about making room, joined by commas.
type unfit struct {
	nodes   int64
	reasons misfits
	after   string // what was said about making room, if that says something
}

// between are the words between the number of nodes and why.
const between = " nodes are available: "

// parseUnfit parses a message of the scheduler. A reason may contain a full stop: the sentence ends at the first behind
// which all is what PostFilter plugins say. An event's message ends in " ..." where the scheduler cut it.
func parseUnfit(text string) (u unfit, ok bool) {
	rest, ok := strings.CutPrefix(text, "0/")
	if !ok || len(text) > mostUnfit || strings.HasSuffix(text, " ...") {
		return u, false
	}
	nodes, rest, ok := strings.Cut(rest, between)
	if u.nodes, ok = number(nodes, ok); !ok {
		return u, false
	}
	for i := 1; i < len(rest); i++ {
		if rest[i] != '.' {
			continue
		}
		next, spaced := strings.CutPrefix(rest[i+1:], " ")
		if next != "" && !spaced {
			continue
		}
		if next == "" && strings.Contains(rest[:i], ". ") {
			break // either a reason with a full stop, or what a plugin that is not known says about making room
		}
		if u.after, ok = room(next); ok {
			u.reasons = parseMisfits(rest[:i], u.nodes)
			return u, true
		}
	}
	return u, false
}

// number parses a number of nodes.
func number(text string, ok bool) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, ok && err == nil && n >= 0 && text[0] != '+'
}

// idle are what PostFilter plugins say that could make no room, up to 1.36. The last is what DynamicResources says
// if a plugin before it has refused the pod.
var idle = [...]string{"no new claims to deallocate", "still not schedulable", "plugin disabled", "All PostFilter plugins are skipped", "not found"}

// busy are what DynamicResources says that is about to make room.
var busy = [...]string{"deallocation of ResourceClaim completed", "deletion of ResourceClaim completed", "ResourceClaim unreserved for PodGroup"}

// room parses what PostFilter plugins say, and returns what of it says something. Preemption comes last: what follows
// it is its own.
func room(text string) (says string, ok bool) {
	for text != "" {
		if by, is := strings.CutPrefix(text, "preemption: "); is {
			if by == "not eligible due to preemptionPolicy=Never." || fruitless(by) {
				text = ""
			}
			return join(says, strings.TrimSuffix(text, ".")), true
		}
		one, rest, _ := strings.Cut(text, ", ")
		switch {
		case has(busy[:], one):
			says = join(says, one)
		case !has(idle[:], one):
			return "", false
		}
		text = rest
	}
	return says, true
}

// fruitless reports whether preemption says only that it would help on no node.
func fruitless(by string) bool {
	head, why, ok := strings.Cut(by, between)
	nodes, zero := strings.CutPrefix(head, "0/")
	_, ok = number(nodes, ok && zero)
	return ok && strings.IndexByte(why, '.') == len(why)-1
}

func has(list []string, text string) bool {
	for _, one := range list {
		if one == text {
			return true
		}
	}
	return false
}

func join(a, b string) string {
	if a != "" && b != "" {
		a += "; "
	}
	return a + b
}

// String returns the reason of most nodes first: "6 Insufficient cpu (0/7 nodes are available)". The taint of the control
// plane is left out beside other reasons.
func (u unfit) String() string {
	var some misfits
	for _, m := range u.reasons {
		if !m.ofControlPlane() {
			some = append(some, m)
		}
	}
	if len(some) == 0 {
		some = u.reasons
	}
	sort.Stable(some)
	texts := make([]string, len(some))
	for i, m := range some {
		texts[i] = m.text
	}
	return strings.Join(texts, ", ") + " (" + join("0/"+strconv.FormatInt(u.nodes, 10)+" nodes are available", u.after) + ")"
}

// misfit is why some nodes do not fit a pod: "6 Insufficient cpu"; nodes is 0 if it is said of all.
type misfit struct {
	text  string
	nodes int64
}

// parseMisfits parses "1 Too many pods, 6 Insufficient cpu". They are sorted as text, and no number is above that of all
// nodes: what follows a comma otherwise belongs to the reason before.
func parseMisfits(text string, nodes int64) (all misfits) {
	for _, part := range strings.Split(text, ", ") {
		count, _, ok := strings.Cut(part, " ")
		n, ok := number(count, ok)
		if !ok || n > nodes {
			n = 0
		}
		if last := len(all) - 1; last >= 0 && (n == 0 || all[last].nodes == 0 || part < all[last].text) {
			all[last].text += ", " + part
			continue
		}
		all = append(all, misfit{part, n})
	}
	return all
}

// unwanted reports whether the pod itself excludes the nodes: they say nothing of why the others don't fit. A pod of a
// DaemonSet excludes all nodes but one.
func (m misfit) unwanted() bool {
	return strings.Contains(m.text, "didn't match Pod's node affinity/selector") || strings.Contains(m.text, "didn't satisfy plugin(s) [NodeAffinity]")
}

// controlPlane are the taints of nodes on which no workload is expected to run.
var controlPlane = [...]string{"{node-role.kubernetes.io/control-plane:", "{node-role.kubernetes.io/master:"}

// ofControlPlane reports whether the reason is the taint of the control plane, which schedulers name up to 1.33.
func (m misfit) ofControlPlane() bool {
	for _, taint := range controlPlane {
		if strings.Contains(m.text, "taint") && strings.Contains(m.text, taint) {
			return true
		}
	}
	return false
}

// misfits sorts them, most nodes first, and last those that the pod does not want.
type misfits []misfit

func (s misfits) Len() int      { return len(s) }
func (s misfits) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s misfits) Less(i, j int) bool {
	if a, b := s[i].unwanted(), s[j].unwanted(); a != b {
		return b
	}
	return s[i].nodes > s[j].nodes
}
