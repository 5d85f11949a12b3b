package object

import "strconv"

// release is the minor version of the server whose columns are printed; 0 is the newest known
// one.
type release int

// before reports whether the release is older than another.
func (r release) before(other release) bool { return r != 0 && r < other }

// Release parses the minor version that a server reports: "30+" is 30. It returns 0, for
// unknown, unless the major version is 1.
func Release(major, minor string) int {
	end := 0
	for end < len(minor) && minor[end] >= '0' && minor[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(minor[:end])
	if err != nil || major != "1" {
		return 0
	}
	return n
}

// asOf returns the last release that prints the kind the same way as r; 0 for the newest.
// Releases that print the same therefore compare equal.
func (k *Kind) asOf(r release) release {
	for _, change := range k.changes {
		if r.before(change) {
			return change - 1
		}
	}
	return 0
}
