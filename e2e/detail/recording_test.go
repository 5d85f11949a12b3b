package detail

import (
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"watchglass/e2e/stage"
)

// unzip returns a recording as text.
func unzip(t *testing.T, file string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// drop drops a file on the page.
func (e eyes) drop(file string) {
	e.T.Helper()
	stage.Eval[bool](e, fmt.Sprintf(`(() => {
		const t = new DataTransfer();
		t.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], "x.watchglass"));
		for (const type of ["dragenter", "drop"]) document.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: t}));
		return true;
	})()`, base64.StdEncoding.EncodeToString([]byte(file))))
}

// TestRecording records in the browser what happens in a cluster, and looks for what must not be in the file: the value
// of a Secret, one of the environment, a replaced name, a credential. The file is then opened, and shows
// what was there.
func TestRecording(t *testing.T) {
	const secret, value = "CANARY-of-a-secret", "CANARY-of-an-environment"
	ns := stage.Namespace(t)
	stage.Post(t, "/api/v1/namespaces/"+ns+"/secrets", fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"keys"},"stringData":{"password":%q}}`, secret))
	pod := stage.Create(t, ns, "ledger", func(p *corev1.Pod) {
		p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "PASSWORD", Value: value}}
	})
	stage.SetStatus(t, pod, stage.Running(1))
	address := page.Proxy(t).At("/secrets?n=" + ns)
	_, launch, _ := strings.Cut(address, "token=")
	if len(launch) < 24 {
		t.Fatalf("no token in %s", address)
	}
	e := synced(t, address)
	e.GoTo("/pods?n=" + ns)
	e.AwaitCell(ns+"/ledger", "Restarts", "1")
	const asks = `(() => { const e = new Event("beforeunload", { cancelable: true }); dispatchEvent(e); return e.defaultPrevented; })()`
	if stage.Eval[bool](e, asks) {
		t.Error("the browser asks before it leaves a page that has nothing to lose")
	}
	e.Press("r")
	e.Says(".badge .recording", "REC")
	if !stage.Eval[bool](e, asks) {
		t.Error("a recording is lost without a question")
	}
	stage.SetStatus(t, pod, stage.Running(5))
	e.AwaitCell(ns+"/ledger", "Restarts", "5")

	save := func(clicks ...string) string {
		e.Press("r")
		e.Says("#recording .said", "object")
		e.Axe(stage.AxeSource(t))
		for _, click := range clicks {
			e.Must(e.Click("#recording " + click))
		}
		e.Says("#recording .said", "about")
		dir := t.TempDir()
		e.Must(e.Downloads(dir))
		e.Must(e.Click("#recording-write"))
		return e.Downloaded(filepath.Join(dir, "*.watchglass"))
	}
	everything := save(`[data-value="all"]`)
	text := unzip(t, everything)
	for _, kept := range []string{"ledger", "keys", "PASSWORD", ns} {
		if !strings.Contains(text, kept) {
			t.Errorf("%q is not in the file", kept)
		}
	}
	replaced := save(`[data-value="objects"]`, `[data-value="namespaces"]`)
	token := stage.Eval[string](e, `JSON.stringify(Object.values(localStorage)) + JSON.stringify(Object.values(sessionStorage))`)
	for what, file := range map[string]string{"everything": everything, "replaced names": replaced} {
		all := file + unzip(t, file)
		canaries := []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), value, launch, "Bearer ", "token="}
		if file == replaced {
			canaries = append(canaries, "ledger", ns)
		}
		for word := range strings.FieldsFuncSeq(token, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", r)
		}) {
			if len(word) >= 24 {
				canaries = append(canaries, word)
			}
		}
		for _, canary := range canaries {
			if strings.Contains(all, canary) {
				t.Errorf("%q is in the file with %s", canary, what)
			}
		}
	}

	stage.SetStatus(t, pod, stage.Running(9))
	e.AwaitCell(ns+"/ledger", "Restarts", "9")
	e.drop(everything)
	e.AwaitState("past")
	e.Says("#badge", "Recorded")
	e.AwaitCell(ns+"/ledger", "Restarts", "5")
	e.drop(everything[:len(everything)/2])
	e.Says(".past .said", "Damaged file")
	e.Press("L")
	e.AwaitState("live")
	e.AwaitCell(ns+"/ledger", "Restarts", "9")

	newer := strings.Replace(text, "watchglass recording 1\n", "watchglass recording 9\n", 1)
	for _, c := range []struct{ file, reason string }{
		{"", "empty"},
		{"hello", "Not a Watchglass recording"},
		{zip(t, "hello"), "Not a Watchglass recording"},
		{zip(t, newer), "newer"},
		{zip(t, text[:60]), "Not a Watchglass recording"},
	} {
		e.drop(c.file)
		e.Says(".past.file", "Can't open x.watchglass", c.reason)
		e.Says("#badge", "Live")
		e.Must(e.Click(`.past.file [data-action="drop-file"]`))
		e.Await(`!document.querySelector(".past.file")?.checkVisibility()`) // else the click may drop the next file
	}
}

// TestRecordingLogs saves the log of a pod that is on screen: only once it is chosen is it in the file,
// and the file, once opened, shows it in the Logs tab.
func TestRecordingLogs(t *testing.T) {
	e := synced(t, demo.Proxy(t).At("/pods"))
	e.logsOf("/pods?q=status:Running&sort=-Age", "")
	e.Await(logRows + `.length > 5`)
	e.Press("r")
	e.Says(".badge .recording", "REC")
	stage.Eval[bool](e, `(window.before = `+logRows+`, true)`)
	e.Await(`window.fresh = ` + logRows + `.filter(l => !before.includes(l)).map(l => l.match(/\w+=(\d{4,}) ms=\d+$/)).find(m => m)`)
	line, number := stage.Eval[string](e, `fresh[0]`), stage.Eval[string](e, `":" + fresh[1] + ","`)
	e.Press("r")
	save := func() string {
		e.Says("#recording .said", "about")
		dir := t.TempDir()
		e.Must(e.Downloads(dir))
		e.Must(e.Click("#recording-write"))
		file := e.Downloaded(filepath.Join(dir, "*.watchglass"))
		e.Await(`document.body.innerText.includes("Saved ")`)
		return file
	}
	e.Says("#recording .said", "about")
	e.Says("#recording", "Logs", " lines")
	e.Must(e.Click(`#recording [data-value="all"]`)) // saving that does not end the recording
	e.Keep("recording-logs")
	if file := save(); strings.Contains(unzip(t, file), number) {
		t.Errorf("%q is in a file for which no log was chosen", line)
	}
	e.Press("r")
	e.Says("#recording .said", "about")
	e.Must(e.Click(`#recording [data-action="recording-log"]`))
	e.Says("#recording .said", "log line")
	file := save()
	if !strings.Contains(unzip(t, file), number) {
		t.Errorf("%q is not in the file", line)
	}
	e.drop(file)
	e.AwaitState("past")
	e.Await(fmt.Sprintf(logRows+`.some(l => l.endsWith(%q))`, line))
	e.Keep("recording-logs-opened")
}

// zip returns a text as the content of a file.
func zip(t *testing.T, text string) string {
	t.Helper()
	var out strings.Builder
	z := gzip.NewWriter(&out)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
