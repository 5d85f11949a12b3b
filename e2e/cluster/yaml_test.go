package cluster

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/detail/yaml"
	"watchglass/internal/wire"
)

// anyKind is a custom kind that takes anything, and anyThing one object of it whose
// values are easily taken for something else.
const (
	anyKind = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.yaml.example.com"},"spec":{"group":"yaml.example.com","scope":"Namespaced",
"names":{"plural":"things","singular":"thing","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`
	anyThing = `{"apiVersion":"yaml.example.com/v1","kind":"Thing","metadata":{"name":"any","namespace":"default","annotations":{"a":"%s"}},"spec":{
"numbers":[0,1,-1,9223372036854775807,-9223372036854775808,9223372036854775808,18446744073709551615,18446744073709551616,1.0,1.5,1e3,1000000.0,1e21,1e-7,0.1,1e308],
"texts":["","yes","no","on","~","null","1","1e3","0x1f","1_000","1:30",".5","- a","a: b","a #b","*x","<<","2026-11-22","a\nb","a\nb\n"," a\nb","\t","\u001b[31m","<script>&","gr\u00fc\u00dfe \ud83d\ude00","%s"],
"true":true,"null":null,"":{},"list":[],"nested":[[1,[2]],{"a":[{"b":1,"c":[]}]}],"a10":1,"a9":2,"A":3}}`
)

// TestYAML holds that objects in YAML are, byte for byte, what kubectl prints.
func TestYAML(t *testing.T) {
	if err := shared.SeedPods(t.Context(), 20, PodOptions{Seed: 7}); err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	apply := func(name, manifest string) {
		t.Helper()
		path := files + "/" + name
		if err := os.WriteFile(path, []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := shared.Kubectl(t.Context(), "apply", "--server-side", "-f", path); err != nil {
			t.Fatal(err)
		}
	}
	apply("kind.json", anyKind)
	if _, err := shared.Kubectl(t.Context(), "wait", "--for=condition=Established", "crd/things.yaml.example.com"); err != nil {
		t.Fatal(err)
	}
	apply("thing.json", fmt.Sprintf(anyThing, strings.Repeat("word ", 60), strings.Repeat("x", 3000)))
	created, err := clientFor(t, shared.Config()).CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "yaml"}, Data: map[string]string{"script": "#!/bin/sh\nset -e\n\techo \"a: b\" \n", "wide": strings.Repeat("世界 ", 200)}, BinaryData: map[string][]byte{"b": {0, 255}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	requests := []wire.Request{
		{Version: "v1", Resource: "configmaps", Namespace: created.Namespace, Name: created.Name},
		{Version: "v1", Resource: "namespaces", Name: "kube-system"},
		{Version: "v1", Resource: "services", Namespace: "default", Name: "kubernetes"},
		{Group: "yaml.example.com", Version: "v1", Resource: "things", Namespace: "default", Name: "any"},
		{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: "things.yaml.example.com"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles", Name: "system:controller:job-controller"},
		{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Resource: "flowschemas", Name: "probes"},
	}
	requests = append(requests, somePods(t)...)
	r := relayTo(t, Admin())
	for _, q := range requests {
		for _, managed := range []bool{false, true} {
			q.Verb, q.Encoding, q.ManagedFields = wire.Get, wire.EncodingJSON, managed
			doc, err := r.Get(t.Context(), q)
			if err != nil {
				t.Errorf("%+v: %v", q, err)
				continue
			}
			written, err := yaml.Write(doc, wire.MaxFrame)
			if err != nil {
				t.Errorf("%+v: %v", q, err)
				continue
			}
			have := written.Text()
			resource := strings.TrimSuffix(q.Resource+"."+q.Version+"."+q.Group, ".v1.")
			want, err := shared.Kubectl(t.Context(), "get", "-o", "yaml", fmt.Sprintf("--show-managed-fields=%v", managed), "-n", q.Namespace, resource, q.Name)
			if err != nil || have != want || managed != strings.Contains(have, "managedFields:") {
				t.Errorf("%s: %v\nhave %s\nwant %s", q.Name, err, have, want)
			}
		}
	}
}

// somePods are some of the pods that were seeded.
func somePods(t *testing.T) (requests []wire.Request) {
	t.Helper()
	list, err := shared.Kubectl(t.Context(), "get", "--raw", "/api/v1/pods?limit=8")
	if err != nil {
		t.Fatal(err)
	}
	var pods corev1.PodList
	if err := json.Unmarshal([]byte(list), &pods); err != nil || len(pods.Items) != 8 {
		t.Fatalf("%d pods, %v", len(pods.Items), err)
	}
	for _, p := range pods.Items {
		requests = append(requests, wire.Request{Version: "v1", Resource: "pods", Namespace: p.Namespace, Name: p.Name})
	}
	return requests
}
