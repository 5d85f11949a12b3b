package route

import "time"

// ParseTime parses a time of an address, in Unix nanoseconds; 0 if it is none, or in no year from 1970 to
// 2200: the times of an address that somebody has written must not overflow.
func ParseTime(text string) int64 {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Year() < 1970 || at.Year() > 2200 {
		return 0
	}
	return at.UnixNano()
}

// formatTime returns a time as addresses have it; "" for 0.
func formatTime(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(0, at).UTC().Format(time.RFC3339Nano)
}
