package cluster

import (
	"context"
	"fmt"
	"strings"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
)

// Stored reads the pods of a version from etcd itself, past every apiserver. Most of the time it reads their keys
// alone, which costs a small part of a list: etcd tells with each key when it was created and when it was written last.
// Any goroutine may call it.
type Stored struct {
	cluster *Cluster

	mu    sync.Mutex
	known map[string]stored // by key
}

// StoredPod is a pod at a version. Its own version is of its last write.
type StoredPod struct {
	Namespace, Name, UID string
	Version              int64
}

// stored is what is known of a key: the UID of the pod that was created at a version.
type stored struct {
	created int64
	uid     string
}

// NewStored returns what reads the pods of a cluster.
func (c *Cluster) NewStored() *Stored { return &Stored{cluster: c, known: make(map[string]stored)} }

// Forget has to be called after Restore: versions are given out a second time.
func (s *Stored) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.known)
}

// At returns the pods at a version.
func (s *Stored) At(ctx context.Context, version int64) ([]StoredPod, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pods, err := s.at(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("read the pods at %d from etcd: %w", version, err)
	}
	return pods, nil
}

func (s *Stored) at(ctx context.Context, version int64) ([]StoredPod, error) {
	etcd, err := s.cluster.needEtcd()
	if err != nil {
		return nil, err
	}
	keys, err := etcd.Get(ctx, podsPrefix, clientv3.WithPrefix(), clientv3.WithRev(version), clientv3.WithKeysOnly())
	if err != nil {
		return nil, err
	}
	var unknown []string
	for _, kv := range keys.Kvs {
		if s.known[string(kv.Key)].created != kv.CreateRevision {
			unknown = append(unknown, string(kv.Key))
		}
	}
	if err := s.learn(ctx, etcd, unknown, version); err != nil {
		return nil, err
	}
	pods := make([]StoredPod, 0, len(keys.Kvs))
	for _, kv := range keys.Kvs {
		namespace, name, _ := strings.Cut(strings.TrimPrefix(string(kv.Key), podsPrefix), "/")
		pods = append(pods, StoredPod{namespace, name, s.known[string(kv.Key)].uid, kv.ModRevision})
	}
	return pods, nil
}

// readsAtOnce is how many keys are read in one transaction; etcd takes 128.
const readsAtOnce = 100

// learn reads the UIDs of some keys at a version.
func (s *Stored) learn(ctx context.Context, etcd *clientv3.Client, keys []string, version int64) error {
	for len(keys) > 0 {
		n := min(len(keys), readsAtOnce)
		var ops []clientv3.Op
		for _, key := range keys[:n] {
			ops = append(ops, clientv3.OpGet(key, clientv3.WithRev(version)))
		}
		resp, err := etcd.Txn(ctx).Then(ops...).Commit()
		if err != nil {
			return err
		}
		for _, one := range resp.Responses {
			for _, kv := range one.GetResponseRange().Kvs {
				pod := &corev1.Pod{}
				if _, _, err := storageForm.Decode(kv.Value, nil, pod); err != nil {
					return fmt.Errorf("decode %s: %w", kv.Key, err)
				}
				s.known[string(kv.Key)] = stored{kv.CreateRevision, string(pod.UID)}
			}
		}
		keys = keys[n:]
	}
	return nil
}
