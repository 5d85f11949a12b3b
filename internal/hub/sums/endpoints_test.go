//go:build !js

package sums

import (
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"watchglass/internal/object"
)

// endpointMaker makes Services and EndpointSlices.
type endpointMaker struct {
	*maker
	services, slices *object.Decoder
}

func newEndpointMaker(t testing.TB) endpointMaker {
	m := endpointMaker{maker: newMaker(t)}
	services, _ := object.Builtin("services")
	m.services = object.NewDecoder(services, true).Share(m.codes)
	kind, _ := object.Builtin("endpointslices")
	var extras []object.Extra
	for _, path := range EndpointPaths() {
		e, err := object.ParseExtra(path)
		if err != nil {
			t.Fatal(err)
		}
		extras = append(extras, e)
	}
	m.slices = object.NewDecoder(kind, true, extras...).Share(m.codes)
	return m
}

func (m endpointMaker) service(name string, spec corev1.ServiceSpec) *object.Object {
	s := &corev1.Service{Spec: spec}
	s.APIVersion, s.Kind, s.Namespace, s.Name = "v1", "Service", "a", name
	return m.decode(m.services, s)
}

func (m endpointMaker) slice(s *discoveryv1.EndpointSlice) *object.Object {
	s.APIVersion, s.Kind = "discovery.k8s.io/v1", "EndpointSlice"
	return m.decode(m.slices, s)
}

// randomSlice returns a random slice of one of three Services, or of none.
func randomSlice(r *rand.Rand, name string) *discoveryv1.EndpointSlice {
	s := &discoveryv1.EndpointSlice{AddressType: []discoveryv1.AddressType{"IPv4", "IPv4", "IPv6", "FQDN"}[r.IntN(4)]}
	s.Namespace, s.Name = []string{"a", "a", "b"}[r.IntN(3)], name
	if n := r.IntN(4); n < 3 {
		s.Labels = map[string]string{serviceLabel: fmt.Sprint("s", n)}
	}
	for i := range r.IntN(5) {
		e := discoveryv1.Endpoint{Addresses: []string{fmt.Sprint("10.0.0.", i)}}
		if n := r.IntN(3); n < 2 {
			is := n == 0
			e.Conditions.Ready = &is
		}
		s.Endpoints = append(s.Endpoints, e)
	}
	return s
}

// TestEndpointsModel changes EndpointSlices at random, and compares all counts with a naive
// recount.
func TestEndpointsModel(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := newEndpointMaker(t)
		e := NewEndpoints(m.services.Columns())
		e.Set("", Ready)
		all, objects := map[string]*discoveryv1.EndpointSlice{}, map[string]*object.Object{}
		shown := map[string]string{}
		for step := range 60 {
			var changes []Change
			for range 1 + r.IntN(5) {
				name := fmt.Sprint("slice", r.IntN(8))
				c := Change{Before: objects[name]}
				if delete(objects, name); r.IntN(3) > 0 {
					all[name] = randomSlice(r, name)
					c.After = m.slice(all[name])
					objects[name] = c.After
				} else {
					delete(all, name)
				}
				if c.Before != nil || c.After != nil {
					changes = append(changes, c)
				}
			}
			e.Apply(m.slices.Columns(), changes)
			touched := map[string]bool{}
			for _, key := range e.Touched() {
				touched[key] = true
			}
			for i := range 3 {
				name := fmt.Sprint("s", i)
				ready := map[discoveryv1.AddressType]int{}
				for _, s := range all {
					for _, one := range s.Endpoints {
						if s.Namespace == "a" && s.Labels[serviceLabel] == name && (one.Conditions.Ready == nil || *one.Conditions.Ready) {
							ready[s.AddressType]++
						}
					}
				}
				want := max(ready["IPv4"], ready["IPv6"], ready["FQDN"])
				got := e.Cells(m.service(name, corev1.ServiceSpec{Selector: map[string]string{"app": "x"}}))[0]
				if got.Text != fmt.Sprint(want) || got.Amount != float64(want) || got.Unknown {
					t.Fatalf("seed %d, step %d, %s: %+v, want %d", seed, step, name, got, want)
				}
				if before, ok := shown[name]; ok && before != got.Text && !touched["a/"+name] {
					t.Fatalf("seed %d, step %d, %s: not touched", seed, step, name)
				}
				shown[name] = got.Text
			}
		}
		var last []Change
		for _, o := range objects {
			last = append(last, Change{Before: o})
		}
		if e.Apply(m.slices.Columns(), last); len(e.counts) > 0 {
			t.Fatalf("seed %d: left %v", seed, e.counts)
		}
	}
}

// TestEndpointCells checks what Services show in each state: never 0 while the slices are not live.
func TestEndpointCells(t *testing.T) {
	m := newEndpointMaker(t)
	selector := map[string]string{"app": "x"}
	slice := randomSlice(rand.New(rand.NewPCG(1, 1)), "one")
	slice.Namespace, slice.Labels = "a", map[string]string{serviceLabel: "full"}
	slice.Endpoints = []discoveryv1.Endpoint{{Addresses: []string{"10.0.0.1"}}, {Addresses: []string{"10.0.0.2"}}}
	manual := slice.DeepCopy()
	manual.Labels[serviceLabel] = "manual"
	for name, c := range map[string]struct {
		spec corev1.ServiceSpec
		want string // loading, ready, denied, stale
	}{
		"full":     {corev1.ServiceSpec{Selector: selector}, "… 2  2"},
		"empty":    {corev1.ServiceSpec{Selector: selector}, "… 0  …"},
		"external": {corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "x.org", Selector: selector}, "   "},
		"nothing":  {corev1.ServiceSpec{}, "   "},
		"manual":   {corev1.ServiceSpec{}, "… 2  2"},
	} {
		e := NewEndpoints(m.services.Columns())
		e.Apply(m.slices.Columns(), []Change{{After: m.slice(slice)}, {After: m.slice(manual)}})
		got := ""
		for i, state := range []State{Loading, Ready, Denied, Stale} {
			if i > 0 {
				got += " "
			}
			e.Set("", state)
			cell := e.Cells(m.service(name, c.spec))[0]
			if got += cell.Text; cell.Unknown != (cell.Text == "…") {
				t.Errorf("%s, %v: %+v", name, state, cell)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
