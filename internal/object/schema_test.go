//go:build !js

package object

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var update = flag.Bool("update", false, "write what is generated anew")

// TestSchema compares the committed schema with the Go types that it is generated from.
func TestSchema(t *testing.T) {
	const file = "schema/schema.txt"
	want := generateSchema(t)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != want {
		t.Fatal(file, "is not what the types of k8s.io/api give: run 'go test ./internal/object -run TestSchema -update'", err)
	}
}

// goTypes are the Go types of everything that a cluster serves in protobuf.
var goTypes = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensions.AddToScheme, aggregator.AddToScheme} {
		utilruntime.Must(add(s))
	}
	return s
}()

// knownTypes returns the types of goTypes by "group/version Kind", without lists and the meta
// kinds of every group.
func knownTypes() map[string]reflect.Type {
	types := make(map[string]reflect.Type)
	for gvk, typ := range goTypes.AllKnownTypes() {
		_, hasMeta := reflect.New(typ).Interface().(metav1.Object)
		if gvk.Version == runtime.APIVersionInternal || !hasMeta {
			continue
		}
		types[gvk.GroupVersion().String()+" "+gvk.Kind] = typ
	}
	return types
}

func generateSchema(t testing.TB) string {
	kindsOf := make(map[reflect.Type][]string)
	var queue []reflect.Type
	for kind, typ := range knownTypes() {
		kindsOf[typ] = append(kindsOf[typ], kind)
		queue = append(queue, typ)
	}
	texts := make(map[string]string)
	for len(queue) > 0 {
		typ := queue[0]
		queue = queue[1:]
		name := messageName(typ)
		if _, done := texts[name]; done {
			continue
		}
		kinds := kindsOf[typ]
		sort.Strings(kinds)
		text, more := describe(t, typ)
		texts[name] = strings.TrimSpace(name+" "+strings.Join(kinds, ",")) + "\n" + text
		queue = append(queue, more...)
	}
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	sort.Strings(names)
	var out strings.Builder
	out.WriteString("# Made by TestSchema from the Go types of the Kubernetes API. Do not edit.\n")
	for _, name := range names {
		out.WriteString(texts[name])
	}
	return out.String()
}

// messageName shortens "k8s.io/api/core/v1.Pod" to "core/v1.Pod".
func messageName(t reflect.Type) string {
	path := t.PkgPath()
	for _, cut := range []string{"k8s.io/api/", "k8s.io/apimachinery/pkg/apis/", "k8s.io/apiextensions-apiserver/pkg/apis/", "k8s.io/kube-aggregator/pkg/apis/"} {
		path = strings.TrimPrefix(path, cut)
	}
	return path + "." + t.Name()
}

// describe writes the fields of a message and returns the messages that they refer to.
func describe(t testing.TB, typ reflect.Type) (string, []reflect.Type) {
	var out strings.Builder
	var more []reflect.Type
	for i := range typ.NumField() {
		f := typ.Field(i)
		tag := strings.Split(f.Tag.Get("protobuf"), ",")
		if len(tag) < 2 {
			continue // TypeMeta, which protobuf has outside the message
		}
		jsonTag := strings.Split(f.Tag.Get("json"), ",")
		name, always := jsonTag[0], " !"
		if name == "" && f.Anonymous {
			name = "-"
		}
		for _, option := range jsonTag[1:] {
			switch option {
			case "omitempty", "omitzero":
				always = ""
			}
		}
		if name == "" {
			t.Fatalf("%s.%s has no JSON name", typ, f.Name)
		}
		if f.Type.Kind() == reflect.Pointer {
			always = " !" // nil is not written at all, so any written value counts
		}
		typeName, message := fieldType(t, f.Type)
		if message != nil {
			more = append(more, message)
		}
		fmt.Fprintf(&out, "%s %s %s%s\n", tag[1], name, typeName, always)
	}
	return out.String(), more
}

var specials = map[string]string{
	"meta/v1.Time": "Time", "meta/v1.MicroTime": "MicroTime", "meta/v1.Duration": "Duration",
	"meta/v1.FieldsV1": "Raw", "apiextensions/v1.JSON": "Raw",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":    "Raw",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":   "Quantity",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": "IntOrString",
	"apiextensions/v1.JSONSchemaPropsOrBool":          "OrBool",
	"apiextensions/v1.JSONSchemaPropsOrArray":         "OrArray",
	"apiextensions/v1.JSONSchemaPropsOrStringArray":   "OrStrings",
}

func fieldType(t testing.TB, typ reflect.Type) (string, reflect.Type) {
	if special, ok := specials[messageName(typ)]; ok {
		return special, nil
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return fieldType(t, typ.Elem())
	case reflect.Slice:
		if typ.Elem().Kind() == reflect.Uint8 {
			return "bytes", nil
		}
		if _, wrapped := reflect.New(typ).Interface().(interface{ Marshal() ([]byte, error) }); wrapped {
			return "Strings", nil // a named list that protobuf wraps in a message
		}
		name, message := fieldType(t, typ.Elem())
		return "[]" + name, message
	case reflect.Map:
		if typ.Key().Kind() != reflect.String {
			t.Fatalf("map keyed by %s", typ.Key())
		}
		name, message := fieldType(t, typ.Elem())
		return "{}" + name, message
	case reflect.String:
		return "string", nil
	case reflect.Bool:
		return "bool", nil
	case reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return "int", nil
	case reflect.Float64:
		return "float", nil
	case reflect.Struct:
		return messageName(typ), typ
	}
	t.Fatalf("no schema for %s", typ)
	return "", nil
}
