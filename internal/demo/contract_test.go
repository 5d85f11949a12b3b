//go:build !js

package demo_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/apiserver"
	"watchglass/internal/demo/api"
	"watchglass/internal/demo/contract"
)

// TestContract checks the demo, as the proxy reaches it, against the contract; the end-to-end
// tests check a real apiserver against the same one. Each part runs in its own synctest bubble,
// which ends only when no goroutine is left.
func TestContract(t *testing.T) {
	const databases = "/apis/data.example.com/v1/databases"
	for _, part := range contract.Parts {
		t.Run(part.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target := apiserver.Demo(100, 6)
				ctx, cancel := context.WithCancel(t.Context())
				t.Cleanup(cancel)
				go target.Run(ctx)
				part.Test(t, contract.Server{Base: target.Base, Transport: target.Transport, Expired: 1, ExpiredKind: databases, Custom: databases, Log: quietLog(t, target)})
			})
		})
	}
}

// quietLog returns the path of the log of a pod that will stay.
func quietLog(t *testing.T, target *apiserver.Target) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.Base.JoinPath("api/v1/namespaces/kube-system/pods").String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := target.Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	pods, _ := listed(t, resp.Body)
	return "/api/v1/namespaces/kube-system/pods/" + quietest(pods) + "/log"
}

// quietest returns the pod that has not changed for the longest time.
func quietest(pods map[string]string) (name string) {
	since := math.MaxInt
	for key, version := range pods {
		if v, err := strconv.Atoi(version); err == nil && v < since && strings.HasPrefix(key, "kube-system/coredns-") {
			name, since = path.Base(key), v
		}
	}
	return name
}

// inBubble runs the demo in a synctest bubble, where time passes while everything is idle.
func inBubble(t *testing.T, test func(t *testing.T, get func(query url.Values, path string) *http.Response)) {
	synctest.Test(t, func(t *testing.T) {
		target := apiserver.Demo(100, 6)
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		go target.Run(ctx)
		test(t, func(query url.Values, path string) *http.Response {
			u := target.Base.JoinPath(path)
			u.RawQuery = query.Encode()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := target.Transport.RoundTrip(r)
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("%s: %v", path, err)
			}
			t.Cleanup(func() { resp.Body.Close() })
			return resp
		})
	})
}

// item is an object of any kind.
type item struct {
	Metadata struct{ Namespace, Name, ResourceVersion string }
}

// TestReplay checks for every kind that a list, updated by two minutes of its watch, equals the
// list at the version of the watch's last bookmark.
func TestReplay(t *testing.T) {
	kinds := []string{"apis/data.example.com/v1/databases"}
	for _, k := range api.Builtins() {
		kinds = append(kinds, strings.TrimPrefix(path.Join("apis", k.Group, k.Version, k.Resource), "apis/v1/"))
	}
	for _, kind := range kinds {
		if !strings.HasPrefix(kind, "apis/") {
			kind = "api/v1/" + kind
		}
		t.Run(path.Base(kind), func(t *testing.T) {
			inBubble(t, func(t *testing.T, get func(url.Values, string) *http.Response) {
				objects, version := listed(t, get(nil, kind).Body)
				watch := json.NewDecoder(get(url.Values{"watch": {"1"}, "resourceVersion": {version}, "allowWatchBookmarks": {"1"}, "timeoutSeconds": {"125"}}, kind).Body)
				bookmarks := 0
				for {
					var e struct {
						Type   string
						Object item
					}
					if err := watch.Decode(&e); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						t.Fatal(err)
					}
					m := e.Object.Metadata
					switch e.Type {
					case "BOOKMARK":
						bookmarks++
						version = m.ResourceVersion
						want, _ := listed(t, get(url.Values{"resourceVersion": {version}, "resourceVersionMatch": {"Exact"}}, kind).Body)
						if !maps.Equal(objects, want) {
							t.Fatalf("at %s there are %d, and %d by the watch, or they are others", version, len(want), len(objects))
						}
					case "DELETED":
						delete(objects, m.Namespace+"/"+m.Name)
					default:
						objects[m.Namespace+"/"+m.Name] = m.ResourceVersion
					}
				}
				if bookmarks != 3 { // one each minute, and one before the end
					t.Errorf("%d bookmarks", bookmarks)
				}
			})
		})
	}
}

func listed(t *testing.T, body io.Reader) (objects map[string]string, version string) {
	t.Helper()
	var l struct {
		item
		Items []item
	}
	if err := json.NewDecoder(body).Decode(&l); err != nil {
		t.Fatal(err)
	}
	objects = map[string]string{}
	for _, o := range l.Items {
		objects[o.Metadata.Namespace+"/"+o.Metadata.Name] = o.Metadata.ResourceVersion
	}
	return objects, l.Metadata.ResourceVersion
}

// TestLog follows the log of a running pod. Each line must arrive when it is due and be the same
// as when it is read alone.
func TestLog(t *testing.T) {
	inBubble(t, func(t *testing.T, get func(url.Values, string) *http.Response) {
		pods, _ := listed(t, get(nil, "api/v1/namespaces/kube-system/pods").Body)
		name := quietest(pods)
		log := "api/v1/namespaces/kube-system/pods/" + name + "/log"
		all, err := io.ReadAll(get(nil, log).Body)
		if lines := bytes.Count(all, []byte("\n")); err != nil || lines != 20_000 {
			t.Errorf("%d lines, %v", lines, err)
		}
		tail, err := io.ReadAll(get(url.Values{"tailLines": {"3"}}, log).Body)
		if err != nil || !bytes.HasSuffix(all, tail) || bytes.Count(tail, []byte("\n")) != 3 {
			t.Errorf("%q, %v", tail, err)
		}
		if few, err := io.ReadAll(get(url.Values{"tailLines": {"3"}, "limitBytes": {"10"}}, log).Body); err != nil || string(few) != string(tail[:10]) {
			t.Errorf("%q, %v", few, err)
		}
		begin := time.Now()
		follow := bufio.NewScanner(get(url.Values{"tailLines": {"0"}, "follow": {"1"}, "timestamps": {"true"}}, log).Body)
		for range 10 {
			if !follow.Scan() {
				t.Fatalf("the log of %s ends: %v", name, follow.Err())
			}
			at, err := time.Parse(time.RFC3339Nano, strings.Fields(follow.Text())[0])
			if err != nil || time.Since(at) > 2*time.Millisecond {
				t.Errorf("%q came at %v", follow.Text(), time.Now())
			}
		}
		if took := time.Since(begin); took < 2*time.Second || took > 40*time.Second {
			t.Errorf("ten lines took %v", took)
		}
	})
}

// TestLogOfCrash follows the log of a container until it crashes. The log must end there.
func TestLogOfCrash(t *testing.T) {
	inBubble(t, func(t *testing.T, get func(url.Values, string) *http.Response) {
		var pod, container string
		var began time.Time
		for range 600 {
			if pod, container, began = restarted(t, get); pod != "" {
				break
			}
			time.Sleep(time.Second)
		}
		if pod == "" {
			t.Fatal("no container was restarted")
		}
		follow := url.Values{"container": {container}, "follow": {"1"}, "timestamps": {"true"}}
		lines := bufio.NewScanner(get(follow, "api/v1/"+pod+"/log").Body)
		n, last := 0, began
		for lines.Scan() {
			at, err := time.Parse(time.RFC3339Nano, strings.Fields(lines.Text())[0])
			if err != nil || at.Before(last) {
				t.Errorf("%q after %v", lines.Text(), last)
			}
			if n, last = n+1, at; time.Since(began) > time.Minute {
				t.Fatalf("%s goes on for a minute", pod)
			}
		}
		var now podStatus
		if err := json.NewDecoder(get(nil, "api/v1/"+pod).Body).Decode(&now); err != nil {
			t.Fatal(err)
		}
		ended := now.Status.ContainerStatuses[0].LastState.Terminated.FinishedAt.Add(time.Second) // the API has full seconds
		if now.Status.ContainerStatuses[0].State.Running != nil || n == 0 || last.After(ended) {
			t.Errorf("%d lines until %v; the container ended at %v", n, last, ended)
		}
	})
}

// podStatus is what TestLogOfCrash reads of a pod.
type podStatus struct {
	Metadata struct{ Namespace, Name string }
	Status   struct {
		ContainerStatuses []struct {
			Name         string
			RestartCount int
			State        struct {
				Running *struct{ StartedAt time.Time }
			}
			LastState struct {
				Terminated struct{ FinishedAt time.Time }
			}
		}
	}
}

// restarted returns a pod whose first container was restarted within the last seconds.
func restarted(t *testing.T, get func(url.Values, string) *http.Response) (pod, container string, at time.Time) {
	t.Helper()
	var list struct{ Items []podStatus }
	if err := json.NewDecoder(get(nil, "api/v1/pods").Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, p := range list.Items {
		for _, c := range p.Status.ContainerStatuses {
			if c.RestartCount > 0 && c.State.Running != nil && time.Since(c.State.Running.StartedAt) < 3*time.Second {
				return "namespaces/" + p.Metadata.Namespace + "/pods/" + p.Metadata.Name, c.Name, c.State.Running.StartedAt
			}
		}
	}
	return "", "", at
}
