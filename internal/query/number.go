package query

import (
	"math"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/detail/log/line"
)

// scale applies the suffix of a quantity or a percentage. Suffixes below 1 divide, since
// 29 / 1000 is exactly the number 0.029, and 29 × 0.001 is not.
func scale(n float64, suffix string) (scaled float64, ok bool) {
	switch suffix {
	case "n":
		return n / 1e9, true
	case "u":
		return n / 1e6, true
	case "m":
		return n / 1e3, true
	case "%":
		return n / 1e2, true
	}
	by := factor(suffix)
	return n * by, by != 0
}

// factor returns the factor of a suffix, 0 if there is no such suffix.
func factor(suffix string) float64 {
	switch suffix {
	case "":
		return 1
	case "k":
		return 1e3
	case "Ki":
		return 1 << 10
	case "M":
		return 1e6
	case "Mi":
		return 1 << 20
	case "G":
		return 1e9
	case "Gi":
		return 1 << 30
	case "T":
		return 1e12
	case "Ti":
		return 1 << 40
	case "P":
		return 1e15
	case "Pi":
		return 1 << 50
	case "E":
		return 1e18
	case "Ei":
		return 1 << 60
	}
	return 0
}

// Number reads a number, a quantity, or a fraction, as a filter does.
func Number(text string) (n float64, ok bool) { return parseNumber(text) }

// parseNumber reads a number, a quantity, or a fraction: "5", "500m", "2Gi", "1/2". 0/0 is 1:
// nothing is missing.
func parseNumber(text string) (n float64, ok bool) {
	if n, ok := parseDigits(text); ok { // the usual case
		return float64(n), true
	}
	part, whole, isFraction := strings.Cut(text, "/")
	n, ok = parseQuantity(part)
	if !isFraction || !ok {
		return n, ok
	}
	of, ok := parseQuantity(whole)
	switch {
	case !ok:
		return 0, false
	case of == 0 && n == 0:
		return 1, true
	case of == 0:
		return math.Inf(1), true
	}
	return n / of, true
}

// parseDigits reads a whole number of at most nine digits.
func parseDigits(text string) (n int, ok bool) {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = n*10 + int(text[i]-'0')
	}
	return n, len(text) > 0 && len(text) < 10
}

func parseQuantity(text string) (n float64, ok bool) {
	end := numberEnd(text)
	if n, ok := parseDigits(text[:end]); ok {
		return scale(float64(n), text[end:])
	}
	if n, err := strconv.ParseFloat(text[:end], 64); err == nil {
		return scale(n, text[end:])
	}
	return 0, false
}

// numberEnd returns where the number ends, with its exponent if it has one: 1E3 has one, 1E
// is 1 with a suffix.
func numberEnd(text string) int {
	i := 0
	for i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i] == '.' || i == 0 && (text[i] == '-' || text[i] == '+')) {
		i++
	}
	if i == len(text) || text[i] != 'e' && text[i] != 'E' {
		return i
	}
	end := i + 1
	if end < len(text) && (text[end] == '-' || text[end] == '+') {
		end++
	}
	digits := end
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end == digits {
		return i
	}
	return end
}

// parseLevel reads the level of a line, by one of its usual names.
func parseLevel(text string) (level float64, ok bool) {
	n := line.Named(text)
	return float64(n), n != line.None
}

// parseTook reads a duration as programs log it: 512ms, 1.5s or 1m3s, in seconds.
func parseTook(text string) (seconds float64, ok bool) {
	took, err := time.ParseDuration(text)
	return took.Seconds(), err == nil
}

// units are the units of durations, in seconds.
var units = map[byte]float64{'s': 1, 'm': 60, 'h': 3600, 'd': 86400, 'w': 7 * 86400, 'y': 365 * 86400}

// parseDuration reads a duration: "90s", "1h30m", "3d", "0". It returns the duration and its
// smallest unit, both in seconds.
func parseDuration(text string) (seconds, unit float64, ok bool) {
	if text == "0" {
		return 0, 1, true
	}
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.') {
			end++
		}
		n, err := strconv.ParseFloat(text[i:end], 64)
		if err != nil || end == len(text) || units[text[end]] == 0 || unit > 0 && units[text[end]] >= unit {
			return 0, 0, false
		}
		unit = units[text[end]]
		seconds += n * unit
		i = end + 1
	}
	return seconds, unit, unit > 0
}
