package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// rights is what was asked of the user's rights.
type rights struct {
	asking bool
	of     []string // the namespaces, the last time
	at     time.Time
}

const (
	// rightsFor is how long an answer serves who sees nothing, and rightsPatient who
	// sees something.
	rightsFor     = time.Minute
	rightsPatient = 10 * time.Minute
	// rightsMost is in how many namespaces it is asked, and namesMost how many are
	// listed.
	rightsMost = 16
	namesMost  = 1000
)

// review asks what the user may list, while there is something that the user may not.
func (d *desk) review(ctx context.Context, running *sync.WaitGroup, now time.Time) {
	s := d.source
	if s == nil || d.rights.asking || s.wide == nil && s.state != informer.Denied {
		return
	}
	of, serves := d.named(), rightsPatient
	if s.state == informer.Denied {
		serves = rightsFor
	}
	if slices.Equal(of, d.rights.of) && now.Sub(d.rights.at) < serves {
		return
	}
	d.rights = rights{asking: true, of: of, at: now}
	w := d.client.Link().Welcome
	running.Go(func() {
		var told port.Rights
		if w != nil && !w.Narrow { // else there is that one only
			told.Namespaces = d.namespaces(ctx)
		}
		told.In = d.reviewed(ctx, distinct(slices.Concat(of, told.Namespaces)))
		d.post(ctx, func() {
			d.rights.asking = false
			d.port.Send(told)
		})
	})
}

// named are the namespaces that somebody named: those to show first.
func (d *desk) named() []string {
	w := d.client.Link().Welcome
	if w == nil {
		return nil
	}
	if w.Narrow {
		return []string{w.Namespace}
	}
	of := slices.Concat(d.wanted(), d.remembered, strings.Split(w.Namespaces, ","), []string{w.Namespace})
	return distinct(of)
}

// distinct are the names that there are, each once, in their order.
func distinct(names []string) []string {
	var out []string
	for _, name := range names {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// namespaces are those of the cluster, if the user may list them.
func (d *desk) namespaces(ctx context.Context) (all []string) {
	r := wire.Request{
		Verb: wire.List, Version: "v1", Resource: "namespaces", Encoding: wire.EncodingMetadata,
		ListOptions: wire.ListOptions{ResourceVersion: "0", Limit: namesMost},
	}
	_ = d.events(ctx, r, func(e wire.Event) bool { // without them there are those that were named
		if e.Type == wire.Item {
			if id, err := object.ReadIdentity(e.Payload); err == nil {
				all = append(all, id.Name)
			}
		}
		return e.Type != wire.ListEnd
	})
	return all
}

// reviewed is what the user may list in the first of some namespaces. What cannot be
// asked is left out.
func (d *desk) reviewed(ctx context.Context, of []string) (in []port.Right) {
	for _, namespace := range of[:min(len(of), rightsMost)] {
		doc, err := d.client.Get(ctx, wire.Request{Verb: wire.Review, Resource: "selfsubjectrulesreviews", Namespace: namespace})
		if err == nil {
			in = append(in, port.Right{Namespace: namespace, Lists: readRules(doc)})
		}
	}
	return in
}

// readRules reads which resources the rules of a review let be listed.
func readRules(doc []byte) []string {
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

// whoami asks who the apiserver takes the user for, until it says. Meanwhile, and
// where it does not know the question, the name of the kubeconfig has to do.
func (d *desk) whoami(ctx context.Context) {
	for wait := discoverFirst; ctx.Err() == nil; wait = min(2*wait, discoverMost) {
		doc, err := d.client.Get(ctx, wire.Request{Verb: wire.Review, Resource: "selfsubjectreviews"})
		if err == nil {
			d.knows(doc)
			return
		}
		if status := wire.StatusOf(err); status != nil && (status.NotFound() || status.Code == 403) {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// knows takes the apiserver's word on who is asking.
func (d *desk) knows(doc []byte) {
	var review struct {
		Status struct {
			UserInfo struct {
				Username string   `json:"username"`
				Groups   []string `json:"groups"`
			} `json:"userInfo"`
		} `json:"status"`
	}
	if json.Unmarshal(doc, &review) != nil {
		return
	}
	d.mu.Lock()
	d.user, d.groups = review.Status.UserInfo.Username, strings.Join(review.Status.UserInfo.Groups, ",")
	d.mu.Unlock()
	d.stir()
}
