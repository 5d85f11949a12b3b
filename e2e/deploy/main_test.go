// Package deploy checks what proxy/deploy ships, with the real helm, kustomize, kubectl,
// kube-apiserver and watchglass: that all of it is valid and accepted under the restricted
// Pod Security Standard, that the roles allow what they should and nothing else, and that
// the program runs with the arguments of each Deployment.
package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/tools"
)

var update = flag.Bool("update", false, "write testdata/viewer.txt")

const (
	namespace = "watchglass"
	chart     = "../../proxy/deploy/chart/watchglass"
	values    = "../../proxy/deploy/values"
	overlays  = "../../proxy/deploy/kustomize/overlays"

	// The account of the chart's release w, and of the overlays. The apiserver knows them by
	// these tokens.
	chartAccount   = "system:serviceaccount:" + namespace + ":w-watchglass"
	overlayAccount = "system:serviceaccount:" + namespace + ":watchglass"
	chartToken     = "chart-token"
	overlayToken   = "overlay-token"
)

var (
	shared    *cluster.Cluster
	helm      string
	kustomize string
)

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := testMain(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func testMain(m *testing.M) (code int, err error) {
	ctx := context.Background()
	if helm, err = tools.Build(ctx, "helm"); err != nil {
		return 0, err
	}
	if kustomize, err = tools.Build(ctx, "kustomize"); err != nil {
		return 0, err
	}
	account := []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}
	shared, err = cluster.Start(ctx, cluster.Options{Users: []cluster.User{
		{Name: chartAccount, Groups: account, Token: chartToken}, {Name: overlayAccount, Groups: account, Token: overlayToken},
	}})
	if err != nil {
		return 0, err
	}
	defer func() {
		if stopped := shared.Stop(); err == nil {
			err = stopped
		}
	}()
	if err := prepare(ctx); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// prepare creates the namespace, in which Pod Security is enforced as the README says, and the
// CRDs of kinds that the API server doesn't have.
func prepare(ctx context.Context) error {
	if _, err := shared.Kubectl(ctx, "create", "namespace", namespace); err != nil {
		return err
	}
	if _, err := shared.Kubectl(ctx, "label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted"); err != nil {
		return err
	}
	for module, file := range map[string]string{
		"sigs.k8s.io/gateway-api":                            "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml",
		"github.com/prometheus-operator/prometheus-operator": "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
	} {
		dir, err := download(ctx, module)
		if err != nil {
			return err
		}
		if _, err := shared.Kubectl(ctx, "create", "-f", filepath.Join(dir, file)); err != nil {
			return err
		}
	}
	_, err := shared.Kubectl(ctx, "wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
	return err
}

// download returns the folder of a module that crds/go.mod names, in the module cache. The go
// command checks it against crds/go.sum. Nothing is compiled.
func download(ctx context.Context, module string) (dir string, err error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir = "crds"
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s%s", cmd, err, out, &failure)
	}
	var found struct{ Dir string }
	err = json.Unmarshal(out, &found)
	return found.Dir, err
}

// run runs helm or kustomize and returns what it prints.
func run(t *testing.T, program string, args ...string) (stdout string, err error) {
	t.Helper()
	home := t.TempDir()
	kubeconfig, err := shared.Kubeconfig(cluster.Admin(), cluster.KubeconfigOptions{Path: filepath.Join(home, "kubeconfig")})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "KUBECONFIG=" + kubeconfig}
	var out, failure bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failure
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, &failure)
	}
	return out.String(), nil
}

// template renders the chart.
func template(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return run(t, helm, append([]string{"template", "w", chart, "--namespace", namespace, "--kube-version", cluster.Version}, args...)...)
}

// valuesFiles returns the values that are shipped, and those of the tests.
func valuesFiles(t *testing.T) (files []string) {
	t.Helper()
	for _, dir := range []string{values, "testdata/values"} {
		found, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no values in %s: %v", dir, err)
		}
		files = append(files, found...)
	}
	return files
}
