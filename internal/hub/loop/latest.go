package loop

import "context"

// Latest is a request of which only the latest matters: the next ends the one before. The zero Latest has none. Its
// methods are for the loop.
type Latest struct{ end context.CancelFunc }

// Begin ends the request before, and returns the context of the next.
func (l *Latest) Begin(parent context.Context) context.Context {
	l.End()
	ctx, end := context.WithCancel(parent)
	l.end = end
	return ctx
}

// End ends the request, if there is one.
func (l *Latest) End() {
	if l.end != nil {
		l.end()
		l.end = nil
	}
}
