//go:build !js

package main

import (
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

var redirect = template.Must(template.New("open").Parse(`<!doctype html>
<meta charset="utf-8">
<title>Watchglass</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={{.}}">
<p><a href="{{.}}">Open Watchglass</a></p>
`))

// open opens an address in the user's browser. Everybody on the machine can read command
// lines, so the browser is given a file instead, which redirects to the address and which only
// the user can read. The returned function removes the file.
func open(address string, log *slog.Logger) (remove func()) {
	dir, file, err := writeRedirect(address)
	if err == nil {
		err = start(opener(runtime.GOOS), file)
	}
	if err != nil {
		log.Warn("browser not opened: open the address yourself", "error", err)
	}
	return func() { _ = os.RemoveAll(dir) } // the temporary folder is cleaned anyway
}

// writeRedirect writes the file into a new folder.
func writeRedirect(address string) (dir, file string, err error) {
	if dir, err = os.MkdirTemp("", "watchglass-"); err != nil { // for this user only
		return "", "", err
	}
	file = filepath.Join(dir, "open.html")
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return dir, "", err
	}
	return dir, file, errors.Join(redirect.Execute(f, address), f.Close())
}

// opener returns the command that opens a file with the user's default program.
func opener(system string) []string {
	switch system {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return []string{"xdg-open"}
}

func start(command []string, file string) error {
	c := exec.Command(command[0], append(command[1:], file)...)
	if err := c.Start(); err != nil {
		return fmt.Errorf("%s: %w", command[0], err)
	}
	go func() { _ = c.Wait() }() // only to release its resources
	return nil
}
