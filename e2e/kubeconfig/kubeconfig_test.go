// Package kubeconfig_test holds Watchglass to kubectl: under the same
// kubeconfig, flags and environment, both reach the same server in the same way
// as the same user, and have the same namespace; and what stops one stops the
// other. A recording server is asked by the real kubectl and by the real
// proxy; what each is expected to send is also written out.
package kubeconfig_test

import (
	"fmt"
	"strings"
	"testing"
)

// row is one scenario. In its texts $DIR is the folder it has for itself, and
// the other names are those of newPlace.
type row struct {
	name string
	// The one cluster, user and context of the file config.
	cluster, user, context string
	// files are written instead, if there are any.
	files     map[string]string
	env, args []string
	// names are the server's, in its certificate; plain means no TLS.
	names []string
	plain bool
	want  resolved
}

// trusted is a cluster without any riddle.
const trusted = `server: "https://$SERVER", certificate-authority: pki/ca.crt`

// kubeconfig has a cluster, a user and a context, and calls each "here".
func kubeconfig(cluster, user, context string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: here, user: here, %s}}]
clusters: [{name: here, cluster: {%s}}]
users: [{name: here, user: {%s}}]
`, context, cluster, user)
}

// execPlugin is a user whose credentials come from a plugin.
func execPlugin(command, mode, more string) string {
	return fmt.Sprintf(`exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: %q, env: [{name: %s, value: %s}], %s}`, command, pluginMode, mode, more)
}

func TestResolvesAsKubectl(t *testing.T) {
	for _, rows := range [][]row{userRows, clusterRows, fileRows, flagRows} {
		for _, r := range rows {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				r.test(t)
			})
		}
	}
}

func (r row) test(t *testing.T) {
	r = r.withDefaults()
	server := startAPIServer(t, r.names, false)
	p := newPlace(t, server, r.files)
	if said, err := p.kubectl(t, r.env, r.args); err != nil {
		t.Fatalf("kubectl: %v: %s", err, said)
	}
	byKubectl := understood(t, server.take())

	w := p.watchglass(t, r.env, r.args)
	told := w.openTab(t)
	w.stderr.await(t, "apiserver reached")
	w.stop(t)
	byUs := understood(t, server.take())
	if narrow := byUs.Namespace != ""; narrow != told.Narrow || narrow != r.narrow() {
		t.Errorf("pods of the namespace %q were asked for, and the tab is told %+v", byUs.Namespace, told)
	}
	// kubectl asks for pods of its namespace, we for all: ours is what the tab is told.
	byUs.Namespace = told.Namespace

	r.want.Authorization = p.expand(t, r.want.Authorization)
	if byKubectl != r.want {
		t.Errorf("kubectl resolved\n%+v, expected\n%+v", byKubectl, r.want)
	}
	if byUs != byKubectl {
		t.Errorf("watchglass resolved\n%+v, kubectl\n%+v", byUs, byKubectl)
	}
	// A copied command has no other flags, and may be pasted in another folder.
	if said, err := p.kubectlIn(t, p.dir, r.env, append([]string{"--namespace=" + told.Namespace}, told.Reach...)); err != nil {
		t.Fatalf("kubectl with %q: %v: %s", told.Reach, err, said)
	}
	if pasted := understood(t, server.take()); pasted != byUs {
		t.Errorf("kubectl with %q resolved\n%+v, watchglass\n%+v", told.Reach, pasted, byUs)
	}
}

func (r row) withDefaults() row {
	if r.files == nil {
		if r.cluster == "" {
			r.cluster = trusted
		}
		if r.user == "" && !r.plain { // kubectl asks the terminal for a name if there is none
			r.user, r.want.Authorization = `token: t0ken`, "Bearer t0ken"
		}
		r.files = map[string]string{"config": kubeconfig(r.cluster, r.user, r.context)}
	}
	if r.names == nil && !r.plain {
		r.names = []string{"127.0.0.1"}
	}
	if r.want.Host == "" {
		r.want.Host = "server"
	}
	if r.want.Namespace == "" {
		r.want.Namespace = "default"
	}
	return r
}

// narrow reports that a flag asks for one namespace.
func (r row) narrow() bool {
	return strings.Contains(" "+strings.Join(r.args, " "), " -n ")
}
