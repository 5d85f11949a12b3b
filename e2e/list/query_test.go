package list

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"watchglass/e2e/browser"
	"watchglass/e2e/stage"
)

// jsonKeys prints ns/name and one more value, a line each.
func jsonKeys(value string) string {
	return `-o=jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name} {` + value + `}{"\n"}{end}`
}

// view goes to a view of the pods in a tab that has them already.
func (e eyes) view(query string) browser.Rows {
	e.T.Helper()
	e.Visit("/pods?" + query)
	return e.Rows()
}

// TestSameSets asks the tab and kubectl the same, and wants the same pods.
func TestSameSets(t *testing.T) {
	e := show(t, "/pods")
	for _, tc := range []struct {
		name, query string
		args        []string
		grep        []string // what kubectl's lines are searched for
		all         bool     // every pod of the cluster matches
	}{
		{name: "everything", args: []string{"-A"}, all: true},
		{name: "a namespace", query: "n=checkout", args: []string{"-n", "checkout"}},
		{name: "a label", query: "l=team=payments", args: []string{"-A", "-l", "team=payments"}},
		{name: "not a label", query: "l=team!=payments", args: []string{"-A", "-l", "team!=payments"}},
		{name: "a set", query: "l=team in (payments,orders),app", args: []string{"-A", "-l", "team in (payments,orders),app"}},
		{name: "without", query: "l=!wave,team notin (payments)", args: []string{"-A", "-l", "!wave,team notin (payments)"}},
		{name: "a namespace and a label", query: "n=orders&l=app!=api", args: []string{"-n", "orders", "-l", "app!=api"}},
		{name: "a text", query: "q=crashloop", args: []string{"-A"}, grep: []string{"crashloop"}},
		{name: "two words", query: "q=pay Running", args: []string{"-A"}, grep: []string{"pay", "running"}},
		{name: "nothing", query: "q=no-such-pod-anywhere", args: []string{"-A"}, grep: []string{"no-such-pod-anywhere"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := eyes{e.In(t)}
			rows := e.view(encode(t, tc.query))
			have := rows.Keys()
			want := kubectlKeys(t, tc.args, tc.grep)
			slices.Sort(have)
			slices.Sort(want)
			if !slices.Equal(have, want) {
				t.Errorf("the tab has %d rows, kubectl %d; %s", len(have), len(want), stage.FirstDifference(have, want))
			}
			if rows.Total != len(want) {
				t.Errorf("the tab says it has %d", rows.Total)
			}
			if tc.name != "nothing" && (len(want) == 0 || !tc.all && len(want) >= podsSeeded) {
				t.Errorf("%d pods match: that shows nothing", len(want))
			}
		})
	}
}

// encode makes the query of an address of one that is written to be read.
func encode(t *testing.T, query string) string {
	t.Helper()
	values := url.Values{}
	for part := range strings.SplitSeq(query, "&") {
		if name, value, ok := strings.Cut(part, "="); ok {
			values.Set(name, value)
		}
	}
	return values.Encode()
}

// kubectlKeys are the keys of the pods that kubectl lists, of those whose line has
// every word.
func kubectlKeys(t *testing.T, args, words []string) []string {
	t.Helper()
	if len(words) == 0 {
		lines := stage.Kubectl(t, append([]string{"get", "pods", jsonKeys(".metadata.uid")}, args...)...)
		for i, line := range lines {
			lines[i], _, _ = strings.Cut(line, " ")
		}
		return lines
	}
	var out []string
	for _, line := range stage.Kubectl(t, append([]string{"get", "pods", "--no-headers"}, args...)...) {
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(strings.ToLower(line), w) }) {
			continue
		}
		fields := strings.Fields(line)
		out = append(out, fields[0]+"/"+fields[1])
	}
	return out
}

// TestSameOrder sorts as kubectl's --sort-by does, where the keys differ.
func TestSameOrder(t *testing.T) {
	e := show(t, "/pods")
	for _, tc := range []struct {
		query, path string
		reverse     bool
	}{
		{query: "sort=Name", path: ".metadata.name"},
		{query: "sort=-Name", path: ".metadata.name", reverse: true},
		{query: "sort=-Age", path: ".metadata.creationTimestamp"}, // the oldest first, as by their birth
		{query: "sort=Age", path: ".metadata.creationTimestamp", reverse: true},
		{query: "sort=Node&cols=wide&l=team=payments", path: ".spec.nodeName"},
		{query: "sort=IP&cols=wide&l=team=payments", path: ".status.podIP"},
		{query: "sort=Namespace", path: ".metadata.namespace"},
	} {
		t.Run(tc.query, func(t *testing.T) {
			e := eyes{e.In(t)}
			args := []string{"get", "pods", "-A", "--sort-by=" + tc.path, jsonKeys(tc.path)}
			if strings.Contains(tc.query, "l=team") {
				args = append(args, "-l", "team=payments")
			}
			value, want := make(map[string]string), []string(nil)
			for _, line := range stage.Kubectl(t, args...) {
				key, v, _ := strings.Cut(line, " ")
				if v == "" {
					continue // without a value kubectl has an order of its own
				}
				value[key] = v
				want = append(want, v)
			}
			var have []string
			for _, key := range e.view(tc.query).Keys() {
				if v := value[key]; v != "" {
					have = append(have, v)
				}
			}
			if tc.reverse {
				slices.Reverse(want)
			}
			if !slices.Equal(have, want) {
				t.Errorf("%d and %d values; %s", len(have), len(want), stage.FirstDifference(have, want))
			}
			if want[0] == want[len(want)-1] {
				t.Error("all values are the same: that shows nothing")
			}
		})
	}
}
