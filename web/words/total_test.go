package words

import (
	"testing"

	"watchglass/internal/port"
	"watchglass/internal/view"
)

// TestTotals checks the words of the totals. One that is not complete shows no number.
func TestTotals(t *testing.T) {
	for _, c := range []struct {
		total      port.Total
		said, tone string
	}{
		{port.Total{Name: "nodes", Bad: 1, Of: 42, Gap: view.Gap{State: port.Live}}, "Nodes not ready: 1 of 42", "failed"},
		{port.Total{Name: "nodes", Of: 42, Gap: view.Gap{State: port.Live}}, "Nodes not ready: 0 of 42", "ok"},
		{port.Total{Name: "pods", Bad: 38, Of: 5012, Gap: view.Gap{State: port.Live}}, "Pods not ready: 38 of 5,012", "warning"},
		{port.Total{Name: "workloads", Bad: 1, Of: 1, Gap: view.Gap{State: port.Live}}, "Workload problems: 1 in 1 workload", "warning"},
		{port.Total{Name: "workloads", Of: 0, Gap: view.Gap{State: port.Live}}, "Workload problems: 0 in 0 workloads", ""},
		{port.Total{Name: "warnings", Bad: 1112, Gap: view.Gap{State: port.Live}}, "Warnings: 1,112 kept from 15 min", ""},
		{port.Total{Name: "nodes", Bad: 1, Of: 42, Gap: view.Gap{State: port.Denied}}, "Nodes not ready: No permission to list nodes", "pending"},
		{port.Total{Name: "warnings", Bad: 3, Gap: view.Gap{State: port.Denied}}, "Warnings: No permission to list events", "pending"},
		{port.Total{Name: "pods", Bad: 38, Of: 50, Gap: view.Gap{State: port.Stale}}, "Pods not ready: Stale", "warning"},
		{port.Total{Name: "pods", Bad: 38, Of: 50, Gap: view.Gap{State: port.Throttled, Cause: "boom"}}, "Pods not ready: Throttled", "warning"},
		{port.Total{Name: "pods", Bad: 38, Of: 50, Gap: view.Gap{State: port.Throttled}, At: noon}, "Pods not ready: 38 of 50 as of " + noon.Local().Format("15:04:05"), "stale"},
		{port.Total{Name: "pods", Bad: 38, Of: 50, Gap: view.Gap{State: port.Offline}}, "Pods not ready: Offline", "warning"},
		{port.Total{Name: "pods", Bad: 38, Of: 50, Gap: view.Gap{State: port.Syncing}}, "Pods not ready: Syncing", "pending"},
		{port.Total{Name: "pods", Of: 5, Gap: view.Gap{State: view.Partial, Only: "a"}}, "Pods not ready: 0 of 5 in a", "ok"},
		{port.Total{Name: "warnings", Gap: view.Gap{State: view.Partial, Only: "a,b"}}, "Warnings: 0 kept from 15 min in a and 1 more", "ok"},
		{port.Total{Name: "workloads", Of: 71, Gap: view.Gap{Resource: "pods", State: port.Denied}}, "Workload problems: No permission to list pods", "pending"},
		{port.Total{Name: "workloads", Of: 71, Gap: view.Gap{Resource: "replicasets.apps", State: port.Connecting, Cause: "boom"}}, "Workload problems: Can't list replicasets", "warning"},
		{port.Total{Name: "pods", Bad: 38, Of: 50, Gap: view.Gap{State: port.Stale}, At: noon}, "Pods not ready: 38 of 50 as of " + noon.Local().Format("15:04:05"), "stale"},
		{port.Total{Name: "nodes", Of: 5, Gap: view.Gap{State: port.Offline}, At: noon}, "Nodes not ready: 0 of 5 as of " + noon.Local().Format("15:04:05"), "stale"},
		{port.Total{Name: "pods", Of: 5, Gap: view.Gap{State: view.Unread, Unread: 2}}, "Pods not ready: 0 of 5, 2 can't be read", "pending"},
		{port.Total{Name: "pods"}, "Pods not ready: Connecting", "pending"},
	} {
		if w := TotalOf(c.total); w.Said() != c.said || w.Tone != c.tone {
			t.Errorf("%+v: %q %q", c.total, w.Said(), w.Tone)
		}
	}
}
