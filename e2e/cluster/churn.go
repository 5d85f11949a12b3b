package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	churnWorkers = 16

	// churnTick paces the writes: what is due is handed out this often, so that
	// at 100 writes/s and below each one comes at its own time.
	churnTick = 2 * time.Millisecond

	// maxBacklog is how many seconds of writes may be made up for after the
	// apiserver was slow or away. More would be a burst that no test asked for.
	maxBacklog = 1
)

// Verb is a kind of write.
type Verb string

// The writes of a Churn. Each makes exactly one event; only VerbDelete through the
// API makes two, of which the first says that the pod is terminating.
const (
	VerbStatus Verb = "status" // a crash with one more restart, or a recovery: the printed cells change
	VerbLabel  Verb = "label"  // the label "wave" gets another value
	VerbCreate Verb = "create" // a new pod beside an existing one, with the same owner
	VerbDelete Verb = "delete" // at once, without a grace period
)

// Mix is how often each kind of write is made, relative to the others.
type Mix struct{ Status, Label, Create, Delete int }

// ChurnOptions says how a Churn writes.
type ChurnOptions struct {
	PerSecond float64 // default: 100
	Mix       Mix     // default: 80, 10, 5, 5
	Seed      uint64  // the same Seed on the same pods makes the same choices while no write fails
	Namespace string  // only pods of this namespace; default: of all
	Pods      int     // only that many of them, picked by Seed; default: all. Each one written to takes 20 KB here

	// Direct writes into etcd itself. Watchers see the same events; the apiserver,
	// which needs 3 ms of CPU for a write of its own, has hardly more to do than to
	// pass them on. For paces of more than some 100 writes/s on two cores.
	Direct bool

	// Wrote, when set, is called after each write that the apiserver took, by many
	// goroutines at once.
	Wrote func(Write)
}

// Write is one write that the apiserver took.
type Write struct {
	Verb            Verb
	Namespace, Name string
	ResourceVersion string    // of the pod after it; empty for VerbDelete
	Sent, Answered  time.Time // by this process's clock
}

// Counts are the writes of a Churn so far: those the apiserver took, those it did
// not, those to pods that somebody else had deleted, and those that were dropped since
// it was too slow for the pace.
type Counts struct {
	Status, Label, Create, Delete int64
	Failed, Gone, Dropped         int64
}

// Churn writes to pods at a steady pace.
type Churn struct {
	options ChurnOptions
	store   podStore
	rng     *rand.Rand // the dispatcher's
	live    []*churnPod
	names   map[string]bool // ever used, with the namespace: an earlier churn may have had the same seed
	workers [churnWorkers]chan churnJob
	wg      sync.WaitGroup

	mu      sync.Mutex // guards what follows
	counts  Counts
	failure error // the first one
}

// churnPod is one pod that is written to, by one worker alone.
type churnPod struct {
	namespace, name string
	worker          int
	pod             *corev1.Pod // as the apiserver last answered; nil when not known
	gone            atomic.Bool // it could not be created, or somebody else deleted it
}

// churnJob is one write that is due.
type churnJob struct {
	verb  Verb
	pod   *churnPod
	model *churnPod // what a created pod is like
}

// Churn starts writing to the pods the cluster has, until ctx ends. Failed writes
// are counted and do not end it, so the apiserver may be killed meanwhile.
func (c *Cluster) Churn(ctx context.Context, o ChurnOptions) (*Churn, error) {
	if o.PerSecond == 0 {
		o.PerSecond = 100
	}
	if o.Mix == (Mix{}) {
		o.Mix = Mix{Status: 80, Label: 10, Create: 5, Delete: 5}
	}
	store, err := c.podStore(o)
	if err != nil {
		return nil, fmt.Errorf("start a churn: %w", err)
	}
	ch := &Churn{options: o, store: store, rng: rand.New(rand.NewPCG(o.Seed, 1)), names: map[string]bool{}}
	if err := ch.choosePods(ctx, c); err != nil {
		return nil, fmt.Errorf("start a churn: %w", err)
	}
	for i := range ch.workers {
		ch.workers[i] = make(chan churnJob, 8)
		ch.wg.Go(func() { ch.work(ctx, ch.workers[i]) })
	}
	ch.wg.Go(func() { ch.dispatch(ctx) })
	return ch, nil
}

// choosePods reads the names alone, which etcd can tell much faster than the
// apiserver.
func (ch *Churn) choosePods(ctx context.Context, c *Cluster) error {
	etcd, err := c.needEtcd()
	if err != nil {
		return err
	}
	prefix := podsPrefix
	if ch.options.Namespace != "" {
		prefix += ch.options.Namespace + "/"
	}
	resp, err := etcd.Get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return fmt.Errorf("list the pods: %w", err)
	}
	for _, kv := range resp.Kvs {
		namespace, name, ok := strings.Cut(strings.TrimPrefix(string(kv.Key), podsPrefix), "/")
		if ok {
			ch.live = append(ch.live, &churnPod{namespace: namespace, name: name})
			ch.names[namespace+"/"+name] = true
		}
	}
	if len(ch.live) == 0 {
		return errors.New("there are no pods")
	}
	ch.rng.Shuffle(len(ch.live), func(i, j int) { ch.live[i], ch.live[j] = ch.live[j], ch.live[i] })
	if n := ch.options.Pods; n > 0 && n < len(ch.live) {
		ch.live = ch.live[:n]
	}
	for i, p := range ch.live {
		p.worker = i % churnWorkers
	}
	return nil
}

// Counts is what was written so far.
func (ch *Churn) Counts() Counts {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.counts
}

// Wait returns when the last write is done, after the end of the context, with the
// first error of a write.
func (ch *Churn) Wait() error {
	ch.wg.Wait()
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return ch.failure
}

// dispatch hands out the writes as they become due. It alone chooses, so that the
// choices depend on nothing but the seed.
func (ch *Churn) dispatch(ctx context.Context) {
	defer func() {
		for _, w := range ch.workers {
			close(w)
		}
	}()
	ticker := time.NewTicker(churnTick)
	defer ticker.Stop()
	start, given := time.Now(), 0.0
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		due := time.Since(start).Seconds() * ch.options.PerSecond
		if late := due - given - maxBacklog*ch.options.PerSecond; late >= 1 {
			ch.drop(int64(late))
			given += float64(int64(late))
		}
		for ; given+1 <= due; given++ {
			job := ch.choose()
			select {
			case ch.workers[job.pod.worker] <- job:
			case <-ctx.Done():
				return
			}
		}
	}
}

func (ch *Churn) drop(n int64) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.counts.Dropped += n
}

// choose picks the next write and keeps the list of living pods.
func (ch *Churn) choose() churnJob {
	verb := ch.options.Mix.pick(ch.rng)
	i := ch.rng.IntN(len(ch.live))
	for ch.live[i].gone.Load() && len(ch.live) > 1 {
		ch.remove(i)
		i = ch.rng.IntN(len(ch.live))
	}
	pod := ch.live[i]
	switch {
	case verb == VerbCreate:
		created := &churnPod{
			namespace: pod.namespace,
			name:      ch.newName(pod),
			worker:    pod.worker, // which knows the model
		}
		ch.live = append(ch.live, created)
		return churnJob{verb: VerbCreate, pod: created, model: pod}
	case verb == VerbDelete && len(ch.live) > 1:
		ch.remove(i)
		return churnJob{verb: VerbDelete, pod: pod}
	case verb == VerbDelete: // never the last one
		verb = VerbStatus
	}
	return churnJob{verb: verb, pod: pod}
}

// newName is a name beside model that no pod ever had.
func (ch *Churn) newName(model *churnPod) string {
	for {
		name := model.name[:strings.LastIndex(model.name, "-")+1] + letters(ch.rng.Uint64(), 5)
		if key := model.namespace + "/" + name; !ch.names[key] {
			ch.names[key] = true
			return name
		}
	}
}

func (ch *Churn) remove(i int) {
	last := len(ch.live) - 1
	ch.live[i], ch.live = ch.live[last], ch.live[:last]
}

func (m Mix) pick(rng *rand.Rand) Verb {
	n := rng.IntN(m.Status + m.Label + m.Create + m.Delete)
	switch {
	case n < m.Status:
		return VerbStatus
	case n < m.Status+m.Label:
		return VerbLabel
	case n < m.Status+m.Label+m.Create:
		return VerbCreate
	}
	return VerbDelete
}

func (ch *Churn) record(w Write, err error) {
	if err == nil && ch.options.Wrote != nil {
		ch.options.Wrote(w)
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	switch {
	case apierrors.IsNotFound(err):
		ch.counts.Gone++
	case err != nil:
		ch.counts.Failed++
		if ch.failure == nil {
			ch.failure = fmt.Errorf("%s pod %s/%s: %w", w.Verb, w.Namespace, w.Name, err)
		}
	case w.Verb == VerbStatus:
		ch.counts.Status++
	case w.Verb == VerbLabel:
		ch.counts.Label++
	case w.Verb == VerbCreate:
		ch.counts.Create++
	case w.Verb == VerbDelete:
		ch.counts.Delete++
	}
}
