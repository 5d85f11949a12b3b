package sums

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"watchglass/internal/object"
)

// The paths of an EndpointSlice that have all endpoints, and those that are not ready. An
// endpoint that does not say is ready.
const (
	allEndpoints     = "{.endpoints[*].addresses[0]}"
	unreadyEndpoints = `{.endpoints[?(@.conditions.ready=="false")].addresses[0]}`
)

// EndpointPaths returns the paths of EndpointSlices that Endpoints needs.
func EndpointPaths() []string { return []string{allEndpoints, unreadyEndpoints} }

// serviceLabel is the label of an EndpointSlice with the name of its Service.
const serviceLabel = "kubernetes.io/service-name"

// addressTypes are the types of EndpointSlices. A Service with two has each endpoint in both.
var addressTypes = [...]string{"IPv4", "IPv6", "FQDN"}

// ready are the ready endpoints of a Service, by type, and its slices.
type ready struct {
	of     [len(addressTypes)]int
	slices int
}

// Endpoints counts the ready endpoints of Services, by their EndpointSlices. The informers of the
// slices call Apply; the other methods are for the hub's loop.
type Endpoints struct {
	services []object.Column

	mu      sync.Mutex
	states  map[string]State // of the slices of a namespace; "" is the whole cluster
	counts  map[string]ready // by the key of the Service
	touched map[string]bool
}

// NewEndpoints returns the endpoints of Services, which are objects with these columns.
func NewEndpoints(services []object.Column) *Endpoints {
	return &Endpoints{services: services, states: make(map[string]State), counts: make(map[string]ready), touched: make(map[string]bool)}
}

// Apply applies changes of EndpointSlices that have these columns, those of EndpointPaths among
// them, in any order. Any goroutine may call it.
func (e *Endpoints) Apply(columns []object.Column, changes []Change) {
	places := make([]int, 3)
	for i, name := range []string{"AddressType", allEndpoints, unreadyEndpoints} {
		if places[i] = at(columns, name); places[i] < 0 {
			return // no row of a Table has come yet
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	add := func(o *object.Object, by int) {
		if o == nil {
			return
		}
		service := o.Labels().Get(serviceLabel)
		if service == "" {
			return
		}
		text := func(i int) string { return o.Cell(columns, places[i]).Text }
		key := o.Namespace() + "/" + service
		r := e.counts[key]
		if t := slices.Index(addressTypes[:], text(0)); t >= 0 {
			r.of[t] += by * (count(text(1)) - count(text(2)))
		}
		if r.slices += by; r == (ready{}) {
			delete(e.counts, key)
		} else {
			e.counts[key] = r
		}
		e.touched[key] = true
	}
	for _, c := range changes {
		add(c.Before, -1)
		add(c.After, +1)
	}
}

func at(columns []object.Column, name string) int {
	return slices.IndexFunc(columns, func(c object.Column) bool { return c.Name == name })
}

// count returns how many values a list has.
func count(list string) int {
	if list == "" || list == "<none>" {
		return 0
	}
	return strings.Count(list, ",") + 1
}

// Set sets the state of a namespace's slices, or those of the whole cluster, and reports whether it has
// changed.
func (e *Endpoints) Set(namespace string, state State) (changed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before, had := e.states[namespace]
	e.states[namespace] = state
	return !had || before != state
}

// Touched returns the keys of the Services whose endpoints have changed since the last call.
func (e *Endpoints) Touched() (keys []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key := range e.touched {
		keys = append(keys, key)
	}
	clear(e.touched)
	return keys
}

// Cells returns the derived cell of a Service. It is empty if the Service has no endpoints of its
// own: it has an external name, or neither a selector nor a ready endpoint.
func (e *Endpoints) Cells(o *object.Object) []object.Cell {
	e.mu.Lock()
	defer e.mu.Unlock()
	cell := object.Cell{Kind: object.AmountCell}
	is := func(column, text string) bool {
		i := at(e.services, column)
		return i >= 0 && o.Cell(e.services, i).Text == text
	}
	r := e.counts[o.Key()]
	n := slices.Max(r.of[:])
	state, alone := e.states[o.Namespace()]
	if !alone {
		state = e.states[""]
	}
	switch {
	case state == Denied, is("Type", "ExternalName"), n == 0 && is("Selector", "<none>"):
	case state == Loading, state == Stale && n == 0:
		cell.Text, cell.Unknown = "…", true
	default:
		cell.Text, cell.Amount = strconv.Itoa(n), float64(n)
	}
	return []object.Cell{cell}
}
