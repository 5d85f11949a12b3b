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

// open opens an address in the user's browser. Everybody on the machine may read command
// lines, so that the browser is given a file which only the user may read, and which leads
// to the address. What it returns removes the file.
func open(address string, log *slog.Logger) (remove func()) {
	dir, file, err := writeRedirect(address)
	if err == nil {
		err = start(opener(runtime.GOOS), file)
	}
	if err != nil {
		log.Warn("browser not opened: open the address yourself", "error", err)
	}
	return func() { _ = os.RemoveAll(dir) } // it is in a folder for what may go at any time
}

// writeRedirect writes the file into a folder of its own.
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

// opener is the command that opens a file as the user has chosen.
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
	go func() { _ = c.Wait() }() // it ends when it likes
	return nil
}
