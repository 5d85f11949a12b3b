package object

import "strconv"

// release is the minor version of the server whose columns are printed; 0 is the newest
// that is known.
type release int

// before reports whether the release is older than another.
func (r release) before(other release) bool { return r != 0 && r < other }

// Release reads the minor version out of what a server says of its own: "30+" is 30. It is
// 0, and unknown, unless the major version is 1.
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

// asOf returns a release that prints the kind like another: the last of those that do, and 0
// for the newest. So releases between which nothing changed are one.
func (k *Kind) asOf(r release) release {
	for _, change := range k.changes {
		if r.before(change) {
			return change - 1
		}
	}
	return 0
}
