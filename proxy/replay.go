//go:build !js

package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"watchglass/internal/apiserver"
	"watchglass/internal/history/recording"
	"watchglass/web/static"
)

// recordingFile is a recording that the page shows instead of a cluster. It is reread for each page.
type recordingFile struct{ file string }

// checkedBytes is how much of a recording is read at the start, to detect a wrong file. The page reads the
// rest, and says if it is damaged.
const checkedBytes = 256 << 10

// openRecording checks that a file is a recording.
func openRecording(file string) (*recordingFile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is not a file", file))
	}
	zipped, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, recording.ErrFormat)
	}
	begin := make([]byte, checkedBytes)
	n, err := io.ReadFull(zipped, begin)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s is damaged: %w", file, err)
	}
	read := new(recording.Reader)
	if err := read.Write(begin[:n]); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if n < checkedBytes { // the whole file
		if _, err := read.Close(""); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return &recordingFile{file}, nil
}

// ServeHTTP sends the file.
func (f *recordingFile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, size, err := f.open()
	if err != nil {
		var in *fs.PathError // its path is nobody's business
		if errors.As(err, &in) {
			err = in.Err
		}
		http.Error(w, "the recording can't be read: "+err.Error(), http.StatusInternalServerError)
		return
	}
	defer body.Close()
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Watchglass-Name", url.PathEscape(strings.ToValidUTF8(filepath.Base(f.file), "\ufffd")))
	static.Send(w, body, size)
}

// open opens the file, and returns its size.
func (f *recordingFile) open() (*os.File, int64, error) {
	body, err := os.Open(f.file)
	if err != nil {
		return nil, 0, err
	}
	info, err := body.Stat()
	if err != nil {
		body.Close()
		return nil, 0, err
	}
	return body, info.Size(), nil
}

// shown returns what the page shows: a recording or a cluster.
func (o *options) shown(env func(string) string, log *slog.Logger) (*recordingFile, *apiserver.Target, error) {
	if o.replay == "" {
		t, err := o.target(env, log)
		return nil, t, err
	}
	f, err := openRecording(o.replay)
	if err != nil {
		return nil, nil, fmt.Errorf("--replay: %w", err)
	}
	return f, nowhere("", "this proxy shows a recording and connects to no cluster"), nil
}

// writePage writes a copy of the page to a folder, with the recording of --replay.
func (o *options) writePage(site *static.Site, stdout io.Writer) error {
	name := ""
	if o.replay != "" {
		if _, err := openRecording(o.replay); err != nil {
			return fmt.Errorf("--replay: %w", err)
		}
		name = publishedName
	}
	published := name == "" && static.Publishes(o.page, publishedName)
	if err := site.Copy(o.page, name); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	if published {
		if err := os.Remove(filepath.Join(o.page, publishedName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("page: %w", err)
		}
	}
	if name != "" {
		body, err := os.ReadFile(o.replay)
		if err == nil {
			err = os.WriteFile(filepath.Join(o.page, name), body, 0o644)
		}
		if err != nil {
			return fmt.Errorf("page: %w", err)
		}
	}
	fmt.Fprintln(stdout, "Wrote the page to", o.page+". Serve it with any web server, for example: python3 -m http.server -d", o.page)
	return nil
}

// publishedName is the file name of the recording in a copy of the page.
const publishedName = "recording.watchglass"
