package object

import "strconv"

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
	year   = 365 * day
)

// appendAge writes a number of seconds as kubectl writes an age: in one or two
// units, the more roughly the older. It is written here, and not by
// apimachinery's function, since every row in sight prints it every second; a
// test holds it to that function.
func appendAge(dst []byte, seconds int64) []byte {
	switch {
	case seconds < -1:
		return append(dst, "<invalid>"...)
	case seconds < 0: // clocks differ
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

// appendUnits leaves a rest of nothing away.
func appendUnits(dst []byte, n int64, unit byte, rest int64, restUnit byte) []byte {
	dst = appendUnit(dst, n, unit)
	if rest == 0 {
		return dst
	}
	return appendUnit(dst, rest, restUnit)
}
