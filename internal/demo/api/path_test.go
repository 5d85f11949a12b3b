//go:build !js

package api

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/demo/store"
)

// small returns a server with two pods.
func small(t testing.TB) *Server {
	s := New(Options{Store: store.New(10, 100), Now: time.Now, Log: func(*corev1.Pod, string) Log { return Log{Every: time.Second, Line: func(int) string { return "x" }} }})
	k := s.kinds["pods.v1."]
	for _, name := range []string{"a", "b"} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}}
		if err := s.Store.Resource(k.ID()).Put(store.Key{Namespace: "n", Name: name}, k.Encode(pod)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestFind(t *testing.T) {
	s := small(t)
	for path, want := range map[string]string{
		"/api/v1/pods":                           "Pod / / /",
		"/api/v1/pods/":                          "Pod / / /",
		"/api/v1/namespaces":                     "Namespace / / /",
		"/api/v1/namespaces/n":                   "Namespace /n / /",
		"/api/v1/namespaces/n/status":            "Namespace /n /status /",
		"/api/v1/namespaces/n/pods":              "Pod n/ / /",
		"/api/v1/namespaces/n/pods/a":            "Pod n/a / /",
		"/api/v1/namespaces/n/pods/a/log":        "Pod n/a /log /",
		"/apis/apps/v1/namespaces/n/deployments": "Deployment n/ / /",
	} {
		p := s.routeOf(path)
		if p.kind == nil {
			t.Errorf("%s leads nowhere", path)
			continue
		}
		if got := p.kind.Name + " " + p.namespace + "/" + p.name + " /" + p.sub + " /"; got != want {
			t.Errorf("%s leads to %s, and not to %s", path, got, want)
		}
	}
}

// FuzzRequest checks that every request is answered, with content or with a Status, and that none
// panics.
func FuzzRequest(f *testing.F) {
	for _, seed := range [][3]string{
		{"/api/v1/pods", "limit=1&resourceVersion=0", "application/json"},
		{"/api/v1/pods", "watch=1&timeoutSeconds=-1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1", protobufType},
		{"/api/v1/namespaces/n/pods/a/log", "tailLines=1&sinceSeconds=5&limitBytes=3&timestamps=1", ""},
		{"/api/v1/pods", "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTIsInN0YXJ0IjoibiJ9&limit=1", "*/*"},
		{"/apis/apps/v1/namespaces//deployments//", "fieldSelector=metadata.name!%3Dx&labelSelector=a,!b", "text/plain"},
		{"/apis", "", discoveryType},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	s := small(f)
	f.Fuzz(func(t *testing.T, path, query, accept string) {
		values, err := url.ParseQuery(query)
		if err != nil || !strings.HasPrefix(path, "/") {
			return
		}
		if v, err := parseVersion(values.Get("resourceVersion")); err == nil && v > s.Store.Version() || values.Has("follow") {
			return // it would wait
		}
		if values.Has("watch") {
			values.Set("timeoutSeconds", "-1")
		}
		r := (&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path, RawQuery: values.Encode()}, Header: http.Header{"Accept": {accept}}}).WithContext(t.Context())
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code >= 500 && w.Code != http.StatusInternalServerError && w.Code != http.StatusGatewayTimeout || w.Body.Len() == 0 && w.Code != http.StatusOK {
			t.Errorf("%s?%s: %d %q", path, query, w.Code, w.Body)
		}
	})
}
