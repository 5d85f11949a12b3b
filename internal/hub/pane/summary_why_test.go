package pane

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem"
	"watchglass/internal/wire"
)

// crashing is the body of a pod whose container was killed.
const crashing = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web1","namespace":"a","uid":"u-web1","creationTimestamp":"1999-12-31T23:00:00Z"},
"spec":{"containers":[{"name":"api","image":"api:1","resources":{"limits":{"memory":"512Mi"}}}]},
"status":{"phase":"Running","conditions":[{"type":"Ready","status":"False","reason":"ContainersNotReady","lastTransitionTime":"1999-12-31T23:30:00Z"}],
"containerStatuses":[{"name":"api","ready":false,"restartCount":14,"state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 5m0s restarting failed container=api"}},
"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled","finishedAt":"1999-12-31T23:55:00Z"}}}]}}`

// TestSummaryWhy checks that the summary of a broken pod says what is wrong and where to read on, with
// the newest warning, and that both go once the pod is well.
func TestSummaryWhy(t *testing.T) {
	s := newServer(happened("old", "u-web1", "Back-off restarting"), happened("other", "u-other", "of another"))
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewSummary, "pods", "a", "web1", nil)
		broken := pod("a", "web1", "CrashLoopBackOff")
		broken.version, broken.body = 1, crashing
		h.shows(broken)
		h.Wait(soon)
		all := read[detail.Summary](h)
		if len(all) == 0 || len(all[len(all)-1].Why) != 1 {
			t.Fatalf("%+v", all)
		}
		got := all[len(all)-1].Why[0]
		if got.Reason != "OOMKilled" || got.Tone != string(tone.Failed) || !got.Logs || !got.Previous || got.Container != "api" || got.Pod != "" || got.Since == 0 {
			t.Errorf("%+v", got)
		}
		if got.Text != "container api: OOMKilled (limit 512Mi), exit code 137, 14 restarts" {
			t.Error(got.Text)
		}
		if w := all[len(all)-1].Warning; w == nil || w.Text != "Back-off restarting" {
			t.Errorf("%+v", w)
		}
		h.wantAsked("watch events/a where involvedObject.uid=u-web1")
		s.change(wire.Added, happened("new", "u-web1", "Killed"))
		h.Wait(soon)
		if all = read[detail.Summary](h); len(all) != 1 || all[0].Warning.Text != "Killed" {
			t.Errorf("%+v", all)
		}
		h.shows(testObject{resource: "pods", namespace: "a", name: "web1", status: "Running", version: 2, body: `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web1","namespace":"a","uid":"u-web1"},"status":{"phase":"Running"}}`})
		h.Wait(soon)
		if all = read[detail.Summary](h); len(all) != 1 || len(all[0].Why) > 0 {
			t.Errorf("%+v", all)
		}
	})
}

// TestSummaryWhyReplaced checks that the last warning is not of the pod that had the name before, if both
// are broken.
func TestSummaryWhyReplaced(t *testing.T) {
	s := newServer(happened("old", "u-web1", "Back-off restarting"), happened("new", "u-web1b", "FailedMount"))
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewSummary, "pods", "a", "web1", nil)
		o := pod("a", "web1", "CrashLoopBackOff")
		for i, want := range []string{"Back-off restarting", "FailedMount"} {
			o.version, o.body = i+1, crashing
			if i > 0 {
				o.body = strings.Replace(crashing, `"uid":"u-web1"`, `"uid":"u-web1b"`, 1)
			}
			h.shows(o)
			h.Wait(soon)
			if w := last[detail.Summary](h).Warning; w == nil || w.Text != want {
				t.Errorf("%+v, want %s", w, want)
			}
		}
		h.wantAsked("watch events/a where involvedObject.uid=u-web1, watch events/a where involvedObject.uid=u-web1b")
		h.Wait(linger)
		h.wantAsked("close watch events/a where involvedObject.uid=u-web1")
	})
}

// TestSummaryWhyOfNode checks that the last warning of a node may be the kubelet's, which has the node's name
// for its UID, and is not that of another object with this name.
func TestSummaryWhyOfNode(t *testing.T) {
	const notReady = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","uid":"u-n1","creationTimestamp":"1999-12-31T20:00:00Z"},
"status":{"conditions":[{"type":"Ready","status":"False","reason":"KubeletNotReady","lastTransitionTime":"1999-12-31T23:00:00Z"}]}}`
	for _, c := range []struct{ uid, want string }{{"n1", "EvictionThresholdMet"}, {"u-n1", "EvictionThresholdMet"}, {"u-gone", ""}} {
		body := fmt.Sprintf(`{"kind":"Event","apiVersion":"v1","metadata":{"name":"e1","namespace":"default","uid":"u-e1"},"involvedObject":{"kind":"Node","name":"n1","uid":%q},"type":"Warning","message":"EvictionThresholdMet"}`, c.uid)
		s := newServer(testObject{resource: "events", namespace: "default", name: "e1", raw: []byte(body)})
		onHost(t, s, nil, func(t *testing.T, h *host) {
			h.opens(NewSummary, "nodes", "", "n1", nil)
			h.shows(testObject{resource: "nodes", name: "n1", version: 1, body: notReady})
			h.Wait(soon)
			got := last[detail.Summary](h)
			if len(got.Why) == 0 {
				t.Errorf("nothing is wrong: %+v", got)
			}
			text := ""
			if got.Warning != nil {
				text = got.Warning.Text
			}
			if text != c.want {
				t.Errorf("%s: %q, want %q", c.uid, text, c.want)
			}
			h.wantAsked("watch events/default where involvedObject.kind=Node,involvedObject.name=n1, watch leases/kube-node-lease where metadata.name=n1, watch pods where spec.nodeName=n1")
		})
	}
}

// TestSummaryWhyGrouped prefers what the list of problems says of an owner: it knows the pods.
func TestSummaryWhyGrouped(t *testing.T) {
	onHost(t, newServer(), []string{"widgets"}, func(t *testing.T, h *host) {
		h.Do(func() {
			h.Wrong = []problem.Row{{Resource: "widgets.example.com", Namespace: "a", Name: "w1", Reason: "OOMKilled", Severity: tone.Failed, Words: "4 of 6 pods: OOMKilled", Tab: "logs", Pod: "w1-x", Container: "api", Evidence: "status.containerStatuses[api].lastState.terminated"}}
		})
		h.opens(NewSummary, "widgets.example.com", "a", "w1", nil)
		h.shows(widget(1, "5"))
		all := read[detail.Summary](h)
		if len(all) != 1 || len(all[0].Why) != 1 || all[0].Why[0].Pod != "w1-x" || !all[0].Why[0].Previous || all[0].Why[0].Text != "4 of 6 pods: OOMKilled" {
			t.Errorf("%+v", all)
		}
		h.Do(func() { h.Wrong = nil })
		h.Wait(soon)
		h.Do(h.RequestUpdate)
		h.Wait(soon)
		if all = read[detail.Summary](h); len(all) != 1 || len(all[0].Why) > 0 {
			t.Errorf("%+v", all)
		}
	})
}

// TestSummaryWhyInPast checks that what is wrong is judged by the moment shown: a pod that is five seconds
// old then has no problem yet, however long ago that is.
func TestSummaryWhyInPast(t *testing.T) {
	onHost(t, newServer(), nil, func(t *testing.T, h *host) {
		young := pod("a", "web1", "Pending")
		young.version, young.body = 1, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web1","namespace":"a","uid":"u-web1","creationTimestamp":"1999-12-31T22:59:55Z"},"spec":{"containers":[{"name":"api"}]},"status":{"phase":"Pending"}}`
		h.Do(func() { h.Moment = time.Date(1999, 12, 31, 23, 0, 0, 0, time.UTC) })
		h.opens(NewSummary, "pods", "a", "web1", nil)
		h.shows(young)
		h.Wait(2 * whyEvery)
		h.Do(h.Update)
		if got := last[detail.Summary](h); len(got.Why) > 0 {
			t.Errorf("%+v", got.Why)
		}
		h.Do(func() { h.Moment = h.Moment.Add(time.Hour) })
		h.Wait(whyEvery)
		h.Do(h.Update)
		if got := last[detail.Summary](h); len(got.Why) != 1 {
			t.Errorf("an hour later: %+v", got.Why)
		}
	})
}

// TestSummaryWhyGone checks that time makes no problem of a pod that is gone: what was wrong when it went
// stays, and it is not terminating.
func TestSummaryWhyGone(t *testing.T) {
	const deleted = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web1","namespace":"a","uid":"u-web1","creationTimestamp":"1999-12-31T23:59:59Z","deletionTimestamp":"2000-01-01T00:00:00Z"},"spec":{"nodeName":"n1"},"status":{"phase":"Running"}}`
	for _, c := range []struct {
		name, body string
		goneAfter  time.Duration
		seen       bool // to be deleted
		reasons    []string
	}{
		{"ended in time", deleted, time.Second, true, nil},
		{"ended in time, unseen", deleted, time.Second, false, nil},
		{"ended late", deleted, 10 * time.Minute, true, nil},
		{"ended late, unseen", deleted, 10 * time.Minute, false, nil},
		{"crashing", crashing, time.Second, true, []string{"OOMKilled"}},
		{"crashing, unseen", crashing, time.Second, false, []string{"OOMKilled"}},
	} {
		onHost(t, newServer(), nil, func(t *testing.T, h *host) {
			h.opens(NewSummary, "pods", "a", "web1", nil)
			o := pod("a", "web1", "Running")
			o.version, o.body = 1, c.body
			h.shows(o)
			h.Wait(c.goneAfter)
			if c.seen {
				h.gone = time.Now()
			}
			h.Do(h.Update)
			h.deletes()
			for range 3 {
				h.Wait(time.Minute)
				h.Do(h.Update)
			}
			var reasons []string
			for _, w := range last[detail.Summary](h).Why {
				reasons = append(reasons, w.Reason)
			}
			if !slices.Equal(reasons, c.reasons) {
				t.Errorf("%s: %q, want %q", c.name, reasons, c.reasons)
			}
		})
	}
}
