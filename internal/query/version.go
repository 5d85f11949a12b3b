package query

import "strings"

// Versions, as labels and columns have them: 1.2.3, v1.28.3-eks-4f4795d, 4.2rc1, 2026-11-29.

// versioned reports whether a field has versions, by its name. Then 4.10 is after 4.2, though the number is less.
func versioned(field string) bool {
	return strings.HasSuffix(lower(strings.TrimSuffix(field, "}")), "version")
}

// early are the words of what comes before a release.
const early = " dev snapshot nightly alpha a beta b preview pre rc "

// isVersion reports whether a text is a version: it begins with a number, and what follows is set off from it.
func isVersion(text string) bool {
	rest := strings.TrimLeft(text, "vV")
	if len(text)-len(rest) > 1 || rest == "" || !digit(rest[0]) {
		return false
	}
	for i := range len(rest) {
		if c := rest[i]; !digit(c) && !letter(c) && strings.IndexByte(".-_+~", c) < 0 {
			return false
		}
	}
	_, rest = versionPart(rest)
	word, _ := versionPart(rest)
	return rest == "" || !letter(rest[0]) || strings.Contains(early, " "+lower(word)+" ")
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// versionPart cuts the next number or word off a version. What follows a "+" is about the build.
func versionPart(text string) (part, rest string) {
	text = strings.TrimLeft(text, ".-_~")
	i := 0
	for i < len(text) && (digit(text[i]) || letter(text[i])) && digit(text[i]) == digit(text[0]) {
		i++
	}
	return text[:i], text[i:]
}

// compareVersions compares two versions: less than 0 if a comes first. Numbers that are missing are 0. A word for an early
// version comes before its release; other words, as of who has built it, are compared only with each other.
func compareVersions(a, b string) int {
	a, b = strings.TrimLeft(a, "vV"), strings.TrimLeft(b, "vV")
	for {
		var x, y string
		x, a = versionPart(a)
		y, b = versionPart(b)
		if order := compareParts(x, y); order != 0 || x == "" && y == "" {
			return order
		}
		if isWord(x) != isWord(y) {
			return 0 // 1.28.3-eks and 1.28.3, or 1.28.3.0
		}
	}
}

func isWord(part string) bool { return part != "" && !digit(part[0]) }

func compareParts(x, y string) int {
	before := func(part string) int {
		if isWord(part) {
			return strings.Index(early, " "+lower(part)+" ")
		}
		return -1
	}
	i, j := before(x), before(y)
	switch {
	case i >= 0 && j >= 0:
		return i - j
	case i >= 0:
		return -1
	case j >= 0:
		return 1
	case isWord(x) && isWord(y):
		return strings.Compare(lower(x), lower(y))
	}
	if isWord(x) {
		x = ""
	}
	if isWord(y) {
		y = ""
	}
	x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	return strings.Compare(x, y)
}

// ordered returns a test that compares a text with the amount: as versions if the field has them or one of the two is no number.
func (n comparison) ordered() (test func(text string) bool, ok bool) {
	number, isNumber := parseNumber(n.amount)
	isNumber = isNumber && !versioned(n.name.text)
	version := isVersion(n.amount)
	compare := comparers[n.than]
	return func(text string) bool {
		if is, ok := parseNumber(text); ok && isNumber {
			return compare(is, number)
		}
		return version && isVersion(text) && compare(float64(compareVersions(text, n.amount)), 0)
	}, isNumber || version
}
