package timeline

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"watchglass/internal/history/historytest"
)

// TestBeforeTheRecord checks that a range before history begins is a gap.
func TestBeforeTheRecord(t *testing.T) {
	record := historytest.New(begin)
	n := record.Open(podStream)
	record.Put(n, begin.Add(time.Second), "shop/web-1", "u-1", packed(t, pod("web-1")))
	line, _ := all(t, record)
	from := begin.Add(-time.Hour) // tfrom of an address; the tab has been loaded again at noon
	d := line.Draw(Question{From: from, To: begin.Add(-time.Minute), Bars: 100})
	for d.Count(time.Second) {
	}
	p := d.Picture()
	covered := int64(0)
	for _, g := range p.Gaps {
		covered += g.To - g.From
	}
	if covered < p.To-p.From-p.Step {
		t.Errorf("gaps %v of %d–%d: the hour before the record began counts as watched", p.Gaps, p.From, p.To)
	}
}

// TestRollbackOfRestart checks that a rollback that takes a restart back is no request for one.
func TestRollbackOfRestart(t *testing.T) {
	note := "kubectl.kubernetes.io/restartedAt"
	start := func() *appsv1.Deployment {
		d := deployment()
		d.Spec.Template.Annotations = map[string]string{note: "2026-11-24T10:00:00Z"}
		return d
	}
	for name, alter := range map[string]func(*appsv1.Deployment){
		"removed": func(d *appsv1.Deployment) { d.Spec.Template.Annotations = nil },
		"earlier": func(d *appsv1.Deployment) { d.Spec.Template.Annotations[note] = "2026-11-24T09:00:00Z" },
	} {
		before, after := start(), start()
		after.ResourceVersion = "2"
		alter(after)
		record := historytest.New(begin)
		n := record.Open(deployments)
		record.Put(n, begin.Add(time.Second), "shop/web", "u-1", packed(t, before))
		record.Put(n, begin.Add(time.Minute), "shop/web", "u-1", packed(t, after))
		_, entries := all(t, record)
		if e := entries[1]; e.Words == "restart requested" {
			t.Errorf("%s: %q", name, e.Words)
		}
	}
}

// TestMarkTime checks that the time of a mark is that of what its words say.
func TestMarkTime(t *testing.T) {
	record := historytest.New(begin)
	n := record.Open(podStream)
	put := func(after time.Duration, p *corev1.Pod) {
		record.Put(n, begin.Add(after), "shop/web-1", "u-1", packed(t, p))
	}
	p := pod("web-1")
	put(0, p)
	p.ResourceVersion, p.Labels = "2", map[string]string{"pod-template-hash": "5d9c", "v": "2"}
	put(10*time.Minute+2*time.Second, p)
	p.ResourceVersion = "3"
	p.Status.ContainerStatuses[0].RestartCount = 1
	p.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137}
	oom := 10*time.Minute + 58*time.Second
	put(oom, p)
	put(time.Hour, pod("web-1"))
	line, _ := all(t, record)
	d := line.Draw(Question{Lanes: "owner", Bars: 60, Most: 5})
	for d.Count(time.Second) {
	}
	for _, m := range d.Picture().Lanes[0].Marks {
		if m.Class == Restarted && m.Time() != begin.Add(oom).UnixMilli() {
			t.Errorf("%v %q, which was at %v", time.UnixMilli(m.Time()).UTC(), m.Text, begin.Add(oom))
		}
	}
}

// TestEmptied checks that a field that is empty is not called removed.
func TestEmptied(t *testing.T) {
	before, after := deployment(), deployment()
	before.Annotations = map[string]string{"team": "shop"}
	after.Annotations = map[string]string{"team": ""}
	after.ResourceVersion = "2"
	record := historytest.New(begin)
	n := record.Open(deployments)
	record.Put(n, begin.Add(time.Second), "shop/web", "u-1", packed(t, before))
	record.Put(n, begin.Add(time.Minute), "shop/web", "u-1", packed(t, after))
	_, entries := all(t, record)
	if e := entries[1]; e.Words == "annotation team removed, was shop" {
		t.Errorf("%q", e.Words)
	}
}

// TestOtherNamespace checks that a namespace that was not watched is a gap.
func TestOtherNamespace(t *testing.T) {
	record := historytest.New(begin)
	s := podStream
	s.Namespace = "shop"
	n := record.Open(s)
	record.Put(n, begin.Add(time.Second), "shop/web-1", "u-1", packed(t, pod("web-1")))
	record.Put(n, begin.Add(time.Hour), "shop/web-1", "u-1", nil)
	line, _ := all(t, record)
	d := line.Draw(Question{Bars: 100, Kinds: []string{"pods"}, Namespaces: []string{"bank"}, Match: func(o *Object) bool { return o.Namespace == "bank" }})
	for d.Count(time.Second) {
	}
	if p := d.Picture(); len(p.Gaps) == 0 {
		t.Error("no gap for a namespace that was not watched")
	}
}
