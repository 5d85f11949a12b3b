//go:build !js

package object

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"sort"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"watchglass/internal/object/schema"
	"watchglass/internal/object/tree"
)

// filler returns a generator of random objects that a server could have sent.
func filler(seed int64) *randfill.Filler { return fillerFrom(rand.NewSource(seed)) }

// fillerFrom is filler with a given source.
func fillerFrom(source rand.Source) *randfill.Filler {
	text := func(c randfill.Continue) string {
		return strings.ToValidUTF8(strings.Trim(c.String(12), "\x00"), "?")
	}
	return randfill.New().RandSource(source).NilChance(.3).NumElements(0, 3).MaxDepth(14).Funcs(
		func(s *string, c randfill.Continue) { *s = text(c) },
		func(b *[]byte, c randfill.Continue) { *b = []byte(text(c)) },
		func(*metav1.TypeMeta, randfill.Continue) {}, // protobuf does not contain it
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63n(1<<40), resource.DecimalSI)
		},
		func(v *metav1.Time, c randfill.Continue) {
			if c.Bool() {
				*v = metav1.Unix(c.Int63n(4e9), 0)
			}
		},
		func(v *metav1.MicroTime, c randfill.Continue) {
			*v = metav1.NewMicroTime(metav1.Unix(c.Int63n(4e9), c.Int63n(1e6)*1000).Time)
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			if *v = intstr.FromInt32(int32(c.Uint32())); c.Bool() {
				*v = intstr.FromString(text(c))
			}
		},
		func(v *runtime.RawExtension, c randfill.Continue) { v.Raw = []byte(`{"a":[1,"x"]}`) },
		func(v *apiextensions.JSON, c randfill.Continue) { v.Raw = []byte(`{"b":true}`) },
		func(v *metav1.FieldsV1, c randfill.Continue) { v.SetRawString(`{"f:spec":{}}`) },
		func(v *apiextensions.JSONSchemaPropsOrBool, c randfill.Continue) {
			if v.Allows = c.Bool(); v.Allows {
				v.Schema = &apiextensions.JSONSchemaProps{Type: text(c)}
			}
		},
		func(v *apiextensions.JSONSchemaPropsOrArray, c randfill.Continue) {
			if props := (apiextensions.JSONSchemaProps{Type: text(c)}); c.Bool() {
				v.Schema = &props
			} else {
				v.JSONSchemas = []apiextensions.JSONSchemaProps{props}
			}
		},
		func(v *apiextensions.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Bool() {
				v.Schema = &apiextensions.JSONSchemaProps{Type: text(c)}
			} else {
				v.Property = []string{text(c)}
			}
		},
		func(v *apiextensions.JSONSchemaProps, c randfill.Continue) {
			c.FillNoCustom(v)
			v.Ref, v.Nullable = nil, false
		},
	)
}

// TestJSON compares JSON written from packed bytes with encoding/json of the Go types, for
// random objects of every built-in kind.
func TestJSON(t *testing.T) {
	types := knownTypes()
	kinds := make([]string, 0, len(types))
	for kind := range types {
		kinds = append(kinds, kind)
	}
	sort.Strings(kinds)
	for _, kind := range kinds {
		t.Run(strings.ReplaceAll(kind, " ", "."), func(t *testing.T) {
			for seed := range int64(6) {
				obj := reflect.New(types[kind]).Interface()
				filler(seed).Fill(obj)
				raw, err := obj.(interface{ Marshal() ([]byte, error) }).Marshal()
				if err != nil {
					t.Fatal(err)
				}
				message, ok := schema.Of(strings.Split(kind, " ")[0], strings.Split(kind, " ")[1])
				if !ok {
					t.Fatal("the schema does not know it")
				}
				got, err := tree.FromMessage(message, raw).AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				want, err := json.Marshal(obj)
				if err != nil {
					t.Fatal(err)
				}
				if d := differ("", pruned(t, want), pruned(t, got)); d != "" {
					t.Fatalf("seed %d: %s", seed, d)
				}
			}
		})
	}
}

// pruned decodes JSON and drops the values that protobuf cannot distinguish from missing ones:
// null, empty lists and empty maps.
func pruned(t *testing.T, doc []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return prune(v)
}

func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e = prune(e); e == nil {
				delete(v, k)
			} else {
				v[k] = e
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			v[i] = prune(v[i])
		}
	}
	return v
}

// differ returns the first path at which two trees differ, or "".
func differ(path string, want, got any) string {
	w, wok := want.(map[string]any)
	g, gok := got.(map[string]any)
	if wok && gok {
		for k := range w {
			if d := differ(path+"."+k, w[k], g[k]); d != "" {
				return d
			}
		}
		for k := range g {
			if _, ok := w[k]; !ok {
				return fmt.Sprintf("%s.%s: not wanted, got %v", path, k, g[k])
			}
		}
		return ""
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Sprintf("%s: want %v, got %v", path, want, got)
	}
	return ""
}
