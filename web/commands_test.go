package web

import (
	"slices"
	"strings"
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/quote"
	"watchglass/internal/wire"
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
		h.UID = "u" // its head has arrived
		if h.Name = name; h.Resource != "nodes" {
			h.Namespace = namespace
		}
		all = append(all, subject{Head: h, reach: []string{"--context=" + context}})
	}
	return all
}

func TestCommandsOf(t *testing.T) {
	have := map[string]string{}
	for _, s := range subjects("prod", "shop", "web") {
		keys := map[string]bool{}
		for _, c := range commandsFor(s, quote.Sh) {
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
	if s.chosen = "web"; s.container() != "web" {
		t.Errorf("%q is meant, and not what is chosen", s.container())
	}
	if s.chosen = "side"; !slices.ContainsFunc(commandsFor(s, quote.Sh), func(c objectCommand) bool { return strings.HasSuffix(c.text(), "-f -c side") }) {
		t.Error("the container that is chosen is not asked for")
	}
}

// currentContext is said of commands that name no context.
const currentContext = " Runs in your current context: check that it is this cluster."

// TestReach checks that every command names the cluster and the user as kubectl does, and that the page
// says so where it does not know their names.
func TestReach(t *testing.T) {
	for want, reach := range map[string][]string{
		"kubectl delete --kubeconfig=/lab.yaml --context=prod --cluster=staging --as=ana --namespace=a pods/p1": {"--kubeconfig=/lab.yaml", "--context=prod", "--cluster=staging", "--as=ana"},
		"kubectl delete --namespace=a pods/p1": nil,
	} {
		onPage(t, "/pods?n=a&sel=a/p1", func(t *testing.T, w *tab) {
			w.live()
			w.page.state.Proxy = &wire.Welcome{Context: "prod", Reach: reach}
			caution := ""
			if reach == nil {
				caution = currentContext
			}
			w.Act(Commands, "")
			if got := content(parts(t, w.page.dialogs.draw())); strings.Contains(got, currentContext) != (reach == nil) {
				t.Errorf("%q: the dialog says %s", reach, got)
			}
			w.press("X")
			if got := w.notice(); got != "Copied: "+want+caution {
				t.Errorf("%s\nwant %s", got, want+caution)
			}
			w.Act(CopyCommand, "")
			if got := w.notice(); got != "Command copied."+caution {
				t.Error(got)
			}
			w.Act(Share, "")
			if said := find(t, parts(t, w.page.dialogs.draw()), "id", "caution"); content([]*element{said}) != strings.TrimSpace(caution) {
				t.Errorf("%q: %q", reach, content([]*element{said}))
			}
		})
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
		var s subject
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
				all := commandsFor(s, shell)
				for _, c := range all {
					if c.text() != "" || c.refused == "" {
						t.Errorf("%q for %s: %s", bad, shell, c.text())
					}
				}
				if said := refusedWords(all); len(all) == 0 || !strings.HasPrefix(said, "No command is safe to paste: ") || !strings.Contains(said, " contains ") {
					t.Errorf("%q for %s: %q", bad, shell, said)
				}
			}
		}
	}
	for _, resource := range []string{"--all", "-f", "pods;rm", "Pods", ""} {
		if all := commandsFor(subject{Head: detail.Head{Resource: resource, Name: "web"}}, quote.Sh); len(all) > 0 {
			t.Errorf("%q: %s", resource, all[0].text())
		}
	}
	for _, s := range subjects("prod", "shop", "--all") {
		for _, c := range commandsFor(s, quote.Sh) {
			if c.key == "n" && s.Resource == "cronjobs.batch" {
				t.Error(c.text())
			}
		}
	}
}

// TestShellOfCommands checks that commands are quoted for the shell stored in the browser, or by
// default for the platform's.
func TestShellOfCommands(t *testing.T) {
	onPage(t, "/pods?sel=a/p$1", func(t *testing.T, w *tab) {
		w.live()
		shown := func() string { return content(parts(t, w.page.dialogs.draw())) }
		w.Act(Commands, "")
		if got := shown(); !strings.Contains(got, "'pods/p$1'") {
			t.Errorf("for sh: %s", got)
		}
		w.Act(PickShell, "cmd")
		if got := shown(); strings.Contains(got, "kubectl describe") || !strings.Contains(got, `No command is safe to paste: "pods/p$1" contains $`) {
			t.Errorf("for cmd: %s", got)
		}
		if got := w.screen.takeCalls(); !strings.HasSuffix(got, "remember shell cmd") {
			t.Error(got)
		}
		if w.press("d"); w.screen.takeCalls() != "" {
			t.Error("a key copies what is not safe")
		}
		w.Act(PickShell, "powershell")
		w.screen.takeCalls()
		w.press("d")
		if got := w.screen.takeCalls(); !strings.HasSuffix(got, `copy kubectl describe "--namespace=a" 'pods/p$1'`) {
			t.Error(got)
		}
		w.Act(PickShell, "csh")
		if got := w.page.commands.quoteFor; got != quote.PowerShell {
			t.Error(got)
		}
	})
	for want, s := range map[quote.Shell]*screen{
		quote.Sh: {}, quote.PowerShell: {wins: true}, quote.Fish: {wins: true, kept: map[string]string{"shell": "fish"}},
	} {
		if got := recalledShell(s); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestSomeRefused checks that commands that can be quoted stay when another one can't.
func TestSomeRefused(t *testing.T) {
	s := subjects("prod", "shop", "web")[0]
	s.chosen, s.Containers[1].Name = "a%b", "a%b"
	all := commandsFor(s, quote.Cmd)
	said := refusedWords(all)
	if !strings.HasPrefix(said, "Not safe to paste: ") || !strings.Contains(said, "logs") || !strings.Contains(said, "cmd expands even in quotes") {
		t.Error(said)
	}
	if !slices.ContainsFunc(all, func(c objectCommand) bool { return c.key == "d" && c.refused == "" }) {
		t.Error("describe is not offered")
	}
}

// TestNothingKnown checks that no command is offered that depends on what the object is like before the
// page knows that.
func TestNothingKnown(t *testing.T) {
	for resource, key := range map[string]string{"cronjobs.batch": "s", "nodes": "c"} {
		for uid, want := range map[string]bool{"": false, "u": true} {
			s := subject{Head: detail.Head{Resource: resource, Name: "x", UID: uid}}
			if got := slices.ContainsFunc(commandsFor(s, quote.Sh), func(c objectCommand) bool { return c.key == key }); got != want {
				t.Errorf("%s %q: offered %v", resource, uid, got)
			}
		}
	}
}
