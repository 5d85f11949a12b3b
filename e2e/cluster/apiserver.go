package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
)

const (
	// Ports come from below the range the kernel takes for outgoing connections:
	// nothing takes one by chance while the apiserver is down between a kill and
	// a start.
	firstPort, lastPort = 20000, 30000

	// portAttempts is how often a start tries another port.
	portAttempts = 10

	// stopGrace is how long an apiserver may take for its last words.
	stopGrace = 30 * time.Second
)

// errPortTaken says that another program was faster.
var errPortTaken = errors.New("the port is taken")

// startOnFreePort tries ports until one is free. Whether it is only the apiserver
// finds out for certain: between a look and its start others may come.
func (c *Cluster) startOnFreePort(ctx context.Context) error {
	for range portAttempts {
		c.port = firstPort + rand.IntN(lastPort-firstPort)
		if !portFree(c.port) {
			continue
		}
		admin, err := c.configFor(Admin())
		if err != nil {
			return err
		}
		c.admin = admin
		if err := c.StartAPIServer(ctx); !errors.Is(err, errPortTaken) {
			return err
		}
	}
	return fmt.Errorf("start kube-apiserver: none of %d ports was free", portAttempts)
}

func portFree(port int) bool {
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// StartAPIServer starts the apiserver after KillAPIServer or StopAPIServer, with
// the same port, flags and etcd, and returns when it is ready.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	if pid := c.APIServerPID(); pid != 0 {
		return fmt.Errorf("start kube-apiserver: it runs already (pid %d)", pid)
	}
	begin := time.Now()
	p, err := startProcess("kube-apiserver", c.binaries.APIServer, c.file("kube-apiserver.log"), c.apiserverArgs())
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.apiserver = p
	c.mu.Unlock()
	if err := c.waitForAPIServer(ctx, p, c.URL()); err != nil {
		return errors.Join(p.failure(err), p.kill())
	}
	c.logf("kube-apiserver (pid %d) is ready in %s", p.pid(), since(begin))
	return nil
}

func (c *Cluster) apiserverArgs() []string {
	args := []string{
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(c.port),
		"--etcd-servers=" + c.etcdURL(),
		"--service-cluster-ip-range=10.96.0.0/16",
		// The endpoints of the kubernetes service may not be on loopback.
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none",
		// Only Compact compacts, so that a test decides when versions expire.
		"--etcd-compaction-interval=0",

		// Without it an open watch would keep a stopping apiserver for a minute.
		"--shutdown-watch-termination-grace-period=5s",

		"--tls-cert-file=" + c.file("apiserver.crt"),
		"--tls-private-key-file=" + c.file("apiserver.key"),
		"--client-ca-file=" + c.CAFile(),
		"--token-auth-file=" + c.file("tokens.csv"),
		"--anonymous-auth=false",
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + c.file("service-account.key"),
		"--service-account-signing-key-file=" + c.file("service-account.key"),
		// The nodes of StartControllers have their log server at their internal DNS name.
		"--kubelet-preferred-address-types=InternalDNS,InternalIP",
	}
	if c.options.Controllers == nil {
		// They wait for, or leave work to, controllers that are not there:
		// service accounts for pods, finalizers on claims and volumes.
		args = append(args, "--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection")
	}
	return append(args, c.options.APIServerFlags...)
}

// waitForAPIServer waits for /readyz, and for the namespaces which the apiserver
// makes a moment later.
func (c *Cluster) waitForAPIServer(ctx context.Context, p *process, url string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client, closeIdle, err := c.probeClient()
	if err != nil {
		return err
	}
	defer closeIdle()
	for _, path := range []string{"/readyz", "/api/v1/namespaces/kube-system", "/api/v1/namespaces/default"} {
		err := waitFor(ctx, "200 from "+path, func(ctx context.Context) error {
			if p.exited() {
				return fatal(fmt.Errorf("%w: %w", errEnded(p), p.Err()))
			}
			return probe(ctx, client, url+path)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// errEnded tells a clash of ports, which is worth another try, from all else.
func errEnded(p *process) error {
	if bytes.Contains(p.output(), []byte("address already in use")) {
		return errPortTaken
	}
	return errors.New("ended")
}

// probeClient does not share connections with the test's clients, which may still
// be held to an apiserver that is gone.
func (c *Cluster) probeClient() (client *http.Client, closeIdle func(), err error) {
	tls, err := rest.TLSConfigFor(c.admin)
	if err != nil {
		return nil, nil, err
	}
	transport := &http.Transport{TLSClientConfig: tls}
	return &http.Client{Transport: transport}, transport.CloseIdleConnections, nil
}

func probe(ctx context.Context, client *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, body)
	}
	return nil
}

// KillAPIServer ends the apiserver without a last word and waits until it is gone.
// It is a no-op when it does not run.
func (c *Cluster) KillAPIServer() error {
	if p := c.current(&c.apiserver); p != nil {
		return p.kill()
	}
	return nil
}

// StopAPIServer asks the apiserver to end, as a rolling update does, and waits
// until it is gone.
func (c *Cluster) StopAPIServer() error {
	if p := c.current(&c.apiserver); p != nil {
		return p.stop(stopGrace)
	}
	return nil
}

// PauseAPIServer freezes the apiserver: its connections stay open and fall silent.
func (c *Cluster) PauseAPIServer() error { return c.current(&c.apiserver).pause() }

// ResumeAPIServer lets a paused apiserver go on.
func (c *Cluster) ResumeAPIServer() error { return c.current(&c.apiserver).signal(syscall.SIGCONT) }
