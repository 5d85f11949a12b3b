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
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

const (
	// member is the name of the only member of the etcd cluster.
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

func (c *Cluster) etcdURL() string { return "unix://" + c.etcdSocket() }

func (c *Cluster) etcdSocket() string { return filepath.Join(c.sockets, "etcd") }

func (c *Cluster) etcdData() string { return c.file("etcd") }

// startEtcd listens on unix sockets: no other program can take or reach them.
func (c *Cluster) startEtcd(ctx context.Context) error {
	args := append([]string{
		"--name=" + member,
		"--data-dir=" + c.etcdData(),
		"--listen-client-urls=" + c.etcdURL(),
		"--advertise-client-urls=" + memberURL,
		"--listen-peer-urls=unix://" + filepath.Join(c.sockets, "peer"),
		"--initial-advertise-peer-urls=" + memberURL,
		"--initial-cluster=" + member + "=" + memberURL,
		"--quota-backend-bytes=" + strconv.Itoa(etcdQuota),
		// A power cut costs the test's data, and that is all it costs.
		"--unsafe-no-fsync",
		// As kubeadm sets it: quiet resources get bookmarks by these notices.
		"--watch-progress-notify-interval=5s",
		"--log-level=warn",
		// The only member need not wait for others before it elects itself.
		"--heartbeat-interval=20",
		"--election-timeout=200",
	}, c.options.EtcdFlags...)
	begin := time.Now()
	p, err := startProcess("etcd", c.binaries.Etcd, c.file("etcd.log"), args)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.etcd = p
	c.mu.Unlock()
	if err := c.waitForEtcd(ctx, p); err != nil {
		return errors.Join(p.failure(err), c.killEtcd())
	}
	c.logf("etcd (pid %d) is ready in %s", p.pid(), since(begin))
	return nil
}

func (c *Cluster) waitForEtcd(ctx context.Context, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	err := waitFor(ctx, "etcd to listen", func(context.Context) error {
		if p.exited() {
			return fatal(fmt.Errorf("ended: %w", p.Err()))
		}
		conn, err := net.Dial("unix", c.etcdSocket())
		if err != nil {
			return err
		}
		return conn.Close()
	})
	if err != nil {
		return err
	}
	// Not before it listens: the client waits a second after a try that failed.
	client, err := c.dialEtcd()
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.etcdClient = client
	c.mu.Unlock()
	return waitFor(ctx, "etcd to answer", func(ctx context.Context) error {
		if p.exited() {
			return fatal(fmt.Errorf("ended: %w", p.Err()))
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		_, err := client.Get(ctx, "/")
		return err
	})
}

func (c *Cluster) dialEtcd() (*clientv3.Client, error) {
	client, err := clientv3.New(clientv3.Config{
		Endpoints:          []string{c.etcdURL()},
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
	p, client := c.etcd, c.etcdClient
	c.etcdClient = nil
	c.mu.Unlock()
	var err error
	if client != nil {
		err = client.Close()
	}
	if p != nil {
		err = errors.Join(err, p.kill())
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

func (c *Cluster) restoreData(ctx context.Context, path string) error {
	restored := c.file("etcd.restored")
	if err := os.RemoveAll(restored); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, c.binaries.Etcdutl, "snapshot", "restore", path,
		"--data-dir="+restored,
		"--name="+member,
		"--initial-advertise-peer-urls="+memberURL,
		"--initial-cluster="+member+"="+memberURL)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("etcdutl: %w: %s", err, tail(output, tailLines))
	}
	if err := os.RemoveAll(c.etcdData()); err != nil {
		return err
	}
	return os.Rename(restored, c.etcdData())
}
