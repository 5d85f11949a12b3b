// Package sorting is a seam below all hops: it sorts short lists with code that all types of elements share.
// slices.SortFunc compiles 20 KB of its own for each type, which every visitor downloads. Lists of rows
// are sorted with slices, which is faster.
//
// In: a list, and which of two elements is first. Out: the same list, in that order.
package sorting

import "sort"

// By sorts s in ascending order as slices.SortFunc does.
func By[S ~[]E, E any](s S, compare func(a, b E) int) {
	sort.Slice(s, func(i, j int) bool { return compare(s[i], s[j]) < 0 })
}

// StableBy sorts s as slices.SortStableFunc does: elements that are equal keep their order.
func StableBy[S ~[]E, E any](s S, compare func(a, b E) int) {
	sort.SliceStable(s, func(i, j int) bool { return compare(s[i], s[j]) < 0 })
}
