//go:build !js

package main

import (
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// A release sets these with -ldflags -X, from its tag. In other builds they are empty, and the
// go command records the version and the commit.
var releaseVersion, releaseCommit string

// build is the version, commit and compiler of this program.
type build struct{ version, commit, compiler string }

// built reads the build information of the program.
func built() build {
	b := build{version: "devel", commit: "unknown", compiler: runtime.Version()}
	if releaseVersion != "" {
		b.version, b.commit = releaseVersion, releaseCommit
		return b
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			b.commit += " and changes"
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.version = v
	} else if b.commit != "unknown" {
		b.version = b.commit[:min(len(b.commit), 12)]
	}
	return b
}

func (b build) String() string {
	return "watchglass " + b.version + " (commit " + b.commit + ", " + b.compiler + ")"
}

// version returns the module's version, or the commit if there is none.
func version() string { return built().version }

// completerName is the name by which kubectl runs the program to complete a command line.
const completerName = "kubectl_complete-watchglass"

// commandName returns what a user types to run the program: kubectl runs its plugin
// kubectl-watchglass for "kubectl watchglass".
func commandName(program string) string {
	if strings.HasPrefix(programName(program), "kubectl-") {
		return "kubectl watchglass"
	}
	return "watchglass"
}

// programName returns the name of the program's file, without a folder or .exe.
func programName(program string) string {
	return strings.TrimSuffix(filepath.Base(program), ".exe")
}
