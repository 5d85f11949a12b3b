package identity

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/stage"
)

// TestCanary looks for a token and for the value of a Secret where they have no business:
// in what the page keeps, its addresses, the log, all memory of the browser.
func TestCanary(t *testing.T) {
	secret, name := "value-"+rand.Text(), "name-"+strings.ToLower(rand.Text())
	_, err := stage.Admin.CoreV1().Secrets("blue").Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"kubectl.kubernetes.io/last-applied-configuration": `{"data":{"a":"` + secret + `"}}`}},
		StringData: map[string]string{"a": secret},
	}, metav1.CreateOptions{})
	must(t, err)
	token, _ := account(t, "canary")
	p := serve(t, gate, "", "--auth", "token", "--log-json")
	e := person(t)
	e.Must(e.Open(p.At("/secrets?cols=*,{.data.a},{.metadata.annotations}")))
	e.SignIn(token)
	e.sees(name)
	back := stage.Eval[string](e, "location.href")
	for tab, there := range map[string]string{"yaml": `document.querySelector("#yaml-said")?.hidden && document.querySelector("#text").textContent.includes("kind")`, "changes": `document.querySelector("#unchanged, .changes .version")`} {
		stage.Eval[bool](e, fmt.Sprintf(`(history.replaceState(null, "", location.pathname + "?sel=blue/%s&tab=%s"), dispatchEvent(new PopStateEvent("popstate")), true)`, name, tab))
		e.Await(there)
	}
	stage.Eval[bool](e, fmt.Sprintf(`(history.replaceState(null, "", %[1]q), history.pushState(null, "", %[1]q), dispatchEvent(new PopStateEvent("popstate")), true)`, back)) // Back leads to it
	if !inBrowser(t, name) {
		t.Fatal("the name of the Secret is not in the browser's memory: it is not looked through")
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(secret)) // as the apiserver writes it in YAML
	for _, value := range []string{secret, encoded} {
		if inBrowser(t, value) {
			t.Errorf("%s is in the browser's memory: the value of the Secret", value)
		}
	}
	kept := stage.Now[string](e, `(async () => JSON.stringify([location.href, document.referrer, document.cookie, {...localStorage}, {...sessionStorage},
		(await indexedDB.databases()), (await caches.keys()), performance.getEntries().map(e => e.name), document.documentElement.outerHTML]))()`)
	everywhere := map[string]string{"what the page keeps and asks for": kept, "the log": p.Stderr(), "the page's heap": e.heap()}
	e.SignOut()
	e.Says("main", "You have signed out")
	everywhere["what is left of it"] = stage.Now[string](e, `JSON.stringify([location.href, {...localStorage}, {...sessionStorage}, document.documentElement.outerHTML])`)
	everywhere["the log after it"], everywhere["the heap after it"] = p.Stderr(), e.heap()
	for where, text := range everywhere {
		for what, canary := range map[string]string{"the token": token, "the signature of the token": token[strings.LastIndex(token, ".")+1:], "the value": secret, "the value, encoded": encoded} {
			if strings.Contains(text, canary) {
				t.Errorf("%s is in %s", what, where)
			}
		}
	}
	// Back does not bring back what was on screen.
	stage.Eval[bool](e, `(window.before = true, setTimeout(() => history.back()), true)`)
	e.Await(`!window.before && location.pathname === "/-/signin" && document.querySelector("#token")`)
	if strings.Contains(stage.Now[string](e, "document.documentElement.outerHTML"), name) {
		t.Error("Back shows what was on screen")
	}
}

// heap is all that JavaScript holds in the page.
func (e eyes) heap() string {
	e.T.Helper()
	control := "control-" + rand.Text()
	stage.Eval[bool](e, fmt.Sprintf(`(globalThis.control = %q + "", true)`, control))
	text, err := e.HeapSnapshot()
	e.Must(err)
	if !strings.Contains(text, control) {
		e.T.Fatal("what the page holds is not in its heap snapshot: it is not looked through")
	}
	return text
}

// inBrowser reports whether a text is in the memory of any process of the browser, as
// UTF-8 or UTF-16.
func inBrowser(t *testing.T, text string) bool {
	t.Helper()
	var wide []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		wide = append(wide, byte(unit), byte(unit>>8))
	}
	found, looked := false, 0
	for _, pid := range browserProcesses(t) {
		n, ok := search(pid, []byte(text), wide)
		found, looked = found || ok, looked+n
	}
	if looked < 50<<20 {
		t.Fatalf("only %d bytes of the browser's memory could be read", looked)
	}
	return found
}

// browserProcesses are those that descend from this one and are the browser's.
func browserProcesses(t *testing.T) (pids []int) {
	t.Helper()
	parent := map[int]int{}
	dirs, err := filepath.Glob("/proc/[0-9]*")
	must(t, err)
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(after); len(fields) > 1 {
			parent[pid], _ = strconv.Atoi(fields[1])
		}
	}
	for pid := range parent {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		for up := pid; err == nil && up > 1; up = parent[up] {
			if up == os.Getpid() && bytes.Contains(line, []byte("chrom")) {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
}

// search looks for any of some texts in what a process can write, and tells how much
// that is.
func search(pid int, texts ...[]byte) (looked int, found bool) {
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, false
	}
	defer maps.Close()
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return 0, false
	}
	defer mem.Close()
	const piece, overlap = 1 << 20, 256
	buffer := make([]byte, piece+overlap)
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		from, to, _ := strings.Cut(fields[0], "-")
		begin, _ := strconv.ParseInt(from, 16, 64)
		end, err := strconv.ParseInt(to, 16, 64)
		if err != nil || !strings.HasPrefix(fields[1], "rw") {
			continue
		}
		for at := begin; at < end; at += piece {
			n, err := mem.ReadAt(buffer[:min(int64(len(buffer)), end-at)], at)
			if n == 0 && err != nil && err != io.EOF {
				break // reserved, and not there
			}
			looked += n
			for _, text := range texts {
				found = found || bytes.Contains(buffer[:n], text)
			}
		}
	}
	return looked, found
}
