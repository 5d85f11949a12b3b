//go:build !js

package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// granting answers access reviews by resource, and passes all other requests to rt.
func granting(may func(resource string) bool, rt transport) transport {
	return func(r *http.Request) (*http.Response, error) {
		if !strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
			return rt(r)
		}
		var review struct {
			Spec struct{ ResourceAttributes wire.Access }
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			return nil, err
		}
		a := review.Spec.ResourceAttributes
		if a.Verb != "watch" && a.Subresource != "log" {
			return nil, fmt.Errorf("asked about %+v", a)
		}
		return answer(r, 201, "application/json", strings.NewReader(fmt.Sprintf(`{"status":{"allowed":%v}}`, may(a.Resource)))), nil
	}
}

func watching(r *http.Request) (*http.Response, error) {
	return answer(r, 200, "application/json", quiet(r)), nil
}

// TestRightLost shows that a watch ends within RevokeWithin after its right was lost, or after the
// apiserver answers something else than that it is there, and that no other watch ends.
func TestRightLost(t *testing.T) {
	for name, lost := range map[string]transport{
		"denied": granting(func(resource string) bool { return resource != "secrets" }, watching),
		"no such review": func(r *http.Request) (*http.Response, error) {
			if strings.Contains(r.URL.Path, "review") {
				return answer(r, 404, "text/plain", strings.NewReader("404 page not found")), nil
			}
			return watching(r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var gone atomic.Bool
				fine := granting(func(string) bool { return true }, watching)
				tb := start(t, func(r *http.Request) (*http.Response, error) {
					if gone.Load() {
						return lost(r)
					}
					return fine(r)
				}, Options{})
				tb.write([]byte(hello))
				tb.next()
				tb.write(wire.JSONFrame(wire.KindOpen, 2, wire.Request{Verb: wire.Watch, Version: "v1", Resource: "secrets"}))
				tb.expect(wire.KindOpened, 2, "")
				time.Sleep(80 * time.Second) // of the bubble's clock: several reviews
				tb.write(wire.BeatFrame(nil))
				gone.Store(true)
				at := time.Now()
				tb.expect(wire.KindEnd, 2, "{}")
				if took := time.Since(at); took > 30*time.Second {
					t.Errorf("it outlived its right by %v", took)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		var over atomic.Bool // the watch of pods
		tb := start(t, granting(func(resource string) bool { return resource != "secrets" }, func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/pods") {
				context.AfterFunc(r.Context(), func() { over.Store(true) })
			}
			return watching(r)
		}), Options{})
		tb.write([]byte(hello))
		tb.next()
		for i, resource := range []string{"pods", "secrets"} {
			tb.write(wire.JSONFrame(wire.KindOpen, uint32(i+2), wire.Request{Verb: wire.Watch, Version: "v1", Resource: resource}))
			tb.expect(wire.KindOpened, uint32(i+2), "")
		}
		tb.expect(wire.KindEnd, 3, "{}")
		if synctest.Wait(); over.Load() {
			t.Error("the watch whose right is still there is over as well")
		}
		tb.write(wire.AppendHeader(nil, wire.KindClose, 2))
		if synctest.Wait(); !over.Load() {
			t.Error("a watch that was closed is not over")
		}
	})
}

// TestRightUnanswered shows that a watch is paused once its right was not confirmed for RevokeWithin,
// because the apiserver does not answer or is busy. Nothing passes then, and the tab is told that nothing comes.
// The watch goes on when the right is confirmed, without a further request, and ends when it is denied.
func TestRightUnanswered(t *testing.T) {
	busy := func(code int) transport {
		return func(r *http.Request) (*http.Response, error) {
			return answer(r, code, "application/json", strings.NewReader(fmt.Sprintf(`{"kind":"Status","code":%d,"message":"busy"}`, code))), nil
		}
	}
	for name, unanswered := range map[string]transport{
		"no answer": func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		},
		"no connection": func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF },
		"429":           busy(429), "500": busy(500), "503": busy(503), "504": busy(504),
	} {
		for _, allowed := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", then ", allowed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { pauses(t, unanswered, allowed) })
			})
		}
	}
}

func pauses(t *testing.T, unanswered transport, allowed bool) {
	var away atomic.Bool
	var watches atomic.Int32
	feed, events := io.Pipe()
	fine := granting(func(string) bool { return allowed }, func(r *http.Request) (*http.Response, error) {
		watches.Add(1)
		return answer(r, 200, "application/json", feed), nil
	})
	records := make(chan Record, 1)
	tb := start(t, func(r *http.Request) (*http.Response, error) {
		if away.Load() && strings.Contains(r.URL.Path, "review") {
			return unanswered(r)
		}
		return fine(r)
	}, Options{Places: NewPlaces(), Upstream: Upstream{Heard: time.Now}, Observe: func(r Record) { records <- r }})
	change := func() { _, _ = io.WriteString(events, jsonEvents(1)) }
	away.Store(true)
	tb.write([]byte(hello))
	tb.next()
	tb.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
	tb.expect(wire.KindOpened, 2, "")
	began := time.Now()
	for time.Since(began) < 29*time.Second {
		change()
		tb.expect(wire.KindData, 2, "")
		time.Sleep(2 * time.Second)
		tb.write(wire.BeatFrame(nil))
	}
	time.Sleep(10 * time.Second)
	go change()
	age := time.Duration(0)
	for range 45 { // also those that were sent before
		f := tb.beat()
		if ages, err := f.Ages(); f.Kind != wire.KindBeat || err != nil {
			t.Fatalf("kind %d passes while the right is not confirmed: %s", f.Kind, f.Body)
		} else if len(ages) > 0 {
			age = ages[0].Age
		}
	}
	if age <= wire.StaleAfter {
		t.Errorf("its age is %v: the tab would call it live", age)
	}
	away.Store(false)
	if f := tb.next(); allowed != (f.Kind == wire.KindData) || !allowed && f.Kind != wire.KindEnd {
		t.Fatalf("allowed: %t, then kind %d", allowed, f.Kind)
	}
	if watches.Load() != 1 {
		t.Errorf("%d watches were requested", watches.Load())
	}
	if tb.conn.Close(); allowed {
		<-tb.done
	}
	if end := (<-records).End; (end == EndRevoked) == allowed {
		t.Errorf("it ended as %s", end)
	}
	events.Close()
}

// TestPauseSent checks that a tab that knows of pauses receives with each beat which streams are paused, and once that none
// are. Others receive only the ages; see pauses.
func TestPauseSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var away atomic.Bool
		away.Store(true)
		fine := granting(func(string) bool { return true }, watching)
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			if away.Load() && strings.Contains(r.URL.Path, "review") {
				return answer(r, 503, "application/json", strings.NewReader(`{"kind":"Status","code":503}`)), nil
			}
			return fine(r)
		}, Options{Upstream: Upstream{Heard: time.Now}})
		tb.write([]byte(`{"v":1,"large":true,"pause":true}`))
		tb.next()
		tb.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
		tb.expect(wire.KindOpened, 2, "")
		began, last := time.Now(), time.Duration(0)
		for range 10 {
			paused, err := tb.expect(wire.KindPaused, 0, "").Ages()
			if err != nil || len(paused) != 1 || paused[0].Stream != 2 || paused[0].Age <= last || time.Since(began) < 30*time.Second {
				t.Fatalf("after %v: %+v, %v", time.Since(began), paused, err)
			}
			last = paused[0].Age
			if f := tb.beat(); f.Kind != wire.KindBeat {
				t.Fatalf("kind %d instead of a beat", f.Kind)
			}
		}
		away.Store(false)
		tb.write(wire.BeatFrame(nil))
		for {
			paused, err := tb.expect(wire.KindPaused, 0, "").Ages()
			if err != nil {
				t.Fatal(err)
			}
			if len(paused) == 0 {
				break
			}
		}
		for range 5 {
			if f := tb.beat(); f.Kind != wire.KindBeat {
				t.Errorf("then kind %d", f.Kind)
			}
		}
	})
}

// TestLogRightLost shows that a log whose right was lost ends, with a status that distinguishes this
// from the end of its container.
func TestLogRightLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := start(t, granting(func(string) bool { return false }, func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "text/plain", io.MultiReader(strings.NewReader("a line\n"), quiet(r))), nil
		}), Options{})
		tb.write([]byte(hello))
		tb.next()
		tb.write(wire.JSONFrame(wire.KindOpen, 2, logOf(wire.LogOptions{Follow: true})))
		tb.expect(wire.KindOpened, 2, "")
		tb.expect(wire.KindData, 2, "")
		at := time.Now()
		var end wire.End
		if err := tb.expect(wire.KindEnd, 2, "").JSON(&end); err != nil || end.Status == nil || !end.Status.Transient() {
			t.Errorf("%+v, %v", end.Status, err)
		}
		if took := time.Since(at); took > 30*time.Second {
			t.Errorf("it outlived its right by %v", took)
		}
	})
}

// TestNeeded shows that the reviewed right is the one that the apiserver checked.
func TestNeeded(t *testing.T) {
	watch := func(selector string) wire.Request {
		return wire.Request{Verb: wire.Watch, Group: "apps", Version: "v1", Resource: "deployments", Namespace: "a", ListOptions: wire.ListOptions{FieldSelector: selector}}
	}
	of := wire.Access{Namespace: "a", Verb: "watch", Group: "apps", Version: "v1", Resource: "deployments"}
	one := of
	one.Name = "web"
	for _, c := range []struct {
		request wire.Request
		want    wire.Access
	}{
		{watch(""), of},
		{watch("metadata.name=web"), one},
		{watch("metadata.name=web,status.phase=x"), one},
		{watch("metadata.name!=web"), of},
		{watch("metadata.name=.."), of},
		{watch("="), of},
		{logOf(wire.LogOptions{}), wire.Access{Namespace: "a", Verb: "get", Version: "v1", Resource: "pods", Name: "b", Subresource: "log"}},
	} {
		if have, ok := needed(c.request); !ok || have != c.want {
			t.Errorf("%+v\nhave %+v\nwant %+v", c.request, have, c.want)
		}
	}
	if a, ok := needed(wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Name: "b"}); ok {
		t.Errorf("%+v", a)
	}
}

// TestRightsOfMany shows that with a slow apiserver even the last of many watches ends in time, and
// that reviews keep their pace.
func TestRightsOfMany(t *testing.T) {
	for _, within := range []time.Duration{time.Second, 5001 * time.Millisecond, 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			const watches = 40
			var asked atomic.Int32
			tb := start(t, func(r *http.Request) (*http.Response, error) {
				if strings.Contains(r.URL.Path, "review") {
					asked.Add(1)
					select {
					case <-time.After(within / 10):
						return answer(r, 201, "application/json", strings.NewReader(`{"status":{"allowed":false}}`)), nil
					case <-r.Context().Done():
						return nil, r.Context().Err()
					}
				}
				return watching(r)
			}, Options{RevokeWithin: within})
			tb.write([]byte(hello))
			tb.next()
			for i := range watches {
				tb.write(wire.JSONFrame(wire.KindOpen, uint32(i+2), wire.Request{Verb: wire.Watch, Version: "v1", Resource: "pods", Namespace: fmt.Sprint("n", i)}))
				tb.expect(wire.KindOpened, uint32(i+2), "")
			}
			began := time.Now()
			for range watches {
				if f := tb.next(); f.Kind != wire.KindEnd {
					t.Fatalf("kind %d", f.Kind)
				}
			}
			if took := time.Since(began); took > within || asked.Load() > watches {
				t.Errorf("%v: the last ended after %v, and %d reviews", within, took, asked.Load())
			}
		})
	}
}

// TestProof shows that a hello without the session's proof is answered with the reason, and its
// connection ended.
func TestProof(t *testing.T) {
	for _, c := range []struct{ proof, hello string }{{"p", `{"v":1}`}, {"p", `{"v":1,"proof":"q"}`}, {"p", `{"v":1,"proof":"pp"}`}, {"", `{"v":1,"proof":"p"}`}} {
		tb := start(t, func(*http.Request) (*http.Response, error) { return nil, errors.New("nothing is asked for") }, Options{Proves: func(proof string) bool { return proof == c.proof }})
		tb.write([]byte(c.hello))
		f := tb.next()
		if f.Kind != wire.KindEnd || f.Stream != 0 || !strings.Contains(string(f.Body), "proof") {
			t.Errorf("%+v: kind %d %s", c, f.Kind, f.Body)
		}
		if err := <-tb.done; !errors.Is(err, ErrProtocol) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	tb := start(t, nil, Options{Proves: func(proof string) bool { return proof == "p" }})
	tb.write([]byte(`{"v":1,"proof":"p"}`))
	tb.expect(wire.KindWelcome, 0, "")
}

// TestLists shows which requests count against the rate of lists: lists, and requests for documents of any
// size. Reviews have a rate of their own. Resumed watches and logs have none.
func TestLists(t *testing.T) {
	asked := 0
	tb := start(t, watching, Options{MayList: func() bool { asked++; return asked == 1 }})
	tb.write([]byte(hello))
	tb.next()
	stream := uint32(2)
	for _, r := range []wire.Request{
		{Verb: wire.List, Version: "v1", Resource: "pods"}, {Verb: wire.Watch, Version: "v1", Resource: "pods", ListOptions: wire.ListOptions{ResourceVersion: "7"}},
	} {
		tb.write(wire.JSONFrame(wire.KindOpen, stream, r))
		tb.expect(wire.KindOpened, stream, "")
		stream++
	}
	get := wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "a"}
	text := get
	text.Encoding = wire.EncodingJSON
	for _, r := range []wire.Request{{Verb: wire.List, Version: "v1", Resource: "pods"}, wire.InitialWatch("", "v1", "pods", ""), podsWatch, get, text, {Verb: wire.Discover}} {
		tb.write(wire.JSONFrame(wire.KindOpen, stream, r))
		var e wire.End
		if err := tb.expect(wire.KindEnd, stream, "").JSON(&e); err != nil || !e.Status.TooManyRequests() || e.Status.Wait() != time.Second {
			t.Errorf("%+v: %+v %v", r, e.Status, err)
		}
		stream++
	}
	for _, r := range []wire.Request{{Verb: wire.Log, Version: "v1", Resource: "pods", Namespace: "a", Name: "a"}, {Verb: wire.Review, Resource: "selfsubjectreviews"}} {
		tb.write(wire.JSONFrame(wire.KindOpen, stream, r))
		if f := tb.next(); f.Stream != stream || strings.Contains(string(f.Body), wire.ReasonTooManyRequests) {
			t.Errorf("%+v: %s", r, f.Body)
		}
		stream++
	}
}

// TestReviewRate shows that reviews have a rate of their own, and that each refusal is followed by a wait before the
// tab's next frame is read.
func TestReviewRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, slowed := 2, new(atomic.Int32)
		tb := start(t, watching, Options{
			MayList: func() bool { return false }, MayReview: func() bool { left--; return left >= 0 },
			Slow: func(context.Context) { slowed.Add(1); time.Sleep(time.Second) },
		})
		tb.write([]byte(hello))
		tb.next()
		began := time.Now()
		for i := range uint32(5) {
			tb.write(wire.JSONFrame(wire.KindOpen, i+2, wire.Request{Verb: wire.Review, Resource: "selfsubjectreviews"}))
		}
		tb.write(wire.JSONFrame(wire.KindOpen, 7, wire.Request{Verb: "write"}))
		for refused := 0; refused < 4; {
			f := tb.next()
			var e wire.End
			if f.Kind == wire.KindEnd && f.JSON(&e) == nil && e.Status != nil && (e.Status.TooManyRequests() || e.Status.Reason == wire.ReasonBadRequest) {
				refused++
			}
		}
		if took := time.Since(began); slowed.Load() != 4 || took != 4*time.Second {
			t.Errorf("%d were slowed, within %v", slowed.Load(), took)
		}
	})
}

// TestWhoAmI shows how the apiserver's answer about the user is read.
func TestWhoAmI(t *testing.T) {
	for _, c := range []struct {
		code       int
		body, user string
		status     int
	}{
		{201, `{"status":{"userInfo":{"username":"ana","groups":["a","b"]}}}`, "ana", 0},
		{201, `{"status":{"userInfo":{"username":"system:anonymous"}}}`, "", 401},
		{201, `{}`, "", 401},
		{401, `{"kind":"Status","apiVersion":"v1","code":401,"reason":"Unauthorized","message":"Unauthorized"}`, "", 401},
		{201, `<html>`, "", 0},
	} {
		up := Upstream{Base: base(t, "https://h"), Transport: transport(func(r *http.Request) (*http.Response, error) {
			return answer(r, c.code, "application/json", strings.NewReader(c.body)), nil
		})}
		user, _, err := WhoAmI(t.Context(), up)
		if user != c.user || (err == nil) != (c.user != "") {
			t.Errorf("%s: %q %v", c.body, user, err)
		}
		if status := wire.StatusOf(err); c.status != 0 && (status == nil || status.Code != c.status) {
			t.Errorf("%s: %v", c.body, err)
		}
	}
}

// TestReviewAgain shows that a review is sent again on another connection if the first closes before
// it answers.
func TestReviewAgain(t *testing.T) {
	r, status := build(t.Context(), base(t, "https://h"), wire.Request{Verb: wire.Review, Resource: "selfsubjectreviews"})
	if status != nil {
		t.Fatal(status)
	}
	for range 2 {
		again, err := r.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(again)
		if err != nil || int64(len(body)) != r.ContentLength || !json.Valid(body) {
			t.Errorf("%q, %v", body, err)
		}
	}
}
