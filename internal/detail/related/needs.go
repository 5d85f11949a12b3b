package related

import (
	"slices"

	"watchglass/internal/object"
)

// Need is a list that shows objects related to an object: of a resource, in one namespace or in
// all, optionally with a field selector.
type Need struct {
	Resource, Namespace, Fields string
	// OwnersOnly is true if only the owners of the listed objects are needed.
	OwnersOnly bool
}

// aroundPods are the kinds that select pods, or lead to a kind that does.
var aroundPods = []string{services, endpoints, ingresses, budgets, policies}

// users are the kinds that refer to what pods use.
var users = []string{pods, replicaSets, deployments, statefulSets, daemonSets, jobs, cronJobs, controllers}

// podCreators are the kinds that create pods; they show who uses a class that pods name. Pods of
// the whole cluster are not listed for this: there may be 100,000, and no field selector covers
// their class. So a pod that none of these created is not found, nor one with the default class.
// ReplicaSets are left out because they only repeat their Deployments, ten times over.
var podCreators = []string{deployments, statefulSets, daemonSets, jobs, cronJobs, controllers}

// needs are the lists that each kind needs in its own namespace. What an object refers to is
// found by name instead.
var needs = map[string][]string{
	pods:         append([]string{autoscalers}, aroundPods...),
	deployments:  append([]string{replicaSets, pods, autoscalers}, aroundPods...),
	replicaSets:  append([]string{pods, autoscalers}, aroundPods...),
	controllers:  append([]string{pods, autoscalers}, aroundPods...),
	statefulSets: append([]string{pods, revisions, autoscalers}, aroundPods...),
	daemonSets:   append([]string{pods, revisions}, aroundPods...),
	jobs:         append([]string{pods}, aroundPods...),
	cronJobs:     append([]string{jobs, pods}, aroundPods...),
	services:     {pods, endpoints, ingresses, statefulSets},
	endpoints:    {pods, services, ingresses},
	ingresses:    {services, endpoints, pods},
	budgets:      {pods},
	policies:     {pods},
	configMaps:   users,
	secrets:      append([]string{ingresses, accounts}, users...),
	claims:       users,
	accounts:     append([]string{bindings}, users...),
	roles:        {bindings},
}

// everywhere are the lists that each kind needs across all namespaces.
var everywhere = map[string][]string{
	volumes:      {attachments},
	classes:      {volumes, claims},
	ingressClass: {ingresses},
	priorities:   podCreators,
	runtimes:     podCreators,
	nodes:        {attachments, csiNodes},
	clusterRoles: {clusterBinds, bindings},
	accounts:     {clusterBinds},
}

// Needs returns the lists that show what is related to an object, other than what it refers to.
// The graph found so far may lead to more lists.
func Needs(focus ID, g Graph) (all []Need) {
	in := func(namespace string, resources []string) {
		for _, resource := range resources {
			if n := (Need{Resource: resource, Namespace: namespace}); !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	if focus.Namespace != "" {
		in(focus.Namespace, needs[focus.Resource])
	}
	for _, n := range g.ownedByCustom() {
		in(n.Namespace, needs[n.Resource])
	}
	in("", everywhere[focus.Resource])
	switch focus.Resource {
	case nodes:
		all = append(all, Need{Resource: pods, Fields: OnNode + focus.Name}, Need{Resource: leases, Namespace: leaseNamespace, Fields: ByName + focus.Name})
	case volumes: // a volume has no namespace; its users are in its claim's
		for _, n := range g.Nodes {
			if n.Resource == claims {
				in(n.Namespace, users)
			}
		}
	}
	return all
}

// The prefixes of a Need's field selectors: an object by name, and the pods of a node.
const (
	ByName = "metadata.name="
	OnNode = "spec.nodeName="
)

// owners maps the built-in kinds that own objects to the kinds of those.
var owners = map[string][]string{
	deployments: {replicaSets, pods}, replicaSets: {pods}, controllers: {pods}, statefulSets: {pods, revisions},
	daemonSets: {pods, revisions}, jobs: {pods}, cronJobs: {jobs, pods}, services: {endpoints},
}

// ownedByCustom returns the objects of built-in kinds that an object of a custom kind owns and that
// the focus owns through it. Each needs the lists that it would need as the focus.
func (g Graph) ownedByCustom() (all []Node) {
	seen, queue := map[int]bool{0: true}, []int{0}
	for ; len(queue) > 0 && len(g.Nodes) > 0; queue = queue[1:] {
		from := queue[0]
		_, native := object.Builtin(g.Nodes[from].Resource)
		for _, e := range g.Edges {
			n := e.To
			if e.Verb != Owns || e.From != from || seen[n] {
				continue
			}
			seen[n] = true
			queue = append(queue, n)
			if of := g.Nodes[n]; !native && of.Namespace != "" && (of.Resource == pods || owners[of.Resource] != nil) {
				all = append(all, of)
			}
		}
	}
	return all
}

// OwnedNeeds returns the lists that show what an object of a built-in kind owns.
func OwnedNeeds(focus ID) (all []Need) {
	for _, resource := range owners[focus.Resource] {
		if focus.Namespace != "" {
			all = append(all, Need{Resource: resource, Namespace: focus.Namespace})
		}
	}
	return all
}
