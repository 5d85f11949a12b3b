//go:build !js

package relay

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"watchglass/internal/wire"
)

func base(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestBuild(t *testing.T) {
	watch := wire.InitialWatch("", "v1", "pods", "")
	watch.TimeoutSeconds = 300
	for _, c := range []struct {
		base    string
		request wire.Request
		want    string
	}{
		{"https://h:6443", watch, "GET https://h:6443/api/v1/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=300&watch=true"},
		{"https://h/k8s/clusters/c-1/", wire.Request{Verb: wire.List, Group: "apps", Version: "v1", Resource: "deployments", Namespace: "a", ListOptions: wire.ListOptions{Limit: 500, LabelSelector: "a in (b,c)", Continue: "x=&y"}}, "GET https://h/k8s/clusters/c-1/apis/apps/v1/namespaces/a/deployments?continue=x%3D%26y&labelSelector=a+in+%28b%2Cc%29&limit=500"},
		{"https://u:p@h?x=1#f", wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "b"}, "GET https://h/api/v1/namespaces/a/pods/b"},
		{"https://h", wire.Request{Verb: wire.Get, Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles", Name: "system:node proxier"}, "GET https://h/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node%20proxier"},
		{"https://h", wire.Request{Verb: wire.Watch, Version: "v1", Resource: "pods", ListOptions: wire.ListOptions{TimeoutSeconds: 1e9}}, "GET https://h/api/v1/pods?timeoutSeconds=600&watch=true"},
		{"https://h", logOf(wire.LogOptions{}), "GET https://h/api/v1/namespaces/a/pods/b/log"},
		{"https://h", wire.Request{Verb: wire.Log, Version: "v1", Resource: "pods", Namespace: "a", Name: "b"}, "GET https://h/api/v1/namespaces/a/pods/b/log"},
		{"https://h", logOf(wire.LogOptions{Container: "web-1", Follow: true, Previous: true, Timestamps: true, SinceSeconds: 60, TailLines: new(int64), LimitBytes: 1 << 20}), "GET https://h/api/v1/namespaces/a/pods/b/log?container=web-1&follow=true&limitBytes=1048576&previous=true&sinceSeconds=60&tailLines=0&timestamps=true"},
		{"https://h", logOf(wire.LogOptions{SinceTime: "2026-11-22T03:04:05.678+02:00"}), "GET https://h/api/v1/namespaces/a/pods/b/log?sinceTime=2026-11-22T01%3A04%3A05.678Z"},
		{"https://h", wire.Request{Verb: wire.Discover}, "GET https://h/api"},
		{"https://h", wire.Request{Verb: wire.Discover, Group: "*"}, "GET https://h/apis"},
		{"https://h/k8s", wire.ServerVersion, "GET https://h/k8s/version"},
		{"https://h", wire.Request{Verb: wire.Review, Resource: "selfsubjectreviews"}, `POST https://h/apis/authentication.k8s.io/v1/selfsubjectreviews {"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}`},
		{"https://h", wire.Request{Verb: wire.Review, Resource: "selfsubjectaccessreviews", Access: &wire.Access{Verb: "list", Resource: "po\"ds"}}, `POST https://h/apis/authorization.k8s.io/v1/selfsubjectaccessreviews {"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"resourceAttributes":{"verb":"list","resource":"po\"ds"}}}`},
		{"https://h", wire.Request{Verb: wire.Review, Resource: "selfsubjectrulesreviews", Namespace: "a"}, `POST https://h/apis/authorization.k8s.io/v1/selfsubjectrulesreviews {"kind":"SelfSubjectRulesReview","apiVersion":"authorization.k8s.io/v1","spec":{"namespace":"a"}}`},
	} {
		req, status := Build(t.Context(), base(t, c.base), c.request)
		if status != nil {
			t.Errorf("%+v: %v", c.request, status)
			continue
		}
		got := req.Method + " " + req.URL.String()
		if req.Body != nil {
			body, _ := io.ReadAll(req.Body)
			got += " " + string(body)
		}
		if got != c.want {
			t.Errorf("want %s\ngot  %s", c.want, got)
		}
		for name := range req.Header {
			if name != "Accept" && name != "Content-Type" {
				t.Errorf("a header nobody asked for: %s", name)
			}
		}
	}
}

// logOf returns a request for the log of a pod.
func logOf(o wire.LogOptions) wire.Request {
	return wire.Request{Verb: wire.Log, Version: "v1", Resource: "pods", Namespace: "a", Name: "b", Log: &o}
}

// TestAccept checks which encodings each request accepts.
func TestAccept(t *testing.T) {
	list := wire.Request{Verb: wire.List, Version: "v1", Resource: "pods"}
	for r, want := range map[wire.Request]string{
		{Verb: wire.Get, Version: "v1", Resource: "pods", Name: "b", Encoding: wire.EncodingJSON}: acceptJSON,
		logOf(wire.LogOptions{}): acceptText,
		{Verb: wire.Watch, Version: "v1", Resource: "pods", Encoding: wire.EncodingMetadata}:          acceptPartial,
		{Verb: wire.Get, Version: "v1", Resource: "pods", Name: "b", Encoding: wire.EncodingMetadata}: acceptObjects,
	} {
		req, status := Build(t.Context(), base(t, "https://h"), r)
		if status != nil || req.Header.Get("Accept") != want {
			t.Errorf("%+v: %v %v", r, req.Header, status)
		}
	}
	for encoding, want := range map[wire.Encoding]string{
		wire.EncodingDefault: acceptObjects, wire.EncodingTable: acceptTable, wire.EncodingWhole: acceptTable, wire.EncodingJSON: acceptJSON, wire.EncodingMetadata: acceptMetadata,
	} {
		list.Encoding = encoding
		req, status := Build(t.Context(), base(t, "https://h"), list)
		if status != nil || req.Header.Get("Accept") != want {
			t.Errorf("%q: %v %v", encoding, req.Header, status)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	pods := wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "b"}
	with := func(f func(r *wire.Request)) wire.Request {
		r := pods
		f(&r)
		return r
	}
	log := func(f func(r *wire.Request)) wire.Request {
		r := logOf(wire.LogOptions{})
		f(&r)
		return r
	}
	for name, r := range map[string]wire.Request{
		"a log of a node":          log(func(r *wire.Request) { r.Resource, r.Namespace = "nodes", "" }),
		"a log of a deployment":    log(func(r *wire.Request) { r.Group, r.Resource = "apps", "deployments" }),
		"a log of pods elsewhere":  log(func(r *wire.Request) { r.Group = "metrics.k8s.io" }),
		"a log of another version": log(func(r *wire.Request) { r.Version = "v2" }),
		"a log without a name":     log(func(r *wire.Request) { r.Name = "" }),
		"a log from anywhere":      log(func(r *wire.Request) { r.Namespace = "" }),
		"a log by a path":          log(func(r *wire.Request) { r.Name = "b/exec" }),
		"a log and another":        log(func(r *wire.Request) { r.Subresource = "exec" }),
		"a log and itself":         log(func(r *wire.Request) { r.Subresource = "log" }),
		"a get of a log":           with(func(r *wire.Request) { r.Subresource = "log" }),
		"no container":             log(func(r *wire.Request) { r.Log.Container = "web&follow=true" }),
		"a container of two":       log(func(r *wire.Request) { r.Log.Container = "web.a" }),
		"a long container":         log(func(r *wire.Request) { r.Log.Container = strings.Repeat("a", 64) }),
		"seconds below nothing":    log(func(r *wire.Request) { r.Log.SinceSeconds = -1 }),
		"bytes below nothing":      log(func(r *wire.Request) { r.Log.LimitBytes = -1 }),
		"lines below nothing":      log(func(r *wire.Request) { r.Log.TailLines = &[]int64{-1}[0] }),
		"two beginnings":           log(func(r *wire.Request) { r.Log.SinceSeconds, r.Log.SinceTime = 1, "2026-11-22T00:00:00Z" }),
		"no time":                  log(func(r *wire.Request) { r.Log.SinceTime = "yesterday" }),
		"a time and more":          log(func(r *wire.Request) { r.Log.SinceTime = "2026-11-22T00:00:00Z&follow=true" }),
		"a time after all":         log(func(r *wire.Request) { r.Log.SinceTime = "9999-12-31T23:59:59-23:59" }),
		"a time before all":        log(func(r *wire.Request) { r.Log.SinceTime = "0000-01-01T00:00:00+23:59" }),
		"no verb":                  with(func(r *wire.Request) { r.Verb = "" }),
		"a write":                  with(func(r *wire.Request) { r.Verb = "delete" }),
		"a path for a name":        with(func(r *wire.Request) { r.Name = "b/exec" }),
		"dots":                     with(func(r *wire.Request) { r.Name = ".." }),
		"one dot":                  with(func(r *wire.Request) { r.Name = "." }),
		"encoded slash":            with(func(r *wire.Request) { r.Name = "b%2fexec" }),
		"namespace":                with(func(r *wire.Request) { r.Namespace = "a/../b" }),
		"namespace encoded":        with(func(r *wire.Request) { r.Namespace = "a%2fpods" }),
		"resource path":            with(func(r *wire.Request) { r.Resource = "pods/b/exec" }),
		"resource dots":            with(func(r *wire.Request) { r.Resource = ".." }),
		"resource query":           with(func(r *wire.Request) { r.Resource = "pods?watch=1" }),
		"group path":               with(func(r *wire.Request) { r.Group = "apps/v1" }),
		"group dots":               with(func(r *wire.Request) { r.Group = ".." }),
		"version":                  with(func(r *wire.Request) { r.Version = "v1/watch" }),
		"no version":               with(func(r *wire.Request) { r.Version = "" }),
		"legacy watch":             with(func(r *wire.Request) { r.Version = "v1/watch"; r.Name = "" }),
		"watch as a prefix":        with(func(r *wire.Request) { r.Resource, r.Namespace, r.Name = "watch", "", "secrets" }),
		"watch in one":             with(func(r *wire.Request) { r.Resource, r.Name = "watch", "secrets" }),
		"watch of a group":         with(func(r *wire.Request) { r.Group, r.Resource, r.Name = "apps", "watch", "deployments" }),
		"watch by a list":          {Verb: wire.List, Version: "v1", Resource: "watch"},
		"proxy as a prefix":        with(func(r *wire.Request) { r.Resource, r.Namespace, r.Name = "proxy", "", "nodes" }),
		"exec":                     with(func(r *wire.Request) { r.Subresource = "exec" }),
		"proxy":                    with(func(r *wire.Request) { r.Subresource = "proxy" }),
		"get without name":         with(func(r *wire.Request) { r.Name = "" }),
		"list with name":           with(func(r *wire.Request) { r.Verb = wire.List }),
		"a backslash":              with(func(r *wire.Request) { r.Name = `b\exec` }),
		"a semicolon":              with(func(r *wire.Request) { r.Name = "..;" }),
		"a zero":                   with(func(r *wire.Request) { r.Name = "b\x00" }),
		"a new line":               with(func(r *wire.Request) { r.Name = "b\r\nc" }),
		"no text":                  with(func(r *wire.Request) { r.Name = "\xff" }),
		"a namespace's own":        {Verb: wire.List, Version: "v1", Resource: "status", Namespace: "a"},
		"and its end":              {Verb: wire.List, Version: "v1", Resource: "finalize", Namespace: "a"},
		"a long selector":          {Verb: wire.List, Version: "v1", Resource: "pods", ListOptions: wire.ListOptions{LabelSelector: strings.Repeat("=", 3000)}},
		"a long name":              with(func(r *wire.Request) { r.Name = strings.Repeat("a", 8<<10) }),
		"negative timeout":         {Verb: wire.Watch, Version: "v1", Resource: "pods", ListOptions: wire.ListOptions{TimeoutSeconds: -1}},
		"negative limit":           {Verb: wire.List, Version: "v1", Resource: "pods", ListOptions: wire.ListOptions{Limit: -1}},
		"unknown review":           {Verb: wire.Review, Resource: "tokenreviews"},
		"empty access":             {Verb: wire.Review, Resource: "selfsubjectaccessreviews"},
		"too long":                 with(func(r *wire.Request) { r.Namespace = strings.Repeat("a", 64) }),
	} {
		if req, status := Build(t.Context(), base(t, "https://h"), r); status == nil {
			t.Errorf("%s passed as %s", name, req.URL)
		} else if status.Origin != wire.FromProxy {
			t.Errorf("%s: said by %s", name, status.Origin)
		}
	}
}

// TestBuildOlder has a tab of an earlier release request YAML, which the proxy no longer writes: it is told what to do.
func TestBuildOlder(t *testing.T) {
	for _, verb := range []wire.Verb{wire.Get, wire.List} {
		r := wire.Request{Verb: verb, Version: "v1", Resource: "pods", Namespace: "a", Encoding: "yaml"}
		if verb == wire.Get {
			r.Name = "b"
		}
		_, status := Build(t.Context(), base(t, "https://h"), r)
		if status == nil || status.Origin != wire.FromProxy || !strings.Contains(status.Message, "reload the page") {
			t.Errorf("%s: %+v", verb, status)
		}
	}
}

// FuzzBuild checks that the URL of any parts splits into the same parts, and that the method is
// right.
func FuzzBuild(f *testing.F) {
	f.Add("get", "apps", "v1", "pods", "a", "b", "")
	f.Add("list", "", "v1", "pods", "..", "", "exec")
	f.Add("review", "", "", "selfsubjectreviews", "", "", "")
	f.Add("log", "", "v1", "pods", "a", "b", "")
	f.Add("log", "", "v1", "pods", "a", "b", "2026-11-22T03:04:05.678+02:00")
	f.Fuzz(func(t *testing.T, verb, group, version, resource, namespace, name, sub string) {
		r := wire.Request{Verb: wire.Verb(verb), Group: group, Version: version, Resource: resource, Namespace: namespace, Name: name, Subresource: sub}
		if r.Verb == wire.Log {
			r.Subresource, r.Log = "", &wire.LogOptions{Container: sub, SinceTime: sub}
		}
		req, status := Build(t.Context(), base(t, "https://h/base"), r)
		if status != nil || r.Verb == wire.Discover {
			return
		}
		if r.Verb == wire.Review {
			if req.Method != http.MethodPost || !strings.HasPrefix(req.URL.Path, "/base/apis/auth") {
				t.Fatalf("%s %s", req.Method, req.URL)
			}
			return
		}
		want := "/base/api/" + version
		if group != "" {
			want = "/base/apis/" + group + "/" + version
		}
		if namespace != "" {
			want += "/namespaces/" + namespace
		}
		want += "/" + resource
		if name != "" {
			want += "/" + name
		}
		if r.Verb == wire.Log {
			want += "/log"
		}
		parsed, err := url.Parse(req.URL.String())
		if err != nil || req.Method != http.MethodGet || parsed.Path != want || parsed.Host != "h" {
			t.Fatalf("want %s, got %s %s (%v)", want, req.Method, req.URL, err)
		}
		if n := strings.Count(parsed.EscapedPath(), "/"); n != strings.Count(want, "/") || strings.Contains(parsed.EscapedPath(), "//") || strings.Contains(parsed.EscapedPath()+"/", "/../") {
			t.Fatalf("the path splits otherwise: %s", parsed.EscapedPath())
		}
	})
}
