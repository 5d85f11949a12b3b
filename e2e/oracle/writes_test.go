package oracle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"watchglass/e2e/cluster"
)

// writes are those of the whole run.
type writes struct {
	pods   *cluster.Churn // nil while there is none
	stop   context.CancelFunc
	before cluster.Counts // of churns that have ended
	seed   uint64
	gauges atomic.Int64
}

// startWriting writes to pods, into etcd itself, so that it goes on while there is no
// apiserver.
func (r *run) startWriting() {
	r.Helper()
	ctx, stop := context.WithCancel(r.ctx)
	r.writes.seed++
	churn, err := r.cluster.Churn(ctx, cluster.ChurnOptions{PerSecond: perSecond, Seed: r.writes.seed, Direct: true})
	r.must(err)
	r.writes.pods, r.writes.stop = churn, stop
}

// stopWriting returns when the last write to a pod is done. Those that failed while
// etcd was away are no error.
func (r *run) stopWriting() {
	r.writes.stop()
	_ = r.writes.pods.Wait()
	c, b := r.writes.pods.Counts(), &r.writes.before
	b.Status, b.Label, b.Create, b.Delete = b.Status+c.Status, b.Label+c.Label, b.Create+c.Create, b.Delete+c.Delete
	r.writes.pods = nil
}

// count is how many writes were taken.
func (w *writes) count() int64 {
	c := w.before
	if w.pods != nil {
		now := w.pods.Counts()
		c.Status, c.Label, c.Create, c.Delete = c.Status+now.Status, c.Label+now.Label, c.Create+now.Create, c.Delete+now.Delete
	}
	return c.Status + c.Label + c.Create + c.Delete + w.gauges.Load()
}

const (
	gaugesThere = 20
	gaugesEvery = 100 * time.Millisecond
)

// writeGauges makes, changes and deletes gauges until the context ends. There need
// not be a server, or such a kind, all the time.
func (r *run) writeGauges(ctx context.Context, running *sync.WaitGroup) {
	client, err := dynamic.NewForConfig(r.cluster.Config())
	r.must(err)
	all := client.Resource(gaugesResource).Namespace("default")
	random := rand.New(rand.NewPCG(1, 1))
	running.Go(func() {
		ticker := time.NewTicker(gaugesEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if writeGauge(ctx, all, fmt.Sprint("gauge-", random.IntN(gaugesThere)), random.IntN(8)) == nil {
				r.writes.gauges.Add(1)
			}
		}
	})
}

// writeGauge changes a gauge, or makes it if there is none; now and then it is
// deleted.
func writeGauge(ctx context.Context, all dynamic.ResourceInterface, name string, draw int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if draw == 0 {
		return all.Delete(ctx, name, metav1.DeleteOptions{})
	}
	patch := fmt.Sprintf(`{"spec":{"reading":"%d"}}`, time.Now().UnixNano())
	_, err := all.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err == nil {
		return nil
	}
	gauge := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"reading": "0"}}}
	gauge.SetAPIVersion(gaugesResource.GroupVersion().String())
	gauge.SetKind("Gauge")
	gauge.SetName(name)
	_, err = all.Create(ctx, gauge, metav1.CreateOptions{})
	return err
}
