//go:build !js

package main

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// cluster is a fake apiserver. It answers each user, by their credentials, with data that only
// they may see, and records requests.
type cluster struct {
	*httptest.Server
	own      string       // the credential of the proxy's, which may impersonate
	watching atomic.Int64 // watches that are open

	mu    sync.Mutex
	owner map[string]string // of a bearer token
	asked []ask
}

// ask is a request that the cluster received.
type ask struct {
	authorization []string
	user, groups  []string // who is impersonated
	method, path  string
	body          string
	known         string // whose it is; nobody's, if it is not one user's
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{own: "own-" + t.Name(), owner: make(map[string]string)}
	c.Server = httptest.NewUnstartedServer(http.HandlerFunc(c.answer))
	c.EnableHTTP2 = true
	c.Config.ErrorLog = log.New(io.Discard, "", 0) // clients go in the middle of things
	c.StartTLS()
	t.Cleanup(func() { c.CloseClientConnections(); c.Close() })
	return c
}

// kubeconfig writes a kubeconfig with a context for each cluster, and the proxy's own credential.
func kubeconfig(t *testing.T, clusters map[string]*cluster, current string) string {
	t.Helper()
	type named = map[string]any
	var all struct{ clusters, users, contexts []named }
	for name, c := range clusters {
		authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw})
		all.clusters = append(all.clusters, named{"name": name, "cluster": named{"server": c.URL, "certificate-authority-data": authority}})
		all.users = append(all.users, named{"name": name, "user": named{"token": c.own}})
		all.contexts = append(all.contexts, named{"name": name, "context": named{"cluster": name, "user": name}})
	}
	text, err := json.Marshal(named{"apiVersion": "v1", "kind": "Config", "current-context": current, "clusters": all.clusters, "users": all.users, "contexts": all.contexts})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// knows makes a token valid for a user.
func (c *cluster) knows(token, user string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owner[token] = user
}

// take returns the requests since the last call, without the proxy's own probes.
func (c *cluster) take() []ask {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(c.asked), func(a ask) bool { return a.path == "/version" })
	c.asked = nil
	return all
}

// of returns the user of a request, if it belongs to exactly one.
func (c *cluster) of(r *http.Request) string {
	bearer, users := r.Header.Values("Authorization"), r.Header.Values("Impersonate-User")
	token := ""
	if len(bearer) == 1 {
		token = strings.TrimPrefix(bearer[0], "Bearer ")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case token == c.own && len(users) == 1:
		return users[0]
	case token == c.own && len(users) == 0:
		return "the proxy"
	case len(users) > 0:
		return ""
	case c.owner[token] != "":
		return c.owner[token]
	}
	return subject(token)
}

// subject returns the subject of a provider's token, without verifying it.
func subject(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	var claims struct{ Sub string }
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(text, &claims) != nil {
		return ""
	}
	return claims.Sub
}

// canary returns a text that only one user may see.
func canary(user string) string { return "canary-of-" + user + "-" }

// answer answers a request.
func (c *cluster) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	user := c.of(r)
	c.mu.Lock()
	c.asked = append(c.asked, ask{r.Header.Values("Authorization"), r.Header.Values("Impersonate-User"), r.Header.Values("Impersonate-Group"), r.Method, r.URL.Path, string(body), user})
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch mine := canary(user); {
	case user == "":
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`)
	case strings.HasSuffix(r.URL.Path, "/selfsubjectreviews"):
		fmt.Fprintf(w, `{"kind":"SelfSubjectReview","status":{"userInfo":{"username":%q,"groups":["dev"]}}}`, user)
	case r.Method == http.MethodPost:
		fmt.Fprintf(w, `{"kind":"SelfSubjectAccessReview","status":{"allowed":true,"reason":%q}}`, mine)
	case r.URL.Query().Get("watch") != "":
		c.watch(w, r, mine)
	case strings.HasSuffix(r.URL.Path, "/object"):
		fmt.Fprint(w, object(mine))
	default:
		fmt.Fprintf(w, `{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[%s,%s]}`, object(mine), object(mine))
	}
}

// object returns an object, which looks like a Secret: its value must not reach a tab.
func object(mine string) string {
	value := base64.StdEncoding.EncodeToString([]byte("value-of-" + mine))
	return fmt.Sprintf(`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"%sname","labels":{"of":%q},"resourceVersion":"1"},"data":{"key":%q}}`, mine, mine, value)
}

// everySoon is how often a watch has an event.
const everySoon = 20 * time.Millisecond

func (c *cluster) watch(w http.ResponseWriter, r *http.Request, mine string) {
	c.watching.Add(1)
	defer c.watching.Add(-1)
	ticker := time.NewTicker(everySoon)
	defer ticker.Stop()
	for {
		fmt.Fprintf(w, `{"type":"ADDED","object":%s}`+"\n", object(mine))
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
		}
	}
}
