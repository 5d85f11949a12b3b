package attack_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"watchglass/internal/wire"
)

// odd are the values that a field may be given.
var odd = []string{
	"", ".", "..", "...", "/", "a/b", "a/../b", "../../secrets", "%2e%2e", "%2f", "a%2fb", "%252f", "%00", "\x00", "a\x00b", `\`, `a\b`, `..\`, "%5c",
	";", "a;b", "..;", "..;a=b", "?watch=1", "a?b=c", "#", "a#b", "&", "a&watch=true", "=", " ", "a b", "a\r\nImpersonate-User: admin", "a\nb", "\t", "\x7f", "\x1b[2J",
	"watch", "proxy", "namespaces", "status", "finalize", "scale", "exec", "attach", "portforward", "log", "pods/exec", "pods/web/exec", "pods%2fexec", "pods?x", "secrets",
	"api", "apis", "v1", "v1/watch", "v1/namespaces/kube-system", "apps/v1", "apps..k8s", "default", "kube-system", "http:web:80", "https:web:", "web:80",
	"système", "／", "．．", "‥", "a／b", "ⅴ1", "\u202e", "\ufeff", "a\u0301", "\xff", "\xc0\xaf", "\xed\xa0\x80",
	"A", "a.", ".a", "-a", "a-", "a_b", "a.b", "*", "{}", "[]", "null", "0", "-1", "1e9", "9223372036854775808", "%", "%%", "%zz", "%s%n", "+", "a+b", "~", "!", "'", `"`, "`", "<script>", "$(id)",
	"//evil.example", "http://evil.example", "@evil.example", "[::1]", "user:password@host", "metadata.name=x", "metadata.name=x,metadata.name=y", "metadata.name==..", "metadata.namespace=other", "a in (b", "a=b=c",
	strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 253), strings.Repeat("a", 254), strings.Repeat("a.", 200), strings.Repeat("a", 3000), strings.Repeat("é", 3000), strings.Repeat("a", 1<<16),
}

// sound are requests that pass as they are.
var sound = []wire.Request{
	{Verb: wire.List, Version: "v1", Resource: "pods"},
	{Verb: wire.List, Version: "v1", Resource: "pods", Namespace: "a", Encoding: wire.EncodingTable},
	{Verb: wire.List, Version: "v1", Resource: "namespaces"},
	{Verb: wire.Watch, Group: "apps", Version: "v1", Resource: "deployments", Namespace: "a"},
	{Verb: wire.Watch, Version: "v1", Resource: "nodes", Encoding: wire.EncodingWhole},
	{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "web"},
	{Verb: wire.Get, Version: "v1", Resource: "namespaces", Name: "a"},
	{Verb: wire.Get, Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles", Name: "system:node proxier"},
	{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "web", Encoding: wire.EncodingJSON},
	{Verb: wire.Log, Version: "v1", Resource: "pods", Namespace: "a", Name: "web"},
	{Verb: wire.Log, Version: "v1", Resource: "pods", Namespace: "a", Name: "web", Log: &wire.LogOptions{Container: "main", Follow: true, Previous: true, Timestamps: true, SinceTime: "2026-11-22T03:04:05.678+02:00", TailLines: new(int64), LimitBytes: 7}},
	{Verb: wire.Log, Version: "v1", Resource: "pods", Namespace: "a", Name: "web", Log: &wire.LogOptions{SinceSeconds: 7}},
	{Verb: wire.Discover, Group: "*"},
	wire.ServerVersion,
	{Verb: wire.Review, Resource: "selfsubjectreviews"},
	{Verb: wire.Review, Resource: "selfsubjectrulesreviews", Namespace: "a"},
	{Verb: wire.Review, Resource: "selfsubjectaccessreviews", Access: &wire.Access{Verb: "list", Resource: "pods"}},
}

// TestTuples gives every field of every sound request every odd value: what reaches
// the apiserver is what was asked for, or nothing.
func TestTuples(t *testing.T) {
	asked, passed := 0, 0
	try := func(r wire.Request) bool {
		asked++
		ok, err := check(r)
		if err != nil {
			t.Errorf("%.300s", err)
		}
		if ok {
			passed++
		}
		return ok
	}
	for _, r := range sound {
		if !try(r) {
			t.Errorf("%+v does not pass", r)
		}
		for _, value := range odd {
			for _, changed := range changes(r, value) {
				try(changed)
			}
		}
	}
	t.Logf("%d requests, %d passed", asked, passed)
	if asked < 2000 || passed == 0 || passed == asked {
		t.Error("that shows nothing")
	}
}

// changes are a request with each of its fields given a value, one after the other,
// and some of them two at once.
func changes(r wire.Request, value string) []wire.Request {
	var all []wire.Request
	for _, set := range []func(*wire.Request){
		func(r *wire.Request) { r.Verb = wire.Verb(value) },
		func(r *wire.Request) { r.Group = value },
		func(r *wire.Request) { r.Version = value },
		func(r *wire.Request) { r.Resource = value },
		func(r *wire.Request) { r.Namespace = value },
		func(r *wire.Request) { r.Name = value },
		func(r *wire.Request) { r.Subresource = value },
		func(r *wire.Request) { r.Encoding = wire.Encoding(value) },
		func(r *wire.Request) { r.Resource, r.Name, r.Namespace = value, "secrets", "" },
		func(r *wire.Request) { r.Resource, r.Namespace = value, "a" },
		func(r *wire.Request) { r.Resource, r.Namespace = "namespaces", value },
		func(r *wire.Request) { r.Resource, r.Name = "namespaces", value },
		func(r *wire.Request) { r.LabelSelector = value },
		func(r *wire.Request) { r.FieldSelector = value },
		func(r *wire.Request) { r.FieldSelector = "metadata.name=" + value },
		func(r *wire.Request) { r.Continue = value },
		func(r *wire.Request) { r.ResourceVersion = value },
		func(r *wire.Request) { r.ResourceVersionMatch = value },
		func(r *wire.Request) { r.Limit, r.TimeoutSeconds = int64(len(value))-10, -int64(len(value)) },
		func(r *wire.Request) { r.Limit, r.TimeoutSeconds = 1<<63-1, 1<<63-1 },
		func(r *wire.Request) { r.Log = &wire.LogOptions{Container: value} },
		func(r *wire.Request) { r.Log = &wire.LogOptions{SinceTime: value, Follow: true} },
		func(r *wire.Request) { r.Log = &wire.LogOptions{SinceTime: "2026-11-22T03:04:05Z" + value} },
		func(r *wire.Request) {
			n := int64(len(value)) - 10
			r.Log = &wire.LogOptions{SinceSeconds: n, LimitBytes: n, TailLines: &n, Previous: true}
		},
		func(r *wire.Request) { r.Verb, r.Name, r.Log = wire.Log, value, &wire.LogOptions{Container: "main"} },
		func(r *wire.Request) { r.Verb, r.Resource = wire.Log, value },
		func(r *wire.Request) {
			r.Access = &wire.Access{Verb: value, Group: value, Resource: value, Namespace: value, Name: value}
		},
	} {
		changed := r
		set(&changed)
		all = append(all, changed)
	}
	return all
}

// TestTuplesAtRandom gives all fields odd values at once, each time others.
func TestTuplesAtRandom(t *testing.T) {
	times := 20_000
	if os.Getenv("SOAK") != "" {
		times = 10_000_000
	}
	random := rand.New(rand.NewPCG(6, 6))
	passed := 0
	for range times {
		r := sound[random.IntN(len(sound))]
		for range 1 + random.IntN(4) {
			all := changes(r, odd[random.IntN(len(odd))])
			r = all[random.IntN(len(all))]
		}
		ok, err := check(r)
		if err != nil {
			t.Fatalf("%+v: %s", r, err)
		}
		if ok {
			passed++
		}
	}
	t.Logf("%d requests, %d passed", times, passed)
	if passed == 0 || passed == times {
		t.Error("that shows nothing")
	}
}
