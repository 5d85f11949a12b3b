//go:build !js

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLicenses(t *testing.T) {
	t.Chdir("../../..")
	found, err := collectLicenses()
	if err != nil {
		t.Fatal(err)
	}
	text := string(found.text())
	for _, part := range []string{
		"\nthe Go standard library go1.",
		"\nk8s.io/client-go v",                                   // the proxy
		"\ngithub.com/maxence-charriere/go-app/v9 v",             // the page
		", third_party/forked/golang\n",                          // a package with its own license
		"\nCopyright (c) 2023 The Gorilla",                       // no such module
		"Apache License\n                           Version 2.0", // a text
	} {
		if strings.Contains(text, part) == strings.Contains(part, "Gorilla") {
			t.Errorf("the licenses contain %q: %t", part, strings.Contains(text, part))
		}
	}
	for license, modules := range found {
		if strings.Contains(license, "GNU GENERAL PUBLIC") || strings.Contains(license, "GNU AFFERO") {
			t.Errorf("%v: not a license that we can comply with", modules)
		}
	}
	t.Logf("%d texts, %d bytes", len(found), len(text))
}

func TestLicensesMissing(t *testing.T) {
	dir := t.TempDir()
	p := linkedPackage{Dir: filepath.Join(dir, "a")}
	p.Module = &struct {
		Path, Version, Dir string
		Main               bool
	}{Path: "example.com/m", Version: "v1", Dir: dir}
	if err := os.Mkdir(p.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Dir, "LICENSE"), []byte("of a\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	n := make(notices)
	if err := n.addPackage(p); err == nil || !strings.Contains(err.Error(), "example.com/m v1 has no license") {
		t.Errorf("a module without a license: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "COPYING"), []byte("of a"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := n.addPackage(p); err != nil || len(n) != 1 || strings.Join(n["of a\n"], ";") != "example.com/m v1, a;example.com/m v1" {
		t.Errorf("%v %v", n, err)
	}
}
