// Package diff is of hop 7 of 8: what differs between two versions of an object.
//
// In: their JSON, as encoding/json has it, with numbers as json.Number. Out: the fields
// that differ, each by the path that people would name it with, as data. It does no I/O.
package diff
