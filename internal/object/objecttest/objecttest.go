//go:build !js

// Package objecttest is what the tests of the packages of objects share: a noun, the Go types of all that a cluster
// serves in protobuf.
//
// In: nothing. Out: the types by their kinds, and random objects of them.
package objecttest

import (
	"math/rand"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/randfill"
)

// Scheme has the Go types of everything that a cluster serves in protobuf.
var Scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensions.AddToScheme, aggregator.AddToScheme} {
		utilruntime.Must(add(s))
	}
	return s
}()

// Types returns the types of Scheme by "group/version Kind", without lists and the meta
// kinds of every group.
func Types() map[string]reflect.Type {
	types := make(map[string]reflect.Type)
	for gvk, typ := range Scheme.AllKnownTypes() {
		_, hasMeta := reflect.New(typ).Interface().(metav1.Object)
		if gvk.Version == runtime.APIVersionInternal || !hasMeta {
			continue
		}
		types[gvk.GroupVersion().String()+" "+gvk.Kind] = typ
	}
	return types
}

// Filler returns a generator of random objects that a server could have sent.
func Filler(seed int64) *randfill.Filler { return FillerFrom(rand.NewSource(seed)) }

// FillerFrom is Filler with a given source.
func FillerFrom(source rand.Source) *randfill.Filler {
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
