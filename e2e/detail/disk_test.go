package detail

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// history is what the hub says of its memory and of the disk.
type history struct {
	Bytes   int `json:"bytes"`
	Dropped int `json:"dropped"`
	Disk    struct {
		On     bool   `json:"on"`
		Bytes  int    `json:"bytes"`
		Room   int    `json:"room"`
		Failed string `json:"failed"`
	} `json:"disk"`
}

func (e eyes) history() history {
	e.T.Helper()
	return stage.Eval[history](e, `watchglass.inspect().then((i) => i.history)`)
}

// fill adds a text of a megabyte to an object and takes it away again, until history has stored enough, or cannot. Such changes fill memory with little work for the browser: their texts have nothing to compare.
func (e eyes) fill(ns, canary string, enough func(history) bool) {
	e.T.Helper()
	maps := stage.Admin.CoreV1().ConfigMaps(ns)
	of, err := maps.Create(e.T.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "large-", Namespace: ns}}, metav1.CreateOptions{})
	if err != nil {
		e.T.Fatal(err)
	}
	of.ResourceVersion = "" // whichever it has
	text := strings.Repeat(canary+" ", 1_000_000/(len(canary)+1))
	for begun := time.Now(); time.Since(begun) < 2*stage.Soon; {
		for range 8 {
			if of.Data == nil {
				of.Data = map[string]string{"a": text}
			} else {
				of.Data = nil
			}
			if _, err := maps.Update(e.T.Context(), of, metav1.UpdateOptions{}); err != nil {
				e.T.Fatal(err)
			}
		}
		if h := e.history(); enough(h) || h.Disk.Failed != "" {
			return
		}
	}
}

// TestDisk keeps history on disk, goes back further than memory reaches, and checks that no file can be read
// and that none is left once the choice is turned off.
func TestDisk(t *testing.T) {
	tab, profile := stage.OwnProfile(t)
	const canary = "canary-of-the-history-on-disk"
	ns := stage.Namespace(t)
	stage.Apply(t, fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: marker, namespace: %s}\ndata: {was: %s}\n", ns, canary))
	e := eyes{stage.Watch(t, tab)}
	e.Must(tab.Open(page.Proxy(t).At("/configmaps?n=" + ns)))
	e.AwaitState("live")
	if h := e.history(); h.Disk.On || len(e.DiskFiles()) != 0 {
		t.Errorf("it is on before anybody chose it: %+v", h)
	}
	e.ChooseDisk("true")
	key := ns + "/marker"
	e.AwaitCell(key, "Data", "1")
	before := stage.Eval[float64](e, `Date.now()`)
	stage.Apply(t, fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: marker, namespace: %s}\ndata: {is: a, and: b}\n", ns))
	e.AwaitCell(key, "Data", "2")

	e.fill(ns, canary, func(h history) bool { return h.Disk.Bytes > 0 && h.Dropped > 8 })
	h := e.history()
	if h.Disk.Bytes == 0 || h.Dropped == 0 || h.Disk.Failed != "" || h.Disk.Room <= 0 || h.Disk.Room > 512<<20 {
		t.Fatalf("%+v", h)
	}
	if len(e.DiskFiles()) < 2 {
		t.Error("there are no files")
	}
	e.travel(before)
	e.AwaitCell(key, "Data", "1")
	e.Says(".past .said", "Read from disk", "Timelines and recordings begin at")
	e.Must(e.Click(fmt.Sprintf(`.grid [data-key=%q]`, key)))
	e.Press("y")
	e.opened("ConfigMap", "marker", "yaml")
	e.Await(`document.querySelector(".drawer").innerText.includes("was: ` + canary + `")`)
	if stage.Containing(t, profile, "watchglass-history-") == "" {
		t.Error("the files are not in the profile that is looked through")
	}
	e.CheckSearch(profile)
	if found := stage.Containing(t, profile, canary); found != "" {
		t.Errorf("%s can be read", found)
	}

	e.Press("L")
	e.AwaitState("live")
	// Signing out of another cluster removes the folder. The worker makes a new one.
	stage.WaitFor(t, "the folder is removed", func() bool { // not while a file is written
		return stage.Eval[bool](e, `navigator.storage.getDirectory().then((all) => all.removeEntry("watchglass-history-", { recursive: true })).then(() => true, () => false)`)
	})
	had := e.history().Disk.Bytes
	e.fill(ns, canary, func(h history) bool { return h.Disk.Bytes > had })
	if h := e.history(); h.Disk.Failed != "" || len(e.DiskFiles()) < 2 {
		t.Errorf("after the folder was removed: %+v", h)
	}
	e.ChooseDisk("false")
	stage.WaitFor(t, "the files to go", func() bool { return len(e.DiskFiles()) == 0 })
	if h := e.history(); h.Disk.On || h.Disk.Bytes != 0 {
		t.Errorf("%+v", h)
	}
}

// TestDiskForbidden has a proxy that forbids history on disk: the page says so.
func TestDiskForbidden(t *testing.T) {
	ns := stage.Namespace(t)
	e := synced(t, stage.Serve(t, proxy.Options{Args: []string{"--no-disk-history"}}).At("/configmaps?n="+ns))
	e.Await(`document.querySelector("#view-popover [data-action=disk]")?.disabled`)
	e.Await(`document.querySelector("#view-popover [data-action=disk]").textContent.includes("disabled by the proxy")`)
}
