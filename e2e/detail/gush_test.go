package detail

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// TestGush follows a log that is written faster than anybody stage.Reads, and longer than
// there is room for: no line is lost, or lost count of, and the last is the last.
func TestGush(t *testing.T) {
	ns := stage.Namespace(t)
	log := cluster.NewGush(10_000_000, 4*time.Second)
	kubelet, err := stage.Cluster.StartKubelet(t.Context(), "gush-"+ns, func(_, _, _ string, previous bool) cluster.Log { return log })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kubelet.Stop(); err != nil {
			t.Error(err)
		}
	})
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "gush", Namespace: ns}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "gush"}}}}
	if _, err := kubelet.Run(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	e := show(t, "/pods?n="+ns+"&sel="+ns+"/gush&tab=logs&raw=true")
	e.Await(`document.querySelector(".logs .stands[data-tone=ok]")`)
	log.Begin()
	const number = `+(/([0-9,]+) %s/.exec(%s)?.[1] ?? "0").replaceAll(",", "")`
	status := `document.querySelector(".logs .status").innerText`
	held := fmt.Sprintf(number, "lines", status+`.replace(/[0-9,]+ older.*/s, "")`)
	dropped := fmt.Sprintf(number, "older lines", status)
	e.Await(fmt.Sprintf(`%s + %s === %d`, held, dropped, log.Lines()))
	if n := stage.Eval[int](e, dropped); n == 0 {
		t.Error("all of it had room: nothing is shown")
	}
	last := log.Text(log.Lines() - 1)
	e.Await(fmt.Sprintf(`[...document.querySelectorAll("#text .line:not([hidden]) .code")].some(l => l.textContent === %q)`, last))
	e.Keep("gush")
}
