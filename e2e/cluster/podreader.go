package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
)

// PodReader reads the pods of a version directly from etcd, past every apiserver. It reads whole pods only to learn
// their UIDs; otherwise keys are enough, which cost a small part of a list. Any goroutine may call it.
type PodReader struct {
	cluster *Cluster

	mu   sync.Mutex
	uids map[birth]string
}

// birth is a key, and the version at which it was created. It has one UID.
type birth struct {
	key     string
	version int64
}

// PodVersion is a pod at a version. Version is the version of its last write.
type PodVersion struct {
	Namespace, Name, UID string
	Version              int64
}

// NewPodReader returns a reader of the cluster's pods.
func (c *Cluster) NewPodReader() *PodReader {
	return &PodReader{cluster: c, uids: make(map[birth]string)}
}

// Forget forgets all UIDs. It has to be called after Restore, since versions are given out a second time.
func (r *PodReader) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.uids)
}

// At returns the pods at a version, in the order of their keys, which is also that of an apiserver's list.
func (r *PodReader) At(ctx context.Context, version int64) ([]PodVersion, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pods, err := r.at(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("read the pods at version %d from etcd: %w", version, err)
	}
	return pods, nil
}

func (r *PodReader) at(ctx context.Context, version int64) ([]PodVersion, error) {
	if version < 1 { // etcd would take it for the newest
		return nil, errors.New("there is no such version")
	}
	etcd, err := r.cluster.needEtcd()
	if err != nil {
		return nil, err
	}
	keys, err := etcd.Get(ctx, podsPrefix, clientv3.WithPrefix(), clientv3.WithRev(version), clientv3.WithKeysOnly())
	if err != nil {
		return nil, err
	}
	var unknown []string
	for _, kv := range keys.Kvs {
		if r.uids[birth{string(kv.Key), kv.CreateRevision}] == "" {
			unknown = append(unknown, string(kv.Key))
		}
	}
	if err := r.learn(ctx, etcd, unknown, version); err != nil {
		return nil, err
	}
	pods := make([]PodVersion, 0, len(keys.Kvs))
	for _, kv := range keys.Kvs {
		namespace, name, _ := strings.Cut(strings.TrimPrefix(string(kv.Key), podsPrefix), "/")
		pods = append(pods, PodVersion{namespace, name, r.uids[birth{string(kv.Key), kv.CreateRevision}], kv.ModRevision})
	}
	return pods, nil
}

// readsAtOnce is how many keys are read in one transaction. etcd allows 128.
const readsAtOnce = 100

// learn reads the UIDs of some keys at a version.
func (r *PodReader) learn(ctx context.Context, etcd *clientv3.Client, keys []string, version int64) error {
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
				r.uids[birth{string(kv.Key), kv.CreateRevision}] = string(pod.UID)
			}
		}
		keys = keys[n:]
	}
	return nil
}
