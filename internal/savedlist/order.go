package savedlist

import (
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/sorting"
	"watchglass/internal/timeslice"
)

// sortedAtOnce is how many objects are sorted without a rest.
const sortedAtOnce = 2000

// byKey sorts objects by their keys, as the server lists them. It rests while it does.
func byKey(objects []*object.Object, b *timeslice.Timer) {
	if len(objects) <= sortedAtOnce {
		sorting.By(objects, func(a, b *object.Object) int { return strings.Compare(a.Key(), b.Key()) })
		b.RestIfDue()
		return
	}
	half := len(objects) / 2
	byKey(objects[:half], b)
	byKey(objects[half:], b)
	left, right := append([]*object.Object(nil), objects[:half]...), objects[half:]
	for i := range objects { // the right half is read before it is overwritten
		if len(left) > 0 && (len(right) == 0 || left[0].Key() <= right[0].Key()) {
			objects[i], left = left[0], left[1:]
		} else {
			objects[i], right = right[0], right[1:]
		}
	}
	b.RestIfDue()
}
