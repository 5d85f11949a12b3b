package kubeconfig_test

// userRows are the forms of authentication.
var userRows = []row{
	{name: "token", user: `token: t0ken`, want: resolved{identity: identity{Authorization: "Bearer t0ken"}}},
	{name: "token file, relative", user: `tokenFile: pki/token`, want: resolved{identity: identity{Authorization: "Bearer of-a-file"}}},
	{name: "token file, absolute", user: `tokenFile: "$DIR/pki/token"`, want: resolved{identity: identity{Authorization: "Bearer of-a-file"}}},
	{name: "token and token file", user: `token: t0ken, tokenFile: pki/token`, want: resolved{identity: identity{Authorization: "Bearer of-a-file"}}},
	{name: "basic", user: `username: ana, password: "p:w"`, want: resolved{identity: identity{Authorization: "Basic YW5hOnA6dw=="}}},
	{name: "certificate inline", user: `client-certificate-data: $CERT, client-key-data: $KEY`, want: resolved{identity: identity{Certificate: "ana"}}},
	{name: "certificate files, relative", user: `client-certificate: pki/ana.crt, client-key: pki/ana.key`, want: resolved{identity: identity{Certificate: "ana"}}},
	{name: "certificate and token", user: `client-certificate: pki/ana.crt, client-key: pki/ana.key, token: t0ken`, want: resolved{identity: identity{Certificate: "ana", Authorization: "Bearer t0ken"}}},
	{name: "plugin, token", user: execPlugin("$PLUGIN", "token", ""), want: resolved{identity: identity{Authorization: "Bearer of-the-plugin"}}},
	{name: "plugin, certificate", user: execPlugin("$PLUGIN", "certificate", `args: ["$DIR/pki/ana.crt", "$DIR/pki/ana.key"]`), want: resolved{identity: identity{Certificate: "ana"}}},
	{name: "plugin, relative path", user: execPlugin("./bin/wg-test-plugin", "token", ""), want: resolved{identity: identity{Authorization: "Bearer of-the-plugin"}}},
	{name: "plugin, on the PATH", user: execPlugin("wg-test-plugin", "token", ""), want: resolved{identity: identity{Authorization: "Bearer of-the-plugin"}}},
	{name: "plugin, told of the cluster", user: execPlugin("$PLUGIN", "cluster", "provideClusterInfo: true"), want: resolved{identity: identity{Authorization: "Bearer for-https://$SERVER"}}},
	{name: "OIDC", user: `auth-provider: {name: oidc, config: {client-id: wg, idp-issuer-url: "https://issuer.test", id-token: $JWT}}`, want: resolved{identity: identity{Authorization: "Bearer $JWT"}}},
	{name: "impersonation", user: `token: t0ken, as: bob, as-uid: "7", as-groups: [dev, ops], as-user-extra: {team: [web]}`, want: resolved{identity: identity{Authorization: "Bearer t0ken", Impersonate: "User=bob Uid=7 Group=dev Group=ops Extra-Team=web"}}},
}

// clusterRows are the ways to a server.
var clusterRows = []row{
	{name: "authority inline", cluster: `server: "https://$SERVER", certificate-authority-data: $CA`},
	{name: "insecure", cluster: `server: "https://$SERVER", insecure-skip-tls-verify: true`},
	{name: "server name", cluster: trusted + `, tls-server-name: kube.test`, names: []string{"kube.test"}, want: resolved{identity: identity{ServerName: "kube.test"}}},
	{name: "proxy", cluster: `server: "https://kube.test:6443", certificate-authority: pki/ca.crt, proxy-url: "http://$CONNECT"`, names: []string{"kube.test"},
		want: resolved{identity: identity{Host: "kube.test:6443", ServerName: "kube.test", Tunnel: "CONNECT kube.test:6443"}}},
	{name: "proxy that asks who", cluster: `server: "https://kube.test", certificate-authority: pki/ca.crt, proxy-url: "http://ana:pw@$CONNECT"`, names: []string{"kube.test"},
		want: resolved{identity: identity{Host: "kube.test", ServerName: "kube.test", Tunnel: "CONNECT kube.test:443 Basic YW5hOnB3"}}},
	{name: "proxy, SOCKS", cluster: `server: "https://kube.test", certificate-authority: pki/ca.crt, proxy-url: "socks5://$SOCKS"`, names: []string{"kube.test"},
		want: resolved{identity: identity{Host: "kube.test", ServerName: "kube.test", Tunnel: "SOCKS kube.test:443"}}},
	{name: "proxy of the environment", cluster: `server: "https://kube.test", certificate-authority: pki/ca.crt`, names: []string{"kube.test"}, env: []string{"HTTPS_PROXY=http://$CONNECT"},
		want: resolved{identity: identity{Host: "kube.test", ServerName: "kube.test", Tunnel: "CONNECT kube.test:443"}}},
	{name: "proxy of the cluster before the environment", cluster: `server: "https://kube.test", certificate-authority: pki/ca.crt, proxy-url: "http://$CONNECT"`, names: []string{"kube.test"}, env: []string{"HTTPS_PROXY=http://127.0.0.1:1", "NO_PROXY=kube.test"},
		want: resolved{identity: identity{Host: "kube.test", ServerName: "kube.test", Tunnel: "CONNECT kube.test:443"}}},
	{name: "prefix", cluster: `server: "https://$SERVER/k8s/clusters/c-1", certificate-authority: pki/ca.crt`, want: resolved{Prefix: "/k8s/clusters/c-1"}},
	{name: "prefix with a slash behind", cluster: `server: "https://$SERVER/k8s/", certificate-authority: pki/ca.crt`, want: resolved{Prefix: "/k8s"}},
	{name: "no scheme, which is plain HTTP", cluster: `server: "$SERVER"`, plain: true},
	// Credentials never go over a line that others can read; nor with kubectl.
	{name: "plain HTTP", cluster: `server: "http://$SERVER"`, user: `token: t0ken, as: bob`, plain: true, want: resolved{identity: identity{Impersonate: "User=bob"}}},
	{name: "no compression", cluster: trusted + `, disable-compression: true`},
}

// fileRows are the places of kubeconfigs.
var fileRows = []row{
	{name: "home", env: []string{"KUBECONFIG="}, files: map[string]string{".kube/config": kubeconfig(`server: "https://$SERVER", certificate-authority: ../pki/ca.crt`, `tokenFile: ../pki/token`, `namespace: at-home`)},
		want: resolved{Namespace: "at-home", identity: identity{Authorization: "Bearer of-a-file"}}},
	{name: "two files, the first wins", env: []string{"KUBECONFIG=$DIR/config:$DIR/more/config"}, files: map[string]string{
		"config":      `{kind: Config, apiVersion: v1, users: [{name: here, user: {token: first}}]}`,
		"more/config": kubeconfig(`server: "https://$SERVER", certificate-authority: ../pki/ca.crt`, `token: second`, `namespace: of-the-second`),
	}, want: resolved{Namespace: "of-the-second", identity: identity{Authorization: "Bearer first"}}},
	{name: "two files, each with its own paths", env: []string{"KUBECONFIG=$DIR/a/config:$DIR/b/config"}, files: map[string]string{
		"a/config": `{kind: Config, apiVersion: v1, users: [{name: here, user: {tokenFile: secret}}]}`,
		"a/secret": "of-a",
		"b/secret": "of-b",
		"b/config": kubeconfig(`server: "https://$SERVER", certificate-authority: ../pki/ca.crt`, "", ""),
	}, want: resolved{identity: identity{Authorization: "Bearer of-a"}}},
	{name: "a file that is not there", env: []string{"KUBECONFIG=$DIR/none:$DIR/config"}},
	{name: "flag before the environment", args: []string{"--kubeconfig", "../other"}, env: []string{"KUBECONFIG=$DIR/config"}, files: map[string]string{
		"config": kubeconfig(trusted, `token: of-the-environment`, ""),
		"other":  kubeconfig(trusted, `token: of-the-flag`, ""),
	}, want: resolved{identity: identity{Authorization: "Bearer of-the-flag"}}},
}

// three has more than one of everything; nobody listens at the other cluster.
var three = map[string]string{"config": `apiVersion: v1
kind: Config
current-context: away
contexts:
- {name: away, context: {cluster: nowhere, user: ana, namespace: far}}
- {name: home, context: {cluster: here, user: ana, namespace: near}}
clusters:
- {name: nowhere, cluster: {server: "https://127.0.0.1:1"}}
- {name: here, cluster: {` + trusted + `}}
users:
- {name: ana, user: {token: ana, as: eve, as-groups: [dev]}}
- {name: bob, user: {token: bob}}
`}

// flagRows are the flags over a kubeconfig.
var flagRows = []row{
	{name: "--context", files: three, args: []string{"--context", "home"}, want: resolved{Namespace: "near", identity: identity{Authorization: "Bearer ana", Impersonate: "User=eve Group=dev"}}},
	{name: "--cluster", files: three, args: []string{"--cluster=here"}, want: resolved{Namespace: "far", identity: identity{Authorization: "Bearer ana", Impersonate: "User=eve Group=dev"}}},
	{name: "--user", files: three, args: []string{"--context=home", "--user=bob"}, want: resolved{Namespace: "near", identity: identity{Authorization: "Bearer bob"}}},
	{name: "-n", files: three, args: []string{"--context=home", "-n", "mine"}, want: resolved{Namespace: "mine", identity: identity{Authorization: "Bearer ana", Impersonate: "User=eve Group=dev"}}},
	{name: "--as", user: `token: t0ken`, args: []string{"--as", "bob", "--as-uid", "7", "--as-group", "dev", "--as-group", "ops"}, want: resolved{identity: identity{Authorization: "Bearer t0ken", Impersonate: "User=bob Uid=7 Group=dev Group=ops"}}},
	{name: "--as over the user's", files: three, args: []string{"--context=home", "--as", "mallory"}, want: resolved{Namespace: "near", identity: identity{Authorization: "Bearer ana", Impersonate: "User=mallory Group=dev"}}},
	{name: "--as-group over the user's", files: three, args: []string{"--context=home", "--as-group", "ops"}, want: resolved{Namespace: "near", identity: identity{Authorization: "Bearer ana", Impersonate: "User=eve Group=ops"}}},
	{name: "no context", args: []string{"--cluster=here", "--user=here"}, files: map[string]string{"config": `{kind: Config, apiVersion: v1, clusters: [{name: here, cluster: {` + trusted + `}}], users: [{name: here, user: {token: t0ken}}]}`},
		want: resolved{identity: identity{Authorization: "Bearer t0ken"}}},
}
