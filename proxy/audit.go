//go:build !js

package main

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"unicode"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge/session"
	"watchglass/internal/relay"
	"watchglass/internal/wire"
)

// observe returns a function that counts each request of a tab, and logs it with the
// attributes in who if auditing is on.
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

// audited returns what the audit log says of a request: what was asked, and the result. It
// has only the length of selectors, since what people search for may be secret. A record
// contains no body, cookie or token.
func audited(r relay.Record) []slog.Attr {
	q := r.Request
	if q.Verb == wire.Log { // as the apiserver calls it
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

// maxAudited is the longest name in Kubernetes. Names in a refused request can have any
// length.
const maxAudited = 253

// clip truncates text, and replaces characters that are not printable: a program that reads
// the log could take a line break or a bidirectional mark for more than text in quotes.
func clip(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text[:min(len(text), maxAudited)])
}

// asker returns the audit attributes of the user who makes a tab's requests.
func (s *server) asker(signedIn session.Session, t *apiserver.Target) []slog.Attr {
	user := signedIn.User
	if s.options.local() {
		user = t.User
	}
	return []slog.Attr{
		slog.String("user", user), slog.String("mode", s.auth.Mode()), slog.String("session", signedIn.Name()), slog.String("context", t.Context),
	}
}
