package kubectl

import (
	"slices"
	"strings"
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/quote"
)

func number64(n int64) *int64 { return &n }

// subjects are objects of the kinds that have commands of their own.
func subjects(context, namespace, name string) []Object {
	var all []Object
	for _, h := range []detail.Head{
		{Resource: "pods", Containers: []detail.Container{{Name: "init", Role: "init"}, {Name: "web"}, {Name: "side"}}, Ports: []detail.Port{{Number: 80}, {Number: 8443}}},
		{Resource: "deployments.apps", Replicas: number64(3), Containers: []detail.Container{{Name: "web"}}},
		{Resource: "nodes"}, {Resource: "cronjobs.batch"}, {Resource: "services", Ports: []detail.Port{{Number: 443}}}, {Resource: "widgets.example.com"},
	} {
		h.UID = "u" // its head has arrived
		if h.Name = name; h.Resource != "nodes" {
			h.Namespace = namespace
		}
		all = append(all, Object{Head: h, Reach: []string{"--context=" + context}})
	}
	return all
}

func TestCommandsOf(t *testing.T) {
	have := map[string]string{}
	for _, s := range subjects("prod", "shop", "web") {
		keys := map[string]bool{}
		for _, c := range Commands(s, quote.Sh) {
			if keys[c.Key] || c.Key == "" {
				t.Errorf("%s: the key %q is of two", s.Resource, c.Key)
			}
			keys[c.Key] = true
			have[s.Resource+" "+c.Key] = c.Text()
		}
	}
	for at, want := range map[string]string{
		"pods d":             "kubectl describe --context=prod --namespace=shop pods/web",
		"pods l":             "kubectl logs --context=prod --namespace=shop pods/web -f -c web",
		"pods e":             "kubectl exec --context=prod --namespace=shop -it pods/web -c web -- sh",
		"pods f":             "kubectl port-forward --context=prod --namespace=shop pods/web 8080:80 8443:8443",
		"pods t":             "kubectl top pod --context=prod --namespace=shop -- web",
		"deployments.apps r": "kubectl rollout restart --context=prod --namespace=shop deployments.apps/web",
		"deployments.apps s": "kubectl scale --context=prod --namespace=shop deployments.apps/web --replicas=3",
		"nodes D":            "kubectl drain --context=prod nodes/web --ignore-daemonsets --delete-emptydir-data",
		"nodes c":            "kubectl cordon --context=prod nodes/web",
		"cronjobs.batch n":   "kubectl create job --context=prod --namespace=shop web-by-hand --from=cronjob/web",
		"cronjobs.batch s":   `kubectl patch --context=prod --namespace=shop cronjobs.batch/web -p "spec: {suspend: true}"`,
		"services f":         "kubectl port-forward --context=prod --namespace=shop services/web 8443:443",

		"widgets.example.com X": "kubectl delete --context=prod --namespace=shop widgets.example.com/web",
	} {
		if have[at] != want {
			t.Errorf("%s: %s\nwant %s", at, have[at], want)
		}
	}
	s := subjects("prod", "shop", "web")[0]
	if s.Default = "side"; s.container() != "side" {
		t.Errorf("%q is meant, and not what the object says", s.container())
	}
	if s.Chosen = "web"; s.container() != "web" {
		t.Errorf("%q is meant, and not what is chosen", s.container())
	}
	if s.Chosen = "side"; !slices.ContainsFunc(Commands(s, quote.Sh), func(c Command) bool { return strings.HasSuffix(c.Text(), "-f -c side") }) {
		t.Error("the container that is chosen is not asked for")
	}
}

// TestForward checks that every port is forwarded from a local port of its own.
func TestForward(t *testing.T) {
	for want, numbers := range map[string][]int64{
		"9443:443 8443:8443":           {443, 8443},
		"8080:80 9443:443 8443:8443":   {80, 443, 8443},
		"10080:80 9080:9080 8080:8080": {80, 9080, 8080},
		"8080:80":                      {80, 80, 0, 1 << 16},
		"2001:2001 2002:2002 2003:2003 2004:2004 2005:2005 2006:2006 2007:2007 2008:2008": {2001, 2002, 2003, 2004, 2005, 2006, 2007, 2008, 2009},
		"8053:53 8023:23 9023:1023": {53, 23, 1023},
	} {
		var s Object
		for _, n := range numbers {
			s.Ports = append(s.Ports, detail.Port{Number: n})
		}
		if got := strings.Join(s.forward()[2:], " "); got != want {
			t.Errorf("%v: %s, want %s", numbers, got, want)
		}
	}
}

// TestHostileCommands checks that words that a terminal interprets, or that shells parse
// differently, yield no command, and that the page says why.
func TestHostileCommands(t *testing.T) {
	for _, bad := range []string{"a\nb", "a\x1b[31m", "a\x00", "a\u202eb", "a\u2028b", "\ufeff", "a\xffb", `\'; touch x; '`, "it's", `a"b`, `a\b`} {
		for _, s := range slices.Concat(subjects(bad, "shop", "web"), subjects("prod", "shop", bad)) {
			for _, shell := range quote.Shells() {
				all := Commands(s, shell)
				for _, c := range all {
					if c.Text() != "" || c.Refused == "" {
						t.Errorf("%q for %s: %s", bad, shell, c.Text())
					}
				}
				if said := Refusals(all); len(all) == 0 || !strings.HasPrefix(said, "No command is safe to paste: ") || !strings.Contains(said, " contains ") {
					t.Errorf("%q for %s: %q", bad, shell, said)
				}
			}
		}
	}
	for _, resource := range []string{"--all", "-f", "pods;rm", "Pods", ""} {
		if all := Commands(Object{Head: detail.Head{Resource: resource, Name: "web"}}, quote.Sh); len(all) > 0 {
			t.Errorf("%q: %s", resource, all[0].Text())
		}
	}
	for _, s := range subjects("prod", "shop", "--all") {
		for _, c := range Commands(s, quote.Sh) {
			if c.Key == "n" && s.Resource == "cronjobs.batch" {
				t.Error(c.Text())
			}
		}
	}
}

// TestSomeRefused checks that commands that can be quoted stay when another one can't.
func TestSomeRefused(t *testing.T) {
	s := subjects("prod", "shop", "web")[0]
	s.Chosen, s.Containers[1].Name = "a%b", "a%b"
	all := Commands(s, quote.Cmd)
	said := Refusals(all)
	if !strings.HasPrefix(said, "Not safe to paste: ") || !strings.Contains(said, "logs") || !strings.Contains(said, "cmd expands even in quotes") {
		t.Error(said)
	}
	if !slices.ContainsFunc(all, func(c Command) bool { return c.Key == "d" && c.Refused == "" }) {
		t.Error("describe is not offered")
	}
}

// TestNothingKnown checks that no command is offered that depends on what the object is like before the
// page knows that.
func TestNothingKnown(t *testing.T) {
	for resource, key := range map[string]string{"cronjobs.batch": "s", "nodes": "c"} {
		for uid, want := range map[string]bool{"": false, "u": true} {
			s := Object{Head: detail.Head{Resource: resource, Name: "x", UID: uid}}
			if got := slices.ContainsFunc(Commands(s, quote.Sh), func(c Command) bool { return c.Key == key }); got != want {
				t.Errorf("%s %q: offered %v", resource, uid, got)
			}
		}
	}
}
