package tone

import "testing"

func TestOfCondition(t *testing.T) {
	for _, c := range []struct {
		name, status string
		node, other  Tone
	}{
		{"Ready", "True", OK, OK}, {"Ready", "False", Warning, Warning}, {"Ready", "Unknown", Pending, Pending}, {"StorageReady", "False", Warning, Warning},
		{"DiskPressure", "True", Failed, Failed}, {"DiskPressure", "False", OK, OK}, {"NetworkUnavailable", "True", Failed, Failed},
		{"KernelDeadlock", "True", Failed, Failed}, {"KernelDeadlock", "False", OK, OK}, {"KernelDeadlock", "Unknown", Pending, Pending},
		{"ReadonlyFilesystem", "False", OK, OK}, {"FrequentKubeletRestart", "True", Failed, Failed}, {"CorruptDockerOverlay2", "False", OK, OK},
		{"FilesystemCorruptionProblem", "False", OK, OK}, {"KubeletUnhealthy", "True", Failed, Failed},
		{"VMEventScheduled", "False", Plain, Warning}, {"EtcdIsVoter", "True", Plain, OK}, {"EtcdIsVoter", "Unknown", Plain, Pending},
		{"Degraded", "True", Plain, Failed}, {"Degraded", "False", Plain, OK}, {"Stalled", "True", Plain, Failed},
		{"ControllerResizeError", "True", Plain, Failed}, {"NamespaceFinalizersRemaining", "True", Plain, Failed}, {"NamespaceFinalizersRemaining", "False", Plain, OK},
		{"Available", "False", Plain, Warning}, {"Progressing", "True", Plain, OK},
	} {
		if got := OfNodeCondition(c.name, c.status); got != c.node {
			t.Errorf("%s=%s of a node: want %q, got %q", c.name, c.status, c.node, got)
		}
		if got := OfCondition(c.name, c.status); got != c.other {
			t.Errorf("%s=%s: want %q, got %q", c.name, c.status, c.other, got)
		}
	}
}
