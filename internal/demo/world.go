//go:build !js

package demo

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/demo/api"
	"watchglass/internal/demo/store"
)

// world is the cluster: its objects, and the state that the simulation needs beside them, such
// as what owns what and what is in progress. Only one goroutine at a time may use it.
type world struct {
	clock
	Options
	store *store.Store
	kinds map[reflect.Type]*api.Kind

	nodes     []*node
	apps      []*app
	crons     []*cron
	databases []*database
	scales    []*autoscaler
	recorder  recorder
	ips       uint32 // pod addresses assigned so far
	services  uint32 // service addresses assigned so far
}

func newWorld(o Options, s *store.Store, start time.Time) *world {
	w := &world{Options: o, store: s, kinds: map[reflect.Type]*api.Kind{}}
	w.clock = clock{now: start.UTC(), rng: rand.New(rand.NewPCG(o.Seed, 0x77a7c46a55))}
	w.recorder.most = min(max(o.Pods/4, 400), 4000)
	for _, k := range api.Builtins() {
		w.kinds[reflect.TypeOf(k.New())] = k
	}
	return w
}

// ago returns a past time, truncated to the second.
func (w *world) ago(d time.Duration) metav1.Time {
	return metav1.NewTime(w.now.Add(-d).Truncate(time.Second))
}

// stamp returns the current time as objects store it, truncated to the second.
func (w *world) stamp() metav1.Time { return w.ago(0) }

func (w *world) stampp() *metav1.Time {
	t := w.stamp()
	return &t
}

func keyOf(obj metav1.Object) store.Key {
	return store.Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// put writes an object. It sets the UID and the creation time if they are missing.
func (w *world) put(obj api.Message) {
	k := w.kinds[reflect.TypeOf(obj)]
	if obj.GetUID() == "" {
		obj.SetUID(newUID(w.rng))
	}
	if created := obj.GetCreationTimestamp(); created.IsZero() {
		obj.SetCreationTimestamp(w.stamp())
	}
	must(w.store.Resource(k.ID()).Put(keyOf(obj), k.Encode(obj)))
}

// must panics on an error that cannot happen: one of our own objects that cannot be encoded.
func must(err error) {
	if err != nil {
		panic(fmt.Errorf("demo: %w", err))
	}
}

// message is a pointer to an object of a built-in kind.
type message[T any] interface {
	*T
	api.Message
}

// read decodes an object; false if it does not exist.
func read[T any, P message[T]](w *world, key store.Key) (P, bool) {
	obj := P(new(T))
	k := w.kinds[reflect.TypeOf(obj)]
	o := w.store.Resource(k.ID()).State().Get(key)
	if o == nil {
		return nil, false
	}
	must(obj.Unmarshal(o.Raw))
	return obj, true
}

// update changes and writes an object, if it still exists.
func update[T any, P message[T]](w *world, key store.Key, change func(P)) {
	if obj, ok := read[T, P](w, key); ok {
		change(obj)
		w.put(obj)
	}
}

// remove deletes an object, if it still exists.
func remove[T any, P message[T]](w *world, key store.Key) {
	if obj, ok := read[T, P](w, key); ok {
		k := w.kinds[reflect.TypeOf(obj)]
		must(w.store.Resource(k.ID()).Delete(key, k.Encode(obj)))
	}
}

// owner returns a reference to the controller of an object.
func owner(apiVersion, kind string, obj metav1.Object) []metav1.OwnerReference {
	yes := true
	return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: obj.GetName(), UID: obj.GetUID(), Controller: &yes, BlockOwnerDeletion: &yes}}
}

// managed returns a managedFields entry that looks plausible; it does not list every field.
func managed(manager, subresource, fields string, at metav1.Time) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &at,
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields), Subresource: subresource,
	}
}
