package sums

import "watchglass/internal/document"

// sum is the sum of a quantity of some pods.
type sum struct {
	document.Sum
	// kubectl writes a sum in the notation of its first nonzero part, in the order of the pods'
	// keys. So the parts are counted by notation, decimal and binary, and the least key of each
	// is kept.
	count [2]int
	first [2]string
	stale [2]bool // the pod of the least key is gone: first is less than the least key
}

// add adds the quantity of the pod of a key, or subtracts it if by is -1.
func (s *sum) add(key string, q document.Quantity, by int64) {
	if q.Milli == 0 {
		return
	}
	n := notation(q)
	s.Add(by * q.Milli)
	switch s.count[n] += int(by); {
	case s.count[n] == 0:
		s.first[n], s.stale[n] = "", false
	case by > 0 && (s.count[n] == 1 || key < s.first[n]):
		s.first[n], s.stale[n] = key, false
	case by < 0 && key == s.first[n]:
		s.stale[n] = true
	}
}

// notation returns the index of a quantity's notation.
func notation(q document.Quantity) int {
	if q.Binary() {
		return 1
	}
	return 0
}

// unordered reports whether the notation depends on a key that is not known.
func (s *sum) unordered() bool { return s.count[0] > 0 && s.count[1] > 0 && (s.stale[0] || s.stale[1]) }

// quantity returns the sum, clamped to what a quantity can be.
func (s *sum) quantity() document.Quantity {
	return document.NewQuantity(s.Clamped(), s.count[1] > 0 && (s.count[0] == 0 || s.first[1] < s.first[0]))
}
