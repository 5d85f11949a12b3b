package query

import (
	"fmt"
	"strings"
	"testing"
)

// shown is what suggestions would make of a filter: what they are, how many rows
// have it, and the filter with the first of them.
func shown(filter string, all []Suggestion) string {
	var out []string
	for _, s := range all {
		one := s.Text
		if s.Count > 0 {
			one += fmt.Sprintf("(%d)", s.Count)
		}
		out = append(out, one)
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(out, " · ") + " ⇒ " + filter[:all[0].From] + all[0].Text + filter[all[0].To:]
}

// TestComplete has the cursor where the bar is.
func TestComplete(t *testing.T) {
	values := podValues(pods(t))
	for _, c := range [][2]string{
		{"|", "ns: · status: · node: · owner: · image: · name: · ready> · restarts> · age> · ip: · nominated-node: · cpu> · memory> · duration> · label. · not  · -l  · -f  ⇒ ns:"},
		{"web |", "ns: · status: · node: · owner: · image: · name: · ready> · restarts> · age> · ip: · nominated-node: · cpu> · memory> · duration> · label. · or  · and  · not  · -l  · -f  ⇒ web ns:"},
		{"st|", "status: · owner:StatefulSet/kafka(3) · owner:StatefulSet/postgres(3) · image:quay.io/strimzi/kafka:0.40.0(3) · image:quay.io/strimzi/sidecar:0.40.0(3) · owner:StatefulSet/checkout(2) · owner:StatefulSet/prometheus(1) ⇒ status:"},
		{"S|", "status: ⇒ status:"},
		{"status|", "status: · status!= ⇒ status:"},
		{"status:|", "Running(28) · Completed(2) · CrashLoopBackOff(2) · ContainerStatusUnknown(1) · Error(1) · ImagePullBackOff(1) · Init:0/1(1) · OOMKilled(1) · Pending(1) · SchedulingGated(1) · Terminating(1) ⇒ status:Running"},
		{"status:C|", "Completed(2) · CrashLoopBackOff(2) · ContainerStatusUnknown(1) ⇒ status:Completed"},
		{"status:c|", "Completed(2) · CrashLoopBackOff(2) · ContainerStatusUnknown(1) ⇒ status:Completed"},
		{"status:Running,|", "Completed(2) · CrashLoopBackOff(2) · ContainerStatusUnknown(1) · Error(1) · ImagePullBackOff(1) · Init:0/1(1) · OOMKilled(1) · Pending(1) · SchedulingGated(1) · Terminating(1) ⇒ status:Running,Completed"},
		{"status:Running,C|", "Completed(2) · CrashLoopBackOff(2) · ContainerStatusUnknown(1) ⇒ status:Running,Completed"},
		{"status:Running,|,Error", "Completed(2) · CrashLoopBackOff(2) · ContainerStatusUnknown(1) · ImagePullBackOff(1) · Init:0/1(1) · OOMKilled(1) · Pending(1) · SchedulingGated(1) · Terminating(1) ⇒ status:Running,Completed,Error"},
		{"status:Cra|xyz web", "CrashLoopBackOff(2) ⇒ status:CrashLoopBackOff web"},
		{"status:\"Cra|", "CrashLoopBackOff(2) ⇒ status:CrashLoopBackOff"},
		{"status:\"Cra|x\",Error", "CrashLoopBackOff(2) ⇒ status:CrashLoopBackOff,Error"},
		{"sta|:Running", "status: · owner:StatefulSet/kafka(3) · owner:StatefulSet/postgres(3) · owner:StatefulSet/checkout(2) · owner:StatefulSet/prometheus(1) ⇒ status:Running"},
		{"sta|tus:Running", "status: · owner:StatefulSet/kafka(3) · owner:StatefulSet/postgres(3) · owner:StatefulSet/checkout(2) · owner:StatefulSet/prometheus(1) ⇒ status:Running"},
		{"!ns:kube|", "kube-system(11) ⇒ !ns:kube-system"},
		{"(web or ns:te|", "team-a(3) · team-b(3) ⇒ (web or ns:team-a"},
		{"(web or ns:te|) x", "team-a(3) · team-b(3) ⇒ (web or ns:team-a) x"},
		{"ns = te|", "team-a(3) · team-b(3) ⇒ ns = team-a"},
		{"ns!=te|", "team-a(3) · team-b(3) ⇒ ns!=team-a"},
		{"crash|", "status:CrashLoopBackOff(2) ⇒ status:CrashLoopBackOff"},
		{"te|", "ns:team-a(3) · ns:team-b(3) · image:registry.example.com:5000/team-a/api:dev(2) · image:registry.example.com:5000/team-b/worker:dev(2) · status:Terminating(1) · image:registry.example.com:5000/team-b/api:dev(1) ⇒ ns:team-a"},
		{"n|", "ns: · node: · name: · nominated-node: · not  ⇒ ns:"},
		{"no|", "node: · nominated-node: · owner:DaemonSet/node-exporter(2) · owner:Node/n1(2) · image:quay.io/prometheus/node-exporter:v1.8.2(1) · image:quay.io/prometheus/node-exporter:v9.9.9(1) · not  ⇒ node:"},
		{"a|", "age> · age< ⇒ age>"},
		{"ag|", "age> · age< ⇒ age>"},
		{"age>|", "5m · 1h · 1d · 7d · 30d ⇒ age>5m"},
		{"age > 1|", "1h · 1d ⇒ age > 1h"},
		{"restarts>|", "none"},
		{"rest|", "restarts> · restarts< ⇒ restarts>"},
		{"web o|", "owner: · or  ⇒ web owner:"},
		{"web or |", "ns: · status: · node: · owner: · image: · name: · ready> · restarts> · age> · ip: · nominated-node: · cpu> · memory> · duration> · label. · not  · -l  · -f  ⇒ web or ns:"},
		{"o|", "owner: ⇒ owner:"},
		{"la|", "label. ⇒ label."},
		{"label.|", "label.app:(21) · label.tier:(10) · label.k8s-app:(7) · label.app.kubernetes.io/name:(5) · label.team:(5) · label.job:(4) · label.version:(4) · label.app.kubernetes.io/part-of:(3) · label.role:(3) · label.component:(2) · label.size:(2) · label.canary:(1) ⇒ label.app:"},
		{"label.app.|", "label.app.kubernetes.io/name:(5) · label.app.kubernetes.io/part-of:(3) ⇒ label.app.kubernetes.io/name:"},
		{"label.app:|", "web(4) · api(3) · kafka(3) · postgres(3) · cart(2) · checkout(2) · flannel(2) · worker(2) ⇒ label.app:web"},
		{"label.app:web,c|", "cart(2) · checkout(2) ⇒ label.app:web,cart"},
		{"image:ng|", "docker.io/library/nginx:1.25(3) · docker.io/library/nginx:1.26(1) ⇒ image:docker.io/library/nginx:1.25"},
		{"image:docker.io/l|", "docker.io/library/nginx:1.25(3) · docker.io/library/nginx:1.26(1) ⇒ image:docker.io/library/nginx:1.25"},
		{"owner:ReplicaSet/w|", "ReplicaSet/web-5d9c7b(3) · ReplicaSet/web-canary-6f7d(1) ⇒ owner:ReplicaSet/web-5d9c7b"},
		{"-|", "-l  · -f  ⇒ -l "},
		{"-l |", "app=(21) · tier=(10) · k8s-app=(7) · app.kubernetes.io/name=(5) · team=(5) · job=(4) · version=(4) · app.kubernetes.io/part-of=(3) · role=(3) · component=(2) · size=(2) · canary=(1) ⇒ -l app="},
		{"-l ti|", "tier=(10) ⇒ -l tier="},
		{"-l app=|", "web(4) · api(3) · kafka(3) · postgres(3) · cart(2) · checkout(2) · flannel(2) · worker(2) ⇒ -l app=web"},
		{"-l app=w|eb", "web(4) · worker(2) ⇒ -l app=web"},
		{"-l app=web,ti|", "tier=(10) ⇒ -l app=web,tier="},
		{"-l app=web,tier=|", "back(4) · front(4) · control-plane(2) ⇒ -l app=web,tier=back"},
		{"-l app!=c|", "cart(2) · checkout(2) ⇒ -l app!=cart"},
		{"-f w|", "none"},
		{"/we|", "none"},
		{"\"we|", "none"},
		{"status:/Ru|", "none"},
		{"foo:b|", "none"},
		{"a) st|", "status: · owner:StatefulSet/kafka(3) · owner:StatefulSet/postgres(3) · image:quay.io/strimzi/kafka:0.40.0(3) · image:quay.io/strimzi/sidecar:0.40.0(3) · owner:StatefulSet/checkout(2) · owner:StatefulSet/prometheus(1) ⇒ a) status:"},
		{"st| web", "status: · owner:StatefulSet/kafka(3) · owner:StatefulSet/postgres(3) · image:quay.io/strimzi/kafka:0.40.0(3) · image:quay.io/strimzi/sidecar:0.40.0(3) · owner:StatefulSet/checkout(2) · owner:StatefulSet/prometheus(1) ⇒ status: web"},
	} {
		before, after, _ := strings.Cut(c[0], "|")
		got := shown(before+after, Complete(before+after, len(before), podSchema, values))
		if got != c[1] {
			t.Errorf("%s: %s, not %s", c[0], got, c[1])
		}
	}
}

// TestSpoken suggests terms for words of people, where the term's field is known.
func TestSpoken(t *testing.T) {
	known := Schema{Columns: []Column{{Name: "Restarts", Kind: NumberColumn}, {Name: "Exit", Kind: TextColumn}, {Name: "Last Restart", Kind: DurationColumn}}}
	for typed, want := range map[string]string{"oom": "exit:OOMKilled", "OOMKilled": "exit:OOMKilled", "out-of": "exit:OOMKilled", "restarted": "last-restart<1h", "oo": "", "oomph": ""} {
		got := ""
		for _, s := range Complete("web "+typed, len("web "+typed), known, func(string, string) []ValueCount { return nil }) {
			if s.Kind == SuggestTerm {
				got += s.Text
				if f, err := Parse(s.Text); err != nil {
					t.Error(err)
				} else if _, err = Bind(f, known); err != nil || s.From != len("web ") {
					t.Errorf("%s at %d: %v", s.Text, s.From, err)
				}
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
	if all := Complete("oom", 3, Schema{}, func(string, string) []ValueCount { return nil }); len(all) > 0 {
		t.Errorf("a list without exits: %+v", all)
	}
}

// TestSuggestionsAreFilters takes every suggestion for every place in every filter
// of testdata: they stand in the filter, and there are no more than can be read.
func TestSuggestionsAreFilters(t *testing.T) {
	values := podValues(pods(t))
	taken := 0
	for _, f := range filters(t) {
		for cursor := 0; cursor <= len(f[0]); cursor++ {
			all := Complete(f[0], cursor, podSchema, values)
			if len(all) > mostSuggestions {
				t.Fatalf("%q at %d: %d", f[0], cursor, len(all))
			}
			for _, s := range all {
				if s.From < 0 || s.From > cursor || s.To < cursor || s.To > len(f[0]) || s.Text == "" {
					t.Fatalf("%q at %d: %+v", f[0], cursor, s)
				}
				if s.Kind != SuggestValue || cursor < len(f[0]) {
					continue
				}
				taken++
				if _, err := Parse(f[0][:s.From] + s.Text + f[0][s.To:]); err != nil {
					t.Errorf("%q with %q: %v", f[0], s.Text, err)
				}
			}
		}
	}
	if taken < 100 {
		t.Error(taken)
	}
}
