//go:build !js

package main

import (
	"os"
	"path/filepath"
	"syscall"
)

// runStraight runs a program, whose file is the first argument, under Node as Go's own script does, but with direct jumps,
// as the page has it. go test -exec takes it, so that every test of what runs in the tab is one of straighten, too.
func runStraight(args []string) error {
	program, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	m, err := readModule(program)
	if err != nil {
		return err
	}
	if m.sections[codeSection], err = straighten(m.sections[codeSection]); err != nil {
		return err
	}
	file := args[0] + ".straight" // beside it, where go test removes it
	if err := os.WriteFile(file, m.bytes(), 0o600); err != nil {
		return err
	}
	root, err := goroot()
	if err != nil {
		return err
	}
	script := filepath.Join(root, "lib", "wasm", "go_js_wasm_exec")
	return syscall.Exec(script, append([]string{script, file}, args[1:]...), os.Environ())
}
