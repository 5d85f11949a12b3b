package releases

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"watchglass/internal/object"
)

// key names a release.
type key struct{ namespace, name string }

// book holds the revisions of all releases, by number.
type book map[key]map[int]revision

// apply brings the book up to date with a Secret as it is, or, if it is gone, as it last was. It returns
// the release that the Secret belongs to by its name; ok is false if it belongs to none.
func (b book) apply(o *object.Object, gone bool) (of key, ok bool) {
	at, named := parseName(o.Namespace(), o.Name())
	if !named {
		return key{}, false
	}
	of = key{at.namespace, at.name}
	_, r, valid := read(o)
	if !valid || gone {
		if delete(b[of], at.number); len(b[of]) == 0 {
			delete(b, of)
		}
		return of, true
	}
	if b[of] == nil {
		b[of] = make(map[int]revision)
	}
	b[of][at.number] = r
	return of, true
}

// newest returns the numbers of a release's revisions, the newest first.
func (b book) newest(of key) []int {
	numbers := slices.Sorted(maps.Keys(b[of]))
	slices.Reverse(numbers)
	return numbers
}

// releases returns the releases in a fixed order.
func (b book) releases() []key {
	return slices.SortedFunc(maps.Keys(b), func(x, y key) int {
		return cmp.Or(strings.Compare(x.namespace, y.namespace), strings.Compare(x.name, y.name))
	})
}
