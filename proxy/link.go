//go:build !js

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"watchglass/internal/edge"
	"watchglass/internal/edge/session"
)

// printLink prints another address for a running proxy. It needs to read the key of the
// proxy's cookies.
func (o *options) printLink(stdout io.Writer) error {
	file, err := o.keyPath()
	if err != nil {
		return err
	}
	key, err := session.ReadKey(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--link: there is no key at %s: start Watchglass first, as the same user", file)
	case err != nil:
		return err
	}
	host, port, _ := net.SplitHostPort(o.listen) // validated
	if port == "0" {
		return errors.New("--link: pass the --listen address of the running Watchglass")
	}
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(host, port), 2*time.Second)
	if err != nil {
		return fmt.Errorf("--link: no Watchglass is listening at %s:%s: start it, or pass its --listen address", host, port)
	}
	conn.Close()
	scheme := "http"
	if o.tlsCert != "" {
		scheme = "https"
	}
	fmt.Fprintln(stdout, scheme+"://"+net.JoinHostPort(host, port)+o.basePath+"/#token="+edge.NewTicket(key, port, time.Now()))
	return nil
}

// keyPath returns the file with the key of the cookies in local mode.
func (o *options) keyPath() (string, error) {
	if o.keyFile != "" {
		return o.keyFile, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "watchglass", "key"), nil
}

// port returns the port of an address.
func port(address net.Addr) string {
	_, port, _ := net.SplitHostPort(address.String()) // it came from a listener
	return port
}
