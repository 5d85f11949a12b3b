package reflector

import (
	"fmt"

	"watchglass/internal/wire"
)

// request makes a request of the source's own.
func (r *Reflector[T]) request(verb wire.Verb, o wire.ListOptions) wire.Request {
	q := r.options.Request
	o.LabelSelector, o.FieldSelector = q.LabelSelector, q.FieldSelector
	q.Verb, q.ListOptions = verb, o
	return q
}

// relistVersion is the least version that a new list may have: what was
// reached, unless the server no longer has it. Empty is the newest there is, by
// quorum.
func (r *Reflector[T]) relistVersion() string {
	if r.unavailable {
		return ""
	}
	return r.version
}

// pageSize is the server's own client's.
const pageSize = 500

// firstPage is how a list is asked for. The first takes whatever the server has in
// its cache; a later one has to be as new as what was reached, and is not asked for
// in pages, which would take it past the cache to etcd. Without NotOlderThan a
// version and a limit would mean that very version.
func (r *Reflector[T]) firstPage() wire.ListOptions {
	o := wire.ListOptions{ResourceVersion: r.relistVersion(), Limit: pageSize}
	if !r.whole && !r.unavailable {
		o.ResourceVersion = "0"
	}
	if o.ResourceVersion != "" && o.ResourceVersion != "0" {
		o.ResourceVersionMatch = "NotOlderThan"
		if !r.paged {
			o.Limit = 0
		}
	}
	if r.inOne {
		o.Limit = 0
	}
	return o
}

// nextPage is how the page behind another is asked for: the token says what
// version it is of, which is exactly that of the first.
func nextPage(o wire.ListOptions, token string) wire.ListOptions {
	o.Continue, o.ResourceVersion, o.ResourceVersionMatch = token, "", ""
	return o
}

// versionGone notes that the server does not have the version that was asked,
// and asks for whatever it has.
func (r *Reflector[T]) versionGone(err error) error {
	status := wire.StatusOf(err)
	if status == nil || !status.Expired() && !status.VersionTooLarge() {
		return err
	}
	if r.unavailable {
		return err // any version was asked for: wait
	}
	r.unavailable = true
	if status.VersionTooLarge() {
		r.options.Checks.Renewed() // it may have gone back
	}
	return fmt.Errorf("%w: %w", errRelist, err)
}

// older reports that a version is older than another, where both are numbers, as
// the apiserver's are.
func older(a, b string) bool {
	if !isNumber(a) || !isNumber(b) {
		return false
	}
	return len(a) < len(b) || len(a) == len(b) && a < b
}

func isNumber(v string) bool {
	for i := range len(v) {
		if v[i] < '0' || v[i] > '9' {
			return false
		}
	}
	return v != "" && v[0] != '0'
}
