package web

import (
	"slices"
	"strings"
	"testing"

	"watchglass/internal/detail"
)

func number64(n int64) *int64 { return &n }

// subjects are objects of the kinds that have commands of their own.
func subjects(context, namespace, name string) []subject {
	var all []subject
	for _, h := range []detail.Head{
		{Resource: "pods", Containers: []detail.Container{{Name: "init", Role: "init"}, {Name: "web"}, {Name: "side"}}, Ports: []detail.Port{{Number: 80}, {Number: 8443}}},
		{Resource: "deployments.apps", Replicas: number64(3), Containers: []detail.Container{{Name: "web"}}},
		{Resource: "nodes"}, {Resource: "cronjobs.batch"}, {Resource: "services", Ports: []detail.Port{{Number: 443}}}, {Resource: "widgets.example.com"},
	} {
		if h.Name = name; h.Resource != "nodes" {
			h.Namespace = namespace
		}
		all = append(all, subject{Head: h, context: context})
	}
	return all
}

func TestCommandsOf(t *testing.T) {
	have := map[string]string{}
	for _, s := range subjects("prod", "shop", "web") {
		keys := map[string]bool{}
		for _, c := range commandsFor(s) {
			if keys[c.key] || c.key == "" {
				t.Errorf("%s: the key %q is of two", s.Resource, c.key)
			}
			keys[c.key] = true
			have[s.Resource+" "+c.key] = c.text()
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
		"cronjobs.batch s":   `kubectl patch --context=prod --namespace=shop cronjobs.batch/web -p '{"spec":{"suspend":true}}'`,
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
	if s.chosen = "web"; s.container() != "web" {
		t.Errorf("%q is meant, and not what is chosen", s.container())
	}
	if s.chosen = "side"; !slices.ContainsFunc(commandsFor(s), func(c objectCommand) bool { return strings.HasSuffix(c.text(), "-f -c side") }) {
		t.Error("the container that is chosen is not asked for")
	}
}

// TestHostileCommands holds that what a terminal acts on has no command.
func TestHostileCommands(t *testing.T) {
	for _, bad := range []string{"a\nb", "a\x1b[31m", "a\x00", "a\u202eb", "a\u2028b", "\ufeff", "a\xffb"} {
		for _, s := range slices.Concat(subjects(bad, "shop", "web"), subjects("prod", "shop", bad)) {
			if all := commandsFor(s); len(all) > 0 {
				t.Errorf("%q: %s", bad, all[0].text())
			}
		}
	}
	for _, resource := range []string{"--all", "-f", "pods;rm", "Pods", ""} {
		if all := commandsFor(subject{Head: detail.Head{Resource: resource, Name: "web"}}); len(all) > 0 {
			t.Errorf("%q: %s", resource, all[0].text())
		}
	}
	for _, s := range subjects("prod", "shop", "--all") {
		for _, c := range commandsFor(s) {
			if c.key == "n" && s.Resource == "cronjobs.batch" {
				t.Error(c.text())
			}
		}
	}
}
