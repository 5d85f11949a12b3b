package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

const (
	// member is the name of the first member of the etcd cluster.
	member = "e2e"

	// memberURL is where the member says it is. Nobody asks, but
	// etcd insists on a host and a port here.
	memberURL = "http://127.0.0.1:2380"

	// compactedKey is where apiservers tell each other how far etcd is compacted.
	compactedKey = "compact_rev_key"

	// etcdQuota is the largest that etcd's documentation suggests: 100,000 pods
	// and an hour of their changes fit.
	etcdQuota = 8 << 30
)

// etcdURL returns the addresses of all members, as kube-apiserver takes them.
func (c *Cluster) etcdURL() string { return strings.Join(c.etcdURLs(), ",") }

func (c *Cluster) etcdURLs() (all []string) {
	for i := range c.members() {
		all = append(all, "unix://"+c.EtcdSocket(i))
	}
	return all
}

// EtcdSocket is the unix socket on which a member listens for clients.
func (c *Cluster) EtcdSocket(i int) string { return filepath.Join(c.sockets, numbered("etcd", i)) }

func (c *Cluster) etcdData(i int) string { return c.file(numbered("etcd", i)) }

// startEtcd starts all members. They listen for clients on unix sockets: no other program can take
// or reach them.
func (c *Cluster) startEtcd(ctx context.Context) error {
	begin := time.Now()
	for i := range c.members() {
		if err := c.launchEtcd(i); err != nil {
			return errors.Join(err, c.killEtcd())
		}
	}
	if err := c.waitForEtcd(ctx); err != nil {
		return errors.Join(err, c.killEtcd())
	}
	c.logf("etcd (%d members) is ready in %s", c.members(), since(begin))
	return nil
}

// launchEtcd starts a member, and does not wait.
func (c *Cluster) launchEtcd(i int) error {
	args := append([]string{
		"--name=" + numbered(member, i),
		"--data-dir=" + c.etcdData(i),
		"--listen-client-urls=unix://" + c.EtcdSocket(i),
		"--advertise-client-urls=" + memberURL,
		"--listen-peer-urls=" + c.listensToPeers(i),
		"--initial-advertise-peer-urls=" + c.peerURL(i),
		"--initial-cluster=" + c.initialCluster(),
		"--quota-backend-bytes=" + strconv.Itoa(etcdQuota),
		// A power cut costs the test's data, and that is all it costs.
		"--unsafe-no-fsync",
		// As kubeadm sets it: quiet resources get bookmarks by these notices.
		"--watch-progress-notify-interval=5s",
		"--log-level=warn",
	}, c.electionFlags()...)
	args = append(args, c.options.EtcdFlags...)
	p, err := startProcess(numbered("etcd", i), c.binaries.Etcd, c.file(numbered("etcd", i)+".log"), args)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.etcd[i] = p
	c.mu.Unlock()
	return nil
}

// awaitEtcd waits until a member listens.
func (c *Cluster) awaitEtcd(ctx context.Context, i int) error {
	p := c.current(&c.etcd[i])
	err := waitFor(ctx, "etcd to listen", func(context.Context) error {
		if p.exited() {
			return fatal(fmt.Errorf("ended: %w", p.Err()))
		}
		conn, err := net.Dial("unix", c.EtcdSocket(i))
		if err != nil {
			return err
		}
		return conn.Close()
	})
	if err != nil {
		return p.failure(err)
	}
	return nil
}

func (c *Cluster) waitForEtcd(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for i := range c.members() {
		if err := c.awaitEtcd(ctx, i); err != nil {
			return err
		}
	}
	// Not before it listens: the client waits a second after a try that failed.
	client, err := c.dialEtcd(c.etcdURLs()...)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.etcdClient = client
	c.mu.Unlock()
	first := c.current(&c.etcd[0])
	err = waitFor(ctx, "etcd to answer", func(ctx context.Context) error {
		if first.exited() {
			return fatal(fmt.Errorf("ended: %w", first.Err()))
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		_, err := client.Get(ctx, "/")
		return err
	})
	if err != nil {
		return first.failure(err)
	}
	return nil
}

func (c *Cluster) dialEtcd(urls ...string) (*clientv3.Client, error) {
	client, err := clientv3.New(clientv3.Config{
		Endpoints:          urls,
		Logger:             zap.NewNop(),
		MaxCallSendMsgSize: 16 << 20, // a transaction of many pods
	})
	if err != nil {
		return nil, fmt.Errorf("dial etcd: %w", err)
	}
	return client, nil
}

func (c *Cluster) killEtcd() error {
	c.mu.Lock()
	all, client := c.etcd, c.etcdClient
	c.etcdClient = nil
	c.mu.Unlock()
	var err error
	if client != nil {
		err = client.Close()
	}
	for _, p := range all {
		if p != nil {
			err = errors.Join(err, p.kill())
		}
	}
	return err
}

// Etcd is a client of the cluster's etcd, good until the next Restore or Stop.
// It is nil when etcd does not run.
func (c *Cluster) Etcd() *clientv3.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.etcdClient
}

// needEtcd is Etcd for those who cannot do without.
func (c *Cluster) needEtcd() (*clientv3.Client, error) {
	if client := c.Etcd(); client != nil {
		return client, nil
	}
	return nil, errors.New("etcd does not run")
}

// Compact makes etcd forget every version before the current one. What the
// apiserver answers from etcd expires at once: watches of events, and lists at an
// older version after at most 15 s. Watches of most other kinds are answered from
// the apiserver's watch cache, which keeps the changes it has seen for a minute or
// more whatever etcd forgot: for these to expire use Expire.
func (c *Cluster) Compact(ctx context.Context) error {
	revision, err := c.compact(ctx)
	if err != nil {
		return fmt.Errorf("compact etcd: %w", err)
	}
	c.logf("compacted etcd at %d", revision)
	return nil
}

func (c *Cluster) compact(ctx context.Context) (revision int64, err error) {
	client, err := c.needEtcd()
	if err != nil {
		return 0, err
	}
	resp, err := client.Get(ctx, compactedKey)
	if err != nil {
		return 0, err
	}
	// Told in the way the apiserver's own compactor does. The note makes a version
	// itself, and compacting at that one expires all the others.
	put, err := client.Put(ctx, compactedKey, formatRevision(resp.Header.Revision+1))
	if err != nil {
		return 0, err
	}
	_, err = client.Compact(ctx, put.Header.Revision, clientv3.WithCompactPhysical())
	return put.Header.Revision, err
}

func formatRevision(revision int64) string { return strconv.FormatInt(revision, 10) }

// Expire makes every version before the current one expire, for every kind: it
// compacts etcd and kills and starts the apiserver, whose watch cache is then
// empty. A watch from before answers 410.
func (c *Cluster) Expire(ctx context.Context) error {
	if err := c.Compact(ctx); err != nil {
		return err
	}
	if err := c.KillAPIServer(); err != nil {
		return err
	}
	return c.StartAPIServer(ctx)
}

// Snapshot writes all data to a file, for Restore.
func (c *Cluster) Snapshot(ctx context.Context, path string) error {
	if err := c.snapshot(ctx, path); err != nil {
		return fmt.Errorf("take a snapshot of etcd: %w", err)
	}
	c.logf("wrote a snapshot to %s", path)
	return nil
}

func (c *Cluster) snapshot(ctx context.Context, path string) error {
	client, err := c.needEtcd()
	if err != nil {
		return err
	}
	r, err := client.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// Restore goes back to a snapshot as an operator would: it stops the apiserver and
// etcd, restores the data with etcdutl, and starts both. Versions go backwards,
// and later ones are given out a second time.
func (c *Cluster) Restore(ctx context.Context, path string) error {
	if err := errors.Join(c.KillAPIServer(), c.killEtcd()); err != nil {
		return fmt.Errorf("restore etcd: %w", err)
	}
	if err := c.restoreData(ctx, path); err != nil {
		return fmt.Errorf("restore etcd from %s: %w", path, err)
	}
	if err := c.startEtcd(ctx); err != nil {
		return err
	}
	c.logf("restored etcd from %s", path)
	return c.StartAPIServer(ctx)
}

// beginWithSnapshot writes the data that the options ask for.
func (c *Cluster) beginWithSnapshot(ctx context.Context) error {
	path := c.options.Snapshot
	if path == "" {
		return nil
	}
	if _, err := os.Stat(c.etcdData(0)); err == nil {
		return fmt.Errorf("%s has the data of an earlier cluster, which %s would replace", c.dir, path)
	}
	if err := c.restoreData(ctx, path); err != nil {
		return fmt.Errorf("begin with %s: %w", path, err)
	}
	return nil
}

func (c *Cluster) restoreData(ctx context.Context, path string) error {
	for i := range c.members() {
		restored := c.file("etcd.restored")
		if err := os.RemoveAll(restored); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, c.binaries.Etcdutl, "snapshot", "restore", path,
			"--data-dir="+restored,
			"--name="+numbered(member, i),
			"--initial-advertise-peer-urls="+c.peerURL(i),
			"--initial-cluster="+c.initialCluster())
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("etcdutl: %w: %s", err, tail(output, tailLines))
		}
		if err := os.RemoveAll(c.etcdData(i)); err != nil {
			return err
		}
		if err := os.Rename(restored, c.etcdData(i)); err != nil {
			return err
		}
	}
	return nil
}
