package compare

import "watchglass/internal/port"

// What is known of a context.
const (
	reaching = "…"
	reached  = "✓"
)

// connect lets the worker connect to a context.
func (t *Tab) connect(context string) {
	if t.reach == nil {
		t.reach = make(map[string]string)
	}
	t.reach[context] = reaching
	t.browser.Reach(context, func(why string) {
		t.host.Locked(func() {
			if t.reach[context] = reached; why != "" {
				t.reach[context] = why
			}
			t.host.Follow()
			t.host.Redraw()
		})
	})
	t.host.Redraw()
}

// Renew renews the session in another context.
func (t *Tab) Renew(context string) {
	t.browser.Reach(context, func(why string) {
		t.host.Locked(func() {
			if why == "" {
				t.host.Send(port.Renewed{Context: context})
				return
			}
			t.Lose(context, why)
		})
	})
}

// Lose disconnects from a context whose session is over, and shows why.
func (t *Tab) Lose(context, why string) {
	if t.reach[context] != reached {
		return
	}
	t.reach[context] = why
	t.host.Follow()
	t.host.Redraw()
}
