package reflector

import (
	"context"
	"errors"
	"testing"

	"watchglass/internal/wire"
)

// TestQueuedState checks that the state says how many are before a list that waits in the proxy, until it is accepted.
func TestQueuedState(t *testing.T) {
	var r *Reflector[thing]
	polled, refused := &wire.Status{Origin: wire.FromAPIServer, Code: 403}, errors.New("refused")
	for name, c := range map[string]struct {
		queued  bool
		ends    error
		before  error
		message string
		after   error
	}{
		"a list that waits":   {queued: true, message: "proxy: waiting for the apiserver, 40 before you"},
		"a poll that waits":   {queued: true, before: polled, message: "proxy: waiting for the apiserver, 40 before you", after: polled},
		"at once":             {before: polled, message: polled.Error(), after: polled},
		"refused in the end":  {queued: true, ends: refused, message: "proxy: waiting for the apiserver, 40 before you", after: wire.QueuedStatus(40)},
		"refused immediately": {ends: refused},
	} {
		r = New(Options[thing]{Source: SourceFunc(func(ctx context.Context, _ wire.Request) (Stream, error) {
			if c.queued {
				wire.ReportQueued(ctx, 40)
			}
			if err := r.State().Err; (err != nil || c.message != "") && (err == nil || err.Error() != c.message) {
				t.Errorf("%s: %v", name, err)
			}
			return nil, c.ends
		})})
		r.change(func(s *State) { s.Err = c.before })
		if _, err := r.openStream(t.Context(), wire.Watch, wire.ListOptions{}); !errors.Is(err, c.ends) {
			t.Errorf("%s: %v", name, err)
		}
		if err := r.State().Err; (err == nil) != (c.after == nil) || err != nil && err.Error() != c.after.Error() {
			t.Errorf("%s: %v remains", name, err)
		}
	}
}
