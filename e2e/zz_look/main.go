// Command zz_look takes pictures: URL|keys|width|height|theme|file ...
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"watchglass/e2e/browser"
)

func main() {
	cmd := exec.Command(os.Args[1], "--demo", "--listen", "127.0.0.1:"+os.Args[2])
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	defer cmd.Process.Kill()
	launch, _ := bufio.NewReader(out).ReadString('\n')
	launch = strings.TrimSpace(launch)
	i := strings.Index(launch, "http")
	launch = launch[i:]
	base := "http://127.0.0.1:" + os.Args[2]
	b, err := browser.Start(context.Background())
	if err != nil {
		panic(err)
	}
	defer b.Stop()
	tab, _ := b.NewTab()
	fmt.Println(tab.Open(launch), tab.AwaitState("live", 30*time.Second))
	for _, a := range os.Args[3:] {
		p := strings.Split(a, "|")
		w, _ := strconv.Atoi(p[2])
		h, _ := strconv.Atoi(p[3])
		tab.Resize(int64(w), int64(h))
		tab.Prefer("prefers-color-scheme", p[4])
		if err := tab.Open(base + p[0]); err != nil {
			fmt.Println(err)
		}
		tab.AwaitState("live", 20*time.Second)
		time.Sleep(2 * time.Second)
		for _, k := range strings.Fields(p[1]) {
			switch {
			case k == "Enter":
				tab.Press("\r")
			case strings.HasPrefix(k, "wait"):
				time.Sleep(3 * time.Second)
			case strings.HasPrefix(k, "click:"):
				fmt.Println(tab.Click(strings.TrimPrefix(k, "click:")))
			default:
				tab.Press(k)
			}
			time.Sleep(400 * time.Millisecond)
		}
		time.Sleep(time.Second)
		shot, err := tab.Shot()
		fmt.Println(p[5], err)
		os.WriteFile(p[5], shot, 0o644)
	}
}
