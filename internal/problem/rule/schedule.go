package rule

import (
	"strconv"
	"strings"
	"time"
)

// schedule is a cron schedule: the minutes, hours, days and months at which it is due, as bits.
type schedule struct {
	minutes, hours, days, months, weekdays uint64
	anyDay, anyWeekday                     bool
	every                                  int64 // seconds, of "@every 1h"
}

// field is a field of a schedule.
type field struct {
	least, most int
	names       string // of three letters each, beginning with least
}

var fields = [...]field{{0, 59, ""}, {0, 23, ""}, {1, 31, ""}, {1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"}, {0, 7, "sunmontuewedthufrisat"}}

// nicknames are schedules with a name.
var nicknames = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// parseSchedule parses a schedule as the CronJob controller does.
func parseSchedule(text string) (s schedule, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if strings.HasPrefix(text, "tz=") || strings.HasPrefix(text, "cron_tz=") {
		_, text, _ = strings.Cut(text, " ")
	}
	if every, is := strings.CutPrefix(text, "@every "); is {
		d, err := time.ParseDuration(strings.TrimSpace(every))
		return schedule{every: int64(d / time.Second)}, err == nil && d >= time.Second
	}
	if full, is := nicknames[text]; is {
		text = full
	}
	parts := strings.Fields(text)
	if len(parts) != len(fields) {
		return s, false
	}
	var bits [len(fields)]uint64
	for i, part := range parts {
		if bits[i], ok = fields[i].parse(part); !ok {
			return s, false
		}
	}
	s = schedule{minutes: bits[0], hours: bits[1], days: bits[2], months: bits[3], weekdays: bits[4]}
	s.weekdays |= s.weekdays >> 7 & 1 // 7 is Sunday, too
	s.anyDay, s.anyWeekday = isAny(parts[2]), isAny(parts[4])
	return s, true
}

// all returns the bits of "*".
func (f field) all() uint64 {
	high := f.most
	if high == 7 {
		high = 6
	}
	return 1<<(high+1) - 1<<f.least
}

// isAny reports whether a field leaves the day to the other one. As for the controller, "*/2" does not.
func isAny(part string) bool {
	for one := range strings.SplitSeq(part, ",") {
		span, step, stepped := strings.Cut(one, "/")
		if n, _ := strconv.Atoi(step); (span == "*" || span == "?") && (!stepped || n == 1) {
			return true
		}
	}
	return false
}

// parse parses a field: "*", "*/5", "1-5", "mon,wed", "10-50/20".
func (f field) parse(part string) (bits uint64, ok bool) {
	for _, one := range strings.Split(part, ",") {
		low, high, step, ok := f.span(one)
		if !ok || low > high {
			return 0, false
		}
		for n := low; n <= high; n += min(step, 64) { // no field has more
			bits |= 1 << n
		}
	}
	return bits, true
}

// span parses a part of a field.
func (f field) span(one string) (low, high, step int, ok bool) {
	span, stepText, stepped := strings.Cut(one, "/")
	step = 1
	if stepped {
		n, err := strconv.Atoi(stepText)
		if err != nil || n <= 0 {
			return 0, 0, 0, false
		}
		step = n
	}
	if low, high = f.least, f.most; high == 7 {
		high = 6
	}
	if span == "*" || span == "?" {
		return low, high, step, true
	}
	from, to, ranged := strings.Cut(span, "-")
	if low, ok = f.number(from); !ok {
		return 0, 0, 0, false
	}
	switch {
	case ranged:
		high, ok = f.number(to)
	case !stepped:
		high = low
	}
	return low, high, step, ok
}

func (f field) number(text string) (n int, ok bool) {
	if at := strings.Index(f.names, text); len(text) == 3 && at >= 0 && at%3 == 0 {
		return f.least + at/3, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= f.least && n <= f.most
}

// leapCycle is how many days it takes until dates fall on the same weekdays again, but for
// centuries.
const leapCycle = 28*365 + 7

// longestGap returns the longest time between two times at which the schedule is due, in seconds;
// 0 if it never is.
func (s schedule) longestGap() int64 {
	if s.every > 0 {
		return s.every
	}
	first, last, gap := s.times()
	if first < 0 {
		return 0
	}
	if s.daily() {
		return max(gap, Day-(last-first))
	}
	previous, between := -1, 0
	for d := firstDay; d.number < s.cycle(); d.next() {
		if s.on(d) {
			if previous >= 0 {
				between = max(between, d.number-previous)
			}
			previous = d.number
		}
	}
	if between == 0 {
		return 0
	}
	return max(gap, int64(between)*Day-(last-first))
}

// daily reports whether the schedule is due on every day, as nearly all are.
func (s schedule) daily() bool {
	return s.days == fields[2].all() && s.months == fields[3].all() && s.weekdays&fields[4].all() == fields[4].all()
}

// cycle returns after how many days all gaps have been seen.
func (s schedule) cycle() int {
	switch {
	case s.days == fields[2].all() && s.months == fields[3].all():
		return 2 * 7
	case s.weekdays&fields[4].all() == fields[4].all():
		return 2 * (4*365 + 1)
	}
	return leapCycle
}

// times returns the first and the last time of a day, and the longest gap between two times of a
// day, in seconds; first is -1 if there is none.
func (s schedule) times() (first, last, gap int64) {
	first = -1
	for hour := range 24 {
		for minute := range 60 {
			if s.hours>>hour&1 == 0 || s.minutes>>minute&1 == 0 {
				continue
			}
			at := int64(hour*60+minute) * 60
			if first < 0 {
				first = at
			} else {
				gap = max(gap, at-last)
			}
			last = at
		}
	}
	return first, last, gap
}

// date is a day of the calendar. time.Time takes ten times as long to walk through years.
type date struct{ number, year, month, day, weekday int }

// firstDay was a Saturday.
var firstDay = date{0, 2000, 1, 1, 6}

// next goes to the next day.
func (d *date) next() {
	d.number++
	d.weekday = (d.weekday + 1) % 7
	days := 31
	switch d.month {
	case 4, 6, 9, 11:
		days = 30
	case 2:
		if days = 28; d.year%4 == 0 {
			days = 29
		}
	}
	if d.day++; d.day <= days {
		return
	}
	d.day = 1
	if d.month++; d.month > 12 {
		d.month, d.year = 1, d.year+1
	}
}

// on reports whether the schedule is due on a day. If both days and weekdays are restricted, either
// is enough.
func (s schedule) on(at date) bool {
	if s.months>>at.month&1 == 0 {
		return false
	}
	day, weekday := s.days>>at.day&1 != 0, s.weekdays>>at.weekday&1 != 0
	if s.anyDay || s.anyWeekday {
		return day && weekday
	}
	return day || weekday
}
