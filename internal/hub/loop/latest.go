package loop

import "context"

// Latest is a request of which only the latest matters: the next ends the one before, whose answer is dropped by Post. The
// zero Latest has none. Its methods are for the loop.
type Latest struct{ end context.CancelFunc }

// Begin ends the request before, and returns the context of the next.
func (l *Latest) Begin(parent context.Context) context.Context {
	ctx, end := context.WithCancel(parent)
	l.Replace(end)
	return ctx
}

// Replace ends the request before, and has the function end the next.
func (l *Latest) Replace(end context.CancelFunc) {
	l.End()
	l.end = end
}

// Pending reports whether there is a request that has not ended.
func (l *Latest) Pending() bool { return l.end != nil }

// End ends the request, if there is one: it was answered, or the answer does not matter any more.
func (l *Latest) End() {
	if l.end != nil {
		l.end()
		l.end = nil
	}
}
