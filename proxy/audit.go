//go:build !js

package main

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"unicode"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge"
	"watchglass/internal/relay"
	"watchglass/internal/wire"
)

// observe makes what is told of each request of a tab: it is counted, and if it is
// to be, logged as made by who.
func (s *server) observe(who ...slog.Attr) func(relay.Record) {
	audits := s.options.audits()
	who = slices.Clone(who)
	for i, a := range who {
		who[i] = slog.String(a.Key, clip(a.Value.String()))
	}
	return func(r relay.Record) {
		if s.metrics != nil {
			s.metrics.ended(r.End)
		}
		if audits {
			s.log.LogAttrs(context.Background(), slog.LevelInfo, "audit", append(slices.Clip(who), audited(r)...)...)
		}
	}
}

// audited is what is said of a request: what was asked, and what became of it. Of a
// selector there is its length alone: what people look for may be a secret of theirs.
// There is no body, no cookie and no token to say anything of.
func audited(r relay.Record) []slog.Attr {
	q := r.Request
	if q.Verb == wire.Log { // in the apiserver's words
		q.Verb, q.Subresource = wire.Get, "log"
	}
	return []slog.Attr{
		slog.String("verb", clip(string(q.Verb))), slog.String("group", clip(q.Group)), slog.String("version", clip(q.Version)),
		slog.String("resource", clip(q.Resource)), slog.String("subresource", clip(q.Subresource)),
		slog.String("namespace", clip(q.Namespace)), slog.String("name", clip(q.Name)),
		slog.Int("labelSelectorBytes", len(q.LabelSelector)), slog.Int("fieldSelectorBytes", len(q.FieldSelector)),
		slog.Int("code", r.Code), slog.Int64("bytes", r.Bytes), slog.Float64("seconds", r.Took.Seconds()), slog.String("end", string(r.End)),
	}
}

// maxAudited is more than any name of Kubernetes has. A request that was refused may
// hold anything.
const maxAudited = 253

// clip cuts what is too long, and puts a mark for what cannot be seen: not all that
// reads a log takes a line's end, or the direction of writing, for no more than a
// letter between quotes.
func clip(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text[:min(len(text), maxAudited)])
}

// asker is who a tab's requests are made by.
func (s *server) asker(session edge.Session, t *apiserver.Target) []slog.Attr {
	user := session.User
	if s.options.local() {
		user = t.User
	}
	return []slog.Attr{
		slog.String("user", user), slog.String("mode", s.door.Mode()), slog.String("session", session.Name()), slog.String("context", t.Context),
	}
}
