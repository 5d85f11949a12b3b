// Package image tests the OCI image that proxy/deploy/image makes: its content, and that
// it runs as an unprivileged user on a read-only root. It unpacks the image itself, so that
// it does not depend on the code that made it.
package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
)

const (
	maxBytes = 25 << 20 // of the layer, compressed
	created  = 1700000000
	user     = "65532:65532"
)

// blob is a reference to a file of an OCI layout.
type blob struct{ Digest, MediaType string }

// image is what the OCI specification calls an image configuration.
type image struct {
	OS, Architecture, Created string
	Config                    struct {
		User            string
		Entrypoint, Cmd []string
		Env             []string
	}
}

// layout is a folder in the format of the OCI specification.
type layout string

// read returns a blob, and checks its digest.
func (l layout) read(t *testing.T, b blob) []byte {
	t.Helper()
	want := strings.TrimPrefix(b.Digest, "sha256:")
	body, err := os.ReadFile(filepath.Join(string(l), "blobs", "sha256", want))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != want {
		t.Fatalf("%s has other content", b.Digest)
	}
	return body
}

// decode reads a blob of JSON.
func decode[T any](t *testing.T, body []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// build makes the image of the program that make build has built.
func build(t *testing.T, binary string) layout {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "layout")
	c := exec.CommandContext(t.Context(), "go", "run", ".",
		"-binary", runtime.GOARCH+"="+binary, "-license", filepath.Join(root, "LICENSE"),
		"-notices", filepath.Join(root, "web/static/dist/licenses.txt.gz"), "-created", fmt.Sprint(created), "-layout", dir)
	c.Dir = filepath.Join(root, "proxy/deploy/image")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return layout(dir)
}

// unpack writes the image's file system to a folder, checks each entry, and returns the
// image's configuration.
func unpack(t *testing.T, l layout, dir string) image {
	t.Helper()
	outer, err := os.ReadFile(filepath.Join(string(l), "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	type index struct{ Manifests []blob }
	inner := decode[index](t, l.read(t, decode[index](t, outer).Manifests[0]))
	manifest := decode[struct {
		Config blob
		Layers []blob
	}](t, l.read(t, inner.Manifests[0]))
	if len(inner.Manifests) != 1 || len(manifest.Layers) != 1 {
		t.Fatalf("%d images, %d layers", len(inner.Manifests), len(manifest.Layers))
	}
	packed := l.read(t, manifest.Layers[0])
	t.Logf("the layer is %d bytes, compressed", len(packed))
	if len(packed) > maxBytes {
		t.Errorf("the layer is %d bytes, more than %d", len(packed), maxBytes)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Mode&0o022 != 0 || h.ModTime.Unix() != created || !filepath.IsLocal(h.Name) {
			t.Errorf("%s: owner %d:%d, mode %o, time %s", h.Name, h.Uid, h.Gid, h.Mode, h.ModTime)
		}
		path := filepath.Join(dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else {
			files = append(files, h.Name)
			var body []byte
			if body, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(path, body, h.FileInfo().Mode())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"etc/ssl/certs/ca-certificates.crt", "licenses/LICENSE", "licenses/ca-certificates.txt", "licenses/third-party.txt", "watchglass"}; !slices.Equal(files, want) {
		t.Errorf("the files are %q, want %q", files, want)
	}
	return decode[image](t, l.read(t, manifest.Config))
}

// jail writes a program that runs the image's as its user, on a read-only root. A tester
// who is not root cannot mount: then it runs as that tester, in a folder that cannot be
// written.
func jail(t *testing.T, root string) string {
	t.Helper()
	script := fmt.Sprintf("#!/bin/sh\ncd %s && exec ./watchglass \"$@\"\n", root)
	if os.Geteuid() == 0 {
		script = fmt.Sprintf(`#!/bin/sh
exec unshare --mount --propagation private sh -c '
mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec chroot --userspec=%s "$0" /watchglass "$@"
' %s "$@"
`, user, root)
	} else if err := os.Chmod(root, 0o555); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "watchglass")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestImage(t *testing.T) {
	binary, err := proxy.Binary()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	i := unpack(t, build(t, binary), root)
	if i.OS != "linux" || i.Architecture != runtime.GOARCH || i.Created != "2023-11-14T22:13:20Z" {
		t.Errorf("%+v", i)
	}
	if c := i.Config; c.User != user || !slices.Equal(c.Entrypoint, []string{"/watchglass"}) || len(c.Cmd)+len(c.Env) > 0 {
		t.Errorf("%+v", c)
	}
	inside := jail(t, root)
	t.Run("licenses", func(t *testing.T) { checkLicenses(t, inside, binary, root) })
	t.Run("read-only", func(t *testing.T) {
		refusal := "permission denied"
		if os.Geteuid() == 0 {
			refusal = "read-only file system"
			if err := os.Chmod(root, 0o777); err != nil { // so that nothing else keeps it from writing
				t.Fatal(err)
			}
		}
		out, err := exec.CommandContext(t.Context(), inside, "--demo", "--key-file", "key", "--listen", "127.0.0.1:0").CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte(refusal)) {
			t.Errorf("it could write: %v\n%s", err, out)
		}
	})
	t.Run("demo", func(t *testing.T) { checkDemo(t, inside) })
}

// checkLicenses checks that the program prints the licenses of all modules it says it contains,
// and the image has the same.
func checkLicenses(t *testing.T, inside, binary, root string) {
	printed, err := exec.CommandContext(t.Context(), inside, "--licenses").Output()
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(root, "licenses/third-party.txt"))
	if err != nil || !bytes.Equal(printed, written) {
		t.Errorf("the program prints other licenses than the image has: %v", err)
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil || len(info.Deps) < 20 {
		t.Fatal(info, err)
	}
	for _, m := range info.Deps {
		if !bytes.Contains(printed, []byte("\n"+m.Path+" "+m.Version+"\n")) {
			t.Errorf("the licenses don't mention %s %s", m.Path, m.Version)
		}
	}
}

// checkDemo opens the demo cluster in a browser.
func checkDemo(t *testing.T, inside string) {
	p, err := proxy.Start(t.Context(), proxy.Options{Binary: inside, Args: []string{"--demo"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		t.Logf("the proxy logged:\n%s", p.Stderr())
	}()
	b, err := browser.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Stop(); err != nil {
			t.Error(err)
		}
	}()
	tab, err := b.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	if err := tab.Open(strings.Replace(p.Address(), "/#", "/pods#", 1)); err != nil {
		t.Fatal(err)
	}
	if err := tab.AwaitState("live", time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := tab.Await(`document.querySelectorAll("[role=row][data-uid]").length > 10 && document.querySelector("header").textContent.includes("demo cluster")`, time.Minute); err != nil {
		t.Fatal(err)
	}
}
