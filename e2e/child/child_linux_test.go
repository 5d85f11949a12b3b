package child

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// orphanMode makes this test program a parent that is about to be killed.
const orphanMode = "WATCHGLASS_TEST_ORPHAN"

func TestMain(m *testing.M) {
	if os.Getenv(orphanMode) != "" {
		orphanMain()
		return
	}
	os.Exit(m.Run())
}

// orphanMain starts a child, says its pid and waits for the end.
func orphanMain() {
	c, err := Start(exec.Command("sleep", "600"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.PID())
	<-c.Done()
}

// TestDiesWithParent kills a parent: its child is gone, too.
func TestDiesWithParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), orphanMode+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // says that it was killed
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for alive(pid) {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("the child %d lives", pid)
		}
	}
}

// alive reports whether there is such a process; one that is dead, and that nobody
// cared for yet, is not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// TestKill kills a child and waits for its end, twice.
func TestKill(t *testing.T) {
	c, err := Start(exec.Command("sleep", "600"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	if c.Err() == nil || alive(c.PID()) {
		t.Errorf("%v, alive: %t", c.Err(), alive(c.PID()))
	}
	if _, err := Start(exec.Command("no-such-program")); err == nil {
		t.Error("a program that is not there has started")
	}
}
