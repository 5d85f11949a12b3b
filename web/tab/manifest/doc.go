// Package manifest is part of hop 8 of 8: the YAML tab of an open object.
//
// In: versions of the object as JSON, from the worker. Out: the object as kubectl writes it, in lines that fold, wrap and
// are searched, of which the page paints those in view. It reaches the page through tab.Host only.
package manifest
