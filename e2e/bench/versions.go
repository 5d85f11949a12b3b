package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"watchglass/e2e/browser"
)

// version is what something is, for those who compare figures.
type version struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type versions []version

func (v *versions) add(name, value string) { *v = append(*v, version{name, value}) }

// chromium is the whole version of the browser.
const chromium = `navigator.userAgentData.getHighEntropyValues(["fullVersionList"])
	.then((v) => v.fullVersionList.map((b) => b.brand + " " + b.version).find((b) => b.startsWith("Chrom")) ?? "")`

// versions finds out what runs here.
func (b *bench) versions(ctx context.Context, r *report) error {
	server, err := b.client.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	now, err := load()
	if err != nil {
		return err
	}
	r.Versions.add("kube-apiserver", server.GitVersion)
	r.Versions.add("client-go", clientGo())
	r.Versions.add("Go", runtime.Version())
	err = inTab(ctx, func(tab *browser.Tab) error {
		if _, err := b.open(tab, b.proxy.At("/services"), "services"); err != nil {
			return err
		}
		name, err := browser.Eval[string](tab, chromium)
		ours, also := browser.Eval[string](tab, "watchglass.version")
		r.Versions.add("Chromium", strings.TrimPrefix(name, "Chromium ")+", a fresh process and profile for each navigation, no cache of any kind")
		r.Versions.add("Watchglass", ours)
		return errors.Join(err, also)
	})
	r.Versions.add("machine", fmt.Sprintf("%d cores, %s/%s, load %s at the start", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, now))
	return err
}

// clientGo is the version that this program was built with.
func clientGo() string {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, m := range info.Deps {
			if m.Path == "k8s.io/client-go" {
				return m.Version
			}
		}
	}
	return "unknown"
}
