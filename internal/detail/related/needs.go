package related

import (
	"slices"

	"watchglass/internal/object"
)

// Need is a list that tells what belongs to an object: of a resource in a namespace, or
// everywhere, and perhaps only what a field selector has.
type Need struct {
	Resource, Namespace, Fields string
	// Slight is a list that only tells whose its objects are.
	Slight bool
}

// around are the kinds that select pods, or lead to what does.
var around = []string{services, endpoints, ingresses, budgets, policies}

// users are the kinds that refer to what pods are given.
var users = []string{pods, replicaSets, deployments, statefulSets, daemonSets, jobs, cronJobs, controllers}

// makers are the kinds that make pods, and tell who uses a class that pods name. The pods
// of the whole cluster are not listed for that: they may be 100,000, and no field selector
// knows their class. So a pod that none of these made is not found, nor one that was given
// the default class. Replica sets only repeat their deployments, ten times over.
var makers = []string{deployments, statefulSets, daemonSets, jobs, cronJobs, controllers}

// needs are the lists in its own namespace that each kind needs. What it refers to is
// found by its name.
var needs = map[string][]string{
	pods:         append([]string{autoscalers}, around...),
	deployments:  append([]string{replicaSets, pods, autoscalers}, around...),
	replicaSets:  append([]string{pods, autoscalers}, around...),
	controllers:  append([]string{pods, autoscalers}, around...),
	statefulSets: append([]string{pods, revisions, autoscalers}, around...),
	daemonSets:   append([]string{pods, revisions}, around...),
	jobs:         append([]string{pods}, around...),
	cronJobs:     append([]string{jobs, pods}, around...),
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

// everywhere are those lists of the whole cluster that a kind needs.
var everywhere = map[string][]string{
	volumes:      {attachments},
	classes:      {volumes, claims},
	ingressClass: {ingresses},
	priorities:   makers,
	runtimes:     makers,
	nodes:        {attachments, csiNodes},
	clusterRoles: {clusterBinds, bindings},
	accounts:     {clusterBinds},
}

// Needs are the lists that tell what belongs to an object, apart from what it refers to.
// As far as they are in, the graph says where to look on.
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
	for _, n := range g.led() {
		in(n.Namespace, needs[n.Resource])
	}
	in("", everywhere[focus.Resource])
	switch focus.Resource {
	case nodes:
		all = append(all, Need{Resource: pods, Fields: OnNode + focus.Name}, Need{Resource: leases, Namespace: leaseNamespace, Fields: ByName + focus.Name})
	case volumes: // a volume has no namespace, but what has it is in its claim's
		for _, n := range g.Nodes {
			if n.Resource == claims {
				in(n.Namespace, users)
			}
		}
	}
	return all
}

// The beginnings of the field selectors of a Need: the object of a name, and the pods
// of a node.
const (
	ByName = "metadata.name="
	OnNode = "spec.nodeName="
)

// owners are the kinds known here that own others, of which these are.
var owners = map[string][]string{
	deployments: {replicaSets, pods}, replicaSets: {pods}, controllers: {pods}, statefulSets: {pods, revisions},
	daemonSets: {pods, revisions}, jobs: {pods}, cronJobs: {jobs, pods}, services: {endpoints},
}

// led are the objects of kinds known here that one of another kind owns, and that the
// focus owns through it: of each, what it would need as the focus is needed.
func (g Graph) led() (all []Node) {
	line, queue := map[int]bool{0: true}, []int{0}
	for ; len(queue) > 0 && len(g.Nodes) > 0; queue = queue[1:] {
		from := queue[0]
		_, native := object.Builtin(g.Nodes[from].Resource)
		for _, e := range g.Edges {
			n := e.To
			if e.Verb != Owns || e.From != from || line[n] {
				continue
			}
			line[n] = true
			queue = append(queue, n)
			if of := g.Nodes[n]; !native && of.Namespace != "" && (of.Resource == pods || owners[of.Resource] != nil) {
				all = append(all, of)
			}
		}
	}
	return all
}

// OwnedNeeds are the lists that tell what an object of a kind known here owns.
func OwnedNeeds(focus ID) (all []Need) {
	for _, resource := range owners[focus.Resource] {
		if focus.Namespace != "" {
			all = append(all, Need{Resource: resource, Namespace: focus.Namespace})
		}
	}
	return all
}
