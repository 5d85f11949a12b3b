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

// world is the cluster and what is known of it beside its objects: who belongs
// to whom, and what is under way. One goroutine at a time moves it.
type world struct {
	clock
	Options
	store *store.Store
	kinds map[reflect.Type]*api.Kind

	nodes    []*node
	apps     []*app
	crons    []*cron
	bases    []*database
	scales   []*autoscaler
	recorder recorder
	ips      uint32 // given to pods so far
	services uint32 // addresses given to services so far
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

// ago is a time of the past, to the second.
func (w *world) ago(d time.Duration) metav1.Time {
	return metav1.NewTime(w.now.Add(-d).Truncate(time.Second))
}

// stamp is the present, as objects have it.
func (w *world) stamp() metav1.Time { return w.ago(0) }

func (w *world) stampp() *metav1.Time {
	t := w.stamp()
	return &t
}

func keyOf(obj metav1.Object) store.Key {
	return store.Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// put writes an object, and gives it what every object has.
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

// must ends what cannot be: an object of our own that cannot be encoded.
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

// read decodes an object, or says that it is not there.
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

// update changes an object and writes it, if it is still there.
func update[T any, P message[T]](w *world, key store.Key, change func(P)) {
	if obj, ok := read[T, P](w, key); ok {
		change(obj)
		w.put(obj)
	}
}

// remove deletes an object, if it is still there.
func remove[T any, P message[T]](w *world, key store.Key) {
	if obj, ok := read[T, P](w, key); ok {
		k := w.kinds[reflect.TypeOf(obj)]
		must(w.store.Resource(k.ID()).Delete(key, k.Encode(obj)))
	}
}

// owner is a reference to the controller of an object.
func owner(apiVersion, kind string, obj metav1.Object) []metav1.OwnerReference {
	yes := true
	return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: obj.GetName(), UID: obj.GetUID(), Controller: &yes, BlockOwnerDeletion: &yes}}
}

// managed says who owns which fields, as far as anybody would look.
func managed(manager, subresource, fields string, at metav1.Time) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &at,
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields), Subresource: subresource,
	}
}
