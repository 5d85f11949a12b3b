//go:build !js

package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	corev1 "k8s.io/api/core/v1"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/object"
)

// planted is the value of a variable. Its copies are numbered.
const planted = "hunter2-CANARY"

var copies = regexp.MustCompile(planted + `\.(\d+)\.`)

// planter makes objects with a copy of the value at each text.
type planter struct {
	messages map[string][]string // the lines of the schema, by message
	wrap     string              // what is around a copy
	places   []string            // by number: the path, with the kind
}

// readSchema returns the messages of the schema, and those of the built-in kinds by apiVersion and kind.
func readSchema(t *testing.T) (messages map[string][]string, kinds map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../object/schema/schema.txt")
	if err != nil {
		t.Fatal(err)
	}
	messages, kinds = make(map[string][]string), make(map[string]string)
	name := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] >= '0' && line[0] <= '9':
			messages[name] = append(messages[name], line)
		default:
			var of string
			name, of, _ = strings.Cut(line, " ")
			for kind := range strings.SplitSeq(of, ",") {
				if kind != "" {
					kinds[kind] = name
				}
			}
		}
	}
	return messages, kinds
}

// copy returns the next copy of the value.
func (p *planter) copy(place []string) string {
	p.places = append(p.places, strings.Join(place, "|"))
	return fmt.Sprintf(p.wrap, fmt.Sprintf("%s.%d.", planted, len(p.places)-1))
}

// message returns a message with a copy at each text. Messages within themselves have one more of their own.
func (p *planter) message(name string, place []string, above []string) (out []byte) {
	if len(slices.DeleteFunc(slices.Clone(above), func(s string) bool { return s != name })) > 1 {
		return nil
	}
	above = append(slices.Clip(above), name)
	for _, line := range p.messages[name] {
		words := strings.Fields(line)
		number, _ := strconv.Atoi(words[0])
		typ, isMap := strings.CutPrefix(strings.TrimPrefix(words[2], "[]"), "{}")
		at := place
		if words[1] != "-" {
			at = append(slices.Clip(place), words[1])
		}
		keys := []string{""}
		switch {
		case words[1] == "annotations":
			keys = []string{"note", "deployment.kubernetes.io/revision"}
		case isMap:
			keys = []string{"app", "kubernetes.io/service-name", "job-name", "controller-revision-hash", "pod-template-hash"}
		}
		for _, key := range keys {
			if isMap {
				at = append(slices.Clip(at[:len(place)+1]), key)
			}
			value, texts := p.value(typ, at, above)
			if !texts {
				continue
			}
			if isMap {
				entry := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), key)
				value = protowire.AppendBytes(protowire.AppendTag(entry, 2, protowire.BytesType), value)
			}
			out = protowire.AppendBytes(protowire.AppendTag(out, protowire.Number(number), protowire.BytesType), value)
		}
	}
	return out
}

// value returns the value of a field of a type; false if it has no texts.
func (p *planter) value(typ string, at, above []string) ([]byte, bool) {
	field := func(number protowire.Number, value string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), value)
	}
	const schema = "apiextensions/v1.JSONSchemaProps"
	switch typ {
	case "string", "bytes":
		return []byte(p.copy(at)), true
	case "IntOrString":
		return append(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1), field(3, p.copy(at))...), true
	case "Strings":
		return field(1, p.copy(at)), true
	case "Raw":
		doc, _ := json.Marshal(p.tree(rand.New(rand.NewPCG(1, 7)), at, 3))
		return field(1, string(doc)), true
	case "OrBool":
		return field(2, string(p.message(schema, at, above))), true
	case "OrArray":
		return append(field(1, string(p.message(schema, at, above))), field(2, string(p.message(schema, at, above)))...), true
	case "OrStrings":
		return append(field(1, string(p.message(schema, at, above))), field(2, p.copy(at))...), true
	case "bool", "int", "float", "Time", "MicroTime", "Duration", "Quantity":
		return nil, false
	}
	return p.message(typ, at, above), true
}

// members are names of members, as custom resources have them.
var members = []string{"spec", "status", "template", "containers", "config", "labels", "selector", "host", "url", "reason", "type", "message", "policy", "action", "mountOptions", "args", "password", "userName", "secretKey", "resources", "parameters", "a b", "bucketName", "data", "rules"}

// tree returns JSON with a copy at each text.
func (p *planter) tree(rng *rand.Rand, place []string, depth int) any {
	switch n := rng.IntN(6); {
	case depth == 0, n == 0:
		return p.copy(place)
	case n == 1:
		return []any{p.copy(place), p.tree(rng, place, depth-1), 7, nil, true}
	}
	all := make(map[string]any)
	for range 1 + rng.IntN(5) {
		name := members[rng.IntN(len(members))]
		if _, there := all[name]; !there {
			all[name] = p.tree(rng, append(slices.Clip(place), name), depth-1)
		}
	}
	return all
}

// leftTexts are what SECURITY.md names as texts in which values stay: members, their endings ("…Name"), and labels.
func leftTexts(t *testing.T) (left []string) {
	t.Helper()
	doc, err := os.ReadFile("../../../.github/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(doc), "**Texts that keep such a value**")
	list, _, end := strings.Cut(list, "\n\n**")
	if !ok || !end {
		t.Fatal("SECURITY.md does not list the texts that keep a value")
	}
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1) {
		left = append(left, m[1])
	}
	return left
}

// isLeft reports whether SECURITY.md names a place. Of labels it names one, which stands for all of Kubernetes.
func isLeft(left []string, place string) bool {
	path := strings.Split(place, "|")[2:] // behind the apiVersion's version and the kind
	last := path[len(path)-1]
	return slices.ContainsFunc(left, func(name string) bool {
		if end, ok := strings.CutPrefix(name, "…"); ok {
			return strings.HasSuffix(last, end)
		}
		parent, own, two := strings.Cut(name, ".")
		return last == name || two && len(path) > 1 && path[len(path)-2] == parent && last == own
	})
}

// checkPlanted writes a record and looks for copies.
func checkPlanted(t *testing.T, record history.Record, c Choices, p *planter, left func(place string) bool) {
	t.Helper()
	file := write(t, record, header0(), c)
	kept := make(map[string]bool) // by the last two members
	for _, m := range copies.FindAllSubmatch(file, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		path := strings.Split(p.places[n], "|")
		if end := fmt.Sprint(path[len(path)-2:]); !left(p.places[n]) && !kept[end] {
			kept[end] = true
			t.Errorf("%v, %q: the value is in the file, at %s", c.altered(), p.wrap, p.places[n])
		}
	}
	if bytes.Contains(copies.ReplaceAll(file, nil), []byte(planted)) {
		t.Errorf("%v, %q: the value is in the file, beside its copies", c.altered(), p.wrap)
	}
}

// plantedChoices replace values, and other things or none.
var plantedChoices = []Choices{{HideValues: true}, {HideValues: true, HideAnnotations: true}, {HideValues: true, HideHosts: true, HideImages: true}, everything}

// wraps are ways in which a text has a value. Built-in kinds have so many texts that each way has one of the choices.
var wraps = []string{"%s", "x%sy", "use %s here", "https://ana:%s@db/x?y", `{"password":"%s"}`}

// aPod has the value as a variable.
func aPod() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: named("ns", "p"), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Env: []corev1.EnvVar{{Name: "A", Value: planted}}}}}}
}

// TestPlanted plants the value of a variable at each text of each built-in kind. None stays, except where SECURITY.md says so.
func TestPlanted(t *testing.T) {
	left := leftTexts(t)
	schema, kinds := readSchema(t)
	used := make(map[string]bool)
	for i, wrap := range wraps {
		p := &planter{messages: schema, wrap: wrap}
		record := historytest.New(begun)
		put(t, record, podStream, aPod())
		for of, message := range kinds {
			apiVersion, kind, _ := strings.Cut(of, " ")
			if kind == "Secret" { // its values are never written
				continue
			}
			group, version, grouped := strings.Cut(apiVersion, "/")
			if !grouped {
				group, version = "", apiVersion
			}
			s := history.Stream{Group: group, Version: version, Resource: strings.ToLower(kind) + "s", Kind: kind}
			k := object.Kind{Group: group, Version: version, Resource: s.Resource, Name: kind}
			raw := p.message(message, []string{version, kind}, nil)
			record.Put(record.Open(s), begun, "x", "u", k.Wrap(nil, raw))
		}
		if len(p.places) < 10_000 {
			t.Fatalf("only %d texts", len(p.places))
		}
		for _, c := range plantedChoices[i%len(plantedChoices):][:1] {
			checkPlanted(t, record, c, p, func(place string) bool { used[place] = true; return isLeft(left, place) })
		}
		if plain := write(t, record, header0(), Choices{}); len(copies.FindAll(plain, -1)) < len(p.places) {
			t.Errorf("%d of %d copies are in a file without choices: this test finds nothing", len(copies.FindAll(plain, -1)), len(p.places))
		}
	}
	for _, name := range left {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(used)), func(place string) bool { return isLeft([]string{name}, place) }) {
			t.Errorf("SECURITY.md names %q, where no value stays", name)
		}
	}
}

// leftInCustom are the texts of custom resources that are names or say what is meant.
var leftInCustom = []string{"name", "namespace", "uid", "resourceVersion", "apiVersion", "kind"}

// TestPlantedInCustom does the same in custom resources of many shapes.
func TestPlantedInCustom(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for _, wrap := range wraps {
		p := &planter{wrap: wrap}
		record := historytest.New(begun)
		put(t, record, podStream, aPod())
		n := record.Open(history.Stream{Group: "acme.io", Version: "v1", Resource: "bills", Kind: "Bill", Namespaced: true})
		for i := range 60 {
			name := fmt.Sprint("b", i)
			row := map[string]any{"cells": []any{name, p.copy([]string{"v1", "Bill", "cells"})}, "object": map[string]any{
				"apiVersion": "acme.io/v1", "kind": "Bill", "metadata": map[string]any{"name": name, "namespace": "ns", "labels": map[string]any{"app": p.copy([]string{"v1", "Bill", "labels", "app"})}},
				"spec": p.tree(rng, []string{"v1", "Bill", "spec"}, 5), "status": p.tree(rng, []string{"v1", "Bill", "status"}, 5),
			}}
			doc, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			record.Put(n, begun, "ns/"+name, name, doc)
		}
		for _, c := range plantedChoices {
			checkPlanted(t, record, c, p, func(place string) bool { return isLeft(leftInCustom, place) })
		}
	}
}

// environmentNames are what custom resources call environments.
var environmentNames = []string{"env", "ENV", "envs", "envVars", "extraEnv", "extraEnvVars", "containerEnv", "environment", "environmentVars", "environmentVariables", "environment_variables", "env_vars", "env-vars", "secretEnv", "podEnv", "podenv", "EnvVar", "envMap", "envOverrides", "JVMEnv", "commonEnvironment"}

// TestEnvironmentShapes holds that the value of a variable is found in a custom resource however that has its variables, and
// then wherever it is repeated.
func TestEnvironmentShapes(t *testing.T) {
	const value = "s3cret/of=shop"
	for _, name := range environmentNames {
		for shape, doc := range map[string]string{
			"assignments":     `["A=b","PW=` + value + `"]`,
			"lines":           `"A=b\nPW=` + value + `\n"`,
			"map":             `{"PW":"` + value + `"}`,
			"map of objects":  `{"PW":{"value":"` + value + `"}}`,
			"list":            `[{"name":"PW","value":"` + value + `"}]`,
			"list with more":  `[{"name":"PW","default":{"text":["` + value + `"]}}]`,
			"deeper":          `{"variables":[{"name":"PW","value":"` + value + `"}]}`,
			"map of lists":    `{"main":[{"name":"PW","value":"` + value + `"}]}`,
			"nested map":      `{"main":{"PW":"` + value + `"}}`,
			"with references": `{"other":{"valueFrom":{"secretKeyRef":{"name":"keys","key":"pw"}}},"PW":"` + value + `"}`,
		} {
			record := historytest.New(begun)
			n := record.Open(history.Stream{Group: "acme.io", Version: "v1", Resource: "bills", Kind: "Bill", Namespaced: true})
			record.Put(n, begun, "ns/b", "u", []byte(`{"apiVersion":"acme.io/v1","kind":"Bill","metadata":{"name":"b","namespace":"ns","labels":{"a":"x`+value+`"}},"spec":{"main":[{"`+name+`":`+doc+`}]},"status":{"message":"bad `+value+`"}}`))
			put(t, record, eventStream, said("login with "+value))
			text := textOf(t, write(t, record, header0(), Choices{HideValues: true, HideAnnotations: true}))
			if at := strings.Index(text, "s3cret"); at >= 0 {
				t.Errorf("%s, %s: %s", name, shape, text[max(at-100, 0):min(at+100, len(text))])
			}
			if !strings.Contains(text, "PW") || !strings.Contains(text, "login with value-") || shape == "with references" && !strings.Contains(text, `"name":"keys","key":"pw"`) {
				t.Errorf("%s, %s: too little is left: %s", name, shape, text)
			}
		}
	}
	for _, other := range []string{"envoy", "envoyConfig", "envelope", "envFrom", "envfrom", "environmentFrom", "convention", "seven", "name", "Env From"} {
		if isEnvironment(other) {
			t.Errorf("%q counts as an environment", other)
		}
	}
}

// TestSaidOfValues holds that a value that is the same as a name or a constant does not change what objects are and
// refer to, and that schemas of kinds are no environments.
func TestSaidOfValues(t *testing.T) {
	pod := aPod()
	for _, value := range []string{"ClusterIP", "LoadBalancer", "checkout-api", "10.96.0.10", "registry.acme.com/checkout-api:1.2"} {
		pod.Spec.Containers[0].Env = append(pod.Spec.Containers[0].Env, corev1.EnvVar{Name: "B", Value: value})
	}
	pod.Labels = map[string]string{"controller-revision-hash": "checkout-api-7d9f"}
	service := &corev1.Service{ObjectMeta: named("ns", "checkout-api"), Spec: corev1.ServiceSpec{Type: "ClusterIP", ClusterIP: "10.96.0.10"}}
	service.Labels = map[string]string{"kubernetes.io/service-name": "checkout-api", "app": "checkout-api"}
	pod.Spec.Containers[0].Image = "registry.acme.com/checkout-api:1.2"
	record := historytest.New(begun)
	put(t, record, podStream, pod)
	put(t, record, serviceStream, service)
	n := record.Open(history.Stream{Group: "acme.io", Version: "v1", Resource: "composites", Kind: "Composite"})
	record.Put(n, begun, "c", "u", []byte(`{"apiVersion":"acme.io/v1","kind":"Composite","metadata":{"name":"c"},"spec":{"schema":{"openAPIV3Schema":{"properties":{"env":{"description":"Variables of all","type":"array"}}}}}}`))
	text := textOf(t, write(t, record, header0(), Choices{HideValues: true}))
	for _, kept := range []string{`"type":"ClusterIP"`, `"clusterIP":"10.96.0.10"`, `"name":"checkout-api"`, `"kubernetes.io/service-name":"checkout-api"`, `"controller-revision-hash":"checkout-api-7d9f"`, `"image":"registry.acme.com/checkout-api:1.2"`, "Variables of all"} {
		if !strings.Contains(text, kept) {
			t.Errorf("%s is not in the file: %s", kept, text)
		}
	}
	if strings.Contains(text, `"app":"checkout-api"`) {
		t.Error("a label keeps the value")
	}
}
