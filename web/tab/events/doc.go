// Package events is part of hop 8 of 8: the Events tab of an open object.
//
// In: the events of the object and of what it owns, from the worker. Out: the drawn tab, the most recent event first. It
// reaches the page through tab.Host only.
package events
