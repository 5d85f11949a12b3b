package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
)

const (
	// logsPace is how many bytes a second the log grows by, and logsFor how long.
	logsPace = 10_000_000
	logsFor  = time.Minute
	// logsBehind is how long it may take until the last line is counted.
	logsBehind = time.Minute
	// gushing is the pod that writes them.
	gushing = "gushing"
)

// gush is what was measured of a log that is followed while it grows fast.
type gush struct {
	lines   int
	lasted  time.Duration
	behind  float64 // ms from the last line written to all of them counted
	held    float64 // bytes of heap, of worker and page, more than before
	most    float64 // the same at most while it grew, garbage included
	dropped float64
	tasks   sample // of the page, over 50 ms
}

// logs has a pod behind the real apiserver write fast, and follows its log. That a line
// is missing is an error, and no figure.
func (b *bench) logs(ctx context.Context, r *report) (err error) {
	r.gush.lasted = logsFor
	if b.quick {
		r.gush.lasted = 3 * time.Second
	}
	log := cluster.NewGush(logsPace, r.gush.lasted)
	kubelet, err := b.cluster.StartKubelet(ctx, "logs-node", func(_, pod, _ string, previous bool) cluster.Log {
		if pod != gushing || previous {
			return nil
		}
		return log
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kubelet.Stop()) }()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: gushing, Namespace: "default"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "gush"}}}}
	if _, err := kubelet.Run(ctx, pod); err != nil {
		return err
	}
	return inTab(ctx, func(tab *browser.Tab) error {
		if err := tab.Open(b.proxy.At("/pods?n=default&sel=default/" + gushing + "&tab=logs")); err != nil {
			return err
		}
		if err := tab.AwaitState("live", logsBehind); err != nil {
			return err
		}
		if err := tab.Await(`document.querySelector(".logs .stands[data-tone=ok]")`, logsBehind); err != nil {
			return err
		}
		return b.followed(ctx, &r.gush, log, tab)
	})
}

// What is read of the page: the heap of both its programs, and how many lines it says
// that there are, and were.
const (
	logsHeap  = `watchglass.inspect({gc: %t}).then(i => i.memory.worker + i.memory.page)`
	logsLines = `((s) => ({held: +(/([0-9,]+) lines/.exec(s)?.[1] ?? "0").replaceAll(",", ""), dropped: +(/([0-9,]+) older lines/.exec(s)?.[1] ?? "0").replaceAll(",", "")}))(document.querySelector(".logs .status").innerText.replace(/[0-9,]+ older lines/, (m) => "| " + m))`
	logsTasks = `watchglass.inspect().then(i => i.longTasks.filter(t => t.start > %f).map(t => t.duration))`
)

// counted is what the page says of the lines.
type counted struct{ Held, Dropped float64 }

// followed follows the log from its first line to its last.
func (b *bench) followed(ctx context.Context, g *gush, log *cluster.Gush, tab *browser.Tab) error {
	if err := sleep(ctx, settle); err != nil {
		return err
	}
	before, err := browser.Eval[float64](tab, fmt.Sprintf(logsHeap, true))
	if err != nil {
		return err
	}
	began, err := browser.Eval[float64](tab, "performance.now()")
	if err != nil {
		return err
	}
	log.Begin()
	end := time.Now().Add(g.lasted)
	var c counted
	for {
		heap, err := browser.Eval[float64](tab, fmt.Sprintf(logsHeap, false))
		if err != nil {
			return err
		}
		g.most = max(g.most, heap-before)
		if c, err = browser.Eval[counted](tab, logsLines); err != nil {
			return err
		}
		if n := int(c.Held + c.Dropped); n == log.Lines() {
			break
		} else if time.Now().After(end.Add(logsBehind)) {
			return fmt.Errorf("%d lines were written, and the page counts %.0f held and %.0f dropped", log.Lines(), c.Held, c.Dropped)
		}
		if err := sleep(ctx, time.Second/4); err != nil {
			return err
		}
	}
	g.behind, g.lines, g.dropped = float64(time.Since(end).Milliseconds()), log.Lines(), c.Dropped
	if g.tasks, err = browser.Eval[sample](tab, fmt.Sprintf(logsTasks, began)); err != nil {
		return err
	}
	after, err := browser.Eval[float64](tab, fmt.Sprintf(logsHeap, true))
	g.held = after - before
	b.logf("logs: %d lines, of which %.0f were dropped, %.0f ms behind, %d long tasks, %.1f MB held", g.lines, g.dropped, g.behind, len(g.tasks), g.held/1e6)
	return err
}
