package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// watcher is one watch, and when each change came.
type watcher struct {
	namespace string
	settled   chan struct{} // closed when what was there has come
	once      sync.Once

	mu    sync.Mutex
	heard map[string]time.Time // changes by their version
	bytes int                  // of the changes
}

func newWatcher(namespace string) *watcher {
	return &watcher{namespace: namespace, settled: make(chan struct{}), heard: make(map[string]time.Time)}
}

// settle is what the first bookmark says: what was there has come.
func (w *watcher) settle() { w.once.Do(func() { close(w.settled) }) }

// hear notes a change.
func (w *watcher) hear(version string, at time.Time, bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard[version] = at
	w.bytes += bytes
}

// when is when a change came.
func (w *watcher) when(version string) (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, ok := w.heard[version]
	return at, ok
}

// size is how many bytes the changes had so far.
func (w *watcher) size() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bytes
}

// wants reports whether a namespace's changes come on the watch.
func (w *watcher) wants(namespace string) bool { return w.namespace == "" || w.namespace == namespace }

// crowd is many watchers, until it is closed or one of them fails.
type crowd struct {
	ctx     context.Context
	end     context.CancelCauseFunc
	running sync.WaitGroup

	mu       sync.Mutex
	watchers []*watcher
}

func newCrowd(ctx context.Context) *crowd {
	c := &crowd{}
	c.ctx, c.end = context.WithCancelCause(ctx)
	return c
}

// close lets all watches go.
func (c *crowd) close() {
	c.end(nil)
	c.running.Wait()
}

// add adds a watcher of a namespace, of all if it is empty.
func (c *crowd) add(namespace string) *watcher {
	w := newWatcher(namespace)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers = append(c.watchers, w)
	return w
}

// run runs what no watcher can do without.
func (c *crowd) run(f func(ctx context.Context) error) {
	c.running.Go(func() {
		if err := f(c.ctx); c.ctx.Err() == nil {
			c.end(fmt.Errorf("a watcher ended: %w", err))
		}
	})
}

// settleWithin bounds how long all watchers may take to get what is there.
const settleWithin = time.Minute

// settle waits until all watchers have what is there.
func (c *crowd) settle() error {
	late := time.NewTimer(settleWithin)
	defer late.Stop()
	for _, w := range c.watchers {
		select {
		case <-w.settled:
		case <-late.C:
			return errors.New("what was there has not come")
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		}
	}
	return nil
}

// form is how the apiserver is asked to write a watch, and how to read that.
type form struct {
	accept string
	read   func(body io.Reader, w *watcher) error
}

var (
	jsonForm     = form{"application/json", readLines}
	protobufForm = form{"application/vnd.kubernetes.protobuf", readFrames}
)

// watch watches the pods of a namespace in plain HTTP: what is there, and what
// changes. It returns when it is answered.
func (c *crowd) watch(client *http.Client, origin string, as form, namespace string) error {
	path := "/api/v1/pods"
	if namespace != "" {
		path = "/api/v1/namespaces/" + namespace + "/pods"
	}
	const query = "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	req, err := http.NewRequestWithContext(c.ctx, http.MethodGet, origin+path+query, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", as.accept)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("GET %s: %s", path, resp.Status), resp.Body.Close())
	}
	w := c.add(namespace)
	c.run(func(context.Context) error {
		defer resp.Body.Close()
		return as.read(resp.Body, w)
	})
	return nil
}

var (
	jsonBookmark = []byte(`{"type":"BOOKMARK"`)
	jsonModified = []byte(`{"type":"MODIFIED"`)
	jsonVersion  = []byte(`"resourceVersion":"`)
)

// readLines reads a watch in JSON, an event a line. It looks no further into an
// event than for its version: who reads it in a browser has that to do, and not
// who relays it.
func readLines(body io.Reader, w *watcher) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 64<<10), wire.MaxFrame)
	for lines.Scan() {
		at, line := time.Now(), lines.Bytes()
		switch {
		case bytes.HasPrefix(line, jsonBookmark):
			w.settle()
		case bytes.HasPrefix(line, jsonModified):
			_, rest, _ := bytes.Cut(line, jsonVersion)
			version, _, found := bytes.Cut(rest, []byte(`"`))
			if !found {
				return fmt.Errorf("an event without a version: %.100s", line)
			}
			w.hear(string(version), at, len(line))
		}
	}
	return errors.Join(lines.Err(), io.ErrUnexpectedEOF)
}

// readFrames reads a watch in protobuf: events, each behind its length.
func readFrames(body io.Reader, w *watcher) error {
	from := bufio.NewReaderSize(body, 64<<10)
	var frame []byte
	for {
		var size [4]byte
		if _, err := io.ReadFull(from, size[:]); err != nil {
			return err
		}
		n := int(binary.BigEndian.Uint32(size[:]))
		if n > wire.MaxFrame {
			return fmt.Errorf("an event of %d bytes", n)
		}
		frame = append(frame[:0], make([]byte, n)...)
		if _, err := io.ReadFull(from, frame); err != nil {
			return err
		}
		at := time.Now()
		var e metav1.WatchEvent
		if err := e.Unmarshal(frame); err != nil {
			return err
		}
		switch e.Type {
		case "BOOKMARK":
			w.settle()
		case "MODIFIED":
			id, err := object.ReadIdentity(e.Object.Raw)
			if err != nil {
				return err
			}
			w.hear(id.Version, at, n)
		}
	}
}
