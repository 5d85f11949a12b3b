package reflector

import "watchglass/internal/wire"

// request completes the options of a request with what is the same in all requests of a source.
func (r *Reflector[T]) request(verb wire.Verb, o wire.ListOptions) wire.Request {
	q := r.options.Request
	o.LabelSelector, o.FieldSelector = q.LabelSelector, q.FieldSelector
	q.Verb, q.ListOptions = verb, o
	return q
}

// pageSize is that of Kubernetes' own client.
const pageSize = 500

// firstPage returns the options of the first page of a list. The first list takes whatever the
// server has in its cache. A later one has to be as new as the version that was reached, and is
// requested in one piece: a limit would take it past the cache, to etcd. Without NotOlderThan, a
// version and a limit would request exactly that version.
func (r *Reflector[T]) firstPage() wire.ListOptions {
	if r.learned.pages.size > 0 {
		return wire.ListOptions{Limit: r.learned.pages.size}
	}
	o := wire.ListOptions{ResourceVersion: r.position.least(), Limit: pageSize}
	if !r.State().Synced && r.position.availability == available {
		o.ResourceVersion = "0"
	}
	if o.ResourceVersion != "" && o.ResourceVersion != "0" {
		o.ResourceVersionMatch = "NotOlderThan"
		if !r.learned.pages.byServer && !r.pastCache() { // past its cache, a server splits any list that has a limit
			o.Limit = 0
		}
	}
	if r.learned.pages.inOne {
		o.Limit = 0
	}
	return o
}

// pastCache reports whether lists are read from etcd, since the server's cache is not ready.
func (r *Reflector[T]) pastCache() bool { return r.learned.bypass.once || r.learned.unready.lists }

// nextPage returns the options of the page after another. It names no version: the token stands
// for exactly that of the first page.
func nextPage(o wire.ListOptions, token string) wire.ListOptions {
	o.Continue, o.ResourceVersion, o.ResourceVersionMatch = token, "", ""
	return o
}
