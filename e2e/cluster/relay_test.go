package cluster

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/apiserver"
	"watchglass/internal/relay"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// relayed is the relay to the cluster as a user, and the tab's end of it.
type relayed struct {
	*socket.Client
	kubeconfig string
	read       atomic.Int64 // bytes of the apiserver's answers
	reviews    atomic.Int64 // that were asked for
}

// revokeWithin is how long a right may be outlived.
const revokeWithin = 3 * time.Second

// relayTo runs a relay until the test ends.
func relayTo(t *testing.T, user User) *relayed {
	t.Helper()
	r := new(relayed)
	var err error
	if r.kubeconfig, err = shared.Kubeconfig(user, KubeconfigOptions{Path: t.TempDir() + "/kubeconfig"}); err != nil {
		t.Fatal(err)
	}
	target, err := apiserver.Load(apiserver.Options{Kubeconfig: r.kubeconfig, UserAgent: "watchglass/e2e"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	r.Client = socket.New(socket.Options{Dial: func(context.Context) (socket.Connection, error) {
		near, far := wiretest.Pipe(64)
		running.Go(func() {
			_ = relay.Serve(ctx, far, relay.Options{Upstream: relay.Upstream{Base: target.Base, Transport: counting{target.Transport, r}, Heard: target.Pulse.Heard}, RevokeWithin: revokeWithin})
		})
		return socket.Connection{Conn: near}, nil
	}})
	running.Go(func() { target.Pulse.Run(ctx) })
	running.Go(func() { _ = r.Run(ctx) })
	return r
}

// counting counts what is asked, and what is read of answers.
type counting struct {
	http.RoundTripper
	r *relayed
}

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	if r.Method == http.MethodPost {
		c.r.reviews.Add(1)
	}
	if err == nil {
		resp.Body = countingBody{resp.Body, &c.r.read}
	}
	return resp, err
}

type countingBody struct {
	io.ReadCloser
	read *atomic.Int64
}

func (b countingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read.Add(int64(n))
	return n, err
}

// log reads a log to its end; each is told what there is of it so far.
func (r *relayed) log(ctx context.Context, request wire.Request, each func(text []byte)) (string, error) {
	stream, err := r.Open(ctx, request)
	if err != nil {
		return "", err
	}
	defer stream.Close()
	var all bytes.Buffer
	for {
		batch, err := stream.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return all.String(), nil
		case err != nil:
			return all.String(), err
		}
		for _, e := range batch.Events {
			if e.Type != wire.Text {
				return all.String(), errors.New("a log of objects")
			}
			all.Write(e.Payload)
		}
		each(all.Bytes())
		stream.Credit(batch.Bytes)
	}
}
