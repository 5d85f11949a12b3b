package words

import (
	"cmp"
	"strings"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/revision"
	"watchglass/internal/port"
)

// asOf returns the time of the last visit, with its day unless that is today.
func asOf(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04:05")
	}
	return at.Format("2006-01-02 15:04")
}

// Since says how long ago something was. It is drawn again every now and then only, and so says
// no seconds of minutes.
func Since(at, now time.Time) string {
	if since := now.Sub(at); since >= 2*time.Minute {
		now = at.Add(since.Truncate(time.Minute))
	}
	return detail.Span{At: at.Unix()}.Print(now)
}

// atMost says that something was later than what follows.
const atMost = "at most "

// RolloutTime says how long ago a rollout was, as far as that is known.
func RolloutTime(r port.Rollout, now time.Time) string {
	if r.After {
		return atMost + Since(r.At, now)
	}
	return Since(r.At, now)
}

// RevisionSince says since when a revision has its number: since it was created, or seen to be used again. If it was used
// again and nobody saw that, it says since when at most: since the revision that it replaced was created.
func RevisionSince(v *revision.Revision, now time.Time) string {
	switch {
	case v.Again != 0:
		return Since(time.Unix(v.Again, 0), now)
	case v.After != 0:
		return atMost + Since(time.Unix(v.After, 0), now)
	}
	return Since(time.Unix(v.Created, 0), now)
}

// ClockTime formats a time given in Unix milliseconds, in the local zone. It leaves out the
// date if that is recent.
func ClockTime(at int64) string {
	t := time.UnixMilli(at)
	return cmp.Or(map[bool]string{true: t.Format("15:04:05")}[time.Since(t) < 12*time.Hour], t.Format("2006-01-02 15:04:05"))
}

// Stamp formats a time for a bug report, which others read in other zones and on other days.
func Stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// FromTo returns a time of day and another: "14:02:10–14:05:00".
func FromTo(from, to time.Time) string {
	return from.Local().Format(time.TimeOnly) + "–" + to.Local().Format(time.TimeOnly)
}

// GapsFrom names the first of some gaps, and says how many more there are.
func GapsFrom(from, to time.Time, n int) string {
	if n == 1 {
		return FromTo(from, to)
	}
	return FromTo(from, to) + " and " + CountOf(n-1, "more gap")
}

// ClockOff says how far this computer's clock is ahead of the apiserver's, in minutes.
func ClockOff(ahead int) string {
	where := "ahead of"
	if ahead < 0 {
		ahead, where = -ahead, "behind"
	}
	off := strings.TrimSuffix((time.Duration(ahead) * time.Minute).String(), "0s")
	return "This computer's clock is " + off + " " + where + " the apiserver's. Ages are wrong by " + off + ", and problems show too early or too late."
}

// Audit returns when all of a list had last been compared with the apiserver's and how many audits found a
// difference; "" while neither is known.
func Audit(s port.Source, now time.Time) string {
	when := Since(s.Audited, now)
	switch {
	case s.Audited.IsZero() && s.Differences == 0:
		return ""
	case s.Audited.IsZero(): // of several namespaces some were never compared
		return "differences found in " + CountOf(s.Differences, "audit")
	case s.Differences > 0:
		return "differences found in " + CountOf(s.Differences, "audit") + "; last checked " + when
	}
	if s.Unread > 0 {
		return "matched the apiserver " + when + ", except what can't be read"
	}
	return "matched the apiserver " + when
}
