//go:build !js

package apiserver

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	// saidBytes and saidLines limit how much of a plugin's standard error goes into an error.
	saidBytes = 1000
	saidLines = 5
	// heldBytes is how much of it is kept for that.
	heldBytes = 8 << 10
	// readWithin is the timeout for reading the end of it.
	readWithin = time.Second
)

// pluginStderr is the standard error of a credential plugin. It passes output on immediately,
// since a plugin may prompt the user, and keeps the end of it.
type pluginStderr struct {
	read, write *os.File
	log         func(line string) // if set, it gets the lines, and errors do not contain them
	marked      chan struct{}     // capacity 1: a mark was read

	mu   sync.Mutex
	held []byte
	line []byte // for log, incomplete
}

func newPluginStderr(log func(line string)) (*pluginStderr, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("prepare the standard error of a credential plugin: %w", err)
	}
	return &pluginStderr{read: read, write: write, log: log, marked: make(chan struct{}, 1)}, nil
}

func (s *pluginStderr) close() {
	s.read.Close()
	s.write.Close()
}

// mark is written after the output of a run. If a plugin writes one itself, the error lacks the
// output after it.
const mark = 0

// copy passes output on until the pipe is closed.
func (s *pluginStderr) copy(to io.Writer) {
	chunk := make([]byte, 4<<10)
	for {
		n, err := s.read.Read(chunk)
		if text := bytes.ReplaceAll(chunk[:n], []byte{mark}, nil); len(text) > 0 {
			s.take(text, to)
		}
		if bytes.IndexByte(chunk[:n], mark) >= 0 {
			select {
			case s.marked <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

func (s *pluginStderr) take(text []byte, to io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log == nil {
		_, _ = to.Write(text) // there is nowhere to report an error
		s.held = append(s.held, text...)
		s.held = s.held[max(0, len(s.held)-heldBytes):]
		return
	}
	s.line = append(s.line, text...)
	for {
		line, rest, whole := bytes.Cut(s.line, []byte("\n"))
		if !whole && len(s.line) < heldBytes {
			return
		}
		s.log(cleanLine(string(line)))
		s.line = rest
	}
}

// during calls run and, if it fails, returns the last lines of its output.
func (s *pluginStderr) during(run func() error) (said string, err error) {
	if s == nil {
		return "", run()
	}
	if err = run(); err != nil {
		said = s.end()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = nil
	return said, err
}

// soFar returns the last lines of a run that goes on.
func (s *pluginStderr) soFar() string {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return lastLines(string(s.held))
}

// end returns the last lines of a run, after it has ended.
func (s *pluginStderr) end() string {
	select {
	case <-s.marked: // of a previous run
	default:
	}
	if _, err := s.write.Write([]byte{mark}); err == nil {
		timer := time.NewTimer(readWithin)
		defer timer.Stop()
		select {
		case <-s.marked:
		case <-timer.C: // a child of the plugin is still writing
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.line) > 0 {
		s.log(cleanLine(string(s.line)))
		s.line = nil
	}
	return lastLines(string(s.held))
}

// lastLines returns the last lines of a text that are not empty, without characters that a
// terminal or a browser would not show.
func lastLines(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = cleanLine(line); line != "" {
			lines = append(lines, line)
		}
	}
	said := strings.Join(lines[max(0, len(lines)-saidLines):], "\n")
	if len(said) > saidBytes {
		said = "…" + strings.ToValidUTF8(said[len(said)-saidBytes:], "")
	}
	return said
}

// escapes matches sequences that move a terminal's cursor, colour its text or set its title.
var escapes = regexp.MustCompile("\x1b(\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[@-Z\\\\-_])")

// cleanLine returns a line as a terminal would show it in the end.
func cleanLine(line string) string {
	line = escapes.ReplaceAllString(strings.ToValidUTF8(line, "�"), "")
	line = strings.TrimRight(line, "\r")
	line = line[strings.LastIndexByte(line, '\r')+1:] // overwritten text
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, line))
}
