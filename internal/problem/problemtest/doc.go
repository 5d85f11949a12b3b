// Package problemtest has the objects that tests of problems begin with. It is a noun.
//
// In: JSON with ages, such as "-5m", in place of times. Out: documents as of Noon, when all of these tests take place.
package problemtest
