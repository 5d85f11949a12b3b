// Package detail is hop 7 of 8, beside view: it makes what is told of one object.
//
// In: the object's own JSON, out of the bytes that the store keeps, and what of
// other objects bears on it. Out: documents for the page, as data: what they look
// like is for the page to say, and nothing in them is markup.
package detail
