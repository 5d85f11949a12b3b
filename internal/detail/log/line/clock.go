package line

import "strings"

// timeAt returns where the time that begins at a position ends; the position itself if none
// begins there.
func timeAt(s string, at int) int {
	if at >= len(s) || !isDigit(s[at]) && !isLetter(s[at]) {
		return at
	}
	if end := spokenAt(s, at); end > at {
		return end
	}
	for _, f := range [...]struct {
		date string
		year bool // it follows the clock
	}{{"0000-00-00", false}, {"00-aaa-0000", false}, {"aaa aaa _0", true}, {"aaa _0", true}} {
		end, ok := matches(s, at, f.date)
		if !ok || f.year && !isMonth(s[end-6:end-3]) || f.date[2] == '-' && !isMonth(s[at+3:at+6]) {
			continue
		}
		if end < len(s) && (s[end] == 'T' || s[end] == ' ' || s[end] == ':' || s[end] == '_') {
			if clock := clockAt(s, end+1); clock > end+1 {
				return zoneAt(s, yearAt(s, clock, f.year))
			}
		}
		return at // a date alone may be anything
	}
	if end := clockAt(s, at); end > at {
		return zoneAt(s, end)
	}
	if end, ok := matches(s, at, "0:00aM"); ok {
		return end
	}
	return unixAt(s, at)
}

// spokenAt returns where a date with a clock of 12 hours ends, as Java and JavaScript print it:
// Nov 22, 2026 2:47:17 AM.
func spokenAt(s string, at int) int {
	for _, date := range [...]string{"00/00/0000, ", "aaa 00, 0000 ", "aaa 0, 0000 "} {
		end, ok := matches(s, at, date)
		if !ok || date[0] == 'a' && !isMonth(s[at:at+3]) {
			continue
		}
		for _, clock := range [...]string{"00:00:00", "0:00:00"} {
			if end, ok := matches(s, end, clock); ok {
				half, _ := strings.CutPrefix(strings.TrimPrefix(s[end:], " "), "\u202f")
				if strings.HasPrefix(half, "AM") || strings.HasPrefix(half, "PM") {
					return len(s) - len(half) + len("AM")
				}
			}
		}
	}
	return at
}

// matches reports whether a text has a pattern: 0 is a digit, _ a digit or a space, a a letter, -
// a separator of dates; and where it ends.
func matches(s string, at int, pattern string) (end int, ok bool) {
	if len(s)-at < len(pattern) {
		return at, false
	}
	for i := range len(pattern) {
		c, is := s[at+i], false
		switch pattern[i] {
		case '0':
			is = isDigit(c)
		case '_':
			is = isDigit(c) || c == ' '
		case 'a':
			is = isLetter(c)
		case '-':
			is = c == '-' || c == '/' || c == '.' || c == ' '
		default:
			is = c == pattern[i]
		}
		if !is {
			return at, false
		}
	}
	return at + len(pattern), true
}

// isMonth reports whether a text is the short name of a month.
func isMonth(s string) bool {
	switch s {
	case "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec":
		return true
	}
	return false
}

// clockAt returns where hours, minutes and seconds end, with any fraction.
func clockAt(s string, at int) int {
	end, ok := matches(s, at, "00:00:00")
	if !ok {
		return at
	}
	if end+1 < len(s) && (s[end] == '.' || s[end] == ',') && isDigit(s[end+1]) {
		for end++; end < len(s) && isDigit(s[end]); {
			end++
		}
	}
	if end < len(s) && (isWord(s[end]) && s[end] != 'Z') {
		return at
	}
	return end
}

// yearAt returns where the year after a clock ends.
func yearAt(s string, at int, may bool) int {
	if end, ok := matches(s, at, " 0000"); may && ok && (end == len(s) || !isWord(s[end])) {
		return end
	}
	return at
}

// zoneAt returns where the zone after a clock ends.
func zoneAt(s string, at int) int {
	if at < len(s) && s[at] == 'Z' {
		return at + 1
	}
	from := at
	if from+1 < len(s) && s[from] == ' ' && s[from+1] != ' ' {
		from++
	}
	for _, pattern := range [...]string{"00:00", "0000"} {
		if from < len(s) && (s[from] == '+' || s[from] == '-') {
			if end, ok := matches(s, from+1, pattern); ok && (end == len(s) || !isWord(s[end])) {
				return end
			}
		}
	}
	for _, name := range [...]string{"UTC", "GMT", "CET", "CEST", "EST", "EDT", "PST", "PDT"} {
		if end := from + len(name); end <= len(s) && s[from:end] == name && (end == len(s) || !isWord(s[end])) {
			return end
		}
	}
	return at
}

// unixAt returns where a number of seconds since 1970 ends, with a fraction.
func unixAt(s string, at int) int {
	if end, ok := matches(s, at, "0000000000.0"); ok {
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		if end == len(s) || s[end] == ' ' || s[end] == '\t' {
			return end
		}
	}
	return at
}
