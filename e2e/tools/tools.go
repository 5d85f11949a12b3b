// Package tools builds the programs that tests run, such as helm, from their Go
// modules, and keeps them in a cache. Each tool has a folder here with a go.mod, which
// names its main package in a tool line and pins its version, and a go.sum. A tool has
// a module of its own, so that its dependencies don't change those of the tests.
//
// To add a tool, make its folder and in it:
//
//	go mod init watchglass/e2e/tools/NAME
//	go get -tool MODULE/cmd/NAME@VERSION
//
// If the tool needs cgo, let a comment at its tool line begin with "// cgo".
//
// The package needs a unix system and the go command.
package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// Build returns the path of a tool, and builds it if the cache does not have it. name is
// that of its folder. The cache is $WATCHGLASS_CACHE/tools/NAME/HASH, where HASH is that
// of go.mod and go.sum: a new version is built at its first use.
func Build(ctx context.Context, name string) (path string, err error) {
	return build(ctx, filepath.Join(Dir(), name), name)
}

func build(ctx context.Context, module, name string) (path string, err error) {
	cache, err := CacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache for tools: %w", err)
	}
	p, hash, err := readModule(module)
	if err != nil {
		return "", fmt.Errorf("build the tool %s: %w", name, err)
	}
	p.Title, p.Dir = "the tool", filepath.Join(cache, "tools", name, hash)
	p.List[0].Name = name
	if err := p.Build(ctx, nil); err != nil {
		return "", err
	}
	return filepath.Join(p.Dir, name), nil
}

var toolLine = regexp.MustCompile(`(?m)^tool (\S+)( // cgo\b.*)?$`)

// readModule returns the program that go.mod names as its tool, without a name, and a hash
// of what pins the tool's version and that of its dependencies.
func readModule(dir string) (p Programs, hash string, err error) {
	h := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return Programs{}, "", err
		}
		h.Write(content)
		if name != "go.mod" {
			continue
		}
		tools := toolLine.FindAllSubmatch(content, -1)
		if len(tools) != 1 {
			return Programs{}, "", fmt.Errorf("%s/go.mod has %d tool lines, want one", dir, len(tools))
		}
		p = Programs{Module: dir, Cgo: len(tools[0][2]) > 0, List: []Program{{Package: string(tools[0][1])}}}
	}
	return p, hex.EncodeToString(h.Sum(nil))[:16], nil
}

// Dir returns the folder of this package, from any folder of its module. It searches for it, since the program does not
// know where its sources are: the Makefile builds without paths.
func Dir() string {
	dir, _ := os.Getwd() // without it, the tools are not found either
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "tools", "tools.go")); err == nil {
			return filepath.Join(dir, "tools")
		}
	}
	return "."
}
