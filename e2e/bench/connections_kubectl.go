package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"watchglass/e2e/child"
)

// kubectlWithin is how long kubectl may take to serve.
const kubectlWithin = 30 * time.Second

// kubectlProxy is a kubectl proxy, and the browser before it.
type kubectlProxy struct {
	*child.Child
	origin string
	form   form
	client *http.Client
}

// startKubectl starts a kubectl proxy on a free port.
func startKubectl(ctx context.Context, kubectl, kubeconfig string, as form) (*kubectlProxy, error) {
	command := exec.Command(kubectl, "proxy", "--port=0", "--kubeconfig="+kubeconfig)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), "KUBERC=off"}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	process, err := child.Start(command)
	if err != nil {
		return nil, fmt.Errorf("start kubectl proxy: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, kubectlWithin)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = process.Kill() }) // which ends the read below
	defer stop()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "Starting to serve on ")
	if err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("kubectl proxy says %q: %w", line, err), process.Kill())
	}
	transport := &http.Transport{DisableCompression: true}
	return &kubectlProxy{Child: process, origin: "http://" + address, form: as, client: &http.Client{Transport: transport}}, nil
}

// follow is a page that watches the pods of a namespace through kubectl proxy.
func (k *kubectlProxy) follow(_ context.Context, c *crowd, namespace string) error {
	return c.watch(k.client, k.origin, k.form, namespace)
}

func (k *kubectlProxy) Close() error {
	k.client.CloseIdleConnections()
	return k.Kill()
}
