//go:build !js

// Command build builds the site that the proxy serves: it compiles the program, names every file by
// its content, writes the page that refers to them, and compresses everything.
//
// In: the sources. Out: web/static/dist.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/andybalholm/brotli"
)

func main() {
	fast := flag.Bool("fast", false, "compress little: for development")
	weigh := flag.Bool("size", false, "print what the built site weighs, and build nothing")
	program := flag.String("program", "", "compile the tab's program to this file, and build nothing else")
	find := flag.Bool("lines", false, "write the lines of code to a stack of the page on standard input, and build nothing")
	develop := flag.Bool("dev", false, "build, serve with the arguments behind --, and do so again at every save")
	run := flag.Bool("run", false, "run a compiled program with the arguments behind -- under Node, with its jumps made direct, and build nothing")
	flag.Parse()
	var err error
	switch {
	case *run && flag.NArg() > 0:
		err = runStraight(flag.Args())
	case *weigh:
		err = size("web/static/dist")
	case *program != "":
		err = compileTo(*program)
	case *find:
		err = compileAndFind(os.Stdin, os.Stdout)
	case *develop:
		err = dev(flag.Args())
	default:
		err = build("web/static", *fast)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the site:", err)
		os.Exit(1)
	}
}

// named are the files, ordered so that no file refers to a later one.
var named = []string{"app.wasm", "wasm_exec.js", "paint.js", "session.js", "signin.js", "frame.js", "glimpse.js", "copy.js", "disk.js", "visits.js", "boot.js", "worker.js", "style.css", "icon.svg"}

// build builds the site beside the old one and then replaces that.
func build(dir string, fast bool) error {
	next, err := os.MkdirTemp(dir, ".dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(next)
	if err := os.Mkdir(filepath.Join(next, "files"), 0o755); err != nil {
		return err
	}
	b := builder{dir: dir, out: next, fast: fast}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		return err
	}
	for _, name := range named {
		body, err := b.source(name)
		if err != nil {
			return err
		}
		address, err := b.file(name, body)
		if err != nil {
			return err
		}
		page = bytes.ReplaceAll(page, []byte("{{"+name+"}}"), []byte(address))
	}
	if bytes.Contains(page, []byte("{{")) {
		return errors.New("index.html names a file that is not built")
	}
	if err := b.write("index.html", page); err != nil {
		return err
	}
	if err := b.writeLicenses(); err != nil {
		return err
	}
	return replace(next, filepath.Join(dir, "dist"))
}

// replace puts the new site in the place of the old one, but keeps .keep.
func replace(next, dist string) error {
	old, err := os.ReadDir(dist)
	if err != nil {
		return err
	}
	for _, e := range old {
		if e.Name() != ".keep" {
			if err := os.RemoveAll(filepath.Join(dist, e.Name())); err != nil {
				return err
			}
		}
	}
	fresh, err := os.ReadDir(next)
	if err != nil {
		return err
	}
	for _, e := range fresh {
		if err := os.Rename(filepath.Join(next, e.Name()), filepath.Join(dist, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

type builder struct {
	dir, out string
	fast     bool
}

// source returns a file before it is renamed.
func (b builder) source(name string) ([]byte, error) {
	switch name {
	case "app.wasm":
		return compilePacked()
	case "wasm_exec.js": // from the same toolchain that compiles
		root, err := goroot()
		if err != nil {
			return nil, err
		}
		return os.ReadFile(filepath.Join(root, "lib", "wasm", name))
	}
	return os.ReadFile(filepath.Join(b.dir, name))
}

// hot are the packages in which functions are inlined: every object, row and log line passes
// through them. In all others inlining costs a visitor more, 0.15 MB in total, than it gains.
var hot = []string{
	"runtime", "internal/runtime/...", "internal/bytealg", "cmp", "iter", "slices", "strings", "bytes", "unicode/utf8", "encoding/binary", "google.golang.org/...",
	"watchglass/internal/wire", "watchglass/internal/deltafifo", "watchglass/internal/indexer", "watchglass/internal/slots", "watchglass/internal/columns", "watchglass/internal/sorting", "watchglass/internal/object", "watchglass/internal/query", "watchglass/internal/view", "watchglass/internal/view/meter", "watchglass/internal/detail/log", "watchglass/internal/detail/log/line", "watchglass/internal/detail/yaml",
	"compress/flate", "internal/byteorder", "watchglass/internal/history", "watchglass/internal/history/recording", "watchglass/internal/object/rewrite",
}

// inlining returns the compiler flags for that.
func inlining() []string {
	flags := []string{"-gcflags=all=-l"}
	for _, p := range hot {
		flags = append(flags, "-gcflags="+p+"=")
	}
	return flags
}

// compileTo compiles the tab's program to a file.
func compileTo(file string) error {
	program, err := compilePacked()
	if err != nil {
		return err
	}
	return os.WriteFile(file, program, 0o755)
}

// compilePacked compiles the tab's program, and packs it.
func compilePacked() ([]byte, error) {
	program, err := compilePlain()
	if err != nil {
		return nil, err
	}
	return pack(program)
}

// compilePlain compiles the tab's program.
func compilePlain() ([]byte, error) {
	modfile, err := slim()
	if err != nil {
		return nil, fmt.Errorf("make go-app slim: %w", err)
	}
	dir, err := os.MkdirTemp("", "watchglass-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "app.wasm")
	args := append([]string{"build", modfile, "-trimpath", "-ldflags=-s -w", "-o", file}, inlining()...)
	c := exec.Command("go", append(args, "./wasm")...)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("compile the program: %w", err)
	}
	return os.ReadFile(file)
}

// file writes a file named by its content, and returns its address relative to the page, which is
// never more than one level below the base.
func (b builder) file(name string, body []byte) (string, error) {
	sum := sha256.Sum256(body)
	ext := filepath.Ext(name)
	hashed := strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	return "-/files/" + hashed, b.write(filepath.Join("files", hashed), body)
}

// large files are kept only compressed.
const large = 1 << 20

func (b builder) write(name string, body []byte) error {
	file := filepath.Join(b.out, name)
	if len(body) < large {
		if err := os.WriteFile(file, body, 0o644); err != nil {
			return err
		}
	}
	small, err := b.brotli(body)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".br", small, 0o644); err != nil {
		return err
	}
	var zipped bytes.Buffer
	level := gzip.BestCompression
	if b.fast {
		level = gzip.BestSpeed
	}
	w, err := gzip.NewWriterLevel(&zipped, level)
	if err != nil {
		return err
	}
	if err := compress(w, body); err != nil {
		return err
	}
	return os.WriteFile(file+".gz", zipped.Bytes(), 0o644)
}

func compress(w io.WriteCloser, body []byte) error {
	_, err := w.Write(body)
	return errors.Join(err, w.Close())
}

// brotli compresses at the highest level, which takes long. Results are cached outside of the tree,
// by content.
func (b builder) brotli(body []byte) ([]byte, error) {
	var out bytes.Buffer
	if b.fast {
		err := compress(brotli.NewWriterLevel(&out, 4), body)
		return out.Bytes(), err
	}
	sum := sha256.Sum256(body)
	kept := ""
	if cache, err := os.UserCacheDir(); err == nil {
		kept = filepath.Join(cache, "watchglass", "brotli", hex.EncodeToString(sum[:])+".br")
		if small, err := os.ReadFile(kept); err == nil {
			return small, nil
		}
	}
	if err := compress(brotli.NewWriterOptions(&out, brotli.WriterOptions{Quality: 11, LGWin: 24}), body); err != nil {
		return nil, err
	}
	if kept != "" && os.MkdirAll(filepath.Dir(kept), 0o755) == nil {
		_ = os.WriteFile(kept, out.Bytes(), 0o644) // otherwise it is compressed again next time
	}
	return out.Bytes(), nil
}
