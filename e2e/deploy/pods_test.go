package deploy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// flaws returns what a pod must not be. They go further than the restricted Pod Security Standard,
// which the API server checks.
func flaws(pod *corev1.Pod) (found []string) {
	flaw := func(wrong bool, format string, args ...any) {
		if wrong {
			found = append(found, fmt.Sprintf(format, args...))
		}
	}
	s := pod.Spec
	flaw(s.AutomountServiceAccountToken == nil || *s.AutomountServiceAccountToken, "a token is mounted automatically")
	flaw(s.HostNetwork || s.HostPID || s.HostIPC, "the host's namespaces are shared")
	flaw(s.ShareProcessNamespace != nil && *s.ShareProcessNamespace, "containers share processes")
	flaw(s.SecurityContext == nil || s.SecurityContext.RunAsUser == nil || *s.SecurityContext.RunAsUser != 65532, "the user is not 65532")
	for _, v := range s.Volumes {
		flaw(v.HostPath != nil, "volume %s is of the host", v.Name)
		flaw(v.Secret != nil && (v.Secret.DefaultMode == nil || *v.Secret.DefaultMode&0o027 != 0), "Secret volume %s can be read by others", v.Name)
	}
	for _, c := range slices.Concat(s.InitContainers, s.Containers) {
		x := c.SecurityContext
		if x == nil {
			x = &corev1.SecurityContext{}
		}
		is := func(b *bool, want bool) bool { return b != nil && *b == want }
		flaw(!is(x.ReadOnlyRootFilesystem, true), "%s: the root file system is writable", c.Name)
		flaw(!is(x.AllowPrivilegeEscalation, false), "%s: privileges may escalate", c.Name)
		flaw(!is(x.RunAsNonRoot, true), "%s may run as root", c.Name)
		flaw(is(x.Privileged, true), "%s is privileged", c.Name)
		flaw(x.Capabilities == nil || !slices.Equal(x.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(x.Capabilities.Add) > 0, "%s has capabilities", c.Name)
		flaw(x.SeccompProfile == nil || x.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault, "%s has no seccomp profile", c.Name)
		flaw(c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero(), "%s has no memory limit or CPU request", c.Name)
		for _, m := range c.VolumeMounts {
			flaw(!m.ReadOnly, "%s: %s is writable", c.Name, m.MountPath)
		}
		for _, p := range c.Ports {
			flaw(p.HostPort != 0, "%s has a host port", c.Name)
		}
	}
	return found
}

// hasToken reports whether a pod gets a token of its account.
func hasToken(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(p corev1.VolumeProjection) bool { return p.ServiceAccountToken != nil })
	})
}

// hasRights reports whether a rendering gives its account any right.
func hasRights(r rendering) bool {
	return slices.ContainsFunc(find[*rbacv1.ClusterRoleBinding](r), func(b *rbacv1.ClusterRoleBinding) bool {
		return slices.ContainsFunc(b.Subjects, func(s rbacv1.Subject) bool { return s.Kind == "ServiceAccount" })
	})
}

// account says which renderings need the account of the pod.
var account = map[string]bool{
	"chart-token": false, "chart-dex": false, "chart-keycloak": false, "chart-okta": false, "chart-everything": false, "chart-clusters": false,
	"chart-entra": true, "chart-google": true, "chart-oauth2-proxy": true, "chart-named": true, "chart-certificate": true, "chart-addresses": true,
	"overlay-token": false, "overlay-oidc": false, "overlay-oidc-impersonate": true, "overlay-proxy": true,
}

func TestPods(t *testing.T) {
	for _, r := range renderings(t) {
		for name, pod := range pods(t, r) {
			for _, f := range flaws(pod) {
				t.Errorf("%s, %s: %s", r.name, name, f)
			}
		}
		pod := pods(t, r)["deployment"]
		want, known := account[r.name]
		if !known {
			t.Errorf("%s: say whether it needs the account", r.name)
		}
		if hasToken(pod) != want || hasRights(r) != want {
			t.Errorf("%s: token %t, rights %t, want both %t", r.name, hasToken(pod), hasRights(r), want)
		}
		for _, role := range find[*rbacv1.ClusterRole](r) {
			for _, rule := range role.Rules {
				for _, word := range slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs, rule.NonResourceURLs) {
					if strings.Contains(word, "*") || word == "secrets" || strings.HasSuffix(word, "/exec") || strings.HasSuffix(word, "/proxy") {
						t.Errorf("%s: role %s has %q", r.name, role.Name, word)
					}
				}
			}
		}
		c := program(t, pod)
		if c.LivenessProbe == nil || c.ReadinessProbe == nil {
			t.Errorf("%s has no health checks", r.name)
		}
	}
}

// TestSidecar shows that with a sidecar nothing but the sidecar can name users: Watchglass listens
// on loopback, and no port leads there.
func TestSidecar(t *testing.T) {
	for _, name := range []string{"chart-oauth2-proxy", "overlay-proxy"} {
		r := renderingOf(t, name)
		pod := pods(t, r)["deployment"]
		i := pod.Spec.InitContainers
		if len(i) != 1 || i[0].RestartPolicy == nil || *i[0].RestartPolicy != corev1.ContainerRestartPolicyAlways {
			t.Fatalf("%s: the front is not a sidecar that stops last", name)
		}
		c := program(t, pod)
		o := options(t, r, pod)
		if o["listen"] != "127.0.0.1:7117" || o["front-cidr"] != "127.0.0.1/32" {
			t.Errorf("%s: it listens on %s and trusts %s", name, o["listen"], o["front-cidr"])
		}
		for _, p := range c.Ports {
			if p.ContainerPort == 7117 {
				t.Errorf("%s: the pod has a port for the listener", name)
			}
		}
		for _, s := range find[*corev1.Service](r) {
			for _, p := range s.Spec.Ports {
				if p.TargetPort.IntVal != i[0].Ports[0].ContainerPort {
					t.Errorf("%s: the Service leads to %s", name, p.TargetPort.String())
				}
			}
		}
	}
}

// options returns the flags of a Deployment by name, also those in the file of --config.
func options(t *testing.T, r rendering, pod *corev1.Pod) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, m := range find[*corev1.ConfigMap](r) {
		if text, ok := m.Data["watchglass.yaml"]; ok {
			var file map[string]any
			if err := yaml.Unmarshal([]byte(text), &file); err != nil {
				t.Fatal(err)
			}
			for k, v := range file {
				all[k] = strings.Trim(fmt.Sprint(v), "[]")
			}
		}
	}
	for _, a := range program(t, pod).Args {
		name, value, _ := strings.Cut(strings.TrimPrefix(a, "--"), "=")
		all[name] = value
	}
	return all
}

// TestGrace shows that a pod gets more time to stop than the drain takes.
func TestGrace(t *testing.T) {
	for _, r := range renderings(t) {
		pod := pods(t, r)["deployment"]
		var drain int64
		if _, err := fmt.Sscanf(options(t, r, pod)["drain"], "%ds", &drain); err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		if grace := *pod.Spec.TerminationGracePeriodSeconds; drain < 10 || grace < drain+5 {
			t.Errorf("%s: %d s to stop, of which the drain takes %d", r.name, grace, drain)
		}
	}
}

// TestOpenShift shows that the pod leaves its user to OpenShift if it is told to, and that Pod Security
// accepts it all the same.
func TestOpenShift(t *testing.T) {
	text, err := template(t, "-f", filepath.Join(values, "token.yaml"), "--set", "runAsUser=null")
	if err != nil {
		t.Fatal(err)
	}
	pod := pods(t, rendering{name: "openshift", objects: decode(t, text)})["deployment"]
	if s := pod.Spec.SecurityContext; s.RunAsUser != nil || s.RunAsGroup != nil || s.FSGroup != nil || !*s.RunAsNonRoot {
		t.Errorf("the pod's user is %v", s)
	}
	if err := admit(t, pod); err != nil {
		t.Error(err)
	}
}

// TestDNSPorts shows that each NetworkPolicy lets lookups through where the pods of DNS have another
// port than their Service, as on OpenShift.
func TestDNSPorts(t *testing.T) {
	seen := 0
	for _, r := range renderings(t) {
		for _, p := range find[*networkingv1.NetworkPolicy](r) {
			seen++
			for _, protocol := range []corev1.Protocol{corev1.ProtocolUDP, corev1.ProtocolTCP} {
				for _, port := range []int{53, 5353} {
					if !lets(p, protocol, port) {
						t.Errorf("%s: no egress to %d/%s", r.name, port, protocol)
					}
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no NetworkPolicy was looked at")
	}
	text, err := template(t, "-f", filepath.Join(values, "token.yaml"), "--set", "networkPolicy.dns.ports={8053}")
	if err != nil {
		t.Fatal(err)
	}
	policies := find[*networkingv1.NetworkPolicy](rendering{objects: decode(t, text)})
	if len(policies) != 1 {
		t.Fatalf("%d NetworkPolicies with other ports of DNS", len(policies))
	}
	for _, p := range policies {
		if !lets(p, corev1.ProtocolUDP, 8053) || !lets(p, corev1.ProtocolTCP, 8053) || lets(p, corev1.ProtocolUDP, 53) {
			t.Errorf("the ports of DNS are those of %+v", p.Spec.Egress)
		}
	}
}

// lets reports whether a policy allows egress to a port.
func lets(p *networkingv1.NetworkPolicy, protocol corev1.Protocol, port int) bool {
	return slices.ContainsFunc(p.Spec.Egress, func(rule networkingv1.NetworkPolicyEgressRule) bool {
		return slices.ContainsFunc(rule.Ports, func(to networkingv1.NetworkPolicyPort) bool {
			return *to.Protocol == protocol && to.Port.IntValue() == port
		})
	})
}

// breaks are changes that make a pod unsafe. The API server refuses the restricted ones.
var breaks = map[string]struct {
	restricted bool
	change     func(*corev1.Pod, *corev1.Container)
}{
	"privileged": {true, func(_ *corev1.Pod, c *corev1.Container) {
		c.SecurityContext.Privileged, c.SecurityContext.AllowPrivilegeEscalation = new(true), nil
	}},
	"escalation":     {true, func(_ *corev1.Pod, c *corev1.Container) { c.SecurityContext.AllowPrivilegeEscalation = nil }},
	"capabilities":   {true, func(_ *corev1.Pod, c *corev1.Container) { c.SecurityContext.Capabilities = nil }},
	"root":           {true, func(p *corev1.Pod, _ *corev1.Container) { p.Spec.SecurityContext.RunAsUser = new(int64(0)) }},
	"host network":   {true, func(p *corev1.Pod, _ *corev1.Container) { p.Spec.HostNetwork = true }},
	"writable root":  {false, func(_ *corev1.Pod, c *corev1.Container) { c.SecurityContext.ReadOnlyRootFilesystem = nil }},
	"token":          {false, func(p *corev1.Pod, _ *corev1.Container) { p.Spec.AutomountServiceAccountToken = nil }},
	"no limit":       {false, func(_ *corev1.Pod, c *corev1.Container) { c.Resources.Limits = nil }},
	"writable mount": {false, func(_ *corev1.Pod, c *corev1.Container) { c.VolumeMounts[0].ReadOnly = false }},
	"public key":     {false, func(p *corev1.Pod, _ *corev1.Container) { p.Spec.Volumes[1].Secret.DefaultMode = nil }},
	"seccomp": {true, func(p *corev1.Pod, c *corev1.Container) {
		p.Spec.SecurityContext.SeccompProfile, c.SecurityContext.SeccompProfile = nil, nil
	}},
	"host path": {true, func(p *corev1.Pod, _ *corev1.Container) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "host", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}})
	}},
}

// TestBreaks shows that the checks of this package notice what they are for.
func TestBreaks(t *testing.T) {
	r := renderingOf(t, "chart-token")
	for name, b := range breaks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := pods(t, r)["deployment"].DeepCopy()
			b.change(pod, program(t, pod))
			if len(flaws(pod)) == 0 {
				t.Error("no flaw is found")
			}
			err := admit(t, pod)
			if err != nil && !strings.Contains(err.Error(), "violates PodSecurity") && !strings.Contains(err.Error(), "disallowed by cluster policy") {
				t.Errorf("refused for another reason: %v", err)
			}
			if refused := err != nil; refused != b.restricted {
				t.Errorf("refused: %t, want %t: %v", refused, b.restricted, err)
			}
		})
	}
}

// admit asks the API server whether it would create a pod.
func admit(t *testing.T, pod *corev1.Pod) error {
	t.Helper()
	text, err := yaml.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	return dryRun(t, "create", string(text))
}

// dryRun has the API server validate objects, strictly, and admit them.
func dryRun(t *testing.T, verb, text string) error {
	t.Helper()
	file := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := shared.Kubectl(t.Context(), verb, "--dry-run=server", "--validate=strict", "-f", file)
	return err
}

// TestAccepted shows that the API server accepts every object, and each pod under Pod Security:
// it only warns about templates.
func TestAccepted(t *testing.T) {
	for _, r := range renderings(t) {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			if err := dryRun(t, "apply", r.text); err != nil {
				t.Error(err)
			}
			for name, pod := range pods(t, r) {
				if err := admit(t, pod); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	for kind, wrong := range map[string]string{
		"HTTPRoute": "parentRef: []", "ServiceMonitor": "endpoint: []", "Deployment": "replica: 2",
	} {
		r := renderingOf(t, "chart-everything")
		broken := strings.Replace(r.text, "kind: "+kind+"\n", "kind: "+kind+"\nspecs: {"+wrong+"}\n", 1)
		if err := dryRun(t, "apply", broken); err == nil || !strings.Contains(err.Error(), "specs") {
			t.Errorf("an unknown field of %s is accepted: %v", kind, err)
		}
	}
}
