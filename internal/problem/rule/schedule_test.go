package rule

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestSchedule(t *testing.T) {
	const hour = 3600
	for _, c := range []struct {
		text string
		gap  int64 // -1: malformed; 0: never due
	}{
		{"* * * * *", 60}, {"*/5 * * * *", 300}, {"0 * * * *", hour}, {"@hourly", hour}, {"@daily", Day}, {"@weekly", 7 * Day}, {"@monthly", 31 * Day}, {"@yearly", 366 * Day},
		{"@every 90m", 90 * 60}, {"@every 1x", -1}, {"@every 10ms", -1}, {"30 2 * * *", Day}, {"0 9-17 * * *", 16 * hour}, {"0 9 * * 1-5", 3 * Day}, {"0 9 * * MON,WED", 5 * Day},
		{"0 0 29 2 *", 1461 * Day}, {"0 0 30 2 *", 0}, {"0 0 31 * *", 61 * Day}, {"0 0 1 * 1", 7 * Day}, {"0 0 */2 * 1", 2 * Day}, {"0 0 */1 * 1", 7 * Day}, {"0 0 1,* * 1", 7 * Day}, {"0 0 * * 7", 7 * Day}, {"0 0 ? * SUN", 7 * Day},
		{"TZ=Europe/Berlin 0 3 * * *", Day}, {"CRON_TZ=UTC @daily", Day}, {"10-50/20 * * * *", 20 * 60}, {"5/10 * * * *", 600}, {"0 0 1 JAN-MAR *", 306 * Day},
		{"", -1}, {"* * * *", -1}, {"60 * * * *", -1}, {"5-1 * * * *", -1}, {"*/0 * * * *", -1}, {"a * * * *", -1}, {"*/99999999999 * * * *", hour}, {"@never", -1}, {"*/9223372036854775807 * * * *", hour},
	} {
		s, ok := parseSchedule(c.text)
		if ok != (c.gap >= 0) {
			t.Errorf("%q: %v", c.text, ok)
		} else if got := s.longestGap(); ok && got != c.gap {
			t.Errorf("%q: %d seconds, not %d", c.text, got, c.gap)
		}
	}
}

// TestLongestGap compares the longest gap with a walk over the minutes of some years, for
// random schedules.
func TestLongestGap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for range 8 {
		minute := strconv.Itoa(r.IntN(60))
		text := strings.Join([]string{pick(minute, "*/7", minute+",59"), pick("*", "3", "1-4", "*/6"), pick("*", "1", "15,20"), pick("*", "1,7"), pick("*", "1-5")}, " ")
		s, ok := parseSchedule(text)
		if !ok {
			t.Fatal(text)
		}
		var last, gap int64
		for at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2003; at = at.Add(time.Minute) {
			if s.hours>>at.Hour()&1 == 0 || s.minutes>>at.Minute()&1 == 0 || !s.on(date{month: int(at.Month()), day: at.Day(), weekday: int(at.Weekday())}) {
				continue
			}
			if last != 0 {
				gap = max(gap, at.Unix()-last)
			}
			last = at.Unix()
		}
		if got := s.longestGap(); got < gap || got > gap+40*Day {
			t.Errorf("%s: %d, and in these years %d", text, got, gap)
		}
	}
}

func TestCronJobRules(t *testing.T) {
	testRules(t, "cronjobs.batch", `{"kind":"CronJob","apiVersion":"batch/v1","metadata":{"name":"clean","namespace":"checkout","creationTimestamp":"-100h"},"spec":{"schedule":"0 * * * *"},"status":{"lastScheduleTime":"-50m"}}`, []ruleCase{
		{"healthy", nil, ""},
		{"suspended", []string{`{"spec":{"suspend":true},"status":{"lastScheduleTime":"-90h"}}`}, "warning Suspended ? | suspended | spec.suspend"},
		{"missed", []string{`{"status":{"lastScheduleTime":"-126m"}}`}, "warning MissedSchedule 1h6m0s | no Job started on schedule 0 * * * * | status.lastScheduleTime"},
		{"not late enough", []string{`{"status":{"lastScheduleTime":"-124m"}}`}, ""},
		{"has a deadline", []string{`{"status":{"lastScheduleTime":"-126m"},"spec":{"startingDeadlineSeconds":600}}`}, ""},
		{"never scheduled", []string{`{"status":{"lastScheduleTime":null}}`}, "warning MissedSchedule 99h0m0s | no Job started on schedule 0 * * * * | status.lastScheduleTime"},
		{"new", []string{`{"metadata":{"creationTimestamp":"-1h"},"status":{"lastScheduleTime":null}}`}, ""},
		{"forbids", []string{`{"status":{"lastScheduleTime":"-126m","active":[{"name":"clean-1"}]},"spec":{"concurrencyPolicy":"Forbid"}}`}, ""},
		{"forbids for a day", []string{`{"status":{"lastScheduleTime":"-25h","active":[{"name":"clean-1"}]},"spec":{"concurrencyPolicy":"Forbid"}}`}, "warning MissedSchedule 24h0m0s | no Job started on schedule 0 * * * *: concurrencyPolicy Forbid, 1 Job active | status.lastScheduleTime"},
		{"never", []string{`{"spec":{"schedule":"0 0 30 2 *"}}`}, "warning InvalidSchedule 100h0m0s | schedule 0 0 30 2 * is never due | spec.schedule"},
	})
}

// TestAll checks the bits of a field that is not restricted.
func TestAll(t *testing.T) {
	for i, f := range fields {
		if want, _ := f.parse("*"); f.all() != want {
			t.Errorf("field %d: %b, want %b", i, f.all(), want)
		}
	}
}
