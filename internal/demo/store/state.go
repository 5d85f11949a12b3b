//go:build !js

package store

import (
	"iter"
	"slices"
)

// State is all objects of a resource at one version, in key order. It shares what has not changed
// with the states before and after it: objects are grouped in pages, and a write copies one page
// and the list of pages.
type State struct {
	Version int64
	pages   [][]*Object // no page is empty
	count   int
}

// pageSize is the largest number of objects in a page. With 100,000 objects the list of pages is
// about as long as a page, which minimizes what a write copies.
const pageSize = 512

// Len returns the number of objects.
func (s State) Len() int { return s.count }

// Get returns an object, or nil.
func (s State) Get(k Key) *Object {
	if p, i, found := s.find(k); found {
		return s.pages[p][i]
	}
	return nil
}

// From yields the objects from a key onwards.
func (s State) From(k Key) iter.Seq[*Object] {
	return func(yield func(*Object) bool) {
		p, i, _ := s.find(k)
		for ; p < len(s.pages); p, i = p+1, 0 {
			for _, o := range s.pages[p][i:] {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// All yields all objects.
func (s State) All() iter.Seq[*Object] { return s.From(Key{}) }

// find returns the position of a key, or where it would be inserted.
func (s State) find(k Key) (page, at int, found bool) {
	page, _ = slices.BinarySearchFunc(s.pages, k, func(page []*Object, k Key) int {
		return page[len(page)-1].Compare(k)
	})
	if page == len(s.pages) {
		return page, 0, false
	}
	at, found = slices.BinarySearchFunc(s.pages[page], k, func(o *Object, k Key) int { return o.Compare(k) })
	return page, at, found
}

// with returns the state with an object added, or replaced if its key exists.
func (s State) with(o *Object) State {
	p, i, found := s.find(o.Key)
	if p == len(s.pages) && p > 0 { // after the last object: append to the last page
		p = p - 1
		i = len(s.pages[p])
	}
	var page []*Object
	if p < len(s.pages) {
		page = s.pages[p]
	}
	if found {
		page = slices.Clone(page)
		page[i] = o
		return s.replace(p, page)
	}
	s.count++
	page = slices.Insert(slices.Clip(page), i, o)
	if len(page) <= pageSize {
		return s.replace(p, page)
	}
	half := len(page) / 2
	return s.replace(p, page[:half:half], page[half:])
}

// without returns the state without the object of a key, which must exist.
func (s State) without(k Key) State {
	p, i, _ := s.find(k)
	s.count--
	page := slices.Concat(s.pages[p][:i], s.pages[p][i+1:])
	if len(page) == 0 {
		return s.replace(p)
	}
	return s.replace(p, page)
}

// replace returns the state with page p replaced by other pages.
func (s State) replace(p int, with ...[]*Object) State {
	rest := s.pages[min(p+1, len(s.pages)):]
	s.pages = slices.Concat(s.pages[:p], with, rest)
	return s
}
