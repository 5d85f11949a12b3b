//go:build !js

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// binaryFile writes the header of a Linux program, which is all that the command reads.
func binaryFile(t *testing.T, machine elf.Machine, static bool) string {
	t.Helper()
	h := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT), Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1, Shentsize: 64,
	}
	p := elf.Prog64{Type: uint32(elf.PT_LOAD)}
	if !static {
		p.Type = uint32(elf.PT_INTERP)
	}
	var b bytes.Buffer
	if err := errors.Join(binary.Write(&b, binary.LittleEndian, h), binary.Write(&b, binary.LittleEndian, p)); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, b.Bytes())
}

func writeFile(t *testing.T, body []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// standard returns options that make an image of two architectures.
func standard(t *testing.T) *options {
	t.Helper()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte("all of them\n")); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return &options{
		binaries: list{"amd64=" + binaryFile(t, elf.EM_X86_64, true), "arm64=" + binaryFile(t, elf.EM_AARCH64, true)},
		license:  writeFile(t, []byte("ours\n")), notices: writeFile(t, zipped.Bytes()), created: "1700000000",
		labels: labels{version: "1.2.3", revision: "abc", source: "https://example.com/w"},
	}
}

func TestImage(t *testing.T) {
	s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer s.Close()
	tag := strings.TrimPrefix(s.URL, "http://") + "/watchglass:1.2.3"
	o := standard(t)
	o.layout, o.push = filepath.Join(t.TempDir(), "layout"), list{tag}
	var out bytes.Buffer
	if err := o.run(&out); err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(tag)
	if err != nil {
		t.Fatal(err)
	}
	index, err := remote.Index(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	digest, err := index.Digest()
	if err != nil || digest.String()+"\n" != out.String() {
		t.Errorf("printed %q, pushed %s, %v", out.String(), digest, err)
	}
	written, err := layout.ImageIndexFromPath(o.layout)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := written.IndexManifest(); err != nil || m.Manifests[0].Digest != digest || m.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "1.2.3" {
		t.Errorf("the layout has %+v, %v", m, err)
	}
	var again bytes.Buffer
	if err := o.run(&again); err != nil || again.String() != out.String() {
		t.Errorf("made again it is %s, %v", &again, err)
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 2 {
		t.Fatalf("%+v %v", manifest, err)
	}
	for i, arch := range []string{"amd64", "arm64"} {
		d := manifest.Manifests[i]
		if d.Platform.Architecture != arch || d.Platform.OS != "linux" {
			t.Errorf("platform %+v", d.Platform)
		}
		image, err := index.Image(d.Digest)
		if err != nil {
			t.Fatal(err)
		}
		checkConfig(t, image, arch)
		checkFiles(t, image)
	}
}

func checkConfig(t *testing.T, image v1.Image, arch string) {
	t.Helper()
	c, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if c.Architecture != arch || c.OS != "linux" || !c.Created.Equal(time.Unix(1700000000, 0)) {
		t.Errorf("config %+v", c)
	}
	if c := c.Config; c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/watchglass"}) || len(c.Cmd)+len(c.Env)+len(c.Volumes)+len(c.ExposedPorts) > 0 {
		t.Errorf("config %+v", c)
	}
	m, err := image.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []map[string]string{m.Annotations, c.Config.Labels} {
		for key, want := range map[string]string{"version": "1.2.3", "revision": "abc", "source": "https://example.com/w", "licenses": "Apache-2.0", "created": "2023-11-14T22:13:20Z"} {
			if got := all["org.opencontainers.image."+key]; got != want {
				t.Errorf("%s is %q", key, got)
			}
		}
	}
}

func checkFiles(t *testing.T, image v1.Image) {
	t.Helper()
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatal(layers, err)
	}
	body, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	var names []string
	for r := tar.NewReader(body); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		executable := h.Typeflag == tar.TypeDir || h.Name == "watchglass"
		if h.Uid != 0 || h.Gid != 0 || h.Mode != map[bool]int64{true: 0o755, false: 0o644}[executable] || h.ModTime.Unix() != 1700000000 {
			t.Errorf("%+v", h)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		switch h.Name {
		case "licenses/third-party.txt":
			if string(content) != "all of them\n" {
				t.Errorf("%s is %q", h.Name, content)
			}
		case "etc/ssl/certs/ca-certificates.crt":
			if pool := x509.NewCertPool(); !pool.AppendCertsFromPEM(content) || bytes.Count(content, []byte("BEGIN CERT")) < 100 {
				t.Errorf("%d bytes of certificates", len(content))
			}
		}
	}
	want := []string{
		"etc/", "etc/ssl/", "etc/ssl/certs/", "etc/ssl/certs/ca-certificates.crt",
		"licenses/", "licenses/LICENSE", "licenses/ca-certificates.txt", "licenses/third-party.txt", "watchglass",
	}
	if !slices.Equal(names, want) {
		t.Errorf("the files are %q", names)
	}
}

func TestErrors(t *testing.T) {
	for want, change := range map[string]func(*options){
		"name at least one":         func(o *options) { o.binaries = nil },
		"want ARCH=FILE":            func(o *options) { o.binaries = list{"amd64"} },
		"is not static":             func(o *options) { o.binaries = list{"amd64=" + binaryFile(t, elf.EM_X86_64, false)} },
		"is for EM_X86_64, not arm": func(o *options) { o.binaries = list{"arm64=" + binaryFile(t, elf.EM_X86_64, true)} },
		"is not a Linux program":    func(o *options) { o.binaries = list{"amd64=" + o.license} },
		"-created":                  func(o *options) { o.created = "today" },
		"make build":                func(o *options) { o.notices = "none" },
		"must specify a tag name":   func(o *options) { o.push = list{"A:"} },
	} {
		o := standard(t)
		change(o)
		if err := o.run(io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
