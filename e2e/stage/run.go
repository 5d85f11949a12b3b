package stage

import (
	"net/http"
	"os"
	"os/exec"
	"testing"

	"watchglass/e2e/child"
)

// Run starts a server that ends with the test, and returns when the address ready answers 200. If
// the test fails, what the server wrote is logged.
func Run(t *testing.T, cmd *exec.Cmd, ready string) {
	t.Helper()
	output, err := os.CreateTemp(t.TempDir(), "output")
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	cmd.Stdout, cmd.Stderr = output, output
	server, err := child.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Kill(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			text, err := os.ReadFile(output.Name())
			t.Logf("%s said:\n%s%v", cmd.Path, text, err)
		}
	})
	WaitFor(t, ready+" answers 200", func() bool {
		select {
		case <-server.Done():
			t.Fatalf("%s ended: %v", cmd.Path, server.Err())
		default:
		}
		resp, err := http.Get(ready)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}
