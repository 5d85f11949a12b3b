package releases

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/sorting"
)

// key names a release.
type key struct{ namespace, name string }

// book holds the revisions of all releases, the newest last.
type book map[key][]revision

// apply brings the book up to date with a Secret as it is, or, if it is gone, as it last was. It returns
// the release that the Secret belongs to by its name; ok is false if it belongs to none.
func (b book) apply(o *object.Object, gone bool) (of key, ok bool) {
	at, named := parseName(o.Namespace(), o.Name())
	if !named {
		return key{}, false
	}
	of = key{at.namespace, at.name}
	_, r, valid := read(o)
	all := b[of]
	i, there := slices.BinarySearchFunc(all, at.number, func(r revision, n int) int { return r.number - n })
	switch gone = gone || !valid; {
	case gone && there && len(all) == 1:
		delete(b, of)
	case gone && there:
		b[of] = slices.Delete(all, i, i+1)
	case gone:
	case there:
		all[i] = r
	default:
		of = key{strings.Clone(of.namespace), strings.Clone(of.name)}
		b[of] = slices.Insert(all, i, r)
	}
	return of, true
}

// releases returns the releases in a fixed order.
func (b book) releases() []key {
	keys := slices.Collect(maps.Keys(b))
	sorting.By(keys, func(x, y key) int {
		return cmp.Or(strings.Compare(x.namespace, y.namespace), strings.Compare(x.name, y.name))
	})
	return keys
}
