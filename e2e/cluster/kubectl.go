package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Kubectl runs kubectl as the admin. The error carries what kubectl wrote to
// stderr; stdout is returned as well when it fails.
func (c *Cluster) Kubectl(ctx context.Context, args ...string) (stdout string, err error) {
	cmd := exec.CommandContext(ctx, c.binaries.Kubectl, args...)
	cmd.Dir = c.dir
	// The tester's own kubeconfig, kuberc and caches must play no part.
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig, "HOME="+c.dir, "KUBERC=off", "GOGC=400",
		"KUBECACHEDIR="+c.file("kubectl-cache"))
	var out, failure bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failure
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(failure.String()))
	}
	return out.String(), nil
}
