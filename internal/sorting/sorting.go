// Package sorting is a seam below all hops: it sorts short lists with code that all element types share.
// slices.SortFunc compiles to 20 KB for each type, which every visitor downloads. Lists of rows are sorted
// with slices, which is faster.
//
// Texts and Numbers sort long lists of texts and of numbers faster than either.
//
// In: a list, and which of two elements is first. Out: the same list, in that order.
package sorting

import "sort"

// By sorts s in ascending order, like slices.SortFunc.
func By[S ~[]E, E any](s S, compare func(a, b E) int) {
	sort.Slice(s, func(i, j int) bool { return compare(s[i], s[j]) < 0 })
}

// StableBy sorts s like slices.SortStableFunc: equal elements keep their order.
func StableBy[S ~[]E, E any](s S, compare func(a, b E) int) {
	sort.SliceStable(s, func(i, j int) bool { return compare(s[i], s[j]) < 0 })
}
