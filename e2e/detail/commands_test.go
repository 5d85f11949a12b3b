package detail

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// commanded are objects that have commands; %s is the namespace. Some are named so that
// a name could be taken for something else.
const commanded = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: %[1]s}
spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: registry.example/app:1, ports: [{containerPort: 80}]}]}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: 0-nightly, namespace: %[1]s}
spec: {schedule: "0 0 * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: registry.example/app:1}]}}}}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: %[1]s}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: 0-web, namespace: %[1]s, annotations: {kubectl.kubernetes.io/default-container: main}}
spec: {containers: [{name: side, image: registry.example/app:1}, {name: main, image: registry.example/app:1, ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Node
metadata: {name: %[1]s}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: --all}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "-it $(false)"}
`

// trials are how a command is tried that would change something, wait for somebody or need
// a kubelet: a flag more, by its first words.
var trials = map[string]string{
	"scale": "--dry-run=server", "patch": "--dry-run=server", "create job": "--dry-run=server", "label": "--dry-run=server", "annotate": "--dry-run=server",
	"delete": "--dry-run=server", "rollout undo": "--dry-run=server", "cordon": "--dry-run=server", "uncordon": "--dry-run=server", "drain": "--dry-run=server",
	"rollout status": "--watch=false", "logs": "--pod-running-timeout=1s", "exec": "--pod-running-timeout=1s", "port-forward": "--pod-running-timeout=1s", "debug": "--attach=false",
}

// refusals are what may be said where there is no kubelet, no controller and no metrics,
// by the first words of the command. All else has to do.
var refusals = map[string]*regexp.Regexp{
	"logs":         regexp.MustCompile(`timed out waiting for the condition`),
	"exec":         regexp.MustCompile(`does not have a host assigned|timed out waiting for the condition`),
	"port-forward": regexp.MustCompile(`pod is not running|timed out waiting for the condition`),
	"top":          regexp.MustCompile(`Metrics API not available`),
	"rollout undo": regexp.MustCompile(`no rollout history found`),
}

// firstWords are those that say what a command does.
func firstWords(command string) string {
	words, _, _ := strings.Cut(strings.TrimPrefix(command, "kubectl "), " --")
	words, _, _ = strings.Cut(words, " -")
	return strings.TrimSuffix(strings.TrimSuffix(words, " pod"), " node")
}

// TestCommandsRun has a shell and the real kubectl run each command that the page shows.
func TestCommandsRun(t *testing.T) {
	ns := stage.Namespace(t)
	stage.Apply(t, fmt.Sprintf(commanded, ns))
	t.Cleanup(func() {
		if _, err := stage.Cluster.Kubectl(context.Background(), "delete", "clusterroles.rbac.authorization.k8s.io/--all", "clusterroles.rbac.authorization.k8s.io/-it $(false)", "nodes/"+ns); err != nil {
			t.Error(err)
		}
		if _, err := stage.Cluster.Kubectl(context.Background(), "delete", "-n", ns, "cronjobs.batch/0-nightly"); err != nil {
			t.Error(err)
		}
	})
	config := stage.Kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{})
	run := shell(t, config)
	tried := map[string]bool{}
	for _, o := range []struct{ kind, resource, name string }{
		{"Pod", "pods", "0-web"}, {"Deployment", "deployments.apps", "web"}, {"CronJob", "cronjobs.batch", "0-nightly"}, {"Service", "services", "web"},
		{"Node", "nodes", ns}, {"ClusterRole", "clusterroles.rbac.authorization.k8s.io", "--all"}, {"ClusterRole", "clusterroles.rbac.authorization.k8s.io", "-it $(false)"},
	} {
		key := ns + "/" + o.name
		if o.kind == "Node" || o.kind == "ClusterRole" {
			key = o.name
		}
		e := show(t, "/"+o.resource+"?sel="+url.QueryEscape(key))
		e.opened(o.kind, o.name, "summary")
		commands := e.commands()
		e.Press(kb.Escape)
		if len(commands) < 6 {
			t.Errorf("%s has the commands %q", o.name, commands)
		}
		for _, command := range commands {
			words := firstWords(command)
			tried[words] = true
			said, err := run(command, ns)
			if refusal := refusals[words]; err != nil && (refusal == nil || !refusal.MatchString(said)) {
				t.Errorf("%s: %v\n%s", command, err, said)
			}
		}
	}
	for words := range trials {
		if !tried[words] && words != "uncordon" {
			t.Errorf("no command is to %s", words)
		}
	}
}

// commands are those that the page shows for the object that is open.
func (e eyes) commands() []string {
	e.T.Helper()
	e.Press("x")
	e.Await(`document.querySelector("#commands")`)
	return stage.Eval[[]string](e, `[...document.querySelectorAll("#commands code")].map(c => c.textContent)`)
}

// shell returns what runs a command as whoever pastes it would, but for what it is tried
// with.
func shell(t *testing.T, config string) func(command, ns string) (said string, err error) {
	t.Helper()
	binaries, err := cluster.Build(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	env := append(os.Environ(), "PATH="+filepath.Dir(binaries.Kubectl)+":"+os.Getenv("PATH"), "KUBECONFIG="+config, "HOME="+home, "KUBERC=off", "EDITOR=true", "KUBE_EDITOR=true")
	return func(command, ns string) (string, error) {
		words := firstWords(command)
		flags := strings.Fields(trials[words])
		if words == "debug" && !strings.Contains(command, " --namespace=") {
			flags = append(flags, "--namespace="+ns) // where a node's pod is made
		}
		line := strings.Replace(command, " --context=", " "+strings.Join(append(slices.Clip(flags), "--context="), " "), 1)
		ctx, cancel := context.WithTimeout(t.Context(), stage.Soon)
		defer cancel()
		c := exec.CommandContext(ctx, "sh", "-c", line)
		c.Env, c.Dir = env, home
		said, err := c.CombinedOutput()
		return string(said), err
	}
}
