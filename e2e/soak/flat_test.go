package soak

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"watchglass/e2e/browser"
)

// sample is what is in use at a moment when every tab is right.
type sample struct {
	at     time.Duration
	values map[string]float64
}

// The two spans of a run that are compared, and by how much the later may be higher.
const (
	firstFrom, firstTo = 15 * time.Minute, 45 * time.Minute
	lastTo             = 75 * time.Minute
	mayGrow            = 1.02
)

// grain is how much a count may differ for no reason: a request that happens to be open.
var grain = map[string]float64{
	"goroutines of the proxies": 4, "goroutines of the workers": 8, "goroutines of the pages": 8,
	"sockets": 2, "timers of the pages": 6, "timers of the worker": 3,
}

// fills begins the names of values that grow up to a limit of their own: a history takes an hour or two to fill.
const fills = "history of"

// flat returns which values are higher in the last span than in the first by more than they may be.
func flat(all []sample) (grew []string) {
	first, last := make(map[string]float64), make(map[string]float64)
	for _, one := range all {
		span := first
		switch {
		case one.at < firstFrom || one.at > lastTo+5*time.Minute:
			continue
		case one.at >= firstTo:
			span = last
		}
		for name, v := range one.values {
			span[name] = max(span[name], v)
		}
	}
	if len(first) == 0 || len(last) == 0 {
		return []string{"there are no samples of both spans"}
	}
	for _, name := range slices.Sorted(maps.Keys(all[0].values)) {
		if strings.HasPrefix(name, fills) {
			continue
		}
		_, before := first[name]
		if _, after := last[name]; !before || !after {
			grew = append(grew, name+" was not measured in both spans")
			continue
		}
		if most := first[name]*mayGrow + grain[name]; last[name] > most {
			grew = append(grew, fmt.Sprintf("%s grew: %.0f at most in minutes 15 to 45, and %.0f in 45 to 75", name, first[name], last[name]))
		}
	}
	return grew
}

// series returns the samples in a few lines: of each value its first, least, most and last.
func series(all []sample) string {
	var text strings.Builder
	if len(all) == 0 {
		return "no samples"
	}
	for _, name := range slices.Sorted(maps.Keys(all[len(all)-1].values)) {
		least, most := all[0].values[name], all[0].values[name]
		for _, one := range all {
			if v, ok := one.values[name]; ok {
				least, most = min(least, v), max(most, v)
			}
		}
		fmt.Fprintf(&text, "%-28s first %.0f, least %.0f, most %.0f, last %.0f\n", name, all[0].values[name], least, most, all[len(all)-1].values[name])
	}
	return text.String()
}

// measure takes a sample, after garbage was collected.
func (s *soak) measure() {
	s.Helper()
	v := make(map[string]float64)
	for name, b := range map[string]*tab{"shared": s.shared[0], "other": s.alone} {
		held, err := browser.Eval[struct{ Heap, History, Limit, Goroutines float64 }](b.page, `watchglass.inspect({gc: true}).then(i => ({
			Heap: i.memory.worker - i.history.bytes, History: i.history.bytes, Limit: i.history.limit, Goroutines: i.goroutines.worker}))`)
		s.must(err)
		if held.History > held.Limit {
			s.Errorf("the history of the %s worker has %.0f bytes, and not %.0f at most", name, held.History, held.Limit)
		}
		v["heap of the "+name+" worker"], v["history of the "+name+" worker"] = held.Heap, held.History
		v["goroutines of the workers"] += held.Goroutines
	}
	for _, b := range s.tabs {
		uses, err := browser.Eval[struct{ Heap, Goroutines, Timers float64 }](b.page, `watchglass.inspect({gc: true}).then(i => ({
			Heap: i.memory.page, Goroutines: i.goroutines.page, Timers: timersDue()}))`)
		s.must(err)
		v["heap of the pages"] += uses.Heap
		v["goroutines of the pages"] += uses.Goroutines
		v["timers of the pages"] += uses.Timers
	}
	if timers, err := browser.EvalWorker[float64](s.shared[0].clock, `globalThis.timersDue?.() ?? -1`); err == nil && timers >= 0 {
		v["timers of the worker"] = timers
	}
	for i, p := range s.proxies {
		s.must(s.measureProxy(v, i, p.PID()))
	}
	s.samples = append(s.samples, sample{time.Since(s.start), v})
}

// measureProxy adds what a proxy uses.
func (s *soak) measureProxy(v map[string]float64, i, pid int) error {
	for range 2 { // a sync.Pool drops its items at the second collection
		if _, err := get("http://" + s.debug[i] + "/debug/pprof/heap?gc=1"); err != nil {
			return err
		}
	}
	metrics, err := get("http://" + s.metrics[i] + "/metrics")
	if err != nil {
		return err
	}
	resident, err := statusKB(pid)
	if err != nil {
		return err
	}
	sockets, err := socketsOf(pid)
	if err != nil {
		return err
	}
	v["memory of the proxies"] += resident
	v["sockets"] += sockets
	v["heap of the proxies"] += metric(metrics, "go_memstats_heap_alloc_bytes")
	v["goroutines of the proxies"] += metric(metrics, "go_goroutines")
	return nil
}

func get(url string) (string, error) {
	client := http.Client{Timeout: askWithin}
	resp, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status)
	}
	return string(body), err
}

// metric returns the value of a metric without labels.
func metric(text, name string) float64 {
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			n, _ := strconv.ParseFloat(value, 64)
			return n
		}
	}
	return 0
}

// statusKB returns the resident memory of a process.
func statusKB(pid int) (float64, error) {
	doc, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(doc), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, errors.New("no VmRSS")
	}
	kb, err := strconv.ParseFloat(fields[0], 64)
	return kb * 1024, err
}

// socketsOf returns how many sockets a process has open.
func socketsOf(pid int) (n float64, err error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, f := range files {
		if name, err := os.Readlink(f); err == nil && strings.HasPrefix(name, "socket:") {
			n++
		}
	}
	return n, err
}

func TestFlat(t *testing.T) {
	at := func(minute int, heap, sockets float64) sample {
		return sample{time.Duration(minute) * time.Minute, map[string]float64{"heap": heap, "sockets": sockets, fills + " a worker": float64(minute)}}
	}
	level := []sample{at(5, 500, 50), at(20, 100, 10), at(40, 90, 11), at(50, 102, 12), at(74, 80, 13)}
	if grew := flat(level); grew != nil {
		t.Errorf("level: %v", grew)
	}
	for name, one := range map[string]sample{"heap": at(60, 103, 10), "sockets": at(60, 100, 14)} {
		if grew := flat(append(slices.Clone(level), one)); len(grew) != 1 || !strings.HasPrefix(grew[0], name+" grew") {
			t.Errorf("%s grows: %v", name, grew)
		}
	}
	lacks := slices.Clone(level)
	lacks[3], lacks[4] = sample{lacks[3].at, map[string]float64{"heap": 100}}, sample{lacks[4].at, map[string]float64{"heap": 100}}
	if grew := flat(lacks); !slices.Equal(grew, []string{"sockets was not measured in both spans"}) {
		t.Errorf("a value that is lost: %v", grew)
	}
	if grew := flat(level[:3]); len(grew) != 1 {
		t.Errorf("a run that was too short: %v", grew)
	}
}
