package loop

import (
	"context"
	"testing"
)

// TestLatest checks that a request ends with the next one, at its end and with what it belongs to, and not before.
func TestLatest(t *testing.T) {
	var l Latest
	l.End() // there is none
	parent, cancel := context.WithCancel(t.Context())
	first := l.Begin(parent)
	second := l.Begin(parent)
	if first.Err() == nil || second.Err() != nil || !l.Pending() {
		t.Errorf("the first: %v, the second: %v", first.Err(), second.Err())
	}
	if l.End(); l.Pending() {
		t.Error("it is pending after its end")
	}
	third := l.Begin(parent)
	if second.Err() == nil || third.Err() != nil {
		t.Errorf("the second: %v, the third: %v", second.Err(), third.Err())
	}
	if cancel(); third.Err() == nil {
		t.Error("it goes on without what it belongs to")
	}
}
