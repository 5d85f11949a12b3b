package e2e

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/history/recording"
)

// podsRecorded is how many pods the recording of these tests has, of which the first fails at its end.
const podsRecorded = 20

// recordPods writes a recording of ten minutes, and returns its path.
func recordPods(t *testing.T) string {
	t.Helper()
	from := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	record := historytest.New(from)
	pods := record.Open(history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
	encoder := protobuf.NewSerializer(nil, nil)
	put := func(at time.Time, i int, phase corev1.PodPhase) {
		name := "web-" + strconv.Itoa(i)
		pod := corev1.Pod{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID(name), CreationTimestamp: metav1.NewTime(from)},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "shop/web:1"}}},
			Status:     corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{{Name: "app", Ready: true, ContainerID: "containerd://" + name, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(from)}}}}},
		}
		doc, err := runtime.Encode(encoder, &pod)
		if err != nil {
			t.Fatal(err)
		}
		record.Put(pods, at, "shop/"+name, name, doc)
	}
	for i := range podsRecorded {
		put(from, i, "Running")
	}
	put(from.Add(9*time.Minute), 0, "Failed")
	put(from.Add(10*time.Minute), 1, "Succeeded")
	file := filepath.Join(t.TempDir(), "prod.watchglass")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zipped := gzip.NewWriter(f)
	header := recording.Header{Cluster: "prod-eu", User: "ana", Version: "v1.2.3", From: from, To: from.Add(10 * time.Minute)}
	dropped, err := recording.Write(record, header, recording.Choices{}, func(piece []byte) error {
		_, err := zipped.Write(piece)
		return err
	})
	if err != nil || dropped > 0 {
		t.Fatal(dropped, err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestReplay opens a recording with no cluster anywhere: served by a proxy without a kubeconfig, and
// published with a copy of the page on a plain file server.
func TestReplay(t *testing.T) {
	file := recordPods(t)
	t.Run("proxy", func(t *testing.T) {
		p := stage.Serve(t, proxy.Options{Kubeconfig: filepath.Join(t.TempDir(), "none"), Args: []string{"--replay", file}})
		e := open(t, p.At("/pods"))
		replayed(t, e)
		linked(t, e)
	})
	t.Run("copy", func(t *testing.T) {
		s := httptest.NewServer(http.StripPrefix("/post/mortem", http.FileServer(http.Dir(writeCopy(t, "--replay", file)))))
		t.Cleanup(s.Close)
		e := open(t, s.URL+"/post/mortem/?view=/pods")
		replayed(t, e)
		e.AwaitQuery("view", "/pods")
		e.Must(e.Tab.Open(stage.Eval[string](e, `location.href`))) // as shared
		e.AwaitState("past")
		e.AwaitCount(podsRecorded)
		linked(t, e)
	})
	t.Run("damaged", func(t *testing.T) { // which the worker leaves to the page
		dir := writeCopy(t, "--replay", file)
		published := filepath.Join(dir, "recording.watchglass")
		b, err := os.ReadFile(published)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)-1] ^= 1 // of its length
		if err := os.WriteFile(published, b, 0o600); err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(http.FileServer(http.Dir(dir)))
		t.Cleanup(s.Close)
		e := open(t, s.URL+"/?view=/pods")
		replayed(t, e)
		e.Says(".past", "Damaged file")
	})
}

// linked checks that a link to a moment of the recording leads there, and that one to a moment that it lacks
// says so.
func linked(t *testing.T, e eyes) {
	t.Helper()
	moment := stage.Eval[string](e, `watchglass.inspect().then(i => i.past.from)`)
	at, err := time.Parse(time.RFC3339Nano, moment)
	if err != nil {
		t.Fatal(err)
	}
	link := func(at time.Time) string {
		return stage.Eval[string](e, fmt.Sprintf(`(u => (u.searchParams.set("at", %q), u.href))(new URL(location.href))`, at.UTC().Format("2006-01-02T15:04:05.000Z")))
	}
	want := at.Add(20 * time.Second).Truncate(time.Millisecond)
	e.Must(e.Tab.Open(link(want)))
	e.AwaitState("past")
	e.Await(fmt.Sprintf(`watchglass.inspect().then(i => Date.parse(i.past.at) === %d)`, want.UnixMilli()))
	e.Await(fmt.Sprintf(`new URL(location.href).searchParams.get("at")?.includes(%q)`, want.UTC().Format("15:04:05")))
	e.Must(e.Tab.Open(link(at.Add(-time.Hour))))
	e.Says(".past .said", "is not in this recording")
}

// replayed checks what the page shows of the recording.
func replayed(t *testing.T, e eyes) {
	t.Helper()
	e.AwaitState("past")
	e.AwaitCount(podsRecorded)
	e.Says("#badge", "Recorded", "on prod-eu")
	e.AwaitCell("shop/web-0", "Status", "Failed")
	e.AwaitCell("shop/web-2", "Status", "Running")
	e.Must(e.Click(`.row[data-key="shop/web-0"]`))
	e.Await(`document.querySelector(".drawer")?.innerText.includes("shop/web:1")`)
}
