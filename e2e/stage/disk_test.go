package stage

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// zipped returns a gzip stream of a text, as CompressionStream makes it.
func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := io.WriteString(z, text)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestContains looks for a text in what a browser may have on its disk.
func TestContains(t *testing.T) {
	const canary = "canary-in-a-file"
	head := make([]byte, 16)
	long := canary
	for rng := rand.New(rand.NewPCG(1, 1)); len(long) < 100_000; {
		long += fmt.Sprint(" ", rng.Uint64())
	}
	whole, other := zipped(t, "before "+canary+" after"), zipped(t, "something else")
	broken := zipped(t, long)
	broken = broken[:len(broken)/2]
	for name, doc := range map[string][]byte{"a whole stream": whole, "a broken stream": broken} {
		if bytes.Contains(doc, []byte(canary)) {
			t.Errorf("%s has the text plainly, so that it shows nothing", name)
		}
	}
	falseMagic := []byte{0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 0xff, 0xff}
	for name, tc := range map[string]struct {
		parts [][]byte
		want  bool
	}{
		"plain":                           {[][]byte{head, []byte(canary), head}, true},
		"a gzip":                          {[][]byte{whole}, true},
		"a gzip behind a head":            {[][]byte{head, whole}, true},
		"a gzip before something":         {[][]byte{whole, head}, true},
		"a gzip that breaks off":          {[][]byte{broken}, true},
		"a broken gzip behind a head":     {[][]byte{head, broken}, true},
		"a gzip behind a false magic":     {[][]byte{falseMagic, whole}, true},
		"a gzip behind the magic alone":   {[][]byte{gzipMagic, whole}, true},
		"a gzip behind a broken one":      {[][]byte{other[:len(other)-6], whole}, true},
		"the second of two blocks":        {[][]byte{head, other, head, whole}, true},
		"the second of two joined blocks": {[][]byte{other, whole}, true},
		"nothing":                         {nil, false},
		"another text":                    {[][]byte{head, other}, false},
		"a false magic":                   {[][]byte{falseMagic, head}, false},
		"the magic at the end":            {[][]byte{head, gzipMagic}, false},
	} {
		if have := contains(slices.Concat(tc.parts...), []byte(canary)); have != tc.want {
			t.Errorf("%s: %t", name, have)
		}
	}
}

// TestContaining looks through folders.
func TestContaining(t *testing.T) {
	const canary = "canary-in-a-folder"
	dir := t.TempDir()
	within := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(within, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(within, "file")
	for _, tc := range []struct{ text, want string }{{"another text", ""}, {canary, path}} {
		if err := os.WriteFile(path, slices.Concat(make([]byte, 16), zipped(t, tc.text)), 0o600); err != nil {
			t.Fatal(err)
		}
		if found := Containing(t, dir, canary); found != tc.want {
			t.Errorf("%s: found in %q, want %q", tc.text, found, tc.want)
		}
	}
}
