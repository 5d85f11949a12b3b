package tone

import "testing"

func TestTone(t *testing.T) {
	for status, want := range map[string]Tone{
		"Running": OK, "Completed": OK, "Pending": Pending, "Init:0/2": Pending, "Init:CrashLoopBackOff": Failed, "Init:Error": Failed,
		"CrashLoopBackOff": Failed, "ImagePullBackOff": Failed, "ErrImagePull": Failed, "SomethingBackOff": Failed, "Evicted": Failed, "OOMKilled": Failed,
		"Failed": Failed, "Error": Failed, "Signal:9": Failed, "ExitCode:1": Failed, "Init:Signal:9": Failed, "CreateContainerConfigError": Failed,
		"OutOfcpu": Failed, "PostStartHookError": Failed, "ErrWhatever": Failed, "InvalidImageName": Failed, "Lost": Failed, "Nonsense": Plain, "": Plain,
		"Ready": OK, "Ready,SchedulingDisabled": Pending, "NotReady": Failed, "NotReady,SchedulingDisabled": Failed, "Complete": OK, "Warning": Warning,
		"Normal": Plain, "ClusterIP": Plain, "Terminating": Pending, "Released": Pending,
	} {
		if got := Of(status); got != want {
			t.Errorf("%s: want %q, got %q", status, want, got)
		}
	}
	for _, c := range []struct {
		kind, state string
		want        Tone
	}{
		{"PersistentVolumeClaim", "Pending", Warning}, {"PersistentVolumeClaim", "Lost", Failed}, {"PersistentVolumeClaim", "Bound", OK}, {"Pod", "Pending", Pending},
		{"Pod", "NotReady", Warning}, {"Node", "NotReady", Failed}, {"Deployment", "8/8", OK}, {"Deployment", "6/8", Warning}, {"Deployment", "0/8", Failed},
		{"Deployment", "0/0", Plain}, {"Deployment", "9/8", OK}, {"Job", "x/8", Plain}, {"Job", "8/", Plain},
	} {
		if got := OfState(c.kind, c.state); got != c.want {
			t.Errorf("%s %s: want %q, got %q", c.kind, c.state, c.want, got)
		}
	}
}
