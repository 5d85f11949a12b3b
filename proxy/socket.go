//go:build !js

// The WebSocket library is deprecated in favour of its successor, which only has another
// import path. The design requires this one.
//
//lint:file-ignore SA1019 see above

package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"nhooyr.io/websocket"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge"
	"watchglass/internal/edge/session"
	"watchglass/internal/relay"
	"watchglass/internal/wire"
)

// socket relays for one tab.
func (s *server) socket(w http.ResponseWriter, r *http.Request, signedIn session.Session) {
	conn, release, err := s.upgrade(w, r)
	if err != nil {
		s.log.Debug("websocket not opened", "error", err)
		return
	}
	defer release()
	ctx, entered, err := s.sessions.Enter(s.ctx, signedIn)
	if err != nil {
		closeFor(conn, err)
		return
	}
	defer s.sessions.Leave(entered)
	target, current, done := s.contexts.use(r.URL.Query().Get("c"))
	defer done()
	upstream, err := s.upstream(target, signedIn)
	if err != nil {
		s.log.Error("no upstream identity", "error", err)
		closeFor(conn, &session.CloseReason{Code: closedForGood, Why: "the proxy cannot reach this cluster as you"})
		return
	}
	// The close frame has to be sent before the context ends, since that ends everything.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ctx, replace := context.WithCancelCause(ctx)
	defer replace(nil)
	defer context.AfterFunc(current, func() { replace(context.Cause(current)) })()
	defer context.AfterFunc(ctx, func() {
		late := time.AfterFunc(closeWithin, stop)
		closeFor(conn, context.Cause(ctx))
		late.Stop()
		stop()
	})()
	err = relay.Serve(serving, wsConn{conn, ctx.Done()}, relay.Options{
		Upstream: upstream, Welcome: s.welcome(target, signedIn), Namespace: narrow(target), Log: s.log,
		Proves: s.auth.Proves(r, signedIn), Admit: func() error { return s.admit(conn, entered) }, RevokeWithin: s.options.revokeWithin, MayList: entered.MayList, MayReview: entered.MayReview, Slow: entered.Slow,
		Heavy: s.heavy, Limiter: s.limiter, Places: s.places, Sharing: s.sharing, User: signedIn.User,
		Observe: over(ctx, s.observe(s.asker(signedIn, target)...)), Meter: s.metrics.meter(), Drain: s.drain,
	})
	s.log.Debug("tab disconnected", "error", err)
	conn.Close(websocket.StatusPolicyViolation, "")
}

// admit counts a socket against its user's limit, once its hello has been proven.
func (s *server) admit(conn *websocket.Conn, entered *session.Connection) error {
	err := s.sessions.Prove(entered)
	if err != nil {
		s.metrics.limited()
		closeFor(conn, err)
	}
	return err
}

// closedForGood is the close code that tells the page not to reconnect.
const closedForGood = 4403

// closeWithin is the timeout for sending the close frame.
const closeWithin = 2 * time.Second

// over changes the recorded end of requests whose connection was closed because its session
// had ended.
func over(ctx context.Context, observe func(relay.Record)) func(relay.Record) {
	return func(r relay.Record) {
		if ended := (*session.CloseReason)(nil); r.End == relay.EndGone && errors.As(context.Cause(ctx), &ended) && ended != errReplaced {
			r.End = relay.EndOver
		}
		observe(r)
	}
}

// accept returns the origins that may open a socket, which the authenticator has checked before, and the
// subprotocol.
func (s *server) accept() *websocket.AcceptOptions {
	o := &websocket.AcceptOptions{Subprotocols: []string{edge.SocketProtocol}}
	if s.options.public != nil {
		o.OriginPatterns = []string{s.options.public.Host}
	}
	return o
}

// closeFor closes a socket with the code and text of an error.
func closeFor(conn *websocket.Conn, why error) {
	var ended *session.CloseReason
	if errors.As(why, &ended) {
		conn.Close(websocket.StatusCode(ended.Code), ended.Why)
		return
	}
	conn.Close(websocket.StatusGoingAway, "the proxy is stopping")
}

// welcome returns the first message to a tab, which describes the cluster and the user.
func (s *server) welcome(t *apiserver.Target, signedIn session.Session) wire.Welcome {
	w := wire.Welcome{
		Version: version(), Page: s.site.Version(), Context: t.Context, Cluster: t.Cluster, User: t.User, Auth: s.auth.Mode(),
		Server: t.Base.Host, Release: t.Release(), Namespace: t.Namespace, Narrow: t.Narrow, Bound: signedIn.Key != "", RenewIn: max(1, time.Until(signedIn.Renew()).Milliseconds()),
	}
	w.Contexts = strings.Join(s.contexts.names(), "\n")
	if s.options.local() || t.IsDemo() { // else users have names of their own for this cluster, and other credentials
		w.Reach = s.options.cluster.Flags(t)
	}
	w.Lists, w.AtOnce = s.options.limits.lists, session.Limits{Lists: float64(s.options.limits.lists)}.AtOnce()
	if w.NoDiskHistory = s.options.noDisk; !w.NoDiskHistory {
		w.VisitKey = s.auth.VisitKey(signedIn)
	}
	if signedIn.User != "" {
		w.User = signedIn.User
	}
	if !w.Narrow {
		w.Namespaces = strings.Join(s.options.namespaces(), ",")
	}
	return w
}

// wsConn adapts a socket to relay.Conn.
type wsConn struct {
	*websocket.Conn
	over <-chan struct{} // closed when nothing may be written anymore
}

var _ relay.Conn = wsConn{}

func (c wsConn) Read(ctx context.Context) ([]byte, error) {
	_, msg, err := c.Conn.Read(ctx)
	return msg, err
}

// Write sends a message in pieces. A tab that reads no piece within wire.GoneAfter is
// disconnected. A tab on a slow link is not, however long the whole message takes.
func (c wsConn) Write(ctx context.Context, msg []byte) error {
	select {
	case <-c.over: // the close frame is being sent
		<-ctx.Done()
		return context.Cause(ctx)
	default:
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stalled := time.AfterFunc(wire.GoneAfter, cancel)
	defer stalled.Stop()
	if len(msg) <= wire.BatchBytes {
		return c.Conn.Write(ctx, websocket.MessageBinary, msg)
	}
	w, err := c.Conn.Writer(ctx, websocket.MessageBinary)
	if err != nil {
		return err
	}
	for piece := range slices.Chunk(msg, wire.BatchBytes) {
		if _, err := w.Write(piece); err != nil {
			return err
		}
		stalled.Reset(wire.GoneAfter)
	}
	return w.Close()
}
