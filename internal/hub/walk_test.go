package hub

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/savedlist/savedlisttest"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// walker is somebody who uses one browser while the cluster changes.
type walker struct {
	*visitor
	rng    *rand.Rand
	visits []string // what was done, visit by visit
}

// change changes something in the cluster that a rule may be about.
func (w *walker) change() {
	n := w.rng.IntN(5)
	switch w.rng.IntN(4) {
	case 0:
		w.proxy.change(wire.Modified, pod("a", fmt.Sprint("web", n), []string{"Running", "Failed", "Pending"}[w.rng.IntN(3)]))
	case 1:
		w.proxy.change(wire.Modified, testObject{resource: "endpointslices", namespace: "a", name: fmt.Sprint("s", n, "-1"), labels: map[string]string{"kubernetes.io/service-name": fmt.Sprint("s", n)},
			ready: [][]bool{nil, {true}, {false}, {false, true}}[w.rng.IntN(4)]})
	case 2:
		w.proxy.change(wire.Modified, testObject{resource: "services", namespace: "a", name: fmt.Sprint("s", n), selector: "x"})
	default:
		w.proxy.change(wire.Modified, testObject{resource: "nodes", name: fmt.Sprint("n", n), cpu: "1"})
	}
}

// wait lets some time pass, with a bookmark every minute.
func (w *walker) wait(v *testPage, d time.Duration) {
	for ; d > time.Minute; d -= time.Minute {
		v.wait(time.Minute)
		w.proxy.bookmarks()
	}
	v.wait(d)
}

// step does one thing that a person does, or that happens to a page.
func (w *walker) step(v *testPage) string {
	switch w.rng.IntN(8) {
	case 0, 1:
		w.change()
		return "change"
	case 2:
		what := []string{"pods", "services", "endpointslices", "problems", "nodes"}[w.rng.IntN(5)]
		v.showList(what, view.Query{Seq: uint32(w.rng.IntN(1000) + 2)})
		return "show " + what
	case 3:
		w.proxy.endWatches()
		return "watches end"
	case 4:
		w.proxy.setAway(true)
		v.wait(time.Duration(w.rng.IntN(20)) * time.Second)
		w.proxy.setAway(false)
		return "proxy away"
	case 5:
		v.travel(port.Travel{At: time.Now().Add(-time.Duration(1+w.rng.IntN(30)) * time.Second)})
		v.wait(time.Duration(w.rng.IntN(10)) * time.Second)
		v.travel(port.Travel{})
		return "back in time, and live again"
	}
	d := time.Duration(w.rng.IntN(100)) * time.Second
	w.wait(v, d)
	return "wait " + d.String()
}

// problems returns the rows of the list of problems, once all that holds has had its time.
func (w *walker) problems(v *testPage, seq uint32) string {
	v.page.in <- port.OpenOverview{ID: 7}
	v.showList("problems", view.Query{Seq: seq, Limit: 100})
	w.wait(v, 15*time.Minute)
	all := v.overviews()
	for range 60 { // a watch that ends is resumed, every few minutes
		if len(all[len(all)-1].Gaps) == 0 && v.now().Source.State == port.Live {
			break
		}
		v.wait(time.Second)
		all = append(all, v.overviews()...)
	}
	if last := all[len(all)-1]; len(last.Gaps) > 0 || v.now().Source.State != port.Live {
		w.t.Errorf("%s: %s, %+v", strings.Join(w.visits, "; "), v.now().Source.State, last.Gaps)
	}
	rows := strings.Fields(v.page.keys())
	slices.Sort(rows)
	return strings.Join(rows, " ")
}

// TestWalks checks that after any walk (visits of lists, reloads, a full memory, lost connections, back in
// time and live again) the problems are those that a fresh browser shows.
func TestWalks(t *testing.T) {
	found, runs := 0, uint64(2)
	if os.Getenv("SOAK") != "" {
		runs = 200
	}
	for seed := range runs {
		p := three()
		p.extraKinds = []string{"endpointslices.discovery.k8s.io"}
		synctest.Test(t, func(t *testing.T) {
			p.welcome.VisitKey = "key of ana"
			w := &walker{visitor: &visitor{t: t, proxy: p, disk: &savedlisttest.Disk{}}, rng: rand.New(rand.NewPCG(seed, 5))}
			for range 12 {
				w.change()
			}
			walked := ""
			for n := range 4 {
				what := []string{}
				w.budget = nil
				if w.rng.IntN(3) == 0 {
					w.budget, what = object.NewBudget(1<<9), append(what, "small memory")
				}
				if w.rng.IntN(3) == 0 {
					w.disk.DropBodies()
					what = append(what, "no bodies on disk")
				}
				w.visit(func(v *testPage) {
					for range 4 + w.rng.IntN(8) {
						what = append(what, w.step(v))
					}
					w.visits = append(w.visits, strings.Join(what, ", "))
					if n == 3 {
						walked = w.problems(v, 2000)
					}
				})
			}
			w.disk, w.budget = &savedlisttest.Disk{}, nil
			w.visit(func(v *testPage) {
				if fresh := w.problems(v, 1); fresh != walked {
					t.Errorf("seed %d: %s:\n%s\nin a fresh browser:\n%s", seed, strings.Join(w.visits, "; "), walked, fresh)
				} else if fresh != "" {
					found++
				}
			})
		})
	}
	if found < int(runs)/2 {
		t.Errorf("only %d walks ended with problems", found)
	}
}
