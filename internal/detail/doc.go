// Package detail is part of hop 7 of 8, beside view: it describes one object.
//
// In: the object's JSON, from the bytes that the store keeps, and facts about related objects.
// Out: documents for the page, as data. They contain no markup; the page decides how they
// look.
package detail
