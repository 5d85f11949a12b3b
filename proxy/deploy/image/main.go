//go:build !js

// Command image makes the OCI image of Watchglass without Docker and without a base image. The
// image contains the program, CA certificates and licenses, and nothing else. The same inputs
// make the same image, byte for byte.
//
// It is a module of its own, so that the proxy's dependencies stay few. In: static Linux
// binaries, one for each architecture, and the licenses. Out: an OCI layout, an image in a
// registry, or both; and the image's digest on standard output.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// list is a flag that can be repeated.
type list []string

func (l *list) String() string { return strings.Join(*l, " ") }

func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}

// options are the values of the flags.
type options struct {
	binaries, push                    list
	license, notices, layout, created string
	labels
}

func main() {
	var o options
	flag.Var(&o.binaries, "binary", "`ARCH=FILE`: the program for an architecture; can be repeated")
	flag.StringVar(&o.license, "license", "LICENSE", "`FILE` with the license of Watchglass")
	flag.StringVar(&o.notices, "notices", "web/static/dist/licenses.txt.gz", "`FILE` with the licenses of what the program contains, compressed")
	flag.StringVar(&o.version, "version", "", "version, without a v")
	flag.StringVar(&o.revision, "revision", "", "commit")
	flag.StringVar(&o.source, "source", "", "`URL` of the repository")
	flag.StringVar(&o.created, "created", os.Getenv("SOURCE_DATE_EPOCH"), "`SECONDS` since 1970: the time of the image and its files (default: $SOURCE_DATE_EPOCH, else 0)")
	flag.StringVar(&o.layout, "layout", "", "`FOLDER` to write as an OCI layout; what it contains is removed")
	flag.Var(&o.push, "push", "`NAME:TAG` to push to, with the credentials of docker login; can be repeated")
	flag.Parse()
	if err := o.run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// run makes the image and prints its digest.
func (o *options) run(stdout io.Writer) error {
	index, err := o.build()
	if err != nil {
		return err
	}
	if o.layout != "" {
		if err := write(o.layout, index, o.version); err != nil {
			return fmt.Errorf("write the OCI layout: %w", err)
		}
	}
	for _, target := range o.push {
		ref, err := name.NewTag(target, name.StrictValidation)
		if err != nil {
			return err
		}
		if err := remote.WriteIndex(ref, index, remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
			return fmt.Errorf("push to %s: %w", ref, err)
		}
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, digest)
	return nil
}

// build reads the inputs and makes an image for each architecture.
func (o *options) build() (v1.ImageIndex, error) {
	if len(o.binaries) == 0 {
		return nil, errors.New("-binary: name at least one")
	}
	if o.created != "" {
		seconds, err := strconv.ParseInt(o.created, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("-created: %w", err)
		}
		o.when = time.Unix(seconds, 0).UTC()
	} else {
		o.when = time.Unix(0, 0).UTC()
	}
	licenses, err := readLicenses(o.license, o.notices)
	if err != nil {
		return nil, err
	}
	programs := make([]program, len(o.binaries))
	for i, b := range o.binaries {
		arch, path, ok := strings.Cut(b, "=")
		if !ok {
			return nil, fmt.Errorf("-binary %s: want ARCH=FILE", b)
		}
		if programs[i], err = readProgram(arch, path); err != nil {
			return nil, err
		}
	}
	return newIndex(programs, licenses, o.labels)
}

// readLicenses returns the files of the image below /licenses.
func readLicenses(own, others string) ([]file, error) {
	license, err := os.ReadFile(own)
	if err != nil {
		return nil, err
	}
	zipped, err := os.ReadFile(others)
	if err != nil {
		return nil, fmt.Errorf("the page has not been built, run 'make build': %w", err)
	}
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", others, err)
	}
	notices, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", others, err)
	}
	return []file{{"licenses/LICENSE", 0o644, license}, {"licenses/third-party.txt", 0o644, notices}}, nil
}

// write replaces a folder by an OCI layout with the image.
func write(folder string, index v1.ImageIndex, version string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	path, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	var options []layout.Option
	if version != "" {
		options = append(options, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": version}))
	}
	return path.AppendIndex(index, options...)
}
