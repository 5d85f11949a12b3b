package kinds

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// mostName is the longest name of an object, in bytes.
const mostName = 253

// IsKind reports whether a kind can have this name: letters, digits, dots and hyphens after a letter.
func IsKind(name string) bool {
	for i, c := range []byte(name) {
		letter, other := 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9' || c == '-' || c == '.'
		if !letter && (!other || i == 0) {
			return false
		}
	}
	return name != "" && len(name) <= mostName
}

// IsName reports whether an object can have this name, by the rules of the apiserver for the part of
// an address, and can be shown.
func IsName(name string) bool {
	if name == "" || len(name) > mostName || name == "." || name == ".." || strings.ContainsAny(name, "/%") {
		return false
	}
	for _, c := range name {
		if !strconv.IsPrint(c) || c == utf8.RuneError { // in a cell, it replaces what is not printable
			return false
		}
	}
	return true
}
