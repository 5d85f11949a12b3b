//go:build !js

package api

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/demo/store"
)

// writeSize is the size of the write buffer.
const writeSize = 128 << 10

func (s *Server) get(w http.ResponseWriter, r *http.Request, q request) *metav1.Status {
	version, err := parseVersion(r.URL.Query().Get("resourceVersion"))
	if err != nil {
		return badRequest("invalid resource version: %s", err)
	}
	if status := s.await(r.Context(), version); status != nil {
		return status
	}
	o := q.resource.State().Get(store.Key{Namespace: q.namespace, Name: q.name})
	if o == nil {
		return statusOf(apierrors.NewNotFound(q.kind.GroupResource(), q.name))
	}
	body, err := q.form.object(nil, o)
	if err != nil {
		return statusOf(apierrors.NewInternalError(err))
	}
	w.Header().Set("Content-Type", q.form.contentType(false))
	_, _ = w.Write(body) // an error means that the client is gone
	return nil
}

// list answers with a list, or with a page of one.
func (s *Server) list(w http.ResponseWriter, r *http.Request, q request) *metav1.Status {
	state, from, status := s.stateOf(r.Context(), q)
	if status != nil {
		return status
	}
	objects, meta := q.page(state, from)
	w.Header().Set("Content-Type", q.form.contentType(false))
	out := bufio.NewWriterSize(w, writeSize)
	if err := q.form.list(out, objects, meta); err != nil {
		panic(http.ErrAbortHandler) // part of the list has been sent
	}
	_ = out.Flush() // an error means that the client is gone
	return nil
}

// stateOf returns the state that a list's resourceVersion and resourceVersionMatch ask for:
//
//	a continue token: the version of the first page
//	none: the current state. 0: the same, unpaged
//	Exact, or a version with a limit: that version
//	otherwise: the current state, once it is at least that version
func (s *Server) stateOf(ctx context.Context, q request) (state store.State, from store.Key, status *metav1.Status) {
	o := q.options
	from.Namespace = q.namespace
	if o.Continue != "" {
		return s.stateAfter(q)
	}
	version, err := parseVersion(o.ResourceVersion)
	if err != nil {
		return state, from, badRequest("invalid resource version: %s", err)
	}
	if status := s.await(ctx, version); status != nil {
		return state, from, status
	}
	legacy := o.ResourceVersionMatch == "" && o.Limit > 0
	if version == 0 || o.ResourceVersionMatch != metav1.ResourceVersionMatchExact && !legacy {
		return q.resource.State(), from, nil
	}
	if state, err = q.resource.At(version); err != nil {
		return state, from, expired("The resourceVersion for the provided list is too old.")
	}
	return state, from, nil
}

// stateAfter returns the state for a continued list.
func (s *Server) stateAfter(q request) (state store.State, from store.Key, status *metav1.Status) {
	t, status := parseToken(q.options.Continue)
	switch {
	case status != nil:
		return state, from, status
	case q.options.ResourceVersion != "" && q.options.ResourceVersion != "0":
		return state, from, badRequest("specifying resource version is not allowed when using continue")
	case t.Version == latest:
		return q.resource.State(), t.key(), nil
	case t.Version > s.Store.Version():
		return state, from, tooLarge(t.Version, s.Store.Version())
	}
	state, err := q.resource.At(t.Version)
	if errors.Is(err, store.ErrExpired) {
		status = expired("The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.")
		status.Continue = token{Version: latest, Start: t.Start}.String()
	}
	return state, t.key(), status
}

// page returns the part of a list that starts at a key.
func (q request) page(state store.State, from store.Key) (objects []*store.Object, meta metav1.ListMeta) {
	limit := q.options.Limit
	if q.options.ResourceVersion == "0" && q.options.Continue == "" {
		limit = 0
	}
	if limit <= 0 && q.selector.all() {
		objects = make([]*store.Object, 0, state.Len())
	}
	meta.ResourceVersion = strconv.FormatInt(state.Version, 10)
	remaining := int64(0)
	for o := range state.From(from) {
		if q.namespace != "" && o.Namespace != q.namespace {
			break
		}
		switch full := limit > 0 && int64(len(objects)) == limit; {
		case full && q.selector.all():
			remaining++
			continue
		case !q.selector.matches(o):
			continue
		case full:
			meta.Continue = after(objects[limit-1].Key, state.Version)
			return objects, meta
		}
		objects = append(objects, o)
	}
	if remaining > 0 {
		meta.Continue, meta.RemainingItemCount = after(objects[limit-1].Key, state.Version), &remaining
	}
	return objects, meta
}

// A version that does not exist yet may still arrive.
const (
	awaitFor   = 3 * time.Second
	awaitEvery = 50 * time.Millisecond
)

// await waits up to awaitFor for a version.
func (s *Server) await(ctx context.Context, version int64) *metav1.Status {
	for deadline := time.Now().Add(awaitFor); s.Store.Version() < version; {
		if time.Now().After(deadline) || ctx.Err() != nil {
			return tooLarge(version, s.Store.Version())
		}
		select {
		case <-ctx.Done():
		case <-time.After(awaitEvery):
		}
	}
	return nil
}
