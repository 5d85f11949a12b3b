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

// Kind is a kind of object and how it is served.
type Kind struct {
	Group, Version, Resource string
	Name, Singular           string
	Short, Categories        []string
	Namespaced               bool
	Subresources             []string

	// Measured objects are computed when they are requested, and cannot be watched.
	Measured bool

	// New returns an empty object of a built-in kind, which is stored as protobuf. It is nil for
	// a custom kind, which is stored as JSON.
	New func() Message
	// Fields are the supported field selectors besides name and namespace, with their positions
	// in the protobuf.
	Fields map[string]Field
	// Columns are the printed columns of a custom kind.
	Columns []Column
}

// Field is the position of a field: the path of field numbers to it, and the value of an object
// that lacks it.
type Field struct {
	Path    []int32
	Default string
}

func at(path ...int32) Field { return Field{Path: path} }

// ID returns the name of the kind's resource in the store.
func (k *Kind) ID() string { return k.GroupResource().String() }

// GroupResource returns the name of the kind in errors.
func (k *Kind) GroupResource() schema.GroupResource {
	return schema.GroupResource{Group: k.Group, Resource: k.Resource}
}

// GroupVersionKind returns the apiVersion and kind of its objects.
func (k *Kind) GroupVersionKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Name}
}

func (k *Kind) apiVersion() string {
	return schema.GroupVersion{Group: k.Group, Version: k.Version}.String()
}

func (k *Kind) listName() string { return k.Name + "List" }

// Encode returns a function that encodes an object at a version. It changes the object: it sets
// resourceVersion.
func (k *Kind) Encode(obj Message) store.Encode {
	return func(version int64) ([]byte, error) {
		obj.SetResourceVersion(strconv.FormatInt(version, 10))
		return obj.Marshal()
	}
}

// Decode decodes an object of a built-in kind.
func (k *Kind) Decode(o *store.Object) (Message, error) {
	obj := k.New()
	if err := obj.Unmarshal(o.Raw); err != nil {
		return nil, fmt.Errorf("decode %s %s/%s: %w", k.ID(), o.Namespace, o.Name, err)
	}
	return obj, nil
}

// verbs are what can be done with a kind; nothing can be written.
func (k *Kind) verbs() []string {
	if k.Measured {
		return readVerbs[:2]
	}
	return readVerbs
}

// Builtins returns the built-in kinds.
func Builtins() []*Kind { return builtin }
