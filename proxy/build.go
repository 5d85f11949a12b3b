//go:build !js

package main

import (
	"runtime"
	"runtime/debug"
)

// build is the version, commit and compiler of this program.
type build struct{ version, commit, compiler string }

// built reads the build information of the program.
func built() build {
	b := build{version: "devel", commit: "unknown", compiler: runtime.Version()}
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
