//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this program runs in a browser tab: 'make run' builds and serves it")
	os.Exit(2)
}
