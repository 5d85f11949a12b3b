//go:build !js

package api

import (
	"bufio"
	"context"
	"net/http"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/demo/store"
)

// The intervals of a real server. There, watchesFor is random: between this and twice this.
const (
	bookmarkEvery  = time.Minute
	watchesFor     = 30 * time.Minute
	bookmarkBefore = 2 * time.Second // before the end
)

// watchResponse is a watch in progress. It queues no events: it asks the store for those after the
// last one written, at the client's pace.
type watchResponse struct {
	request
	store   *store.Store
	out     *bufio.Writer
	flush   http.Flusher
	version int64 // all events up to this version are written
	body    []byte
	frame   []byte
}

func (s *Server) watch(w http.ResponseWriter, r *http.Request, q request) *metav1.Status {
	version, err := parseVersion(q.options.ResourceVersion)
	if err != nil {
		return badVersion(err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), q.lasts())
	defer cancel()
	w.Header().Set("Content-Type", q.form.contentType(true))
	w.WriteHeader(http.StatusOK)
	flush, _ := w.(http.Flusher)
	out := &watchResponse{request: q, store: s.Store, out: bufio.NewWriterSize(w, writeSize), flush: flush, version: version}
	if status := out.begin(ctx, s); status != nil {
		_ = out.write("ERROR", q.form.status(status))
	} else {
		out.run(ctx)
	}
	_ = out.send() // an error means that the client is gone
	return nil
}

// lasts returns the duration of the watch.
func (q request) lasts() time.Duration {
	if t := q.options.TimeoutSeconds; t != nil && *t != 0 {
		return time.Duration(*t) * time.Second
	}
	return watchesFor
}

// begin writes the initial events, if they were asked for. Otherwise it checks that the
// requested version has not expired.
func (w *watchResponse) begin(ctx context.Context, s *Server) *metav1.Status {
	if initial := w.options.SendInitialEvents; initial == nil || !*initial {
		if _, _, err := w.resource.Since(w.version); err != nil {
			return expired("too old resource version: %d (%d)", w.version, w.resource.Floor())
		}
		return nil
	}
	if status := s.await(ctx, w.version); status != nil {
		return status
	}
	state := w.resource.State()
	for o := range state.From(store.Key{Namespace: w.namespace}) {
		if w.namespace != "" && o.Namespace != w.namespace {
			break
		}
		if w.selector.matches(o) && w.object("ADDED", o) != nil {
			return nil
		}
	}
	w.version = state.Version
	_ = w.bookmark(map[string]string{metav1.InitialEventsAnnotationKey: "true"}) // an error will recur
	return nil
}

// run writes events as they happen, until the watch times out or the client goes away.
func (w *watchResponse) run(ctx context.Context) {
	bookmarks := time.NewTicker(bookmarkEvery)
	defer bookmarks.Stop()
	last := time.NewTimer(w.lasts() - bookmarkBefore)
	defer last.Stop()
	for {
		reached := w.store.Version() // read before Since, so that no event up to this version is missed
		events, more, err := w.resource.Since(w.version)
		if err != nil {
			return // the client is too slow; the watch ends, and it can ask again
		}
		for _, e := range events {
			if w.event(e) != nil {
				return
			}
			w.version = e.Object.Version
		}
		if w.send() != nil {
			return
		}
		select {
		case <-more:
			continue
		case <-ctx.Done():
			return
		case <-bookmarks.C:
		case <-last.C:
		}
		w.version = max(w.version, reached)
		if w.bookmark(nil) != nil {
			return
		}
	}
}

// event writes an event as the selector sees it: an object that starts to match is added, and
// one that stops matching is deleted.
func (w *watchResponse) event(e store.Event) error {
	if w.namespace != "" && e.Object.Namespace != w.namespace {
		return nil
	}
	now, before := w.selector.matches(e.Object), w.selector.matches(e.Previous)
	switch {
	case e.Type == store.Deleted && (before || now):
		return w.object("DELETED", e.Object)
	case e.Type == store.Deleted, !now && !before:
		return nil
	case now && before:
		return w.object("MODIFIED", e.Object)
	case now:
		return w.object("ADDED", e.Object)
	}
	return w.object("DELETED", e.Object)
}

func (w *watchResponse) object(name string, o *store.Object) error {
	var err error
	if w.body, err = w.form.object(w.body[:0], o); err != nil {
		return err
	}
	return w.write(name, w.body)
}

// bookmark sends the current version, if the client allows bookmarks.
func (w *watchResponse) bookmark(annotations map[string]string) error {
	if !w.options.AllowWatchBookmarks {
		return nil
	}
	body, err := w.form.bookmark(metav1.ObjectMeta{ResourceVersion: strconv.FormatInt(w.version, 10), Annotations: annotations})
	if err != nil {
		return err
	}
	return w.write("BOOKMARK", body)
}

func (w *watchResponse) write(name string, body []byte) error {
	w.frame = w.form.event(w.frame[:0], name, body)
	_, err := w.out.Write(w.frame)
	return err
}

func (w *watchResponse) send() error {
	if err := w.out.Flush(); err != nil {
		return err
	}
	if w.flush != nil {
		w.flush.Flush()
	}
	return nil
}
