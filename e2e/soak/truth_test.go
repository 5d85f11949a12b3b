package soak

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"watchglass/e2e/cluster"
)

var pods = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// askWithin bounds a question to an apiserver or to etcd.
const askWithin = 20 * time.Second

// truth is what there is, past all gates: etcd itself tells, and from time to time the apiservers have to list the
// same. Their lists cost so much that what is tested would wait for them.
type truth struct {
	pods    *cluster.PodReader
	clients []metadata.Interface // of the apiservers, in the order in which they are asked

	first atomic.Int64 // of clients, the one that is asked first
	took  atomic.Int64 // the last list, in nanoseconds

	mu    sync.Mutex
	known map[string]listed // by version
	order []string          // of known, oldest first
}

// listed is what there is at a version: the objects, as a page has them, and their digest.
type listed struct {
	lines  []string
	digest string
}

// newTruth returns a truth that asks etcd, and some apiservers by their addresses.
func newTruth(c *cluster.Cluster, addresses ...string) (*truth, error) {
	config := c.Config()
	q := &truth{pods: c.NewPodReader(), known: make(map[string]listed)}
	for _, a := range addresses {
		one := rest.CopyConfig(config)
		one.Host = "https://" + a
		one.Wrap(func(next http.RoundTripper) http.RoundTripper { return atOnce{next} })
		client, err := metadata.NewForConfig(one)
		if err != nil {
			return nil, err
		}
		q.clients = append(q.clients, client)
	}
	return q, nil
}

// atOnce takes away what makes client-go ask ten times for a version that a server which went back does
// not have.
type atOnce struct{ next http.RoundTripper }

func (a atOnce) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := a.next.RoundTrip(r)
	if err == nil && answer.StatusCode >= http.StatusInternalServerError {
		answer.Header.Del("Retry-After")
	}
	return answer, err
}

// ask asks each apiserver until one answers, and returns how long that one took.
func (q *truth) ask(ctx context.Context, o metav1.ListOptions) (list *metav1.PartialObjectMetadataList, took time.Duration, err error) {
	for i := range q.clients {
		client := q.clients[(int(q.first.Load())+i)%len(q.clients)]
		asking, cancel := context.WithTimeout(ctx, askWithin)
		begin := time.Now()
		one, failed := client.Resource(pods).List(asking, o)
		cancel()
		if failed == nil {
			return one, time.Since(begin), nil
		}
		err = errors.Join(err, failed)
	}
	return nil, 0, err
}

// prefer says which apiserver is asked first.
func (q *truth) prefer(i int64) { q.first.Store(i) }

// newest returns the version that the apiserver is at.
func (q *truth) newest(ctx context.Context) (int64, error) {
	list, _, err := q.ask(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return 0, err
	}
	return number(list.ResourceVersion), nil
}

// keep is how many versions are known at a time: tabs of one worker have the same versions.
const keep = 8

// at returns what there is at a version.
func (q *truth) at(ctx context.Context, version string) (listed, error) {
	q.mu.Lock()
	defer q.mu.Unlock() // tabs with the same version read it once
	if l, ok := q.known[version]; ok {
		return l, nil
	}
	asking, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	pods, err := q.pods.At(asking, number(version))
	if err != nil {
		return listed{}, err
	}
	lines := make([]string, 0, len(pods))
	for _, p := range pods {
		lines = append(lines, line(p.Namespace, p.Name, p.UID, strconv.FormatInt(p.Version, 10)))
	}
	l := newListed(lines)
	if q.known[version], q.order = l, append(q.order, version); len(q.order) > keep {
		delete(q.known, q.order[0])
		q.order = q.order[1:]
	}
	return l, nil
}

// list returns what an apiserver lists at a version, and notes how long that takes.
func (q *truth) list(ctx context.Context, version string) (listed, error) {
	list, took, err := q.ask(ctx, metav1.ListOptions{ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	if err != nil {
		return listed{}, err
	}
	q.took.Store(int64(took))
	lines := make([]string, 0, len(list.Items))
	for _, o := range list.Items {
		lines = append(lines, line(o.Namespace, o.Name, string(o.UID), o.ResourceVersion))
	}
	return newListed(lines), nil
}

// line is an object as a page has it.
func line(namespace, name, uid, version string) string {
	return namespace + "/" + name + " " + uid + " " + version
}

func newListed(lines []string) listed {
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return listed{lines, hex.EncodeToString(sum[:])}
}

// forget forgets all versions: they are given out a second time.
func (q *truth) forget() {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.known)
	q.order = nil
	q.pods.Forget()
}

// lastTook returns how long the last list took.
func (q *truth) lastTook() time.Duration { return time.Duration(q.took.Load()) }

// difference says how the lines of a tab, or of a list, differ from what they should be: which objects are lost, ghosts
// or stale.
func difference(have, want []string) string {
	split := func(lines []string) map[string]string {
		all := make(map[string]string, len(lines))
		for _, l := range lines {
			key, stamp, _ := strings.Cut(l, " ")
			all[key] = stamp
		}
		return all
	}
	var lost, ghosts, stale []string
	h, w := split(have), split(want)
	for key, stamp := range w {
		if was, ok := h[key]; !ok {
			lost = append(lost, key)
		} else if was != stamp {
			stale = append(stale, fmt.Sprintf("%s is %s instead of %s", key, was, stamp))
		}
	}
	for key := range h {
		if _, ok := w[key]; !ok {
			ghosts = append(ghosts, key)
		}
	}
	if len(lost)+len(ghosts)+len(stale) == 0 {
		return ""
	}
	var first string
	for _, all := range [][]string{ghosts, lost, stale} {
		if slices.Sort(all); len(all) > 0 {
			first = all[0]
		}
	}
	return fmt.Sprintf("%d lost, %d ghosts, %d stale of %d, such as %s", len(lost), len(ghosts), len(stale), len(want), first)
}

// number is a version as a number.
func number(version string) int64 {
	n, _ := strconv.ParseInt(version, 10, 64)
	return n
}

// ledger knows when each version was written.
type ledger struct {
	mu  sync.Mutex
	all []entry // by version
}

type entry struct {
	version int64
	at      time.Time
}

// ledgerHolds is longer than any outage here.
const ledgerHolds = 10 * time.Minute

// add notes a write.
func (l *ledger) add(version int64, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, _ := slices.BinarySearchFunc(l.all, version, func(e entry, v int64) int { return int(e.version - v) })
	l.all = slices.Insert(l.all, i, entry{version, at})
	if len(l.all)%1000 == 0 {
		old := 0
		for old < len(l.all) && at.Sub(l.all[old].at) > ledgerHolds {
			old++
		}
		l.all = slices.Delete(l.all, 0, old)
	}
}

// clear forgets everything: versions are given out a second time.
func (l *ledger) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = nil
}

// after returns when the first version after another was written.
func (l *ledger) after(version int64) (at time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, _ := slices.BinarySearchFunc(l.all, version+1, func(e entry, v int64) int { return int(e.version - v) })
	if i == len(l.all) {
		return time.Time{}, false
	}
	return l.all[i].at, true
}
