package hub

import (
	"context"
	"fmt"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/port"
)

const (
	// answerWithin limits how long answering a question may take.
	answerWithin = 60 * time.Second
	// readyEvery is how often it is checked whether a list is ready.
	readyEvery = 50 * time.Millisecond
)

// objectIdentity is what scripts see of an object.
type objectIdentity struct {
	Namespace       string `json:"namespace"`
	Name            string `json:"name"`
	UID             string `json:"uid"`
	ResourceVersion string `json:"resourceVersion"`
}

func identify(objects []*object.Object, namespace string) []objectIdentity {
	out := make([]objectIdentity, 0, len(objects))
	for _, o := range objects {
		if namespace == "" || namespace == o.Namespace() {
			out = append(out, objectIdentity{o.Namespace(), o.Name(), o.UID(), o.Version()})
		}
	}
	return out
}

// storeOf leases the list that holds a resource in a namespace, once it is ready. Kinds without namespaces are in
// all of them, as for kubectl. Any goroutine but the loop's may call it: it waits.
func storeOf(ctx context.Context, c *cluster.Cluster, ask port.Ask) (lease *source.Lease, namespace string, err error) {
	var resource string
	var options struct {
		Namespace string `json:"namespace"`
	}
	if err := ask.Read(&resource, &options); err != nil {
		return nil, "", err
	}
	kind, ok := c.Kinds.Find(resource)
	if !ok {
		if err := c.Discover(ctx); err != nil {
			return nil, "", err
		}
		if kind, ok = c.Kinds.Find(resource); !ok {
			return nil, "", c.Kinds.Unknown(resource)
		}
	}
	switch scope := c.Scope(); {
	case !kind.Namespaced:
		options.Namespace = ""
	case scope != "" && options.Namespace != "" && options.Namespace != scope:
		return nil, "", fmt.Errorf("can't list %s in namespace %s: limited to %s by --namespace", resource, options.Namespace, scope)
	}
	lease = c.Lease(kind, c.ScopeOf(kind, options.Namespace), nil)
	if err = awaitReady(ctx, c, lease, resource); err != nil {
		lease.Release()
		return nil, "", err
	}
	return lease, options.Namespace, nil
}

// awaitReady waits until a list has all objects that the server has now: it is live or polled, or the past is shown.
// A list that is refused, or has objects that can't be read, never is: without an error, a script would take what is
// missing for deleted.
func awaitReady(ctx context.Context, c *cluster.Cluster, lease *source.Lease, resource string) error {
	every := time.NewTicker(readyEvery)
	defer every.Stop()
	for {
		s := source.StatusOf(lease, c.Link(), time.Now())
		current := s.Verdict() > source.Old || c.Relay != nil && s.Listed()
		switch {
		case s.Refused() && (s.State.Denied || s.State.Gone || s.State.Emptied):
			return fmt.Errorf("can't list %s: %w", resource, s.Cause)
		case current && s.State.Unread > 0:
			return fmt.Errorf("can't read %d of the %s", s.State.Unread, resource)
		case current:
			return nil
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return late(s, resource)
		}
	}
}

// late says that a list was not ready in time, and why.
func late(s source.Status, resource string) error {
	err := fmt.Errorf("%s did not sync within %v", resource, answerWithin)
	if s.Listed() {
		err = fmt.Errorf("%s was not live within %v, but %s", resource, answerWithin, s.Lacks())
	}
	if s.Cause != nil {
		err = fmt.Errorf("%w: %w", err, s.Cause)
	}
	return err
}

// listStore answers which objects a store holds. Any goroutine but the loop's may call it: it waits.
func listStore(ctx context.Context, c *cluster.Cluster, ask port.Ask) (any, error) {
	lease, namespace, err := storeOf(ctx, c, ask)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	return identify(lease.Lister(namespace).List(nil), ""), nil
}

// snapshotStore answers which objects a store holds at one version. Any goroutine but the loop's
// may call it: it waits.
func snapshotStore(ctx context.Context, c *cluster.Cluster, ask port.Ask) (any, error) {
	lease, namespace, err := storeOf(ctx, c, ask)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	objects, version, err := lease.Store().Snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("the store keeps changing: %w", err)
	}
	return map[string]any{"resourceVersion": version, "items": identify(objects, namespace)}, nil
}
