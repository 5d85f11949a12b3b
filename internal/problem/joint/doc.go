// Package joint is a noun: what is wrong with an object because of others.
//
// In: an object with its facts, as a Subject, and a Cluster to ask about others. Out: a rule.Cause for each thing that is
// wrong, such as a Service without endpoints.
//
// The table of checks names the kind that each is for. A check asks the engine through Cluster only, and remembers in the
// Subject what no object says: since when something has been so.
package joint
