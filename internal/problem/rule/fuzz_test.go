package rule

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/problemtest"
	"watchglass/internal/problem/text"
)

// FuzzCheck holds that no document makes a rule panic, and that what rules say fits on a line.
func FuzzCheck(f *testing.F) {
	for _, doc := range []string{
		problemtest.HealthyPod, problemtest.HealthyDeployment, problemtest.PendingPod, problemtest.ScheduledPod, problemtest.UnreadySince5m, problemtest.WithInit(`{"name":"migrate","restartCount":-9,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":-1}}}`),
		problemtest.WithCondition("Ready", "False", "A/B\\u0000", strings.Repeat("\\u202e\\n", 200), "-5m"), `{"spec":{"schedule":"*/2 * * * *"}}`, `{"status":{"hard":{"a":"1e99"},"used":{"a":"-9E"}}}`,
		`{"metadata":{"deletionTimestamp":"0001-01-01T00:00:00Z","finalizers":[1,null,{}]}}`, `[]`, `null`, `{"status":[]}`, `{"status":{"containerStatuses":[{"restartCount":99999999999999999999}]}}`,
		`{"spec":{"containers":[{"name":"a","readinessProbe":{"periodSeconds":9223372036854775807,"failureThreshold":9223372036854775807}}]},"status":{"phase":"Running","containerStatuses":[{"name":"a","ready":false,"state":{"running":{"startedAt":"9999-12-31T23:59:59Z"}}}]}}`,
	} {
		f.Add([]byte(problemtest.Dated(doc)), uint8(0))
		f.Add([]byte(problemtest.Dated(doc)), uint8(7))
	}
	var all []object.Kind
	for _, resource := range kinds.Resources() {
		if k, ok := object.Builtin(resource); ok {
			all = append(all, k)
		}
	}
	all = append(all, object.Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget"})
	f.Fuzz(func(t *testing.T, raw []byte, which uint8) {
		doc, err := document.Parse(raw)
		if err != nil {
			return // it is no document
		}
		kind := all[int(which)%len(all)]
		facts.None.Join(facts.ID{Resource: kind.ID()}, doc)
		for _, at := range []time.Time{problemtest.Noon, time.Unix(0, 0), time.Unix(1<<40, 0)} {
			for _, c := range Check(kind, doc, at) {
				for _, s := range []string{c.Words, c.Brief, c.Evidence, c.Container, c.Reason} {
					if len(s) > text.Most || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
						t.Errorf("%q", s)
					}
				}
				if c.Reason == "" || c.Words == "" || strings.Contains(c.Reason, "/") || c.Severity != tone.Warning && c.Severity != tone.Failed {
					t.Errorf("%+v", c)
				}
			}
		}
	})
}

// FuzzSchedule holds that no schedule makes the parser panic, or has no longest gap but is due.
func FuzzSchedule(f *testing.F) {
	for _, s := range []string{"* * * * *", "0 0 30 2 *", "@every 1h", "TZ=x 1-5/2 1,2 * jan mon", "@every -1h", "* * * * 7"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, ok := parseSchedule(text); ok && s.longestGap() < 0 {
			t.Errorf("%q: %d", text, s.longestGap())
		}
	})
}
