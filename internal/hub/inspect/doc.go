// Package inspect is part of hop 7 of 8: what scripts and the inspector see of the hub, and the meters of its sources.
// It reads sources and kinds, and knows neither clusters nor pages, which add what is theirs.
//
// In: the sources of a cluster and their states. Out: values that are encoded as JSON, as watchglass.inspect() shows
// them.
package inspect
