//go:build !js

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the user and group that the program runs as, as in the distroless images.
const user = "65532:65532"

// labels describe the image.
type labels struct {
	version, revision, source string
	when                      time.Time
}

// annotations returns the labels by their names in the OCI specification.
func (l labels) annotations() map[string]string {
	all := map[string]string{
		"org.opencontainers.image.title":       "Watchglass",
		"org.opencontainers.image.description": "A live, read-only view of a Kubernetes cluster in a browser tab",
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.created":     l.when.Format(time.RFC3339),
	}
	for key, value := range map[string]string{"version": l.version, "revision": l.revision, "source": l.source} {
		if value != "" {
			all["org.opencontainers.image."+key] = value
		}
	}
	return all
}

// program is the binary for an architecture.
type program struct {
	arch string
	body []byte
}

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// readProgram reads a binary, which must be for this architecture and need no libraries: the
// image has none.
func readProgram(arch, file string) (program, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return program{}, err
	}
	f, err := elf.NewFile(bytes.NewReader(body))
	if err != nil {
		return program{}, fmt.Errorf("%s is not a Linux program: %w", file, err)
	}
	if want, ok := machines[arch]; !ok || f.Machine != want {
		return program{}, fmt.Errorf("%s is for %s, not %s", file, f.Machine, arch)
	}
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return program{}, fmt.Errorf("%s is not static: build it with CGO_ENABLED=0", file)
	}
	return program{arch, body}, nil
}

// file is a file of the image.
type file struct {
	name string
	mode int64
	body []byte
}

// newIndex returns an index of one image for each program.
func newIndex(programs []program, licenses []file, l labels) (v1.ImageIndex, error) {
	shared := append(slices.Clone(licenses), certificates()...)
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range programs {
		image, err := newImage(append([]file{{"watchglass", 0o755, p.body}}, shared...), p.arch, l)
		if err != nil {
			return nil, fmt.Errorf("image for %s: %w", p.arch, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: p.arch}},
		})
	}
	return mutate.Annotations(index, l.annotations()).(v1.ImageIndex), nil
}

// newImage returns an image of a single layer.
func newImage(files []file, arch string, l labels) (v1.Image, error) {
	body, err := archive(files, l.when)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(body)), nil
	}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithCompressedCaching)
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	created := v1.Time{Time: l.when}
	image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{Created: created, CreatedBy: "proxy/deploy/image"}})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", arch, created
	config.Config = v1.Config{User: user, WorkingDir: "/", Entrypoint: []string{"/watchglass"}, Labels: l.annotations()}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return nil, err
	}
	return mutate.Annotations(image, l.annotations()).(v1.Image), nil
}

// archive returns a tar archive of the files and their folders, which belong to root and can be
// written by nobody else.
func archive(files []file, when time.Time) ([]byte, error) {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	var made []string
	for _, f := range files {
		for _, dir := range parents(f.name) {
			if slices.Contains(made, dir) {
				continue
			}
			made = append(made, dir)
			if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: when, Format: tar.FormatUSTAR}); err != nil {
				return nil, err
			}
		}
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.body)), ModTime: when, Format: tar.FormatUSTAR}); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.body); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// parents returns the folders that contain a file, the outermost first.
func parents(name string) (dirs []string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		dirs = append([]string{dir}, dirs...)
	}
	return dirs
}

// certificatesNotice says where the CA certificates come from.
const certificatesNotice = `The CA certificates in /etc/ssl/certs/ca-certificates.crt are those of Mozilla's CA Certificate
Program, taken from the Go module golang.org/x/crypto/x509roots/fallback. They are subject to the
terms of the Mozilla Public License, v. 2.0, which you can obtain at https://mozilla.org/MPL/2.0/.
`

// certificates returns Mozilla's root certificates, where Go looks for them, and their license.
// The module's date limits on some roots cannot be expressed in PEM, as in other distributions.
func certificates() []file {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // into memory
	}
	return []file{{"etc/ssl/certs/ca-certificates.crt", 0o644, b.Bytes()}, {"licenses/ca-certificates.txt", 0o644, []byte(certificatesNotice)}}
}
