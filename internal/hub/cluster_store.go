package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
)

// answerWithin limits how long answering a question may take.
const answerWithin = 60 * time.Second

// identified is what scripts see of an object.
type identified struct {
	Namespace       string `json:"namespace"`
	Name            string `json:"name"`
	UID             string `json:"uid"`
	ResourceVersion string `json:"resourceVersion"`
}

func identify(objects []*object.Object, namespace string) []identified {
	out := make([]identified, 0, len(objects))
	for _, o := range objects {
		if namespace == "" || namespace == o.Namespace() {
			out = append(out, identified{o.Namespace(), o.Name(), o.UID(), o.Version()})
		}
	}
	return out
}

// storeOf leases the list that holds a resource in a namespace, once it has synced. Any
// goroutine but the loop's may call it: it waits.
func (c *Cluster) storeOf(ctx context.Context, args json.RawMessage) (lease *source.Lease, namespace string, err error) {
	var resource string
	var options struct {
		Namespace string `json:"namespace"`
	}
	if err := arguments(args, &resource, &options); err != nil {
		return nil, "", err
	}
	kind, ok := c.kinds.Find(resource)
	if !ok {
		if err := c.discover(ctx); err != nil {
			return nil, "", err
		}
		if kind, ok = c.kinds.Find(resource); !ok {
			return nil, "", c.kinds.Unknown(resource)
		}
	}
	lease = c.lease(kind, c.scopeOf(kind, options.Namespace), nil)
	if lease.WaitForSync(ctx) == nil {
		return lease, options.Namespace, nil
	}
	defer lease.Release()
	now := time.Now()
	err = fmt.Errorf("%s did not sync within %v", resource, answerWithin)
	if _, _, cause := informer.Fresh(lease.State(now), c.link(), now); cause != nil {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return nil, "", err
}

// scopeOf returns the scope to list for a namespace: the whole cluster if that list has
// synced, else only the namespace, since the user may be allowed no more. A proxy that serves
// one namespace is always asked for that one. Any goroutine may call it.
func (c *Cluster) scopeOf(kind object.Kind, namespace string) string {
	scope := c.scope()
	if !kind.Namespaced {
		return ""
	}
	if _, synced := c.factory.Synced(source.Request(kind, scope)); scope == "" && !synced {
		return namespace
	}
	return scope
}

// list answers which objects a store holds. Any goroutine but the loop's may call it: it waits.
func (c *Cluster) list(ctx context.Context, args json.RawMessage) (any, error) {
	lease, namespace, err := c.storeOf(ctx, args)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	return identify(lease.Store().List(), namespace), nil
}

// snapshot answers which objects a store holds at one version. Any goroutine but the loop's
// may call it: it waits.
func (c *Cluster) snapshot(ctx context.Context, args json.RawMessage) (any, error) {
	lease, namespace, err := c.storeOf(ctx, args)
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

// arguments decodes the arguments of a question. Missing and null ones leave their value as
// it is.
func arguments(doc json.RawMessage, into ...any) error {
	var args []json.RawMessage
	if err := json.Unmarshal(doc, &args); err != nil {
		return fmt.Errorf("the arguments: %w", err)
	}
	for i, a := range args {
		if i < len(into) && string(a) != "null" {
			if err := json.Unmarshal(a, into[i]); err != nil {
				return fmt.Errorf("argument %d: %w", i+1, err)
			}
		}
	}
	return nil
}
