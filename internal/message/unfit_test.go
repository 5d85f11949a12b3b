package message

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestUnfit(t *testing.T) {
	const idle46 = "preemption: 0/46 nodes are available: 46 Preemption is not helpful for scheduling."
	for text, want := range map[string]string{
		"":                        "",
		"no such thing":           "no such thing",
		"0/7 nodes are available": "0/7 nodes are available",
		// issue 45, item 9
		`0/17 nodes are available: 1 node(s) had untolerated taint(s), 16 Insufficient memory. no new claims to deallocate, preemption: 0/17 nodes are available: 1 Preemption is not helpful for scheduling, 16 No preemption victims found for incoming pod.`: "16 Insufficient memory, 1 node(s) had untolerated taint(s) (0/17 nodes are available)",
		`0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.`:                       "1 node(s) had untolerated taint(s), 1 node(s) didn't match Pod's node affinity/selector (0/2 nodes are available)",
		`0/1 nodes are available: persistentvolumeclaim "x" not found. not found`:                                                           `persistentvolumeclaim "x" not found (0/1 nodes are available)`,
		`0/1 nodes are available: persistentvolumeclaim "x.y" not found. ` + strings.ReplaceAll(idle46, "46", "1"):                          `persistentvolumeclaim "x.y" not found (0/1 nodes are available)`,
		"0/7 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 6 Insufficient cpu. " + idle46: "6 Insufficient cpu (0/7 nodes are available)",
		"0/1 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }.":                               "1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: } (0/1 nodes are available)",
		"0/5 nodes are available: 1 Too many pods, 4 node(s) didn't match Pod's node affinity/selector.":                                    "1 Too many pods, 4 node(s) didn't match Pod's node affinity/selector (0/5 nodes are available)",
		"0/46 nodes are available: 1 Insufficient cpu, 45 node(s) didn't satisfy plugin(s) [NodeAffinity].":                                 "1 Insufficient cpu, 45 node(s) didn't satisfy plugin(s) [NodeAffinity] (0/46 nodes are available)",
		"0/7 nodes are available: pod has unbound immediate PersistentVolumeClaims. still not schedulable":                                  "pod has unbound immediate PersistentVolumeClaims (0/7 nodes are available)",
		"0/3 nodes are available: 3 node(s) had a, b taint.":                                                                                "3 node(s) had a, b taint (0/3 nodes are available)",
		"0/3 nodes are available: 1 wants 2, 4 or 8, 2 Insufficient cpu.":                                                                   "2 Insufficient cpu, 1 wants 2, 4 or 8 (0/3 nodes are available)",
		"0/3 nodes are available: 1 is full. Try later, 2 Insufficient cpu. " + idle46:                                                      "2 Insufficient cpu, 1 is full. Try later (0/3 nodes are available)",
		"0/3 nodes are available: 3 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.":                              "3 Insufficient cpu (0/3 nodes are available)",
		"0/3 nodes are available: 3 Insufficient cpu. preemption: not eligible due to a terminating pod on the nominated node.":             "3 Insufficient cpu (0/3 nodes are available; preemption: not eligible due to a terminating pod on the nominated node)",
		"0/3 nodes are available: 3 cannot allocate all claims. deallocation of ResourceClaim completed, " + idle46:                         "3 cannot allocate all claims (0/3 nodes are available; deallocation of ResourceClaim completed)",
		"0/3 nodes are available: 3 Insufficient cpu. " + idle46[:len(idle46)-1] + "., quota says no.":                                      "3 Insufficient cpu (0/3 nodes are available; " + idle46[:len(idle46)-1] + "., quota says no)",
		// What the grammar has not is shown as it is: a plugin of somebody else, a message that was cut, one of before 1.26.
		"0/3 nodes are available: 3 Insufficient cpu. quota says no, " + idle46: "0/3 nodes are available: 3 Insufficient cpu. quota says no, " + idle46,
		"0/3 nodes are available: 1 Too many pods, 2 Insuffi ...":               "0/3 nodes are available: 1 Too many pods, 2 Insuffi ...",
		"0/3 nodes are available: 1 Too many pods, 2 Insufficient cpu":          "0/3 nodes are available: 1 Too many pods, 2 Insufficient cpu",
		"0/x nodes are available: 3 Insufficient cpu.":                          "0/x nodes are available: 3 Insufficient cpu.",
		"0/4 placements are available, first placement status: no":              "0/4 placements are available, first placement status: no",
	} {
		if got := Lead(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// reasons are those of the Filter plugins of Kubernetes 1.32 to 1.37: the texts of their NewStatus.
var reasons = []string{
	"node(s) did not have enough free storage", "node(s) didn't find available persistent volumes to bind", "node(s) didn't have free ports for the requested pod ports",
	"node(s) didn't match PersistentVolume's node affinity", "node(s) had volume node affinity conflict", "node(s) didn't match Pod's node affinity/selector", "node(s) didn't match Pod's required features", "node(s) didn't match pod affinity rules",
	"node(s) didn't match pod anti-affinity rules", "node(s) didn't match pod topology spread constraints", "node(s) didn't match pod topology spread constraints (missing required label)",
	"node(s) didn't match scheduler-enforced node affinity", "node(s) didn't match the requested node name", "node(s) didn't satisfy existing pods anti-affinity rules",
	"node(s) didn't satisfy plugin(s) [NodeAffinity]", "node(s) exceed max volume count", "node(s) had no available disk", "node(s) had no available volume zone", "node(s) had unknown conditions",
	"node(s) had untolerated taint {dedicated: user1}", "node(s) had untolerated taint {example.com/a.b: c.d}", "node(s) had untolerated taint(s)",
	"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod", "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)", "node(s) were unschedulable",
	"Insufficient cpu", "Insufficient ephemeral-storage", "Insufficient nvidia.com/gpu", "Too many pods", "cannot allocate all claims", "cannot fit resource", "cannot schedule extended resource claim", "resourceclaim not available on the node",
	"asked by caller to stop allocating devices: context canceled", "waiting for minCount pods from a gang to be scheduled",
}

// preFilters are those of the PreFilter plugins.
var preFilters = []string{
	"pod has unbound immediate PersistentVolumeClaims", `persistentvolumeclaim "a.b-1" not found`, `persistentvolumeclaim "a" is being deleted`, `persistentvolumeclaim "a" bound to non-existent persistentvolume "b"`,
	`waiting for ephemeral volume controller to create the persistentvolumeclaim "a-b"`, "node(s) didn't satisfy plugin NodeAffinity", "node(s) didn't satisfy plugin(s) [NodeAffinity Other] simultaneously", "resourceclaim in use",
	"resource claim a/b, request gpu: unknown request type", "request gpu: device class big does not exist", `waiting for pods's pod group "g" to appear in scheduling queue`, "node(s) didn't match scheduler-enforced node affinity",
}

// postFilters are what PostFilter plugins say without effect, in the order of the default profile.
var postFilters = []string{"", "not found", "no new claims to deallocate", "plugin disabled", "still not schedulable", "no new claims to deallocate, PREEMPTION", "PREEMPTION", "preemption: not eligible due to preemptionPolicy=Never."}

// fitError writes a message as FitError.Error does.
func fitError(all int, preFilter string, counts map[string]int, postFilter string) string {
	text := fmt.Sprintf("0/%v nodes are available:", all)
	if preFilter != "" {
		text += fmt.Sprintf(" %v.", preFilter)
	} else {
		var some []string
		for reason, n := range counts {
			some = append(some, fmt.Sprintf("%v %v", n, reason))
		}
		slices.Sort(some)
		text += fmt.Sprintf(" %v.", strings.Join(some, ", "))
	}
	if postFilter != "" {
		text += fmt.Sprintf(" %v", postFilter)
	}
	return text
}

// TestFitErrors reads back what the scheduler writes, of any of its plugins' reasons.
func TestFitErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for range 5000 {
		all, counts := 1+r.IntN(200), map[string]int{}
		for range 1 + r.IntN(5) {
			counts[reasons[r.IntN(len(reasons))]] = 1 + r.IntN(all)
		}
		preFilter := ""
		if r.IntN(4) == 0 {
			preFilter = preFilters[r.IntN(len(preFilters))]
		}
		idle := "preemption: " + fitError(all, "", map[string]int{"Preemption is not helpful for scheduling": 1 + r.IntN(all), "No preemption victims found for incoming pod": 1, "node(s) didn't match pod anti-affinity rules": 1}, "")
		text := fitError(all, preFilter, counts, strings.Replace(postFilters[r.IntN(len(postFilters))], "PREEMPTION", idle, 1))
		u, ok := parseUnfit(text)
		if !ok || u.nodes != int64(all) || u.after != "" {
			t.Fatalf("%s\n%+v", text, u)
		}
		if preFilter != "" {
			if u.String() != fmt.Sprintf("%s (0/%d nodes are available)", preFilter, all) {
				t.Fatalf("%s\n%s", text, u)
			}
			continue
		}
		got := map[string]int{}
		for _, m := range u.reasons {
			got[strings.SplitN(m.text, " ", 2)[1]] = int(m.nodes)
		}
		if fmt.Sprint(got) != fmt.Sprint(counts) {
			t.Fatalf("%s\n%v", text, got)
		}
	}
}

// FuzzLead holds that no message panics or takes long, and that what is read as the scheduler's loses no reason.
func FuzzLead(f *testing.F) {
	f.Add("0/7 nodes are available: 1 a, 6 b. c. no new claims to deallocate, preemption: 0/7 nodes are available: 1 a.")
	f.Add("0/7 nodes are available: " + strings.Repeat("a. preemption: ", 500))
	f.Add(`Error creating: pods "a" is forbidden: admission webhook "b" denied the request: c`)
	f.Fuzz(func(t *testing.T, text string) {
		got := Lead(text)
		if u, ok := parseUnfit(text); ok {
			for _, m := range u.reasons {
				if !m.ofControlPlane() && !strings.Contains(got, m.text) || !strings.Contains(text, m.text) {
					t.Errorf("%q: %q", text, got)
				}
			}
		} else if strings.HasPrefix(text, "0/") && got != text {
			t.Errorf("%q: %q", text, got)
		}
	})
}
