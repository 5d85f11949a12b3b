// Package proxy runs the real watchglass binary for the end-to-end tests and the
// benchmark: it kills it, starts it again at the same place, and reads what it says.
package proxy

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"watchglass/e2e/child"
	"watchglass/internal/edge"
	"watchglass/internal/edge/session"
)

// startWithin bounds how long the first line may take.
const startWithin = 30 * time.Second

// Options say how the proxy is started.
type Options struct {
	Kubeconfig string   // its KUBECONFIG
	Home       string   // its HOME, where it keeps its key; default: one of its own, gone with Close
	Env        []string // further variables
	Args       []string // further flags
	Listen     string   // where it listens; default: on a free port
	Binary     string   // the watchglass to run; default: what Binary finds
}

// Proxy is a running watchglass.
type Proxy struct {
	options Options
	binary  string
	ownHome bool
	listen  string

	mu      sync.Mutex
	process *child.Child
	address string
	stderr  strings.Builder
}

// Binary is the watchglass to run: $WATCHGLASS_BIN, or what make build built.
func Binary() (string, error) {
	if path := os.Getenv("WATCHGLASS_BIN"); path != "" {
		return path, nil
	}
	for dir, i := ".", 0; i < 4; dir, i = filepath.Join(dir, ".."), i+1 {
		path, err := filepath.Abs(filepath.Join(dir, "bin", "watchglass"))
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no bin/watchglass: make build builds it")
}

// Start starts a proxy on a free port, and returns when it serves.
func Start(ctx context.Context, o Options) (*Proxy, error) {
	binary, err := o.Binary, error(nil)
	if binary == "" {
		binary, err = Binary()
	}
	if err != nil {
		return nil, err
	}
	p := &Proxy{options: o, binary: binary, listen: cmp.Or(o.Listen, "127.0.0.1:0")}
	if o.Home == "" {
		if p.options.Home, err = os.MkdirTemp("", "watchglass-home-"); err != nil {
			return nil, err
		}
		p.ownHome = true
	}
	if err := p.Start(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	u, err := url.Parse(p.Address())
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if o.Listen == "" {
		p.listen = u.Host // for the next start
	}
	return p, nil
}

// Start starts the proxy again after Kill, on the port it had.
func (p *Proxy) Start(ctx context.Context) error {
	cmd := exec.Command(p.binary, append([]string{"--listen", p.listen}, p.options.Args...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.options.Home, "KUBECONFIG=" + p.options.Kubeconfig}, p.options.Env...)
	cmd.Dir = p.options.Home
	first := &firstLine{line: make(chan string, 1)}
	cmd.Stdout, cmd.Stderr = first, p
	process, err := child.Start(cmd)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.binary, err)
	}
	p.mu.Lock()
	p.process = process
	p.mu.Unlock()
	return p.greeted(ctx, first.line, process.Done())
}

// firstLine hands over the first line that is written to it.
type firstLine struct {
	line chan string
	text []byte
	done bool
}

func (f *firstLine) Write(b []byte) (int, error) {
	f.text = append(f.text, b...)
	if line, _, whole := bytes.Cut(f.text, []byte("\n")); whole && !f.done {
		f.line <- string(line)
		f.done = true
	}
	return len(b), nil
}

// greeted waits for the line with the address.
func (p *Proxy) greeted(ctx context.Context, first <-chan string, ended <-chan struct{}) error {
	select {
	case line := <-first:
		address, ok := strings.CutPrefix(line, "Watchglass is at ")
		if !ok {
			return fmt.Errorf("the first line is %q", line)
		}
		p.mu.Lock()
		p.address = address
		p.mu.Unlock()
		return nil
	case <-ended:
		return fmt.Errorf("watchglass ended: %s", p.Stderr())
	case <-time.After(startWithin):
		return fmt.Errorf("watchglass says nothing: %s", p.Stderr())
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Write takes what the proxy writes to stderr.
func (p *Proxy) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.Write(b)
}

// Stderr is what the proxy has written to stderr so far.
func (p *Proxy) Stderr() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// Address is what the proxy said to open, with the token of the launch: it signs in one
// browser.
func (p *Proxy) Address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.address
}

// At is the address of a path. In local mode it signs in one browser.
func (p *Proxy) At(path string) string {
	u, err := url.Parse(p.Address())
	if err != nil {
		return ""
	}
	if u.Fragment != "" {
		u.Fragment = "token=" + p.Token()
	}
	rel, err := url.Parse(path)
	if err != nil {
		return ""
	}
	u.Path, u.RawQuery = strings.TrimSuffix(u.Path, "/")+rel.Path, rel.RawQuery
	return u.String()
}

// Origin is http://127.0.0.1:PORT.
func (p *Proxy) Origin() string { return "http://" + p.listen }

// Port is the port it listens on.
func (p *Proxy) Port() string {
	_, port, _ := net.SplitHostPort(p.listen) // it came from an address
	return port
}

// Token is one that signs in one browser, as --link prints it. It is empty where there is
// no key in the proxy's home.
func (p *Proxy) Token() string {
	key, err := session.ReadKey(filepath.Join(p.options.Home, ".config", "watchglass", "key"))
	if err != nil {
		return ""
	}
	return edge.NewTicket(key, p.Port(), time.Now())
}

// PID is the process's.
func (p *Proxy) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process == nil {
		return 0
	}
	return p.process.PID()
}

// Dead reports whether the proxy has ended.
func (p *Proxy) Dead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.process.Done():
		return true
	default:
		return false
	}
}

// Kill ends the proxy at once.
func (p *Proxy) Kill() error {
	p.mu.Lock()
	process := p.process
	p.mu.Unlock()
	if process == nil {
		return nil
	}
	return process.Kill()
}

// Stop ends the proxy as a signal does, and waits until it is gone.
func (p *Proxy) Stop() error { return p.signal((*child.Child).Interrupt) }

// Terminate ends the proxy with SIGTERM, as a kubelet does, and waits until it is gone.
func (p *Proxy) Terminate() error { return p.signal((*child.Child).Terminate) }

func (p *Proxy) signal(send func(*child.Child) error) error {
	p.mu.Lock()
	process := p.process
	p.mu.Unlock()
	if err := send(process); err != nil {
		return err
	}
	<-process.Done()
	return process.Err()
}

// Close ends the proxy, and removes the home it had of its own.
func (p *Proxy) Close() error {
	err := p.Kill()
	if p.ownHome {
		err = errors.Join(err, os.RemoveAll(p.options.Home))
	}
	return err
}
