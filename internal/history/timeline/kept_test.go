package timeline

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/history/historytest"
)

// TestNewestKept checks that a busy kind does not push out the newest entries of another, and that what is dropped is a gap.
func TestNewestKept(t *testing.T) {
	record := historytest.New(begin)
	pods, leases := record.Open(podStream), record.Open(leaseStream)
	of := 3*chunkSize + 10
	end := begin.Add(time.Duration(of) * time.Second)
	record.Put(pods, begin, "shop/web-1", "u-1", packed(t, pod("web-1")))
	p := pod("web-1")
	p.ResourceVersion = "2"
	p.Status.ContainerStatuses[0].RestartCount = 1
	record.Put(pods, end, "shop/web-1", "u-1", packed(t, p))
	for i := range of {
		at := metav1.NewMicroTime(begin.Add(time.Duration(i) * time.Second))
		l := &coordinationv1.Lease{ObjectMeta: meta("n1")}
		l.Spec.RenewTime = &at
		record.Put(leases, at.Time, "shop/n1", "u-1", packed(t, l))
	}
	line := New(record, find)
	line.most = 1 // instead of 512
	for line.Read(time.Second) {
	}
	d := line.Draw(Question{Bars: 100, Kinds: []string{"pods"}, Match: func(o *Object) bool { return o.Kind == "Pod" }})
	for d.Count(time.Second) {
	}
	if p := d.Picture(); p.Total == 0 && len(p.Gaps) == 0 {
		t.Error("a pod restarted a moment ago, and the timeline of pods has no entry and no gap")
	}
}
