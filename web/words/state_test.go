package words

import (
	"strings"
	"testing"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// noon is the time of states in tests.
var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.Local)

// origins have a word that names each of them, and no other.
var origins = map[wire.Origin]string{
	wire.FromAPIServer: "the apiserver said", wire.FromProxy: "Watchglass proxy said", wire.FromNetwork: "network",
	wire.FromSocket: "can't reach", wire.FromPlugin: "plugin", wire.FromTab: "this page",
}

var reasons = []string{
	"", wire.ReasonExpired, wire.ReasonGone, wire.ReasonTooManyRequests, wire.ReasonForbidden, wire.ReasonUnauthorized, wire.ReasonNotFound,
	wire.ReasonInvalid, wire.ReasonBadRequest, wire.ReasonTimeout, wire.ReasonInternalError, wire.ReasonUnreachable, wire.ReasonCertificate,
	wire.ReasonCredentials, wire.ReasonTooLarge, wire.ReasonMalformed, wire.ReasonUnread, wire.ReasonUnanswered, wire.ReasonBuffered,
}

// TestWords checks that for every problem the page says what it is, what it means and what to do,
// and quotes the message with the name of its source, if there is one.
func TestWords(t *testing.T) {
	for _, state := range []string{"denied", "gone", "offline", "stale", "throttled", "connecting"} {
		for origin, name := range origins {
			for _, reason := range reasons {
				for _, code := range []int{0, 401, 403, 404, 410, 429, 500, 503} {
					cause := &wire.Status{Origin: origin, Reason: reason, Code: code, Message: "verbatim <words>"}
					w, ok := Explain(port.State{Source: port.Source{Resource: "pods", State: state, Since: noon, Cause: cause}})
					if !ok || w.Title == "" || w.Means == "" || w.Do == "" {
						t.Errorf("%s, %+v: %+v", state, cause, w)
					}
					if state != "offline" && (w.Message != cause.Message || !strings.Contains(w.By, name)) {
						t.Errorf("%s, %+v: who said so? %+v", state, cause, w)
					}
					for _, text := range []string{w.Title, w.Means, w.Do} {
						if strings.Contains(text, "verbatim") || strings.Contains(text, "%!") || strings.TrimSpace(text) != text {
							t.Errorf("%q", text)
						}
					}
				}
			}
		}
	}
}

// TestWordsNarrow checks that a proxy limited to one namespace does not mention others.
func TestWordsNarrow(t *testing.T) {
	s := port.State{Source: port.Source{Resource: "pods", State: "denied", Namespace: "a", Namespaced: true}, Proxy: &wire.Welcome{Narrow: true}}
	if w, _ := Explain(s); w.Title != "You can't list pods in a" {
		t.Errorf("%q", w.Title)
	}
}

// TestWordsSpecific checks that each cause has its own remedy.
func TestWordsSpecific(t *testing.T) {
	for name, c := range map[string]struct {
		source port.Source
		want   string // in the problem or the remedy
	}{
		"denied":                  {port.Source{State: "denied", Cause: &wire.Status{Code: 403}}, "can't list pods cluster-wide"},
		"denied in a namespace":   {port.Source{State: "denied", Namespace: "a", Namespaced: true, Cause: &wire.Status{Code: 403}}, "cluster-wide, or in a:"},
		"denied in one of two":    {port.Source{State: "denied", Namespace: "a,b", Denied: "b", Rest: "stale", Namespaced: true, Objects: 3, Cause: &wire.Status{Code: 403}}, "list pods in b: Your user lacks the list verb for this resource there. The rest is stale."},
		"denied, and the verb":    {port.Source{State: "denied", Cause: &wire.Status{Code: 403, Message: `pods is forbidden: User "a cannot b" cannot watch resource "pods"`}}, "can't watch pods"},
		"polled":                  {port.Source{State: "stale", Polled: 10_000, Cause: &wire.Status{Code: 403}}, "Polled every 10 s: you can list pods, but not watch them"},
		"held back on the way":    {port.Source{State: "stale", Polled: 6_000, Cause: &wire.Status{Origin: wire.FromTab, Reason: wire.ReasonBuffered}}, "Polled every 6 s: watch events may arrive late: A load balancer"},
		"without a watch":         {port.Source{State: "stale", Polled: 10_000, Cause: &wire.Status{Origin: wire.FromAPIServer, Code: 405}}, "Polled every 10 s: pods can't be watched"},
		"not watched yet":         {port.Source{State: "stale", Polled: 10_000, Cause: &wire.Status{Origin: wire.FromAPIServer, Code: 429}}, "Polled every 10 s: the apiserver can't serve a watch of pods yet"},
		"denied, and namespaces":  {port.Source{State: "denied", Namespaced: true, Cause: &wire.Status{Code: 403}}, "?n=NAMESPACE"},
		"denied, why not known":   {port.Source{State: "denied"}, "list and watch verbs."},
		"not known":               {port.Source{State: "denied", Cause: &wire.Status{Code: 401}}, "Sign in again"},
		"gone":                    {port.Source{State: "gone"}, "no resource type pods"},
		"offline":                 {port.Source{State: "offline", Cause: &wire.Status{Origin: wire.FromNetwork, Message: "x"}}, "when the network is back"},
		"stale":                   {port.Source{State: "stale", Since: noon}, "Stale since 12:00:00"},
		"stale, opening":          {port.Source{State: "stale"}, "Loading what has changed since"},
		"proxy away":              {port.Source{State: "stale", Cause: &wire.Status{Origin: wire.FromSocket}}, "proxy is still running"},
		"apiserver away":          {port.Source{State: "stale", Cause: &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable}}, "kubectl can reach it"},
		"certificate":             {port.Source{State: "connecting", Cause: &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonCertificate}}, "certificate-authority"},
		"credentials":             {port.Source{State: "connecting", Cause: &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonCredentials}}, "credential command"},
		"too large":               {port.Source{State: "stale", Cause: &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonTooLarge}}, "exceeds the size limit"},
		"malformed":               {port.Source{State: "stale", Cause: &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonMalformed}}, "not be an apiserver"},
		"too many requests":       {port.Source{State: "stale", Cause: &wire.Status{Origin: wire.FromAPIServer, Code: 429}}, "delay it asked for"},
		"throttled, with rows":    {port.Source{State: "stale", Since: noon, Cause: &wire.Status{Origin: wire.FromProxy, Code: 429}}, "Throttled since " + noon.Local().Format("15:04:05") + ": Data may be out of date: requests are limited. Close pages that you don't need."},
		"throttled":               {port.Source{State: "throttled", Cause: &wire.Status{Origin: wire.FromProxy, Code: 429}}, "Throttled: Nothing has loaded yet: requests are limited. Close pages that you don't need."},
		"too many of the user":    {port.Source{State: "stale", Cause: &wire.Status{Origin: wire.FromProxy, Code: 429}}, "Close pages that you don't need"},
		"queued":                  {port.Source{State: "connecting", Cause: wire.QueuedStatus(40)}, "Waiting for the apiserver: Nothing has loaded yet. The apiserver is busy, and users take turns."},
		"queued again":            {port.Source{State: "stale", Cause: wire.QueuedStatus(0)}, "Loads when it is your turn."},
		"not read":                {port.Source{State: "stale", Cause: &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonUnread}}, "Retrying."},
		"anything else":           {port.Source{State: "connecting", Cause: &wire.Status{Origin: wire.FromAPIServer, Code: 500}}, "Nothing has loaded yet. Retrying."},
		"nothing came yet, a lot": {port.Source{State: "connecting", Cause: &wire.Status{Origin: wire.FromAPIServer, Code: 500}}, "Nothing has loaded yet."},
	} {
		c.source.Resource = "pods"
		w, ok := Explain(port.State{Source: c.source})
		if all := w.Title + ": " + w.Means + " " + w.Do; !ok || !strings.Contains(all, c.want) {
			t.Errorf("%s: %q says nothing of %q", name, all, c.want)
		}
	}
	for _, state := range []string{"", "live", "syncing", "connecting"} {
		if w, ok := Explain(port.State{Source: port.Source{State: state}}); ok {
			t.Errorf("%s is nothing wrong: %+v", state, w)
		}
	}
	if w, _ := Explain(port.State{Source: port.Source{State: "offline", Cause: &wire.Status{Origin: wire.FromNetwork, Message: "x"}}}); w.Message+w.By != "" {
		t.Errorf("%s did not say %q", w.By, w.Message)
	}
}

func TestBadge(t *testing.T) {
	for want, s := range map[string]port.Source{
		"Connecting": {}, "Live": {State: "live", Version: "12"}, "Syncing": {State: "syncing", Objects: 1000}, "Stale": {State: "stale", Since: noon},
		"Polled": {State: "stale", Polled: 10_000}, "Denied": {State: "denied"}, "Partly denied": {State: "denied", Rest: "live"}, "Not served": {State: "gone"}, "Offline": {State: "offline"}, "Throttled": {State: "stale", Cause: &wire.Status{Origin: wire.FromProxy, Code: 429}},
	} {
		if got := Badge(port.State{Source: s}); got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}

// TestLastVisit checks what the page says of rows of the last visit: their time, with the day unless that
// is today; after a second, also in a banner; and nothing of polling.
func TestLastVisit(t *testing.T) {
	at := time.Date(2026, 11, 26, 18, 53, 35, 0, time.Local)
	for now, want := range map[time.Time]string{at.Add(time.Hour): "18:53:35", at.Add(12 * time.Hour): "2026-11-26 18:53", at.AddDate(1, 0, 0): "2026-11-26 18:53"} {
		if got := asOf(at, now); got != want {
			t.Errorf("at %s: %s, want %s", now, got, want)
		}
	}
	s := port.State{Source: port.Source{Resource: "pods", State: port.Stale, AsOf: at, Since: at, Polled: 1000}}
	if badge := Badge(s); !strings.HasPrefix(badge, "As of 2026-11-26") && badge != "As of 18:53:35" {
		t.Error(badge)
	}
	if w, ok := Explain(s); !ok || w.Title != Badge(s) || w.Means != "Showing rows saved on your last visit." || w.Do != "Loading what has changed since." {
		t.Errorf("%+v", w)
	}
	if !ResumingSoon(s, at.Add(resumeWithin/2)) || ResumingSoon(s, at.Add(resumeWithin)) {
		t.Error("the banner comes at another time")
	}
	s.Source.Cause = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "refused"}
	if w, _ := Explain(s); ResumingSoon(s, at) || w.Message != "refused" || w.Do == "" {
		t.Errorf("%+v", w)
	}
}

// TestRejected checks that who may change the kubeconfig is told to, and nobody else.
func TestRejected(t *testing.T) {
	s := port.State{Source: port.Source{Resource: "pods", State: "denied", Cause: &wire.Status{Code: 401}}}
	for auth, want := range map[string]string{"local": "Watchglass notices when it changes", "oidc": "its operator has to renew them"} {
		s.Proxy = &wire.Welcome{Auth: auth}
		if w, ok := Explain(s); !ok || !strings.Contains(w.Do, want) {
			t.Errorf("%s: %q", auth, w.Do)
		}
	}
}
