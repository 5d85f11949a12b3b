package tools

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"
)

// reportEvery is how often the log hears of a build that takes long.
const reportEvery = 30 * time.Second

// progress is what the go command has said of a build. With -v it names each package that it compiles.
type progress struct {
	mu     sync.Mutex
	output bytes.Buffer
}

func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.Write(b)
}

// String returns all that was said.
func (p *progress) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// now says how far the build is.
func (p *progress) now() string {
	lines := strings.Split(p.String(), "\n")
	compiled := len(lines) - 1 // what follows the last line break is not a whole line
	if compiled == 0 {
		return "nothing compiled yet; the first build downloads the modules"
	}
	return fmt.Sprintf("packages compiled: %d, the last %s", compiled, lines[compiled-1])
}

// report logs how far the build is, again and again, until the function that it returns is called.
func (p *progress) report(title string, log func(string, ...any)) (stop func()) {
	begun, ticker, done := time.Now(), time.NewTicker(reportEvery), make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				log("building %s for %s: %s", title, time.Since(begun).Round(time.Second), p.now())
			case <-done:
				return
			}
		}
	})
	return func() { close(done); running.Wait() }
}
