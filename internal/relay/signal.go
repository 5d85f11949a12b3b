//go:build !js

package relay

// signal wakes all goroutines that wait for a change. Its owner's lock guards it.
type signal struct {
	change chan struct{} // nil if nobody waits
}

// nextLocked returns a channel that is closed at the next change.
func (s *signal) nextLocked() <-chan struct{} {
	if s.change == nil {
		s.change = make(chan struct{})
	}
	return s.change
}

// notifyLocked wakes all who wait.
func (s *signal) notifyLocked() {
	if s.change != nil {
		close(s.change)
		s.change = nil
	}
}
