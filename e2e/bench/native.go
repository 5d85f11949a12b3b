package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/features"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"watchglass/e2e/child"
)

// nativeKind is what the tab is compared with: one of client-go's informers, what people use
// instead, or the floor.
type nativeKind string

const (
	protobuf    nativeKind = "protobuf"
	typedJSON   nativeKind = "json"
	dynamicJSON nativeKind = "dynamic"
)

var nativeNames = map[nativeKind]string{
	protobuf:    "client-go typed protobuf",
	typedJSON:   "client-go typed JSON",
	dynamicJSON: "client-go dynamic",

	clientNode:   "@kubernetes/client-node " + clientNodeVersion + ", informer",
	kubectlGet:   "kubectl get pods -A, start to exit",
	rawWatchList: "watch-list, protobuf, read and dropped",
	rawList:      "list, protobuf, read and dropped",
}

// nativeKinds are in the order in which reports name them.
var nativeKinds = []nativeKind{protobuf, typedJSON, dynamicJSON, clientNode, kubectlGet, rawWatchList, rawList}

// informs reports whether a kind is an informer, which ends with a store.
func (k nativeKind) informs() bool {
	return slices.Contains(nativeKinds[:slices.Index(nativeKinds, clientNode)+1], k)
}

const (
	// nativeCommand has this program be the native process.
	nativeCommand = "native-informer"

	// nativeLook is how often the informer is asked whether it has synced.
	// WaitForCacheSync asks ten times a second: that would be unfair.
	nativeLook = time.Millisecond
)

// nativeResult is what the native process prints.
type nativeResult struct {
	Took      time.Duration // from before the client is made until HasSynced
	Objects   int
	Heap      uint64 // in use, after a collection
	MaxRSS    int64
	WatchList bool // client-go's feature gate
}

// native is the native process: memory and collector are its own.
func native(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet(nativeCommand, flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "")
	name, program := flags.String("kind", "", ""), flags.String("program", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	kind := nativeKind(*name)
	ctx, cancel := context.WithTimeout(ctx, syncWithin)
	defer cancel()
	var r nativeResult
	var err error
	if *program != "" {
		r, err = runProgram(ctx, kind, *program, *kubeconfig)
	} else {
		r, err = readAll(ctx, kind, *kubeconfig)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(r)
}

// readAll has this process read all pods.
func readAll(ctx context.Context, kind nativeKind, kubeconfig string) (r nativeResult, err error) {
	begin := time.Now()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return r, err
	}
	if rawQueries[kind] != "" {
		return readRaw(ctx, config, kind)
	}
	config.QPS = -1
	informer, err := newInformer(config, kind)
	if err != nil {
		return r, err
	}
	go informer.RunWithContext(ctx)
	for !informer.HasSynced() {
		select {
		case <-ctx.Done():
			return r, fmt.Errorf("not synced: %w", ctx.Err())
		case <-time.After(nativeLook):
		}
	}
	r = nativeResult{Took: time.Since(begin), WatchList: features.FeatureGates().Enabled(features.WatchListClient)}
	if r.MaxRSS, err = statusKB(os.Getpid(), "VmHWM"); err != nil {
		return r, err
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.Heap, r.Objects = m.HeapAlloc, len(informer.GetStore().ListKeys())
	return r, nil
}

// awaited says what is measured.
func (k nativeKind) awaited() string {
	if k.informs() && k != clientNode {
		return ": start → HasSynced"
	}
	return ": start → all pods"
}

// started says what is not counted.
func (k nativeKind) started() string {
	switch {
	case k == clientNode:
		return ", in Node, already running"
	case k.informs():
		return ", native process, already running"
	}
	return ""
}

// newInformer makes an informer of all pods. The typed client's own default is
// protobuf; it is set all the same, so that it is what is measured.
func newInformer(config *rest.Config, kind nativeKind) (cache.SharedIndexInformer, error) {
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	if kind == dynamicJSON {
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return dynamicinformer.NewDynamicSharedInformerFactory(client, 0).ForResource(pods).Informer(), nil
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = config.ContentType + ",application/json"
	if kind == typedJSON {
		config.ContentType, config.AcceptContentTypes = "application/json", "application/json"
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer(), nil
}

// runNative has a process of its own sync once.
func runNative(ctx context.Context, kubeconfig string, kind nativeKind) (r nativeResult, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	program, err := kind.program(ctx)
	if err != nil {
		return r, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(self, nativeCommand, "-kubeconfig", kubeconfig, "-kind", string(kind), "-program", program)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")} // no feature gates of the caller's
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	process, err := child.Start(cmd)
	if err != nil {
		return r, fmt.Errorf("start %s: %w", nativeNames[kind], err)
	}
	select {
	case <-process.Done():
	case <-ctx.Done():
		return r, errors.Join(ctx.Err(), process.Kill())
	}
	if err := process.Err(); err != nil {
		return r, fmt.Errorf("%s: %w: %s", nativeNames[kind], err, stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return r, fmt.Errorf("%s: %w", nativeNames[kind], err)
	}
	return r, nil
}
