package object

import (
	"math"
	"strconv"
)

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
	year   = 365 * day
)

// longestAge is the longest time.Duration, in seconds: kubectl's ages are Durations.
const longestAge = 1<<63/1_000_000_000 - 1

// appendAge writes a number of seconds as kubectl prints an age: in one or two units, more
// coarsely the older it is. It does not call apimachinery's function, because every visible row
// prints an age every second. A test compares the two.
func appendAge(dst []byte, seconds int64) []byte {
	seconds = min(seconds, longestAge)
	switch {
	case seconds < -1:
		return append(dst, "<invalid>"...)
	case seconds < 0: // clock skew
		return append(dst, "0s"...)
	case seconds < 2*minute:
		return appendUnit(dst, seconds, 's')
	case seconds < 10*minute:
		return appendUnits(dst, seconds/minute, 'm', seconds%minute, 's')
	case seconds < 3*hour:
		return appendUnit(dst, seconds/minute, 'm')
	case seconds < 8*hour:
		return appendUnits(dst, seconds/hour, 'h', seconds%hour/minute, 'm')
	case seconds < 2*day:
		return appendUnit(dst, seconds/hour, 'h')
	case seconds < 8*day:
		return appendUnits(dst, seconds/day, 'd', seconds%day/hour, 'h')
	case seconds < 2*year:
		return appendUnit(dst, seconds/day, 'd')
	case seconds < 8*year:
		return appendUnits(dst, seconds/year, 'y', seconds%year/day, 'd')
	}
	return appendUnit(dst, seconds/year, 'y')
}

func appendUnit(dst []byte, n int64, unit byte) []byte {
	return append(strconv.AppendInt(dst, n, 10), unit)
}

// appendUnits writes two units, omitting the second if it is 0.
func appendUnits(dst []byte, n int64, unit byte, rest int64, restUnit byte) []byte {
	dst = appendUnit(dst, n, unit)
	if rest == 0 {
		return dst
	}
	return appendUnit(dst, rest, restUnit)
}

// parseAge parses an age that appendAge wrote: "90s", "5m30s", "3d4h". It returns the lowest
// age that is printed this way.
func parseAge(text string) (seconds int64, ok bool) {
	last := int64(math.MaxInt64)
	for text != "" {
		end := 0
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		n, err := strconv.ParseInt(text[:end], 10, 32)
		if err != nil || end == len(text) || units[text[end]] == 0 || units[text[end]] >= last {
			return 0, false
		}
		last = units[text[end]]
		seconds += n * last
		text = text[end+1:]
	}
	return seconds, last < math.MaxInt64
}

// units maps the units of ages to seconds.
var units = map[byte]int64{'s': 1, 'm': minute, 'h': hour, 'd': day, 'y': year}
