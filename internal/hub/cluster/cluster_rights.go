package cluster

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

const (
	// rightsMost is how many namespaces are asked about, and namesMost how many are listed.
	rightsMost = 16
	namesMost  = 1000
)

// ReadRights asks what the user may list in the given namespaces and, unless the proxy serves
// only one, in those of the cluster. Any goroutine but the loop's may call it: it waits.
func (c *Cluster) ReadRights(ctx context.Context, of []string, narrow bool) (out port.Rights) {
	if !narrow {
		out.Namespaces = c.readNamespaces(ctx)
	}
	all := Distinct(slices.Concat(of, out.Namespaces))
	for _, namespace := range all[:min(len(all), rightsMost)] {
		doc, err := c.Client.Get(ctx, wire.Request{Verb: wire.Review, Resource: "selfsubjectrulesreviews", Namespace: namespace})
		if err == nil { // a namespace whose review fails is left out
			out.In = append(out.In, port.Right{Namespace: namespace, Lists: listable(doc)})
		}
	}
	return out
}

// readNamespaces returns the namespaces of the cluster, if the user may list them. Any
// goroutine but the loop's may call it: it waits.
func (c *Cluster) readNamespaces(ctx context.Context) (all []string) {
	r := wire.Request{
		Version: "v1", Resource: "namespaces", Encoding: wire.EncodingMetadata,
		ListOptions: wire.ListOptions{ResourceVersion: "0", Limit: namesMost},
	}
	_, _ = source.ReadList(ctx, c, r, func(payload []byte) { // on an error, the named namespaces have to do
		if id, err := object.ReadIdentity(payload); err == nil {
			all = append(all, id.Name)
		}
	})
	return all
}

// listable returns the resources that the rules of a review allow to list.
func listable(doc []byte) []string {
	var review struct {
		Status struct {
			ResourceRules []struct{ Verbs, APIGroups, Resources, ResourceNames []string }
		}
	}
	if json.Unmarshal(doc, &review) != nil {
		return nil
	}
	var lists []string
	for _, rule := range review.Status.ResourceRules {
		if len(rule.ResourceNames) > 0 || !slices.Contains(rule.Verbs, "list") && !slices.Contains(rule.Verbs, "*") {
			continue
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				if !strings.Contains(resource, "/") {
					lists = append(lists, resource+"."+group)
				}
			}
		}
	}
	slices.Sort(lists)
	return slices.Compact(lists)
}

// Distinct returns the names that are not empty, each once, in their order.
func Distinct(names []string) []string {
	var out []string
	for _, name := range names {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
