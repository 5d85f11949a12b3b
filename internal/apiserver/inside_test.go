//go:build !js

package apiserver

import (
	"context"
	"encoding/json"
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

// TestDemos checks that several demo clusters are different clusters, with the pods of all divided among them, and that
// one has the same objects each time.
func TestDemos(t *testing.T) {
	all := Demos{Pods: 200, Seed: 4, Contexts: 3}
	ids := make(map[string]string)
	for _, name := range all.Names() {
		var pods struct {
			Items []struct{ Metadata struct{ Namespace string } }
		}
		var system struct{ Metadata struct{ UID string } }
		first, again := loadDemo(t, all, name), loadDemo(t, all, name)
		getJSON(t, first, "api/v1/pods", &pods)
		apps := 0
		for _, p := range pods.Items {
			if n := p.Metadata.Namespace; n != "kube-system" && n != "monitoring" {
				apps++
			}
		}
		if apps < 30 || len(pods.Items) > 200 {
			t.Errorf("%s has %d pods, %d of them of teams", name, len(pods.Items), apps)
		}
		getJSON(t, first, "api/v1/namespaces/kube-system", &system)
		uid := system.Metadata.UID
		if getJSON(t, again, "api/v1/namespaces/kube-system", &system); system.Metadata.UID != uid || ids[uid] != "" {
			t.Errorf("%s is %s, then %s, as %s is", name, uid, system.Metadata.UID, ids[uid])
		}
		ids[uid] = name
	}
	if _, err := all.Load("demo cluster 04"); err == nil {
		t.Error("there is a fourth of three")
	}
	if one, many := (Demos{}).Most(), (Demos{Contexts: MostDemos}).Most(); one != 100_000 || many != 1_000_000 {
		t.Errorf("%d, %d", one, many)
	}
}

func loadDemo(t *testing.T, all Demos, name string) *Target {
	t.Helper()
	target, err := all.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func getJSON(t *testing.T, target *Target, path string, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.Base.JoinPath(path).String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := target.Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatalf("%s: %s, %v", path, resp.Status, err)
	}
}
