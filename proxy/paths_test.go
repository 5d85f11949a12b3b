//go:build !js

package main

import (
	"slices"
	"strings"
	"testing"

	"watchglass/internal/wire"
)

// hostilePaths returns the paths that a signed-in attacker may send: every target after every
// prefix, with slashes, dots and the end disguised in every way.
func hostilePaths() []string {
	targets := []string{
		"api/v1/secrets", "api/v1/pods?watch=1", "api/v1/watch/secrets", "api/v1/namespaces/a/pods/web/exec?command=id", "api/v1/namespaces/a/pods/web/attach",
		"api/v1/namespaces/a/pods/web/portforward", "api/v1/namespaces/a/pods/web/log", "api/v1/namespaces/a/services/http:web:80/proxy/", "api/v1/nodes/n1/proxy/run/a/web/c?cmd=id",
		"api/v1/proxy/nodes/n1", "apis/apps/v1/deployments", "apis", "version", "healthz", "metrics", "openapi/v2", "logs/kube-apiserver.log", "debug/pprof/heap",
		".well-known/openid-configuration", "-/socket", "-/login", "-/files/index.html", "-/livez", "etc/passwd", "robots.txt", "web/app.wasm",
	}
	prefixes := []string{
		"/", "//", "/-/", "/-/socket/", "/-/socket/../../", "/-/files/../../", "/pods/", "/pods/../", "/./", "/-/files/%2e%2e/%2e%2e/",
		"/..;/", "/pods%2f..%2f", `/..\`, "//evil.example/", "http://HOST/", "https://kubernetes.default/",
	}
	disguises := []func(string) string{
		func(p string) string { return p },
		func(p string) string { return strings.ReplaceAll(p, "/", "%2f") },
		func(p string) string { return strings.ReplaceAll(p, "/", "%252f") },
		func(p string) string { return strings.ReplaceAll(p, "/", "%5c") },
		func(p string) string { return strings.ReplaceAll(p, "/", `\`) },
		func(p string) string { return strings.ReplaceAll(p, "/", "//") },
		func(p string) string { return strings.ReplaceAll(p, "/", "/./") },
		func(p string) string { return strings.ReplaceAll(p, "/", ";a=b/") },
		func(p string) string { return strings.ReplaceAll(p, "/", "%c0%af") },
		func(p string) string { return strings.ReplaceAll(p, "/", "%ef%bc%8f") },
		func(p string) string { return p + "%00" },
		func(p string) string { return p + "%0d%0aImpersonate-User:%20admin" },
		func(p string) string { return p + "/..%2f" },
		func(p string) string { return p + "#x" },
		strings.ToUpper,
	}
	var all []string
	for _, prefix := range prefixes {
		for _, target := range targets {
			for _, disguise := range disguises {
				all = append(all, prefix+disguise(target))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestHostilePaths sends all hostile paths as upgrade requests with the right cookie and origin.
// Each is answered with the page or refused, and none reaches the apiserver.
func TestHostilePaths(t *testing.T) {
	v := newVictim(t)
	paths := hostilePaths()
	codes := make(map[int]int)
	for _, path := range paths {
		line := strings.ReplaceAll(path, "HOST", v.host)
		code, conn, _, body := v.send(t, strings.Replace(v.upgrade(), "/-/socket", line, 1))
		conn.Close()
		codes[code]++
		named, _, _ := strings.Cut(strings.TrimPrefix(line, "http://"+v.host), "?")
		switch {
		case code == 200 && body == "<!doctype html>the page":
		case code == 200 && strings.HasSuffix(named, "/-/livez") && body == "ok\n": // anybody may ask
		case code == 101 && named == "/-/socket":
		case code/100 == 4:
		default:
			t.Errorf("%s: %d %q", line, code, body)
		}
	}
	t.Logf("%d paths: %v", len(paths), codes)
	if len(paths) < 2000 || codes[200] == 0 || codes[404] == 0 {
		t.Error("that shows nothing")
	}
	if have := v.upstream.take(); have != nil {
		t.Errorf("upstream got %q", have)
	}
}

// TestHostileMethods checks that no method but GET has an effect at any path.
func TestHostileMethods(t *testing.T) {
	v := newVictim(t)
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "X"} {
		for _, path := range []string{"/", "/pods", "/api", "/api/v1/pods", "/-/socket", "/-/files/boot.def.js", "/-/nothing"} {
			code, conn, _, body := v.send(t, strings.Replace(v.upgrade(), "GET /-/socket", method+" "+path, 1))
			conn.Close()
			if code/100 != 4 {
				t.Errorf("%s %s: %d %q", method, path, code, body)
			}
		}
	}
	if have := v.upstream.take(); have != nil {
		t.Errorf("upstream got %q", have)
	}
}

// TestHostileTuples sends invalid requests over the socket. The proxy refuses them, and sends
// nothing to the apiserver.
func TestHostileTuples(t *testing.T) {
	v := newVictim(t)
	for _, r := range []wire.Request{
		{Verb: "create", Version: "v1", Resource: "pods"},
		{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "web/exec"},
		{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "web", Subresource: "exec"},
		{Verb: wire.List, Version: "v1", Resource: "secrets", Namespace: ".."},
		{Verb: wire.List, Version: "v1/watch", Resource: "secrets"},
		{Verb: wire.Review, Resource: "pods"},
	} {
		code, conn, from, _ := v.send(t, v.upgrade())
		end, err := v.ask(conn, from, r)
		conn.Close()
		if code != 101 || err != nil || end.Status == nil || end.Status.Origin != wire.FromProxy {
			t.Errorf("%+v: %d, %+v, %v", r, code, end.Status, err)
		}
	}
	if have := v.upstream.take(); have != nil {
		t.Errorf("upstream got %q", have)
	}
}
