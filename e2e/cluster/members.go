package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// members is how many members etcd has.
func (c *Cluster) members() int { return max(1, c.options.Members) }

// numbered is the name of something of a member. That of the first has no number.
func numbered(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, i+1)
}

// choosePeers chooses the ports on which several members listen for each other.
func (c *Cluster) choosePeers() error {
	for c.members() > 1 && len(c.peers) < c.members() {
		port, err := freePort()
		if err != nil {
			return err
		}
		if !slices.Contains(c.peers, port) {
			c.peers = append(c.peers, port)
		}
	}
	return nil
}

// freePort returns a port that nothing listens on, from below the range for outgoing connections.
func freePort() (int, error) {
	for range 10 * portAttempts {
		if port := firstPort + rand.IntN(lastPort-firstPort); portFree(port) {
			return port, nil
		}
	}
	return 0, errors.New("no port was free")
}

// peerURL is where a member says that the others reach it.
func (c *Cluster) peerURL(i int) string {
	if len(c.peers) == 0 {
		return memberURL
	}
	return "http://127.0.0.1:" + strconv.Itoa(c.peers[i])
}

func (c *Cluster) listensToPeers(i int) string {
	if len(c.peers) == 0 {
		return "unix://" + filepath.Join(c.sockets, "peer")
	}
	return c.peerURL(i)
}

func (c *Cluster) initialCluster() string {
	var all []string
	for i := range c.members() {
		all = append(all, numbered(member, i)+"="+c.peerURL(i))
	}
	return strings.Join(all, ",")
}

// electionFlags let the only member elect itself soon: it need not wait for others.
func (c *Cluster) electionFlags() []string {
	if c.members() > 1 {
		return nil
	}
	return []string{"--heartbeat-interval=20", "--election-timeout=200"}
}

// leaderWithin bounds an election.
const leaderWithin = 30 * time.Second

// EtcdLeader waits until etcd has a leader, and returns which member that is.
func (c *Cluster) EtcdLeader(ctx context.Context) (leader int, err error) {
	ctx, cancel := context.WithTimeout(ctx, leaderWithin)
	defer cancel()
	err = waitFor(ctx, "etcd to have a leader", func(ctx context.Context) error {
		ids, at, err := c.etcdMembers(ctx)
		if err != nil {
			return err
		}
		for i, id := range ids {
			if id != 0 && id == at {
				leader = i
				return nil
			}
		}
		return errors.New("nobody leads")
	})
	return leader, err
}

// etcdMembers returns the IDs of the members, 0 for one that does not run, and that of the leader.
func (c *Cluster) etcdMembers(ctx context.Context) (ids []uint64, leader uint64, err error) {
	client, err := c.needEtcd()
	if err != nil {
		return nil, 0, err
	}
	for i, url := range c.etcdURLs() {
		ids = append(ids, 0)
		if pid(c.current(&c.etcd[i])) == 0 {
			continue
		}
		asking, cancel := context.WithTimeout(ctx, 2*time.Second)
		status, err := client.Status(asking, url)
		cancel()
		if err != nil {
			return nil, 0, err
		}
		ids[i], leader = status.Header.MemberId, status.Leader
	}
	return ids, leader, nil
}

// MoveEtcdLeader has the leader hand over to another member, as an operator does before an upgrade.
func (c *Cluster) MoveEtcdLeader(ctx context.Context) error {
	leader, err := c.EtcdLeader(ctx)
	if err != nil {
		return err
	}
	ids, _, err := c.etcdMembers(ctx)
	if err != nil {
		return err
	}
	client, err := c.dialEtcd(c.etcdURLs()[leader])
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	next := (leader + 1) % len(ids)
	if _, err := client.MoveLeader(ctx, ids[next]); err != nil {
		return fmt.Errorf("move etcd's leader: %w", err)
	}
	c.logf("etcd's leader moved from member %d to %d", leader+1, next+1)
	return nil
}

// KillEtcdMember ends one of etcd's members without a last word.
func (c *Cluster) KillEtcdMember(i int) error { return c.current(&c.etcd[i]).kill() }

// StartEtcdMember starts a member after KillEtcdMember, and returns when it listens.
func (c *Cluster) StartEtcdMember(ctx context.Context, i int) error {
	if err := c.launchEtcd(i); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return c.awaitEtcd(ctx, i)
}

// Replica is another apiserver of the cluster, with an address of its own.
type Replica struct {
	cluster *Cluster
	name    string
	port    int
	etcd    string
	process *process // the cluster's lock guards it
}

// StartReplica starts another apiserver. It reaches etcd at an address; as the cluster's own does, if
// that is "". It ends with the cluster.
func (c *Cluster) StartReplica(ctx context.Context, etcd string) (*Replica, error) {
	if etcd == "" {
		etcd = c.etcdURL()
	}
	r := &Replica{cluster: c, etcd: etcd}
	c.mu.Lock()
	c.replicas = append(c.replicas, r)
	r.name = numbered("kube-apiserver", len(c.replicas))
	c.mu.Unlock()
	for range portAttempts {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		r.port = port
		if err := r.Start(ctx); !errors.Is(err, errPortTaken) {
			return r, err
		}
	}
	return nil, errPortTaken
}

// Address is where it listens; its certificate is the cluster's.
func (r *Replica) Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(r.port)) }

// Start starts it again after Kill or Stop, and returns when it is ready.
func (r *Replica) Start(ctx context.Context) error {
	c, begin := r.cluster, time.Now()
	args := append(c.apiserverArgs(), "--secure-port="+strconv.Itoa(r.port), "--etcd-servers="+r.etcd)
	p, err := startProcess(r.name, c.binaries.APIServer, c.file(r.name+".log"), args)
	if err != nil {
		return err
	}
	c.mu.Lock()
	r.process = p
	c.mu.Unlock()
	if err := c.waitForAPIServer(ctx, p, "https://"+r.Address()); err != nil {
		return errors.Join(p.failure(err), p.kill())
	}
	c.logf("%s (pid %d) is ready in %s", r.name, p.pid(), since(begin))
	return nil
}

// Kill ends it without a last word, and waits until it is gone.
func (r *Replica) Kill() error {
	if p := r.cluster.current(&r.process); p != nil {
		return p.kill()
	}
	return nil
}

// Stop asks it to end, as a rolling update does, and waits until it is gone.
func (r *Replica) Stop() error { return r.cluster.current(&r.process).stop(stopGrace) }

func (c *Cluster) killReplicas() (err error) {
	for _, r := range c.replicas {
		err = errors.Join(err, r.Kill())
	}
	return err
}
