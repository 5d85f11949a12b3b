package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"watchglass/e2e/proxy"
	"watchglass/internal/object"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// asMany are more connections and lists than there are, all of one user.
const asMany = "10000"

// tabs are the tabs of one browser: it came in once, and each of them has a
// connection of its own, and the tab's own end of it.
type tabs struct {
	*proxy.Proxy
	browser *proxy.Browser
}

// startTabs starts a proxy, and signs in.
func startTabs(ctx context.Context, kubeconfig string) (*tabs, error) {
	p, err := proxy.Start(ctx, proxy.Options{Kubeconfig: kubeconfig, Args: []string{"--max-connections=" + asMany, "--max-lists=" + asMany}})
	if err != nil {
		return nil, err
	}
	b, err := p.SignIn(ctx, nil)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return &tabs{p, b}, nil
}

// follow is a tab that watches the pods of a namespace.
func (t *tabs) follow(ctx context.Context, c *crowd, namespace string) error {
	return t.open(ctx, c, namespace, "pods")
}

// open is a tab that watches some kinds in a namespace. It returns when the
// apiserver has accepted all of them.
func (t *tabs) open(ctx context.Context, c *crowd, namespace string, resources ...string) error {
	client := socket.New(socket.Options{Dial: t.browser.Dial})
	c.run(client.Run)
	for _, resource := range resources {
		stream, err := client.Open(ctx, wire.InitialWatch("", "v1", resource, namespace))
		if err != nil {
			return errors.Join(fmt.Errorf("watch %s in %s: %w", resource, namespace, err), client.Link().Err)
		}
		w := c.add(namespace)
		c.run(func(ctx context.Context) error { return readStream(ctx, stream, w) })
	}
	return nil
}

// readStream does what a tab does with a watch, up to its store.
func readStream(ctx context.Context, s *socket.Stream, w *watcher) error {
	for {
		batch, err := s.Next(ctx)
		if err != nil {
			return err
		}
		at := time.Now()
		for _, e := range batch.Events {
			switch e.Type {
			case wire.Bookmark:
				w.settle()
			case wire.Modified:
				id, err := object.ReadIdentity(e.Payload)
				if err != nil {
					return err
				}
				w.hear(id.Version, at, len(e.Payload))
			}
		}
		s.Credit(batch.Bytes)
	}
}
