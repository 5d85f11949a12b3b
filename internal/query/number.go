package query

import (
	"math"
	"strconv"
	"strings"
)

// suffixes are those of kubectl's quantities, and the one of parts of a hundred.
var suffixes = map[string]float64{
	"": 1, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60, "%": 1e-2,
}

// parseNumber reads a number, a quantity, or a fraction: "5", "500m", "2Gi",
// "1/2". None of none is all of it.
func parseNumber(text string) (n float64, ok bool) {
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

func parseQuantity(text string) (n float64, ok bool) {
	end := numberEnd(text)
	factor, ok := suffixes[text[end:]]
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(text[:end], 64)
	return n * factor, err == nil
}

// numberEnd is where the digits end, the exponent among them: 1E3 has one, and
// 1E is 1 with a suffix.
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

// units are seconds.
var units = map[byte]float64{'s': 1, 'm': 60, 'h': 3600, 'd': 86400, 'w': 7 * 86400, 'y': 365 * 86400}

// parseDuration reads a duration in seconds: "90s", "1h30m", "3d", "0". Unit is
// the smallest one in it.
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
