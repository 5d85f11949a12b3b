package logs

import (
	"testing"

	"watchglass/internal/detail/log"
	"watchglass/internal/detail/log/line"
)

// TestFailed reads the container that failed first, and keeps to it.
func TestFailed(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(podWith("two", running("web", ""), terminated("side", "r1", 3)))
		h.wantOpen("two/side last 1000")
		if d := h.last(); d.Usual != "side" || !d.Failed {
			t.Errorf("%q, %t", d.Usual, d.Failed)
		}
		h.object(podWith("two", terminated("web", "r1", 1), running("side", "r2")))
		h.wantOpen("two/side last 1000")
		h.ask(log.Options{Container: "web"})
		h.wantOpen("two/web last 1000")
	})
	for _, c := range []struct {
		usual, other status
		want         string
	}{
		{running("web", ""), waitingFor("side", "CrashLoopBackOff", ""), "side"},
		{terminated("web", "", 1), waitingFor("side", "CrashLoopBackOff", ""), "web"},
		{running("web", ""), waitingFor("side", "ImagePullBackOff", ""), "web"},
		{running("web", ""), terminated("side", "", 0), "web"},
	} {
		onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
			h.ask(log.Options{})
			h.object(podWith("two", c.usual, c.other))
			if d := h.last(); d.Usual != c.want || d.Failed != (c.want == "side") {
				t.Errorf("%+v: %q, %t", c, d.Usual, d.Failed)
			}
		})
	}
}

// TestStructured filters lines by their levels and fields, expands one, and shows all as they are.
func TestStructured(t *testing.T) {
	onPane(t, "pods", &cluster{}, func(t *testing.T, h *host) {
		h.ask(log.Options{})
		h.object(newPod("two", "web"))
		h.Wait(soon)
		h.kubelet.write("two/web", `2026-11-22T03:00:01Z {"level":"info","msg":"one","user":"ana"}
2026-11-22T03:00:02Z {"level":"error","msg":"two","status":503}
2026-11-22T03:00:02Z 	at main.go:3
2026-11-22T03:00:03Z INFO three status=200
`)
		h.wantRows("one user=ana", "two status=503", "three status=200")
		d := h.last()
		if d.Levels != [line.Levels]int{line.Info: 2, line.Error: 1} || d.Lines != 4 || d.Window[1].Folded != 1 || d.Window[1].Level != line.Error {
			t.Errorf("%v, %d lines, %+v", d.Levels, d.Lines, d.Window[1])
		}
		open := []uint64{d.Window[1].ID}
		h.ask(log.Options{Open: open})
		h.wantRows("one user=ana", "two status=503", "  status: 503", "        at main.go:3", "three status=200")
		h.ask(log.Options{Open: open, Filter: "status<500"})
		h.wantRows("three status=200")
		h.ask(log.Options{Filter: "level>=warn"})
		h.ask(log.Options{Filter: "level>=warn status>x"})
		h.wantRows("two status=503")
		if d := h.last(); d.Wrong == nil || d.Wrong.From != 19 || d.Levels[line.Info] != 2 {
			t.Errorf("%+v, %v", d.Wrong, d.Levels)
		}
		h.ask(log.Options{Filter: "status:200,503", Complete: &log.Complete{Field: "status"}})
		if f := h.last().Fields; f == nil || f.Of != "status" || len(f.All) != 2 || f.Lines != 2 || f.All[0].Count != 1 {
			t.Errorf("%+v", f)
		}
		h.ask(log.Options{Raw: true, Filter: "level:error"})
		h.wantRows(`{"level":"error","msg":"two","status":503}`, "        at main.go:3")
	})
}
