package log

import "time"

// stampOf parses the time that the server puts before a line. It returns the number of bytes
// used, including the space after the time; 0 if there is no time.
func stampOf(b []byte) (at int64, n int) {
	end := 0
	for end < len(b) && end < longestStamp && b[end] > ' ' {
		end++
	}
	if end < len("2006-01-02T15:04:05Z") || b[4] != '-' || b[10] != 'T' {
		return 0, 0
	}
	if end < len(b) && b[end] == ' ' {
		n = 1
	}
	if at, ok := utc(b[:end]); ok {
		return at, end + n
	}
	t, err := time.Parse(time.RFC3339Nano, string(b[:end]))
	if err != nil {
		return 0, 0
	}
	return t.UnixNano(), end + n
}

// utc parses a time as nearly all servers write it: 2006-01-02T15:04:05.999999999Z.
func utc(b []byte) (int64, bool) {
	if b[len(b)-1] != 'Z' || b[7] != '-' || b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	year, month, day := digits(b[:4]), digits(b[5:7]), digits(b[8:10])
	hour, minute, second := digits(b[11:13]), digits(b[14:16]), digits(b[17:19])
	nanos := 0
	if fraction := b[19 : len(b)-1]; len(fraction) > 0 {
		if nanos = digits(fraction[1:]); nanos < 0 || fraction[0] != '.' || len(fraction) < 2 || len(fraction) > 10 {
			return 0, false
		}
		for range 10 - len(fraction) {
			nanos *= 10
		}
	}
	if year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 28 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return 0, false // or a day that not every month has
	}
	return (days(year, month, day)*86400+int64(hour*3600+minute*60+second))*1e9 + int64(nanos), true
}

// digits parses a number that consists only of digits; it returns a negative number for
// anything else.
func digits(b []byte) (n int) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1 << 40
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// days returns the number of days since 1970. It begins years in March, so that a leap day is
// the last day of its year.
func days(year, month, day int) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	return int64(365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 719469)
}
