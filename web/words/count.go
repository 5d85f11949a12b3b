package words

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Count formats a number with thousands separators.
func Count(n int) string {
	s := strconv.Itoa(n)
	var out strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			out.WriteByte(',')
		}
		out.WriteRune(c)
	}
	return out.String()
}

// Brief shortens a sum to about three digits: 13107200Mi is 12.5Ti, 3500m is 3.5. If it is not of all
// objects, it keeps of how many.
func Brief(sum string) string {
	text, rest, partial := strings.Cut(sum, " (")
	if partial {
		n, _, _ := strings.Cut(rest, " ")
		return Brief(text) + " (" + n + ")"
	}
	number, unit := strings.TrimRight(text, "mkKMGTPEi"), ""
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return sum // 34/40
	}
	unit = text[len(number):]
	if unit == "" && n == float64(int64(n)) && n < 1e6 {
		return Count(int(n))
	}
	return inUnits(n, unit)
}

// inUnits writes a quantity in the largest unit of which there is at least one.
func inUnits(n float64, unit string) string {
	binary := strings.HasSuffix(unit, "i")
	units, step := []string{"", "k", "M", "G", "T", "P", "E"}, 1000.0
	if binary {
		units, step = []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}, 1024
	}
	at := max(slices.Index(units, unit), 0)
	if unit == "m" {
		n /= 1000
	}
	for n >= step && at+1 < len(units) {
		n, at = n/step, at+1
	}
	digits := 1
	switch {
	case n >= 100:
		digits = 0
	case n < 1:
		digits = 3
	case n < 10 && !binary:
		digits = 2
	}
	text := strconv.FormatFloat(n, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + units[at]
}

// CountOf returns a number of things: "1 kind", "2 kinds".
func CountOf(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Count(n) + " " + thing
}

// Seconds formats milliseconds as "0.2 s", with less precision for longer times.
func Seconds(ms int64) string {
	if ms < 10_000 {
		return strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64) + " s"
	}
	return (time.Duration(ms) * time.Millisecond).Truncate(time.Second).String()
}

// Every formats a polling interval given in milliseconds.
func Every(ms int64) string {
	if ms%60_000 == 0 {
		return strconv.FormatInt(ms/60_000, 10) + " min"
	}
	return strconv.FormatInt(ms/1000, 10) + " s"
}

// Megabytes formats the size of a file.
func Megabytes(n int) string {
	if n < 1<<20 {
		return Count((n+1023)>>10) + " KB"
	}
	return Count((n+1<<19)>>20) + " MB"
}

// Bytes formats a number of bytes.
func Bytes(n float64) string {
	switch {
	case n < 1<<10:
		return strconv.Itoa(int(n)) + " B"
	case n < 1<<20:
		return strconv.FormatFloat(n/(1<<10), 'f', 1, 64) + " KB"
	}
	return strconv.FormatFloat(n/(1<<20), 'f', 1, 64) + " MB"
}

// Short returns a number in at most five characters.
func Short(n int) string {
	switch {
	case n < 10_000:
		return Count(n)
	case n < 1_000_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n/1_000_000) + "M"
}

// Known formats a count; "" if it is not known.
func Known(n int, known bool) string {
	if !known {
		return ""
	}
	return Count(n)
}
