//go:build !js

package apiserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// oneUser is a kubeconfig. Its auth-provider is one of the legacy entries that renew tokens by writing
// them into the file.
const oneUser = `apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u, namespace: shop}}, {name: there, context: {cluster: d, user: v}}]
clusters: [{name: c, cluster: {server: "https://c.test:6443"}}, {name: d, cluster: {server: "https://d.test"}}]
users: [{name: u, user: {token: old}}, {name: v, user: {auth-provider: {name: oidc, config: {idp-issuer-url: "https://idp.test", client-id: w, id-token: old}}}}]
`

// TestSame changes one thing after another in a kubeconfig, and checks which contexts are the same
// as before, and that no change goes unnoticed.
func TestSame(t *testing.T) {
	for name, c := range map[string]struct {
		from, to    string
		here, there bool // the same as before
	}{
		"nothing":                       {"", "", true, true},
		"a comment":                     {"kind: Config", "kind: Config # x", true, true},
		"the current context":           {"current-context: here", "current-context: there", true, true},
		"a context more":                {"contexts: [", "contexts: [{name: new, context: {cluster: c, user: u}}, ", true, true},
		"the port":                      {"6443", "7443", false, true},
		"the server of another":         {"d.test", "e.test", true, false},
		"the token":                     {"token: old}}, ", "token: new}}, ", false, true},
		"the user":                      {"cluster: c, user: u", "cluster: c, user: v", false, true},
		"the namespace":                 {"shop", "till", false, true},
		"a token that client-go renews": {"id-token: old", "id-token: new", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config")
			o := Options{Kubeconfig: file, As: "ana"}
			write := func(text string) string {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return o.Stamp()
			}
			load := func(context string) *Target {
				o := o
				o.Context = context
				target, err := Load(o)
				if err != nil {
					t.Fatal(err)
				}
				return target
			}
			before := write(oneUser)
			current, here, there := load(""), load("here"), load("there")
			if !current.Same(here) {
				t.Error("the current context is another when it is named")
			}
			changed := strings.Replace(oneUser, c.from, c.to, 1)
			if after := write(changed); after == before && changed != oneUser {
				t.Errorf("the stamp is still %q", after)
			}
			if here.Same(load("here")) != c.here || there.Same(load("there")) != c.there {
				t.Errorf("here: %v, there: %v", !c.here, !c.there)
			}
		})
	}
}
