//go:build !js

package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// licensesFile is the file in dist with the licenses of third-party software. The proxy
// prints it, and does not serve it.
const licensesFile = "licenses.txt.gz"

// platforms are those that releases are built for. What is linked depends on them.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// linkedPackage is a package that is linked, as go list prints it.
type linkedPackage struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// notices maps the text of each license to the modules that have it.
type notices map[string][]string

// writeLicenses writes the licenses of all modules that are linked into the proxy, on any
// platform, or into the tab's program.
func (b builder) writeLicenses() error {
	found, err := collectLicenses()
	if err != nil {
		return fmt.Errorf("collect the licenses: %w", err)
	}
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := compress(w, found.text()); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.out, licensesFile), zipped.Bytes(), 0o644)
}

func collectLicenses() (notices, error) {
	found := make(notices)
	root, err := goroot()
	if err != nil {
		return nil, err
	}
	if _, err := found.add(root, "the Go standard library "+runtime.Version()); err != nil {
		return nil, err
	}
	packages, err := linkedPackages("js/wasm", "./wasm")
	if err != nil {
		return nil, err
	}
	for _, p := range platforms {
		more, err := linkedPackages(p, "./proxy")
		if err != nil {
			return nil, err
		}
		packages = append(packages, more...)
	}
	for _, p := range packages {
		if err := found.addPackage(p); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// linkedPackages lists the packages of other modules that a program links.
func linkedPackages(platform, program string) (all []linkedPackage, err error) {
	goos, goarch, _ := strings.Cut(platform, "/")
	c := exec.Command("go", "list", "-deps", "-json=Dir,Module", program)
	c.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("list what %s links for %s: %w", program, platform, err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p linkedPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil && !p.Module.Main {
			all = append(all, p)
		}
	}
}

// addPackage adds the licenses in a package's folder and in those above it, up to its module's:
// a module may contain packages with a license of their own.
func (n notices) addPackage(p linkedPackage) error {
	name := p.Module.Path + " " + p.Module.Version
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		if dir == p.Module.Dir {
			had, err := n.add(dir, name)
			if err == nil && !had {
				err = fmt.Errorf("%s has no license", name)
			}
			return err
		}
		below, err := filepath.Rel(p.Module.Dir, dir)
		if err != nil {
			return err
		}
		if _, err := n.add(dir, name+", "+filepath.ToSlash(below)); err != nil {
			return err
		}
	}
}

var licenseName = regexp.MustCompile(`^(LICEN[CS]E|COPYING|NOTICE)\b`)

// add adds the licenses in a folder, and reports whether it has any.
func (n notices) add(dir, name string) (had bool, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if e.IsDir() || !licenseName.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return false, err
		}
		key := strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n") + "\n"
		if !slices.Contains(n[key], name) {
			n[key] = append(n[key], name)
		}
		had = true
	}
	return had, nil
}

// text returns the licenses, each once, below the names of the modules that have it.
func (n notices) text() []byte {
	for _, names := range n {
		slices.Sort(names)
	}
	texts := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		return cmp.Or(strings.Compare(n[a][0], n[b][0]), strings.Compare(a, b))
	})
	var b bytes.Buffer
	b.WriteString("Watchglass is licensed under the Apache License, Version 2.0. It contains the following software, under these licenses.\n")
	for _, t := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s", strings.Repeat("=", 80), strings.Join(n[t], "\n"), t)
	}
	return b.Bytes()
}

// goroot returns the folder of the toolchain.
func goroot() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("ask the toolchain where it is: %w", err)
	}
	return strings.TrimSpace(string(root)), nil
}
