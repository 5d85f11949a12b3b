package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

// straightOn is what came of the direct client.
type straightOn struct {
	took              time.Duration
	requests, refused int
}

// direct opens the crowd's lists at the apiserver itself, as the same users, so many at a time, until all are live.
func (c *crowding) direct(ctx context.Context, bound int) (d straightOn, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	var asking, reading sync.WaitGroup
	defer reading.Wait()
	defer fail(nil)
	var mu sync.Mutex
	turns, began := make(chan struct{}, bound), time.Now()
	for _, user := range c.all {
		rt, err := rest.TransportFor(c.cluster.ConfigFor(user))
		if err != nil {
			return d, err
		}
		for _, kind := range crowdLists {
			asking.Go(func() {
				turns <- struct{}{} // does not block forever: each turn ends with ctx
				defer func() { <-turns }()
				requests, refused, err := c.openDirectly(ctx, rt, kind, &reading)
				mu.Lock()
				defer mu.Unlock()
				if d.requests, d.refused = d.requests+requests, d.refused+refused; err != nil {
					fail(fmt.Errorf("%s of %s: %w", kind[2], user.Name, err))
				}
			})
		}
	}
	asking.Wait()
	d.took = time.Since(began)
	return d, context.Cause(ctx)
}

// openDirectly asks for a list until its initial events are there. The watch is then read until ctx ends.
func (c *crowding) openDirectly(ctx context.Context, rt http.RoundTripper, kind [3]string, reading *sync.WaitGroup) (requests, refused int, err error) {
	path := "/api/" + kind[1] + "/" + kind[2]
	if kind[0] != "" {
		path = "/apis/" + kind[0] + "/" + kind[1] + "/" + kind[2]
	}
	const query = "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	for ; ; refused++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.cluster.URL()+path+query, nil)
		if err != nil {
			return requests, refused, err
		}
		req.Header.Set("Accept", protobufForm.accept)
		requests++
		resp, err := rt.RoundTrip(req)
		if err != nil {
			return requests, refused, err
		}
		if resp.StatusCode == http.StatusTooManyRequests {
			resp.Body.Close()
			select {
			case <-time.After(time.Second):
				continue
			case <-ctx.Done():
				return requests, refused, context.Cause(ctx)
			}
		}
		if resp.StatusCode != http.StatusOK {
			return requests, refused, errors.Join(errors.New(resp.Status), resp.Body.Close())
		}
		w, ended := newWatcher(""), make(chan error, 1)
		reading.Go(func() { ended <- readToEnd(resp.Body, w) })
		select {
		case <-w.settled:
			return requests, refused, nil
		case err := <-ended:
			return requests, refused, err
		case <-ctx.Done():
			return requests, refused, context.Cause(ctx)
		}
	}
}

func readToEnd(body io.ReadCloser, w *watcher) error {
	defer body.Close()
	return protobufForm.read(body, w)
}
