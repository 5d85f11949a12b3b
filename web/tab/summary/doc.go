// Package summary is part of hop 8 of 8: the Summary tab of an open object.
//
// In: what kubectl describe prints about the object, as sections of rows and tables, with what is wrong and the rollout in
// progress, from the worker. Out: the drawn tab, in which a value that changed glows. It reaches the page through tab.Host
// only.
package summary
