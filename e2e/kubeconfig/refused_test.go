package kubeconfig_test

import (
	"regexp"
	"strings"
	"testing"
)

// refusal is a scenario in which nobody gets through.
type refusal struct {
	row
	denies bool // the server accepts no credentials
	// What each says on the terminal.
	kubectl, watchglass string
}

// noKubeconfigFor are those in which the kubeconfig itself leads nowhere:
// Watchglass does not start.
var noKubeconfigFor = []refusal{
	{row: row{name: "no such context", args: []string{"--context=nope"}}, kubectl: `context was not found for specified context: nope`, watchglass: `resolve the kubeconfig: context "nope" does not exist`},
	{row: row{name: "no such current context", files: changed("current-context: away", "current-context: gone")}, kubectl: `context was not found for specified context: gone`, watchglass: `context was not found for specified context: gone`},
	{row: row{name: "no such user", args: []string{"--user=nope"}}, kubectl: `auth info "nope" does not exist`, watchglass: `resolve the kubeconfig: auth info "nope" does not exist`},
	{row: row{name: "no such cluster", args: []string{"--cluster=nope"}}, kubectl: `no server found for cluster "nope"`, watchglass: `resolve the kubeconfig: cluster "nope" does not exist`},
	// kubectl asks the terminal for the name of a user, and here nobody answers.
	{row: row{name: "no user of the context", files: changed("user: ana", "user: gone")}, kubectl: `error: EOF`, watchglass: `context "away" names the user "gone", which is not in the kubeconfig`},
	// kubectl goes to localhost, and here nobody listens there.
	{row: row{name: "no cluster of the context", files: changed("cluster: nowhere", "cluster: gone")}, kubectl: `localhost:8080`, watchglass: `context "away" names the cluster "gone", which is not in the kubeconfig`},
	{row: row{name: "no current context", files: changed("current-context: away", "")}, kubectl: `localhost:8080`, watchglass: `no current context: choose one with --context (away, home)`},
	{row: row{name: "no YAML", files: map[string]string{"config": "apiVersion: v1\nkind: Config\nusers: [\n"}}, kubectl: `error loading config file "$DIR/config": yaml: line 3: `, watchglass: `read the kubeconfig: error loading config file "$DIR/config": yaml: line 3: `},
	{row: row{name: "no list", files: map[string]string{"config": "apiVersion: v1\nkind: Config\nusers: 7"}}, kubectl: `error loading config file "$DIR/config": `, watchglass: `read the kubeconfig: error loading config file "$DIR/config": json: cannot unmarshal number into Go struct field Config.users`},
	{row: row{name: "no such file", args: []string{"--kubeconfig=$DIR/none"}}, kubectl: `stat $DIR/none: no such file`, watchglass: `read the kubeconfig: stat $DIR/none: no such file`},
	{row: row{name: "no authority file", cluster: `server: "https://$SERVER", certificate-authority: pki/none`}, kubectl: `unable to read certificate-authority $DIR/pki/none for here`, watchglass: `unable to read certificate-authority $DIR/pki/none for here`},
	{row: row{name: "no token file", user: `tokenFile: pki/none`}, kubectl: `open $DIR/pki/none: no such file`, watchglass: `resolve the kubeconfig: open $DIR/pki/none: no such file`},
	{row: row{name: "token and basic", user: `token: a, username: b`}, kubectl: `found [token basicAuth], only one is allowed`, watchglass: `found [token basicAuth], only one is allowed`},
	{row: row{name: "groups of nobody", args: []string{"--as-group=dev"}}, kubectl: `without impersonating a user`, watchglass: `without impersonating a user`},
	{row: row{name: "proxy of no known kind", cluster: trusted + `, proxy-url: "ftp://h"`}, kubectl: `unsupported scheme "ftp"`, watchglass: `unsupported scheme "ftp"`},
}

// noAnswerFor are those in which only the first request shows it, and in which
// it may pass: Watchglass goes on, so that the page says it and tries again.
var noAnswerFor = []refusal{
	{row: row{name: "stranger's certificate", cluster: `server: "https://$SERVER", certificate-authority-data: $STRANGER`}, kubectl: `signed by unknown authority`, watchglass: `error="tls: failed to verify certificate: x509: certificate signed by unknown authority"`},
	{row: row{name: "another's certificate", cluster: trusted + `, tls-server-name: kube.test`}, kubectl: `not valid for any names, but wanted to match kube.test`, watchglass: `not valid for any names, but wanted to match kube.test`},
	{row: row{name: "nobody listens", cluster: `server: "https://127.0.0.1:1"`}, kubectl: `127.0.0.1:1 was refused`, watchglass: `msg="apiserver unreachable, retrying when a page asks" context=here server=127.0.0.1:1 from=$DIR/config error="dial tcp 127.0.0.1:1: connect: connection refused"`},
	{row: row{name: "no proxy listens", cluster: trusted + `, proxy-url: "http://127.0.0.1:1"`}, kubectl: `was refused`, watchglass: `error="proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused"`},
	{row: row{name: "plain HTTP to TLS", cluster: `server: "http://$SERVER"`, user: "as: ana"}, kubectl: `BadRequest`, watchglass: `msg="answer is not from an apiserver" context=here server=$SERVER from=$DIR/config status="400 Bad Request"`},
	{row: row{name: "TLS to plain HTTP", cluster: `server: "https://$SERVER"`, user: "token: t0ken", plain: true}, kubectl: `server gave HTTP response to HTTPS client`, watchglass: `first record does not look like a TLS handshake`},
	{row: row{name: "credentials denied", user: `token: t0ken`}, denies: true, kubectl: `You must be logged in`, watchglass: `credentials rejected by the apiserver: wrong or expired`},
	{row: row{name: "plugin fails", user: execPlugin("./bin/wg-test-plugin", "fail", "")}, kubectl: `executable $DIR/bin/wg-test-plugin failed with exit code 7`,
		watchglass: `msg="credential plugin failed, retrying when a page asks" context=here server=$SERVER from=$DIR/config error="exec: executable $DIR/bin/wg-test-plugin failed with exit code 7: log in first: fail"`},
	{row: row{name: "plugin is not there", user: execPlugin("not-installed", "fail", `installHint: "Get it at https://plugin.test"`)}, kubectl: `executable not-installed not found`, watchglass: `credential plugin failed`},
	{row: row{name: "plugin wants a terminal", user: `exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always, command: $PLUGIN}`}, kubectl: `standard input is not a terminal`, watchglass: `exec plugin cannot support interactive mode: standard input is not a terminal`},
}

// changed is the kubeconfig three with a text replaced.
func changed(from, to string) map[string]string {
	return map[string]string{"config": strings.ReplaceAll(three["config"], from, to)}
}

func TestRefuses(t *testing.T) {
	for _, r := range noKubeconfigFor {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			p, w := r.run(t)
			w.ended(t)
			if said := p.expand(t, r.watchglass); w.err == nil || !strings.HasPrefix(w.stderr.String(), "watchglass: ") || !strings.Contains(w.stderr.String(), said) {
				t.Errorf("watchglass: %v, and not %q: %s", w.err, said, w.stderr)
			}
			if came := p.server.take(); len(came) > 0 || w.stdout.String() != "" {
				t.Errorf("watchglass sent %+v and printed %q", came, w.stdout)
			}
		})
	}
}

func TestGoesOn(t *testing.T) {
	for _, r := range noAnswerFor {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			p, w := r.run(t)
			w.stderr.await(t, p.expand(t, r.watchglass))
			w.stop(t)
			if strings.Contains(w.stderr.String(), "t0ken") {
				t.Errorf("the token is in the log: %s", w.stderr)
			}
		})
	}
}

// run shows that kubectl fails, and starts the proxy.
func (r refusal) run(t *testing.T) (*place, *watchglass) {
	t.Helper()
	row := r.withDefaults()
	p := newPlace(t, startAPIServer(t, row.names, r.denies), row.files)
	said, err := p.kubectl(t, row.env, row.args)
	if want := p.expand(t, r.kubectl); err == nil || !strings.Contains(inOneLine(said), want) {
		t.Errorf("kubectl: %v, and not %q: %s", err, want, said)
	}
	p.server.take()
	return p, p.watchglass(t, row.env, row.args)
}

// TestNobody is where the two differ: a kubeconfig without any credentials makes
// kubectl ask the terminal for a name and a password. A proxy has none to ask,
// and a server that lets everybody in is none of its business: it goes as nobody.
func TestNobody(t *testing.T) {
	t.Parallel()
	r := row{user: " "}.withDefaults()
	p := newPlace(t, startAPIServer(t, r.names, false), r.files)
	c := p.command(t, kubectlPath(t), nil, []string{"get", "pods"})
	if out, err := c.CombinedOutput(); err == nil || !regexp.MustCompile(`(?i)enter username`).Match(out) {
		t.Errorf("kubectl: %v: %s", err, out)
	}
	p.server.take()
	w := p.watchglass(t, nil, nil)
	w.openTab(t)
	w.stop(t)
	if r := understood(t, p.server.take()); r != (resolved{identity: identity{Host: "server"}}) {
		t.Errorf("%+v", r)
	}
}
