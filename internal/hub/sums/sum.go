package sums

import "watchglass/internal/document"

// sum is the sum of a quantity of some pods.
type sum struct {
	document.Sum
	binary int // parts that are written in Ki, Mi …
}

// add adds the quantity of a pod, or subtracts it if by is -1.
func (s *sum) add(q document.Quantity, by int64) {
	s.Add(by * q.Milli)
	if q.Binary() && q.Milli != 0 {
		s.binary += int(by)
	}
}

// quantity returns the sum, clamped to what a quantity can be, in binary notation if a part is. kubectl has the notation
// of the first part that is not zero, which would have to be looked for among all pods.
func (s *sum) quantity() document.Quantity { return document.NewQuantity(s.Clamped(), s.binary > 0) }
