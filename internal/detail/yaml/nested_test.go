package yaml

import (
	"strings"
	"testing"
)

// TestNestedNames checks that the names of complex keys that are nested on one line take no more room than the
// line.
func TestNestedNames(t *testing.T) {
	y, names := Parse(strings.Repeat("? ", 1000)+"a"), 0
	for i := range y.nodes {
		names += len(y.name(&y.nodes[i]))
	}
	if names > len(y.text) || len(y.nodes) != 1001 {
		t.Errorf("%d nodes have %d bytes of names, in %d bytes", len(y.nodes), names, len(y.text))
	}
}
