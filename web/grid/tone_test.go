package grid

import (
	"strings"
	"testing"

	"watchglass/internal/view"
)

// TestTonesOfRows checks the tones of a row's cells.
func TestTonesOfRows(t *testing.T) {
	const (
		pods        = "Name Ready Status Restarts"
		deployments = "Name Ready Up-to-date Available"
		sets        = "Name Desired Current Ready"
		jobs        = "Name Status Completions"
	)
	for _, c := range []struct{ kind, columns, cells, want string }{
		{"Pod", pods, "a 1/1 Running 0", "Status=ok"},
		{"Pod", pods, "a 2/2 Running 14", "Status=ok"},
		{"Pod", pods, "a 0/1 Running 0", "Ready=warning Status=warning"},
		{"Pod", pods, "a 1/2 Running 0", "Ready=warning Status=warning"},
		{"Pod", pods, "a 1/2 NotReady 0", "Status=warning"},
		{"Pod", pods, "a 0/1 Completed 0", "Status=ok"},
		{"Pod", pods, "a 0/1 Succeeded 0", "Status=ok"},
		{"Pod", pods, "a 0/1 ContainerCreating 0", "Status=pending"},
		{"Pod", pods, "a 0/1 Pending 0", "Status=pending"},
		{"Pod", pods, "a 0/2 Init:0/1 0", "Status=pending"},
		{"Pod", pods, "a 1/1 Terminating 0", "Status=pending"},
		{"Pod", pods, "a 0/1 CrashLoopBackOff 9", "Status=failed"},
		{"Pod", pods, "a 1/2 ImagePullBackOff 0", "Status=failed"},
		{"Pod", pods, "a 0/1 ErrImagePull 0", "Status=failed"},
		{"Pod", pods, "a 0/1 Evicted 0", "Status=failed"},
		{"Pod", pods, "a 0/1 OOMKilled 0", "Status=failed"},
		{"Pod", pods, "a 0/1 Error 0", "Status=failed"},
		{"Pod", "Name Ready", "a 0/1", ""},
		{"Pod", "Name Status", "a Running", "Status=ok"},
		{"Deployment", deployments, "a 8/8 8 8", "Ready=ok"},
		{"Deployment", deployments, "a 6/8 8 6", "Ready=warning"},
		{"Deployment", deployments, "a 0/8 8 0", "Ready=failed"},
		{"Deployment", deployments, "a 0/0 0 0", ""},
		{"StatefulSet", "Name Ready", "a 2/3", "Ready=warning"},
		{"ReplicaSet", sets, "a 3 3 3", "Ready=ok"},
		{"ReplicaSet", sets, "a 3 3 2", "Ready=warning"},
		{"ReplicaSet", sets, "a 3 0 0", "Ready=failed"},
		{"ReplicaSet", sets, "a 0 0 0", ""},
		{"ReplicaSet", "Name Ready", "a 2", ""},
		{"DaemonSet", sets + " Up-to-date Available", "a 10 10 9 10 9", "Ready=warning"},
		{"Job", jobs, "a Complete 1/1", "Status=ok"},
		{"Job", jobs, "a Complete 1/2", "Status=ok"},
		{"Job", jobs, "a Running 0/1", "Status=ok"},
		{"Job", jobs, "a Suspended 0/1", "Status=pending"},
		{"Job", jobs, "a Failed 0/1", "Status=failed Completions=failed"},
		{"Job", "Name Completions", "a 0/1", ""},
		{"Node", "Name Status", "a NotReady", "Status=failed"},
		{"Node", "Name Status", "a NotReady,SchedulingDisabled", "Status=failed"},
		{"Node", "Name Status", "a Ready,SchedulingDisabled", "Status=pending"},
		{"PersistentVolumeClaim", "Name Status Volume", "a Pending -", "Status=warning"},
		{"PersistentVolumeClaim", "Name Status Volume", "a Lost v", "Status=failed"},
		{"PersistentVolumeClaim", "Name Status Volume", "a Bound v", "Status=ok"},
		{"Certificate", "Name Ready Secret", "a False s", "Ready=warning"},
		{"Widget", "Name Phase", "a Failed", "Phase=failed"},
		{"Widget", "Name Phase Ready", "a Failed True", "Ready=ok"},
		{"Application", "Name Sync_Status Health_Status", "a OutOfSync Degraded", "Health Status=failed"},
		{"Gateway", "Name Class Programmed", "a b False", "Programmed=warning"},
		{"Widget", "Name Status Status", "a Failed Ready", "Status=failed"},
		{"Certificate", "Name Ready Secret", "a True s", "Ready=ok"},
		{"Event", "Type Reason Object", "Warning Failed pod/a", "Type=warning"},
	} {
		p := newPage()
		w := view.Window{Total: 1, Rows: []view.Row{{Key: "a", Cells: strings.Fields(c.cells)}}}
		for name := range strings.FieldsSeq(c.columns) {
			w.Columns = append(w.Columns, view.Column{Name: strings.ReplaceAll(name, "_", " ")})
		}
		New(p).Show(w, Objects{Kind: c.kind}, Sort{}, Marks{}, Room{})
		var got []string
		for i, col := range w.Columns {
			if tone := p.rows[0].cells[i].Tone; tone != Plain {
				got = append(got, col.Name+"="+string(tone))
				if !p.columns[i].Tone {
					t.Errorf("%s has no room for its glyph", col.Name)
				}
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %s: %q, want %q", c.kind, c.cells, got, c.want)
		}
	}
}

// TestToneFollows checks that a status is painted again when the readiness beside it changes, and all
// cells when the kind becomes known. Neither glows, because the texts have not changed.
func TestToneFollows(t *testing.T) {
	p := newPage()
	g := New(p)
	for _, c := range []struct {
		kind, ready, status string
		want                Tone
	}{{"", "0/1", "Running", Warning}, {"", "1/1", "Running", OK}, {"", "0/1", "Completed", OK}, {"", "1/1", "NotReady", Failed}, {"Pod", "1/1", "NotReady", Warning}} {
		last := p.rows[0]
		g.Show(view.Window{Columns: []view.Column{{Name: "Ready"}, {Name: "Status"}}, Total: 1, Rows: []view.Row{{Key: "a", UID: "u", Cells: []string{c.ready, c.status}}}}, Objects{Kind: c.kind}, Sort{}, Marks{}, Room{})
		got := p.rows[0].cells[1]
		if got.Tone != c.want {
			t.Errorf("%+v: %q", c, got.Tone)
		}
		if last != nil && got.Glow != (c.status != "Running" && c.kind == "") {
			t.Errorf("%+v: glows: %v", c, got.Glow)
		}
	}
}
