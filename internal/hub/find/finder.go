package find

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"watchglass/internal/object"
	"watchglass/internal/object/tone"
)

// Match is an object that a text finds by name.
type Match struct {
	Resource  string `json:"resource"` // as addresses name it
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	State     string `json:"state,omitempty"`
	Tone      string `json:"tone,omitempty"`

	rank nameRank
}

// nameRank is how well a name matches, best first.
type nameRank uint8

const (
	equal nameRank = iota
	prefix
	wordStart // of a later word: "web" in "checkout-web"
	inside
	noMatch
)

// finder collects the objects that match a text best. Words are separated by spaces: one of them must
// be in the name, and each in the name or the namespace, or be a name of the kind.
type finder struct {
	words []string // in lower case
	most  int
	best  []Match // sorted
	kinds map[string]*kindMatches
}

// kindMatches is what matches in the lists of a kind.
type kindMatches struct {
	lists int
	found []*object.Object // an object of two lists is there twice
}

// newFinder returns a finder of at most a number of objects.
func newFinder(text string, most int) *finder {
	return &finder{words: strings.Fields(strings.ToLower(text)), most: most, kinds: make(map[string]*kindMatches)}
}

// list adds the objects of a kind that match. state prints an object's state; it is called only for
// those that are among the best so far.
func (f *finder) list(kind object.Kind, objects []*object.Object, state func(o *object.Object) (string, tone.Tone)) {
	id, ofKind := kind.ID(), f.kindWords(kind)
	of := f.kinds[id]
	if of == nil {
		of = new(kindMatches)
		f.kinds[id] = of
	}
	of.lists++
	for _, o := range objects {
		r := f.match(o.Name(), o.Namespace(), ofKind)
		if r == noMatch {
			continue
		}
		of.found = append(of.found, o)
		one := Match{Resource: id, Kind: kind.Name, Namespace: o.Namespace(), Name: o.Name(), rank: r}
		if !f.fits(one) {
			continue
		}
		if state != nil {
			s, tone := state(o)
			one.State, one.Tone = s, string(tone)
		}
		f.add(one)
	}
}

// total returns how many objects match. One of two lists, as of a namespace and of the whole cluster, counts once.
func (f *finder) total() (n int) {
	for _, of := range f.kinds {
		if of.lists == 1 {
			n += len(of.found)
			continue
		}
		keys := make(map[string]bool, len(of.found))
		for _, o := range of.found {
			keys[o.Key()] = true
		}
		n += len(keys)
	}
	return n
}

// kindWords reports for each word whether it is a name of the kind that kubectl accepts, or the
// beginning of its singular or plural.
func (f *finder) kindWords(kind object.Kind) (is []bool) {
	singular := strings.ToLower(kind.Name)
	for _, w := range f.words {
		is = append(is, strings.HasPrefix(singular, w) || strings.HasPrefix(kind.Resource, w) || kind.Answers(w))
	}
	return is
}

// match ranks a name, in any case: those of RBAC and of users may have capital letters. ofKind is what
// kindWords returned.
func (f *finder) match(name, namespace string, ofKind []bool) nameRank {
	if mayHaveCapitals(name) {
		name = strings.ToLower(name)
	}
	best := noMatch
	for i, w := range f.words {
		r := rankOf(name, w)
		if r == noMatch && !ofKind[i] && !strings.Contains(namespace, w) {
			return noMatch
		}
		best = min(best, r)
	}
	return best
}

// mayHaveCapitals reports whether a name has a capital letter or one outside ASCII. Few have: strings.ToLower
// for each takes longer than the search.
func mayHaveCapitals(name string) bool {
	for i := range len(name) {
		if c := name[i]; c-'A' < 26 || c >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

func rankOf(name, word string) nameRank {
	at := strings.Index(name, word)
	switch {
	case at < 0:
		return noMatch
	case at == 0 && len(name) == len(word):
		return equal
	case at == 0:
		return prefix
	case strings.IndexByte("-.:/", name[at-1]) >= 0:
		return wordStart
	}
	return inside
}

// fits reports whether an object would be among the best.
func (f *finder) fits(one Match) bool {
	return len(f.best) < f.most || one.compare(f.best[len(f.best)-1]) < 0
}

// add adds an object that fits. The same object of another list is added once.
func (f *finder) add(one Match) {
	at, there := slices.BinarySearchFunc(f.best, one, Match.compare)
	if there {
		return
	}
	f.best = slices.Insert(f.best, at, one)
	f.best = f.best[:min(len(f.best), f.most)]
}

// compare orders by rank, then short names first: the owner comes before its pods.
func (o Match) compare(p Match) int {
	return cmp.Or(cmp.Compare(o.rank, p.rank), cmp.Compare(len(o.Name), len(p.Name)), strings.Compare(o.Name, p.Name),
		strings.Compare(o.Namespace, p.Namespace), strings.Compare(o.Resource, p.Resource))
}
