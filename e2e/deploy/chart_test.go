package deploy

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"watchglass/e2e/cluster"
)

func TestLint(t *testing.T) {
	for _, file := range valuesFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			if out, err := run(t, helm, "lint", "--strict", "--kube-version", cluster.Version, chart, "-f", file); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestValues shows that values which cannot work are refused, with an error that names them.
func TestValues(t *testing.T) {
	const (
		token = "auth=token,publicURL=https://w.example.com"
		front = "auth=proxy,publicURL=https://w.example.com,impersonation.anyUser=true"
		oidc  = "auth=oidc,publicURL=https://w.example.com,oidc.issuerURL=https://sso.example.com,oidc.clientID=w"
	)
	for name, c := range map[string]struct{ set, want string }{
		"nothing":                          {"", "/auth"},
		"local mode":                       {"auth=local,publicURL=https://w.example.com", "/auth"},
		"no address":                       {"auth=token", "/publicURL"},
		"plain HTTP":                       {"auth=token,publicURL=http://w.example.com", "/publicURL"},
		"an address with a path":           {"auth=token,publicURL=https://w.example.com/x", "/publicURL"},
		"a path with a slash at its end":   {token + ",basePath=/watchglass/", "/basePath"},
		"a path of the program":            {token + ",basePath=/a/-b", "/basePath"},
		"a path with an empty segment":     {token + ",basePath=/a//b", "/basePath"},
		"a page without its scheme":        {token + ",embedOrigins={portal.example.com}", "/embedOrigins/0"},
		"pages of any name":                {token + ",embedOrigins={https://*.example.com}", "/embedOrigins/0"},
		"an embedding page by plain HTTP":  {token + ",embedOrigins={http://portal.example.com}", "/embedOrigins/0"},
		"an unknown value":                 {token + ",replicas=3", "replicas"},
		"an unknown value further in":      {token + ",tls.secretName=x", "secretName"},
		"oidc without an issuer":           {"auth=oidc,publicURL=https://w.example.com,oidc.clientID=w", "/oidc/issuerURL"},
		"oidc without a client":            {"auth=oidc,publicURL=https://w.example.com,oidc.issuerURL=https://sso.example.com", "/oidc/clientID"},
		"impersonation of nobody":          {oidc + ",oidc.impersonate=true", "/impersonation/anyUser"},
		"an issuer in token mode":          {token + ",oidc.issuerURL=https://sso.example.com", "/oidc/issuerURL"},
		"proxy mode without a front":       {front, "/proxy/sidecar/image"},
		"a certificate without TLS":        {front + ",proxy.clientCA.name=ca", "/tls/secret"},
		"a sidecar and addresses":          {front + ",proxy.sidecar.image=x,proxy.cidrs={10.0.0.0/8}", "/proxy/cidrs"},
		"an ingress that could name users": {front + ",proxy.sidecar.image=x,trustedProxies={10.0.0.0/8}", "/trustedProxies"},
		"a monitor without metrics":        {token + ",metrics.serviceMonitor.enabled=true", "/metrics/enabled"},
		"a route without a gateway":        {token + ",httpRoute.enabled=true", "/httpRoute/parentRefs"},
		"a viewer of Secrets":              {token + ",viewer.extraRules[0].apiGroups={},viewer.extraRules[0].resources={secrets},viewer.extraRules[0].verbs={get}", "/viewer/extraRules/0/resources"},
		"a viewer that deletes":            {token + ",viewer.extraRules[0].apiGroups={x.io},viewer.extraRules[0].resources={xs},viewer.extraRules[0].verbs={delete}", "/viewer/extraRules/0/verbs"},
		"a drain without an end":           {token + ",drainSeconds=-1", "/drainSeconds"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, err := template(t, "--set", c.set); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error about %s, got %v\n%.200s", c.want, err, out)
			}
		})
	}
}

// TestRelease installs the chart with helm, upgrades, uninstalls and installs it again: the key is
// made once, and sessions outlive all of it.
func TestRelease(t *testing.T) {
	client, err := kubernetes.NewForConfig(shared.Config())
	if err != nil {
		t.Fatal(err)
	}
	const space = "release"
	if _, err := shared.Kubectl(t.Context(), "create", "namespace", space); err != nil {
		t.Fatal(err)
	}
	key := func() []byte {
		t.Helper()
		s, err := client.CoreV1().Secrets(space).Get(t.Context(), "watchglass-key", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Data["key"]) != 32 {
			t.Errorf("the key has %d bytes", len(s.Data["key"]))
		}
		return s.Data["key"]
	}
	helmOn := func(args ...string) string {
		t.Helper()
		out, err := run(t, helm, append(args, "--namespace", space)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	install := func(verb string, args ...string) string {
		return helmOn(append([]string{verb, "watchglass", chart, "-f", filepath.Join(values, "token.yaml")}, args...)...)
	}
	notes := install("install")
	first := key()
	for _, want := range []string{"https://watchglass.example.com/", "helm test -n release watchglass", "kubectl create token", "bound to nobody"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes don't say %q:\n%s", want, notes)
		}
	}
	install("upgrade", "--set", "replicaCount=3")
	if !bytes.Equal(key(), first) {
		t.Error("an upgrade made another key")
	}
	d, err := client.AppsV1().Deployments(space).Get(t.Context(), "watchglass", metav1.GetOptions{})
	if err != nil || *d.Spec.Replicas != 3 {
		t.Errorf("the upgrade did nothing: %v", err)
	}
	helmOn("uninstall", "watchglass")
	if _, err := client.AppsV1().Deployments(space).Get(t.Context(), "watchglass", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the Deployment outlives the release: %v", err)
	}
	if !bytes.Equal(key(), first) {
		t.Error("uninstalling lost the key")
	}
	install("install")
	if !bytes.Equal(key(), first) {
		t.Error("installing again made another key")
	}
	helmOn("uninstall", "watchglass")
}

// TestKey shows that two releases have different keys.
func TestKey(t *testing.T) {
	var keys [][]byte
	for range 2 {
		text, err := template(t, "-f", filepath.Join(values, "token.yaml"), "-s", "templates/secret.yaml")
		if err != nil {
			t.Fatal(err)
		}
		var s corev1.Secret
		if err := yaml.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, s.Data["key"])
	}
	if len(keys[0]) != 32 || bytes.Equal(keys[0], keys[1]) {
		t.Errorf("keys of %d and %d bytes, equal: %t", len(keys[0]), len(keys[1]), bytes.Equal(keys[0], keys[1]))
	}
}

// TestNotes shows what the notes warn about.
func TestNotes(t *testing.T) {
	for file, want := range map[string]string{
		"testdata/values/addresses.yaml": "every pod and node with an address in 192.0.2.7/32",
		"testdata/values/clusters.yaml":  "With one replica",
		values + "/oauth2-proxy.yaml":    "",
		values + "/entra.yaml":           "https://watchglass.example.com/-/callback",
	} {
		out, err := run(t, helm, "install", "w", chart, "--namespace", namespace, "--dry-run=server", "-f", file)
		if err != nil {
			t.Fatal(err)
		}
		_, notes, _ := strings.Cut(out, "NOTES:")
		if !strings.Contains(notes, want) || want == "" && strings.Contains(notes, "WARNING") {
			t.Errorf("%s: want %q in the notes:\n%s", file, want, notes)
		}
		if file == "testdata/values/addresses.yaml" && !strings.Contains(notes, "any group, system:masters included") {
			t.Errorf("the notes don't warn about rights:\n%s", notes)
		}
	}
}

// TestPackage packages the chart as a release does, and shows that it installs the image of that
// release.
func TestPackage(t *testing.T) {
	dir := t.TempDir()
	if _, err := run(t, helm, "package", chart, "--version", "1.2.3", "--app-version", "1.2.3", "--destination", dir); err != nil {
		t.Fatal(err)
	}
	text, err := run(t, helm, "template", "w", filepath.Join(dir, "watchglass-1.2.3.tgz"), "--kube-version", cluster.Version, "-f", filepath.Join(values, "token.yaml"))
	if err != nil || !strings.Contains(text, "image: ghcr.io/watchglass/watchglass:1.2.3\n") || strings.Contains(text, "0.0.0-dev") {
		t.Errorf("the packaged chart: %v\n%s", err, text)
	}
}
