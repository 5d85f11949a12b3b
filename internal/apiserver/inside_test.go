//go:build !js

package apiserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
)

func request(t *testing.T, ctx context.Context, h http.HandlerFunc) (*http.Response, *Pulse, error) {
	t.Helper()
	p := newPulse()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://demo/x?y=z", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&inside{handler: h, pulse: p}).RoundTrip(r)
	return resp, p, err
}

// TestInside checks that a response arrives as it is written, and is a sign of life.
func TestInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resp, p, err := request(t, t.Context(), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X", r.URL.Query().Get("y"))
			w.WriteHeader(http.StatusTeapot)
			w.Header().Set("X", "too late")
			_, _ = w.Write([]byte("tea"))
		})
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || string(body) != "tea" || resp.StatusCode != http.StatusTeapot || resp.Header.Get("X") != "z" || p.Heard().Unix() == 0 {
			t.Errorf("%d %v %q, %v", resp.StatusCode, resp.Header, body, err)
		}
		resp.Body.Close()
	})
}

// TestInsideEnds checks that each side notices when the other has gone.
func TestInsideEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan error, 2)
		endless := func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			<-r.Context().Done()
			_, err := w.Write([]byte("x"))
			gone <- err
		}
		resp, _, err := request(t, t.Context(), endless)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if err := <-gone; err == nil {
			t.Error("the handler may write to nobody")
		}
		ctx, cancel := context.WithCancel(t.Context())
		if resp, _, err = request(t, ctx, endless); err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		<-gone
		if _, _, err := request(t, ctx, endless); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		resp, _, err = request(t, t.Context(), func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("half"))
			panic(http.ErrAbortHandler)
		})
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(resp.Body); string(body) != "half" || !errors.Is(err, errAborted) {
			t.Errorf("%q, %v", body, err)
		}
		resp.Body.Close()
	})
}

// TestDemo checks that the demo cluster is a target that needs no network.
func TestDemo(t *testing.T) {
	target := Demo(50, 1)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.Base.JoinPath("version").String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := target.Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || target.Context != "demo cluster" || target.User != "demo" {
		t.Errorf("%s, %+v", resp.Status, target)
	}
}
