package informer

import "testing"

// TestPeers runs what broke other informers. Each name begins with the issue, as e2e/PEERS.md lists
// it.
func TestPeers(t *testing.T) {
	t.Run("fabric8-2994 what a new list lacks leaves the index", testRelist)
	t.Run("headlamp-5863 a storm of events takes no more memory than its objects", testCoalescingIsBounded)
}
