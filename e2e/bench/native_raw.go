package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// The floor: the same bytes, read and dropped.
const (
	rawList      nativeKind = "list"
	rawWatchList nativeKind = "watch-list"
)

// rawQueries ask for the pods as client-go does: from the watch cache, or as a watch that begins
// with all of them.
var rawQueries = map[nativeKind]string{
	rawList:      "?resourceVersion=0",
	rawWatchList: "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
}

// readRaw reads all pods as protobuf, and parses none of them before the time is taken.
func readRaw(ctx context.Context, config *rest.Config, kind nativeKind) (r nativeResult, err error) {
	begin := time.Now()
	config.DisableCompression = true
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return r, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+"/api/v1/pods"+rawQueries[kind], nil)
	if err != nil {
		return r, err
	}
	req.Header.Set("Accept", runtime.ContentTypeProtobuf)
	if kind == rawWatchList {
		req.Header.Set("Accept", runtime.ContentTypeProtobuf+";stream=watch")
	}
	resp, err := client.Do(req)
	if err != nil {
		return r, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return r, fmt.Errorf("the apiserver answers %s", resp.Status)
	}
	if kind == rawWatchList {
		r.Objects, err = readWatchList(resp.Body)
		r.Took = time.Since(begin)
	} else {
		var list []byte
		list, err = io.ReadAll(resp.Body)
		r.Took = time.Since(begin)
		if err == nil {
			r.Objects, err = countList(list)
		}
	}
	if err != nil {
		return r, err
	}
	r.MaxRSS, err = statusKB(os.Getpid(), "VmHWM")
	return r, err
}

func countList(list []byte) (int, error) {
	var pods corev1.PodList
	_, _, err := scheme.Codecs.UniversalDeserializer().Decode(list, nil, &pods)
	return len(pods.Items), err
}

// readWatchList counts the events before the bookmark that ends a list.
func readWatchList(body io.Reader) (n int, err error) {
	in := bufio.NewReaderSize(body, 1<<20)
	var length [4]byte
	var event []byte
	for {
		if _, err := io.ReadFull(in, length[:]); err != nil {
			return n, fmt.Errorf("after %d events: %w", n, err)
		}
		size := int(binary.BigEndian.Uint32(length[:]))
		if cap(event) < size {
			event = make([]byte, size)
		}
		event = event[:size]
		if _, err := io.ReadFull(in, event); err != nil {
			return n, fmt.Errorf("in event %d: %w", n+1, err)
		}
		if bytes.Contains(event[:min(size, 32)], []byte("BOOKMARK")) {
			return n, nil
		}
		n++
	}
}
