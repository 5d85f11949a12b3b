// Package encoded reads an object in the two encodings of the apiserver without decoding it: the fields of a protobuf
// message, and the members and elements of JSON.
//
// In: the bytes of an object. Out: its parts, in order, which alias the bytes. It knows no schema, and it is where
// hop 2 and hops 4 to 7 stop at bytes that do not parse.
package encoded

import "errors"

// ErrMalformed is returned for bytes that do not parse as what they should be.
var ErrMalformed = errors.New("malformed object")
