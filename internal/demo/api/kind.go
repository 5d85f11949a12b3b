//go:build !js

package api

import (
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"watchglass/internal/demo/store"
)

// Message is an object of a built-in kind.
type Message interface {
	metav1.Object
	runtime.Object
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// Kind is one kind of objects, and how it is served.
type Kind struct {
	Group, Version, Resource string
	Name, Singular           string
	Short, Categories        []string
	Namespaced               bool
	Subresources             []string

	// New makes an empty object of a built-in kind, which is stored as protobuf.
	// A custom kind has none: it is stored as JSON.
	New func() Message
	// Fields are what a field selector may ask for beside name and namespace:
	// where each is in the protobuf.
	Fields map[string]Field
	// Columns are how a custom kind is printed.
	Columns []Column
}

// Field is where a field is: the numbers on the way to it, and what an object
// without it counts as having.
type Field struct {
	Path    []int32
	Default string
}

func at(path ...int32) Field { return Field{Path: path} }

// ID names the kind's resource in the store.
func (k *Kind) ID() string { return k.GroupResource().String() }

// GroupResource is what errors call the kind.
func (k *Kind) GroupResource() schema.GroupResource {
	return schema.GroupResource{Group: k.Group, Resource: k.Resource}
}

// GroupVersionKind is what objects say they are.
func (k *Kind) GroupVersionKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Name}
}

func (k *Kind) apiVersion() string {
	return schema.GroupVersion{Group: k.Group, Version: k.Version}.String()
}

func (k *Kind) listName() string { return k.Name + "List" }

// Encode makes the bytes of a version of an object. The object is changed: it
// gets the version.
func (k *Kind) Encode(obj Message) store.Encode {
	return func(version int64) ([]byte, error) {
		obj.SetResourceVersion(strconv.FormatInt(version, 10))
		return obj.Marshal()
	}
}

// Decode reads an object of a built-in kind.
func (k *Kind) Decode(o *store.Object) (Message, error) {
	obj := k.New()
	if err := obj.Unmarshal(o.Raw); err != nil {
		return nil, fmt.Errorf("decode %s %s/%s: %w", k.ID(), o.Namespace, o.Name, err)
	}
	return obj, nil
}

// Builtins are the built-in kinds.
func Builtins() []*Kind { return builtin }
