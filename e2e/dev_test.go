package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// compiling is long enough to build the page and the proxy from nothing.
const compiling = 5 * time.Minute

// TestDev saves files while make dev serves them: the open page is built, served
// and loaded anew by itself, at the address it has. What does not compile is said,
// and changes nothing.
func TestDev(t *testing.T) {
	d := develop(t)
	e := open(t, strings.Replace(d.line(t, "Watchglass is at "), "/#", "/pods?q=crash#", 1), lostSocket)
	e.AwaitState("live")
	stage.Eval[bool](e, `window.unreloaded = true`)

	d.save(t, "web/page.go", "this does not compile\n")
	d.line(t, "web/page.go")
	e.AwaitState("live")
	if !stage.Now[bool](e, `window.unreloaded === true`) {
		t.Error("loaded anew, though nothing was built")
	}

	d.save(t, "web/page.go", "\n")
	d.save(t, "web/static/style.css", "body { --saved: yes }\n")
	e.Must(e.Tab.Await(`window.unreloaded === undefined && document.documentElement.dataset.state === "live"`, compiling))
	stage.Is(e, `getComputedStyle(document.body).getPropertyValue("--saved").trim()`, "yes")
	e.AwaitQuery("q", "crash")
}

// workshop is a copy of the sources that make dev looks at.
type workshop struct {
	dir   string
	lines chan string // what it says
}

// develop copies the sources and does in the copy what make dev does.
func develop(t *testing.T) *workshop {
	t.Helper()
	w := &workshop{dir: t.TempDir(), lines: make(chan string, 1000)}
	for _, dir := range []string{"internal", "proxy", "wasm", "web"} {
		if err := os.CopyFS(filepath.Join(w.dir, dir), os.DirFS(filepath.Join("..", dir))); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		if body, err := os.ReadFile(filepath.Join("..", file)); err != nil || os.WriteFile(filepath.Join(w.dir, file), body, 0o600) != nil {
			t.Fatal("cannot copy", file, err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", "bin/dev", "./web/static/build")
	build.Dir = w.dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w.run(t, exec.Command(filepath.Join(w.dir, "bin", "dev"), "-dev", "--",
		"--kubeconfig", stage.Kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{}), "--listen", stage.FreePort(t)))
	return w
}

// run runs the command until the test is over. It is asked to end, since it has a
// proxy to end.
func (w *workshop) run(t *testing.T, c *exec.Cmd) {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c.Dir, c.Stdout, c.Stderr = w.dir, in, in
	c.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir())
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	go func() {
		defer out.Close()
		for s := bufio.NewScanner(out); s.Scan(); {
			w.lines <- s.Text()
		}
	}()
}

// line waits for a line that begins so, and returns the rest of it.
func (w *workshop) line(t *testing.T, begin string) string {
	t.Helper()
	deadline := time.After(compiling)
	var said []string
	for {
		select {
		case line := <-w.lines:
			said = append(said, line)
			if rest, ok := strings.CutPrefix(line, begin); ok {
				return rest
			}
		case <-deadline:
			t.Fatalf("no line begins with %q:\n%s", begin, strings.Join(said, "\n"))
		}
	}
}

// save writes a file anew, with the original and something behind it.
func (w *workshop) save(t *testing.T, file, more string) {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("..", file))
	if err == nil {
		err = os.WriteFile(filepath.Join(w.dir, file), append(body, more...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
