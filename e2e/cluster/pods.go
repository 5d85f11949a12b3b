package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

const (
	// registry is where the apiserver keeps all objects in etcd.
	registry   = "/registry/"
	podsPrefix = registry + "pods/"

	// podWriters are enough at once to keep etcd busy.
	podWriters = 64
)

// storageForm is the encoding of the objects in etcd.
var storageForm = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)

// storagePrefix begins every object that is stored as protobuf.
var storagePrefix = []byte("k8s\x00")

// PodOptions says which pods SeedPods makes.
type PodOptions struct {
	Namespaces int       // default: 24. The first ones get most of the pods
	Nodes      int       // default: one for 50 pods, at least 3. Pods name them; Node objects are not made
	Seed       uint64    // the same Seed, Now and number make the same pods
	Now        time.Time // ages are counted from here; default: now
}

func (o PodOptions) withDefaults(n int) PodOptions {
	if o.Namespaces == 0 {
		o.Namespaces = 24
	}
	if o.Nodes == 0 {
		o.Nodes = max(3, n/50)
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	o.Now = o.Now.UTC()
	return o
}

// SeedPods fills the cluster with n realistic pods and the namespaces they are in,
// and returns when the apiserver shows them all. The pods are written into etcd
// themselves, in the apiserver's own encoding, which is many times faster than
// through the API. A second call with another Seed adds other pods.
func (c *Cluster) SeedPods(ctx context.Context, n int, o PodOptions) error {
	if err := c.seedPods(ctx, n, o.withDefaults(n)); err != nil {
		return fmt.Errorf("seed %d pods: %w", n, err)
	}
	return nil
}

func (c *Cluster) seedPods(ctx context.Context, n int, o PodOptions) error {
	if n < 1 {
		return nil
	}
	begin := time.Now()
	f, err := newFleet(n, o)
	if err != nil {
		return err
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	before, err := countPods(ctx, client)
	if err != nil {
		return err
	}
	if err := c.createNamespaces(ctx, client, f.namespaces); err != nil {
		return err
	}
	revision, err := c.writePods(ctx, f, n)
	if err != nil {
		return err
	}
	written := since(begin)
	if err := waitForPods(ctx, client, f.pod(n-1), revision, before+n); err != nil {
		return err
	}
	c.logf("%d pods in etcd after %s, in the apiserver after %s", n, written, since(begin))
	return nil
}

// client speaks protobuf, which costs both sides least.
func (c *Cluster) client() (*kubernetes.Clientset, error) {
	config := c.Config()
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.UserAgent = rest.DefaultKubernetesUserAgent()
	return kubernetes.NewForConfig(config)
}

// createNamespaces also looks at how the apiserver stores one of them: what is
// written into etcd behind its back must have the same form.
func (c *Cluster) createNamespaces(ctx context.Context, client *kubernetes.Clientset, names []string) error {
	for _, name := range names {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create namespace %s: %w", name, err)
		}
	}
	etcd, err := c.needEtcd()
	if err != nil {
		return err
	}
	resp, err := etcd.Get(ctx, registry+"namespaces/"+names[0])
	if err != nil {
		return fmt.Errorf("look at a stored object: %w", err)
	}
	if len(resp.Kvs) != 1 || !bytes.HasPrefix(resp.Kvs[0].Value, storagePrefix) {
		return errors.New("the apiserver does not store its objects as protobuf under " + registry)
	}
	return nil
}

// writePods returns the version after which all are written. It writes them one by
// one: pods of one transaction would share a version, and the apiserver takes each
// event for the last one of its version, so that a read would see half of them.
// Transactions were hardly faster.
func (c *Cluster) writePods(ctx context.Context, f *fleet, n int) (revision int64, err error) {
	etcd, err := c.needEtcd()
	if err != nil {
		return 0, err
	}
	var next, last atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range podWriters {
		group.Go(func() error {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				pod := f.pod(int(i))
				value, err := encodePod(pod)
				if err != nil {
					return err
				}
				resp, err := etcd.Put(ctx, podKey(pod.Namespace, pod.Name), value)
				if err != nil {
					return fmt.Errorf("write a pod into etcd: %w", err)
				}
				raise(&last, resp.Header.Revision)
			}
			return nil
		})
	}
	err = group.Wait()
	return last.Load(), err
}

// encodePod is the pod as the apiserver stores it: with its type, and without its
// version, which is etcd's.
func encodePod(pod *corev1.Pod) (string, error) {
	stored := *pod
	stored.APIVersion, stored.Kind, stored.ResourceVersion = "v1", "Pod", ""
	var value bytes.Buffer
	if err := storageForm.Encode(&stored, &value); err != nil {
		return "", fmt.Errorf("encode pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return value.String(), nil
}

func podKey(namespace, name string) string { return podsPrefix + namespace + "/" + name }

// raise sets n to v unless it is higher already.
func raise(n *atomic.Int64, v int64) {
	for {
		old := n.Load()
		if old >= v || n.CompareAndSwap(old, v) {
			return
		}
	}
}

// waitForPods returns when the apiserver's watch cache has seen revision, and
// checks that it has them all.
func waitForPods(ctx context.Context, client *kubernetes.Clientset, pod *corev1.Pod, revision int64, want int) error {
	err := waitFor(ctx, "the apiserver to see the pods", func(ctx context.Context) error {
		// Answered by the cache, which says "too large" while it is behind.
		options := metav1.GetOptions{ResourceVersion: formatRevision(revision)}
		_, err := client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, options)
		if err != nil && !apierrors.IsTimeout(err) && !apierrors.IsServerTimeout(err) {
			return fatal(err)
		}
		return err
	})
	if err != nil {
		return err
	}
	got, err := countPods(ctx, client)
	if err != nil {
		return err
	}
	if got < want {
		return fmt.Errorf("the apiserver has %d pods, not %d: were there pods of the same Seed?", got, want)
	}
	return nil
}

// countPods asks for one pod, with which the apiserver says how many remain.
func countPods(ctx context.Context, client *kubernetes.Clientset) (int, error) {
	list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return 0, fmt.Errorf("count the pods: %w", err)
	}
	n := len(list.Items)
	if list.RemainingItemCount != nil {
		n += int(*list.RemainingItemCount)
	}
	return n, nil
}
