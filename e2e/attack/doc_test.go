// Package attack_test does to the whole what an attacker would: it asks for what may
// not pass, and holds what does pass to the apiserver's own reading of it; and it has
// a page of another origin, in a real browser, try what works against kubectl proxy.
package attack_test
