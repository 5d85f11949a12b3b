package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// podStore is where a Churn writes to. write takes the pod as it is to be and
// returns it as it then is, nil when deleted.
type podStore interface {
	get(ctx context.Context, namespace, name string) (*corev1.Pod, error)
	write(ctx context.Context, verb Verb, pod *corev1.Pod) (*corev1.Pod, error)
}

var (
	_ podStore = apiStore{}
	_ podStore = (*etcdStore)(nil)
)

func (c *Cluster) podStore(o ChurnOptions) (podStore, error) {
	if o.Direct {
		return &etcdStore{c}, nil
	}
	client, err := c.client()
	return apiStore{client}, err
}

// apiStore writes as the controllers and kubelets of a cluster do, and by their
// names, so that managedFields stay as they are.
type apiStore struct{ client *kubernetes.Clientset }

func (s apiStore) get(ctx context.Context, namespace, name string) (*corev1.Pod, error) {
	return s.client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
}

func (s apiStore) write(ctx context.Context, verb Verb, pod *corev1.Pod) (*corev1.Pod, error) {
	pods := s.client.CoreV1().Pods(pod.Namespace)
	switch verb {
	case VerbStatus:
		return pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{FieldManager: statusManager})
	case VerbLabel:
		return pods.Update(ctx, pod, metav1.UpdateOptions{FieldManager: specManager})
	case VerbCreate:
		return pods.Create(ctx, pod, metav1.CreateOptions{FieldManager: specManager})
	case VerbDelete:
		return nil, pods.Delete(ctx, pod.Name, *metav1.NewDeleteOptions(0))
	}
	return nil, fmt.Errorf("%q is no write", verb)
}

// etcdStore writes past the apiserver, in its encoding and with its check that
// nobody else wrote meanwhile.
type etcdStore struct{ cluster *Cluster }

var podResource = corev1.Resource("pods")

func (s *etcdStore) get(ctx context.Context, namespace, name string) (*corev1.Pod, error) {
	etcd, err := s.cluster.needEtcd()
	if err != nil {
		return nil, err
	}
	resp, err := etcd.Get(ctx, podKey(namespace, name))
	if err != nil {
		return nil, err
	}
	if len(resp.Kvs) == 0 {
		return nil, apierrors.NewNotFound(podResource, name)
	}
	pod := &corev1.Pod{}
	if _, _, err := storageForm.Decode(resp.Kvs[0].Value, nil, pod); err != nil {
		return nil, fmt.Errorf("decode pod %s/%s: %w", namespace, name, err)
	}
	pod.ResourceVersion = formatRevision(resp.Kvs[0].ModRevision)
	return pod, nil
}

func (s *etcdStore) write(ctx context.Context, verb Verb, pod *corev1.Pod) (*corev1.Pod, error) {
	etcd, err := s.cluster.needEtcd()
	if err != nil {
		return nil, err
	}
	if verb == VerbCreate {
		if err := complete(pod); err != nil {
			return nil, err
		}
	}
	known, err := modRevision(pod)
	if err != nil {
		return nil, err
	}
	key := podKey(pod.Namespace, pod.Name)
	op := clientv3.OpDelete(key)
	if verb != VerbDelete {
		value, err := encodePod(pod)
		if err != nil {
			return nil, err
		}
		op = clientv3.OpPut(key, value)
	}
	resp, err := etcd.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(key), "=", known)).Then(op).Commit()
	if err != nil {
		return nil, err
	}
	if !resp.Succeeded {
		return nil, apierrors.NewConflict(podResource, pod.Name, errors.New("somebody else wrote to it"))
	}
	if verb == VerbDelete {
		return nil, nil
	}
	pod.ResourceVersion = formatRevision(resp.Header.Revision)
	return pod, nil
}

// complete adds what the apiserver adds to a new pod.
func complete(pod *corev1.Pod) error {
	fields, err := fieldsOf(pod)
	if err != nil {
		return err
	}
	pod.UID = uid(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())))
	pod.Generation = 1
	pod.CreationTimestamp = metav1.Now().Rfc3339Copy()
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: corev1.PodQOSGuaranteed}
	pod.ManagedFields = []metav1.ManagedFieldsEntry{managedEntry(specManager, "", pod.CreationTimestamp.Time, fields)}
	return nil
}

// modRevision is the version of etcd that the pod was read at, 0 for a new one.
func modRevision(pod *corev1.Pod) (int64, error) {
	if pod.ResourceVersion == "" {
		return 0, nil
	}
	return strconv.ParseInt(pod.ResourceVersion, 10, 64)
}
