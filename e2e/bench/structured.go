package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

// logsCommand makes this program measure only structured logs.
const logsCommand = "logs"

const (
	// growFor is how long the log grows at logsPace.
	growFor = 10 * time.Second
	// filtered is how much is filtered, and filteredWithin how long that may take, in milliseconds.
	filtered       = 10_000_000
	filteredWithin = 300
	// logsRounds is how often each filter is typed.
	logsRounds = 5
)

// logsFilters are typed one after the other, each with how much of the lines it leaves, and cleared.
var logsFilters = []struct {
	text string
	of   int // one of so many
}{{"ms>=900", 10}, {"level:error", 100}, {`"ms\":777"`, 1000}}

// logsCosts is what was measured of structured logs.
type logsCosts struct {
	gush    gush
	bare    gush // without the histogram
	filters map[string]sample
	cleared sample
	tasks   sample // processor time of each task of the page while the log grows
}

// measureLogs runs the command.
func measureLogs(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	b := &bench{log: stderr, begin: time.Now()}
	flags := flag.NewFlagSet("bench "+logsCommand, flag.ContinueOnError)
	flags.SetOutput(stderr)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if b.cluster, err = cluster.Start(ctx, cluster.Options{Log: b.log}); err != nil {
		return err
	}
	if b.client, err = kubernetes.NewForConfig(b.cluster.Config()); err != nil {
		return err
	}
	if b.kubeconfig, err = b.cluster.Kubeconfig(cluster.Admin(), cluster.KubeconfigOptions{}); err != nil {
		return err
	}
	if b.proxy, err = proxy.Start(ctx, proxy.Options{Kubeconfig: b.kubeconfig}); err != nil {
		return err
	}
	before, err := load()
	if err != nil {
		return err
	}
	c := logsCosts{gush: gush{lasted: growFor}, bare: gush{lasted: growFor}, filters: make(map[string]sample)}
	if err := b.structured(ctx, &c); err != nil {
		return err
	}
	after, err := load()
	if err != nil {
		return err
	}
	var ran report
	ran.Versions.add("machine", fmt.Sprintf("%d cores, load %s at the start, %s at the end", runtime.NumCPU(), before, after))
	fmt.Fprintf(stdout, "\nWatchglass bench logs: %d MB/s for %v, %d MB filtered, %s\n", logsPace/1_000_000, growFor, filtered/1_000_000, b.begin.UTC().Format("2006-01-02 15:04 MST"))
	return printReport(stdout, ran.Versions, c.sections(), "")
}

// structured has one pod write fast, follows its log, and filters that of another.
func (b *bench) structured(ctx context.Context, c *logsCosts) (err error) {
	logs := map[string]*cluster.Gush{"fast": cluster.NewGush(logsPace, growFor).Structured(), "bare": cluster.NewGush(logsPace, growFor).Structured(), "long": cluster.NewGush(filtered, time.Second).Structured()}
	kubelet, err := b.cluster.StartKubelet(ctx, "logs-node", func(_, pod, _ string, previous bool) cluster.Log {
		if log := logs[pod]; log != nil && !previous {
			return log
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kubelet.Stop()) }()
	for _, m := range []struct {
		pod, more string
		measure   func(*browser.Tab) error
	}{
		{"fast", "", func(tab *browser.Tab) (err error) {
			c.tasks, err = tab.Tasks(func() error { return b.followed(ctx, &c.gush, logs["fast"], tab) })
			return err
		}},
		{"bare", "&histogram=false", func(tab *browser.Tab) error { return b.followed(ctx, &c.bare, logs["bare"], tab) }},
		{"long", "", func(tab *browser.Tab) error { return b.narrowed(ctx, c, logs["long"], tab) }},
	} {
		pod := m.pod
		object := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: "default"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "gush"}}}}
		if _, err := kubelet.Run(ctx, object); err != nil {
			return err
		}
		if err := inTab(ctx, func(tab *browser.Tab) error {
			if err := tab.Open(b.proxy.At("/pods?n=default&sel=default/" + pod + "&tab=logs" + m.more)); err != nil {
				return err
			}
			if err := tab.Await(`document.querySelector(".logs .stands[data-tone=ok]")`, logsBehind); err != nil {
				return err
			}
			return m.measure(tab)
		}); err != nil {
			return fmt.Errorf("%s: %w", pod, err)
		}
	}
	return nil
}

// benchFilter types a filter and returns how long it took until so many rows were painted.
const benchFilter = `(async (text, rows) => {
	const field = document.querySelector("#logs-filter"), began = performance.now();
	field.value = text;
	field.dispatchEvent(new Event("input", {bubbles: true}));
	const height = () => parseFloat(document.querySelector("#text .lines").style.height);
	while (height() !== rows * 18) {
		if (performance.now() - began > 30000) throw new Error("of " + rows + " rows, there are " + height() / 18);
		await new Promise(next => setTimeout(next, 1));
	}
	return performance.now() - began;
})(%q, %d)`

// narrowed filters a log after it was read.
func (b *bench) narrowed(ctx context.Context, c *logsCosts, log *cluster.Gush, tab *browser.Tab) error {
	log.Begin()
	if err := tab.Await(fmt.Sprintf(`parseFloat(document.querySelector("#text .lines").style.height) === %d`, log.Lines()*18), logsBehind); err != nil {
		return err
	}
	for range logsRounds {
		for _, f := range logsFilters {
			if err := sleep(ctx, settle); err != nil {
				return err
			}
			took, err := browser.Eval[float64](tab, fmt.Sprintf(benchFilter, f.text, log.Lines()/f.of))
			if err != nil {
				return fmt.Errorf("%s: %w", f.text, err)
			}
			c.filters[f.text] = append(c.filters[f.text], took)
			if took, err = browser.Eval[float64](tab, fmt.Sprintf(benchFilter, "", log.Lines())); err != nil {
				return err
			}
			c.cleared = append(c.cleared, took)
		}
	}
	return nil
}

// sections returns the sections of the report.
func (c *logsCosts) sections() []section {
	fast, bare := &report{gush: c.gush}, &report{gush: c.bare}
	rows := []row{}
	for i, f := range logsFilters {
		line := row{Name: f.text + " typed → painted", Unit: millis, Values: c.filters[f.text]}
		if i == 0 {
			line.Budget = &budget{Most: filteredWithin}
		}
		rows = append(rows, line)
	}
	rows = append(rows, row{Name: "cleared → painted", Unit: millis, Values: c.cleared})
	most := []row{{Name: "page tasks, processor time of the longest", Unit: millis, Values: sample{c.tasks.quantile(1)}, Budget: &budget{Most: longFrame}}, {Name: "  of all", Unit: millis, Values: c.tasks, Of: quantile(0.99)}}
	return []section{{Name: "followed", Rows: append(fast.logLines(), most...)}, {Name: "followed without the histogram", Rows: bare.logLines()}, {Name: "filtered", Rows: rows}}
}
