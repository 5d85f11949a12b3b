// Package diff is part of hop 7 of 8: it compares two versions of an object.
//
// In: their JSON, decoded by encoding/json with numbers as json.Number. Out: the fields that
// differ, as data, each with a path that people can read. It does no I/O.
package diff
