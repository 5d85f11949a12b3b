// Package cluster runs a real etcd and a real kube-apiserver for the end-to-end
// tests, and does to them what happens to a control plane in the field: it kills,
// pauses and restarts the apiserver, compacts etcd, and goes back to an older
// snapshot. It also fills a cluster with realistic pods (SeedPods) and keeps
// changing them at a steady pace (Churn).
//
// By default there are no controllers, no scheduler and no kubelet, but for one that
// serves logs (StartKubelet): nothing moves but what the test moves. So a deleted
// namespace stays Terminating, dependents outlive their owners, namespaces have no default
// service account, and the roles view, edit and admin have no rules: a test makes its own.
// Options.Controllers starts real controllers, a scheduler and simulated kubelets.
//
// Everything listens on loopback or on a unix socket, and dies with the test
// process. The package needs a unix system and the go command.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/client-go/rest"
)

// startTimeout bounds one start of one process, for machines with too much to do.
const startTimeout = 2 * time.Minute

// Options says how a cluster is started. The zero value is a good cluster.
type Options struct {
	// Dir holds everything the cluster writes: keys, etcd's data, and the log of each
	// program, such as kube-apiserver.log. With the data of an earlier cluster in it, that cluster
	// goes on with new keys. Default: a temporary folder, removed by Stop.
	Dir string

	// Snapshot is a file that Snapshot wrote, with which the cluster begins. Dir must have no data then.
	// Default: it begins with nothing.
	Snapshot string

	// Keep leaves the default Dir in place at Stop.
	Keep bool

	// Log hears what the harness does, a line for each step. Default: nobody.
	Log io.Writer

	// Users are known to the apiserver by their tokens.
	Users []User

	// Members is how many members etcd has: 1, or 3 to elect leaders. Default: 1.
	Members int

	// EtcdFlags and APIServerFlags come after the harness's own flags, so a flag
	// that has one value wins over it.
	EtcdFlags      []string
	APIServerFlags []string

	// Controllers, if not nil, starts a controller manager, a scheduler and simulated
	// kubelets with the cluster.
	Controllers *ControllerOptions

	// Binaries to run. Default: those of Build.
	Binaries Binaries
}

// Cluster is a running control plane.
type Cluster struct {
	options    Options
	binaries   Binaries
	dir        string
	sockets    string // folder of etcd's sockets, whose paths must be short
	authority  *authority
	port       int
	admin      *rest.Config
	kubeconfig string // the admin's, for Kubectl

	peers []int // ports of etcd's members, if there are several

	mu         sync.Mutex // guards what follows
	etcd       []*process // by member
	etcdClient *clientv3.Client
	apiserver  *process
	replicas   []*Replica

	controllers *Controllers
}

// Start starts a cluster and returns when it is ready to be used. ctx bounds the
// start alone; the cluster runs until Stop. When it fails, the error holds the end
// of the log of the process that failed, and that log is left in place.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	c := &Cluster{options: o, binaries: o.Binaries, dir: o.Dir}
	c.etcd = make([]*process, c.members())
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start a cluster: %w", err), c.end())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	begin := time.Now()
	if c.binaries == (Binaries{}) {
		binaries, err := Build(ctx, c.logf)
		if err != nil {
			return err
		}
		c.binaries = binaries
	}
	if err := c.makeDirs(); err != nil {
		return err
	}
	if err := c.makeKeys(); err != nil {
		return fmt.Errorf("make the keys: %w", err)
	}
	if err := c.SetUsers(c.options.Users...); err != nil {
		return err
	}
	if err := c.choosePeers(); err != nil {
		return err
	}
	if err := c.beginWithSnapshot(ctx); err != nil {
		if c.options.Dir == "" && !c.options.Keep { // no log to be looked at
			err = errors.Join(err, os.RemoveAll(c.dir))
		}
		return err
	}
	if err := c.startEtcd(ctx); err != nil {
		return err
	}
	if err := c.startOnFreePort(ctx); err != nil {
		return err
	}
	kubeconfig, err := c.Kubeconfig(Admin(), KubeconfigOptions{})
	if err != nil {
		return err
	}
	c.kubeconfig = kubeconfig
	if c.options.Controllers != nil {
		if c.controllers, err = c.StartControllers(ctx, *c.options.Controllers); err != nil {
			return err
		}
	}
	c.logf("cluster at %s, data in %s, ready in %s", c.URL(), c.dir, since(begin))
	return nil
}

// Stop ends all processes at once and removes the default Dir.
func (c *Cluster) Stop() error {
	err := c.end()
	if c.options.Dir == "" && !c.options.Keep {
		err = errors.Join(err, os.RemoveAll(c.dir))
	}
	if err != nil {
		return fmt.Errorf("stop the cluster: %w", err)
	}
	return nil
}

// end leaves nothing running and nothing behind outside of Dir. Killing is safe
// for the data: what a process wrote, the kernel has.
func (c *Cluster) end() error {
	var err error
	if c.controllers != nil {
		err = c.controllers.Stop()
	}
	return errors.Join(err, c.killReplicas(), c.KillAPIServer(), c.killEtcd(), os.RemoveAll(c.sockets))
}

func (c *Cluster) makeDirs() error {
	if c.dir == "" {
		dir, err := os.MkdirTemp("", "watchglass-cluster-")
		if err != nil {
			return err
		}
		c.dir = dir
	}
	dir, err := filepath.Abs(c.dir)
	if err != nil {
		return err
	}
	c.dir = dir
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	// Not in Dir: the path of a unix socket has room for about 100 bytes only.
	c.sockets, err = os.MkdirTemp("", "wg-")
	return err
}

// makeKeys writes the files the apiserver reads its keys from.
func (c *Cluster) makeKeys() error {
	authority, err := newAuthority()
	if err != nil {
		return err
	}
	c.authority = authority
	serving, err := authority.serving()
	if err != nil {
		return err
	}
	signing, err := signingKey()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"ca.crt":              authority.pem,
		"apiserver.crt":       serving.cert,
		"apiserver.key":       serving.key,
		"service-account.key": signing,
	} {
		if err := os.WriteFile(c.file(name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// URL is the apiserver's address. It stays the same over restarts.
func (c *Cluster) URL() string { return fmt.Sprintf("https://127.0.0.1:%d", c.port) }

// CA is the certificate, in PEM, of the authority that signed the apiserver's.
func (c *Cluster) CA() []byte { return c.authority.pem }

// CAFile is a file that holds CA.
func (c *Cluster) CAFile() string { return c.file("ca.crt") }

// Controllers returns what Options.Controllers started; nil if nothing.
func (c *Cluster) Controllers() *Controllers { return c.controllers }

// Dir is the folder that holds everything the cluster writes.
func (c *Cluster) Dir() string { return c.dir }

// APIServerPID is the apiserver's process id, 0 when it does not run.
func (c *Cluster) APIServerPID() int { return pid(c.current(&c.apiserver)) }

// EtcdPID is the process id of etcd's first member, 0 when it does not run.
func (c *Cluster) EtcdPID() int { return pid(c.current(&c.etcd[0])) }

func pid(p *process) int {
	if p == nil || p.exited() {
		return 0
	}
	return p.pid()
}

// current reads one of the processes, which restarts replace.
func (c *Cluster) current(p **process) *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *p
}

func (c *Cluster) file(name string) string { return filepath.Join(c.dir, name) }

func (c *Cluster) logf(format string, args ...any) {
	if c.options.Log != nil {
		_, _ = fmt.Fprintf(c.options.Log, "cluster: "+format+"\n", args...)
	}
}

func since(t time.Time) time.Duration { return time.Since(t).Round(time.Millisecond) }
