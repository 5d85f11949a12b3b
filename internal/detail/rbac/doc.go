// Package rbac is part of hop 7 of 8: it says who may do what to an object or a kind, by the
// roles and bindings of RBAC.
//
// In: roles and bindings, decoded with columns for their rules, subjects and role, and a Question. Out:
// an Answer with the subjects, the verbs each has, and the bindings that grant them. It decides as
// the apiserver's RBAC authorizer does; other authorizers, and who is in a group, it cannot know.
package rbac
