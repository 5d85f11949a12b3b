package tools

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress checks that a build that takes long says every 30 s what it compiles, and nothing after its end.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p progress
		var said []string
		stop := p.report("kwok", func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) })
		time.Sleep(31 * time.Second)
		fmt.Fprint(&p, "k8s.io/api\nk8s.io/apimachinery/pkg/")
		time.Sleep(30 * time.Second)
		fmt.Fprint(&p, "types\n")
		time.Sleep(30 * time.Second)
		stop()
		time.Sleep(time.Hour)
		want := []string{
			"building kwok for 30s: nothing compiled yet; the first build downloads the modules",
			"building kwok for 1m0s: packages compiled: 1, the last k8s.io/api",
			"building kwok for 1m30s: packages compiled: 2, the last k8s.io/apimachinery/pkg/types",
		}
		if !slices.Equal(said, want) {
			t.Errorf("it said %q", said)
		}
	})
}
