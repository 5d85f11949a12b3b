package problems

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"

	"watchglass/e2e/stage"
	"watchglass/internal/hub/problems/recorded"
	"watchglass/internal/relay"
)

// recordings is where the native test of package recorded reads what was recorded.
const recordings = "../../internal/hub/problems/recorded/testdata"

// mostRecorded is how large a recording may be.
const mostRecorded = 400 << 10

// record records what the apiserver answers to a tab now, if make recordings asks for it. The rows of it must be on
// screen already.
func record(t *testing.T, name string, namespaces map[string]string) {
	t.Helper()
	if os.Getenv("RECORDINGS") == "" || t.Failed() {
		return
	}
	config := stage.Cluster.Config()
	transport, err := rest.TransportFor(config)
	must(t, err)
	base, _, err := rest.DefaultServerUrlFor(config)
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	recorder := &recorded.Recorder{To: transport}
	tab, wait := recorded.Open(ctx, relay.Upstream{Base: base, Transport: recorder}, "engines.problems.example.com")
	defer func() { cancel(); wait() }()
	stage.WaitFor(t, "the recorded tab is live", func() bool { return tab.State() == "live" })
	recording, err := recorder.Recording(ahead, namespaces)
	must(t, err)
	path := filepath.Join(recordings, name+".gz")
	must(t, recording.Write(path))
	info, err := os.Stat(path)
	must(t, err)
	if t.Logf("%s: %d bytes", name, info.Size()); info.Size() > mostRecorded {
		t.Errorf("%s has %d bytes", name, info.Size())
	}
}
