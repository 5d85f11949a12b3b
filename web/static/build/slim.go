//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// goApp is the library that draws the page.
const goApp = "github.com/maxence-charriere/go-app/v9"

// slimDir is where the slim go-app is put, below the root of the module. The path is compiled into
// the program, so it must be the same wherever the program is built.
const slimDir = "bin/go-app"

// slimFiles replace go-app's files of the same names. The originals serve a site over HTTP, which
// the tab never does. But they import net/http, whose initialization keeps TLS and its cryptography
// in the program: a fifth of what a visitor downloads. The replacements declare what the rest of
// go-app still refers to. Watchglass passes go-app absolute addresses, which go-app considers
// remote and leaves unchanged.
//
// The others keep states and values in the browser's storage and send them to other tabs, encrypted if
// wanted, and draw a page for addresses without a route. Watchglass has one route, and keeps what it
// remembers itself.
var slimFiles = map[string]string{
	"resource.go": "package app\n",
	"http.go": `package app

type Handler struct{}

type Environment map[string]string

func isRemoteLocation(string) bool { return true }

func isStaticResourcePath(string) bool { return false }
`,
	"crypto.go": `package app

import "errors"

func encrypt(string, []byte) ([]byte, error) { return nil, errors.ErrUnsupported }

func decrypt(string, []byte) ([]byte, error) { return nil, errors.ErrUnsupported }
`,
	"state.go": `package app

type Observer any

type StateOption func()

type store struct{}

func newStore(Dispatcher) *store { return nil }

func (*store) Set(string, any, ...StateOption) {}

func (*store) Get(string, any) {}

func (*store) Del(string) {}

func (*store) Observe(string, UI) Observer { return nil }

func (*store) Cleanup() {}

func (*store) Close() {}
`,
	"storage.go": `package app

import "errors"

type BrowserStorage interface {
	Set(string, any) error
	Get(string, any) error
	Clear()
}

type noStorage struct{}

func newMemoryStorage() BrowserStorage { return noStorage{} }

func newJSStorage(string) BrowserStorage { return noStorage{} }

func (noStorage) Set(string, any) error { return errors.ErrUnsupported }

func (noStorage) Get(string, any) error { return errors.ErrUnsupported }

func (noStorage) Clear() {}
`,
	"notfound.go": `package app

type notFound struct{ Compo }
`,
}

// uuid generates the IDs that go-app uses internally. It replaces a library that brings in a
// server's cryptography.
const (
	uuidPath = "github.com/google/uuid"
	uuidDir  = "bin/uuid"
	uuid     = `package uuid

import (
	"math/rand/v2"
	"strconv"
)

func NewString() string { return strconv.FormatUint(rand.Uint64(), 16) + strconv.FormatUint(rand.Uint64(), 16) }
`
)

// slim writes a go-app without its server-only parts to slimDir, and returns the flag that makes
// the compiler use it.
func slim() (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", goApp).Output()
	if err != nil {
		return "", fmt.Errorf("fetch go-app: %w", err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("where go-app is: %w", err)
	}
	if err := os.RemoveAll(slimDir); err != nil {
		return "", err
	}
	for _, dir := range []string{".", "pkg/app", "pkg/errors"} {
		if err := copySources(filepath.Join(module.Dir, dir), filepath.Join(slimDir, dir)); err != nil {
			return "", err
		}
	}
	for name, text := range slimFiles {
		file := filepath.Join(slimDir, "pkg/app", name)
		if _, err := os.Stat(file); err != nil {
			return "", fmt.Errorf("go-app has no such file to replace any more: %w", err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(uuidDir, 0o755); err != nil {
		return "", err
	}
	for name, text := range map[string]string{"uuid.go": uuid, "go.mod": "module " + uuidPath + "\n"} {
		if err := os.WriteFile(filepath.Join(uuidDir, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return "-modfile=" + slimDir + ".mod", replaceModules()
}

// copySources copies a folder's own sources, without its tests.
func copySources(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		source := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		if e.IsDir() || !source && name != "go.mod" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// replaceModules writes a copy of our go.mod that also has the paths of the slim modules.
func replaceModules() error {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	mod = fmt.Appendf(mod, "\nreplace %s => ./%s\n\nreplace %s => ./%s\n", goApp, slimDir, uuidPath, uuidDir)
	if err := os.WriteFile(slimDir+".mod", mod, 0o644); err != nil {
		return err
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		return err
	}
	return os.WriteFile(slimDir+".sum", sum, 0o644)
}
