package attack_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// connect is a tab of a browser, without a page.
func connect(t *testing.T, b *proxy.Browser) (*socket.Client, *stage.Sniffed) {
	t.Helper()
	s := new(stage.Sniffed)
	client := socket.New(socket.Options{Dial: s.Dial(b.Dial)})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = client.Run(ctx) // until it is cancelled
	}()
	t.Cleanup(func() { cancel(); <-done })
	return client, s
}

// drain reads a stream until its list is whole, or what is not a watch is over.
func drain(t *testing.T, c *socket.Client, r wire.Request) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	stream, err := c.Open(ctx, r)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	defer stream.Close()
	for {
		batch, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		for _, e := range batch.Events {
			if r.Verb == wire.Watch && e.Type == wire.Bookmark {
				return
			}
		}
		stream.Credit(batch.Bytes)
	}
}

// stolen is a value of a Secret, in letters that base64 keeps apart.
const stolen = "correct-horse-battery-staple"

// copies are the ways in which tools write a Secret into an annotation or a ConfigMap.
func copies(t *testing.T) map[string]string {
	t.Helper()
	encode := base64.StdEncoding.EncodeToString
	doc := `{"apiVersion":"v1","kind":"Secret","data":{"password":"` + encode([]byte(stolen)) + `"}}`
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := io.WriteString(w, doc)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"kubectl.kubernetes.io/last-applied-configuration": doc,
		"kapp.k14s.io/original":                            doc,
		"objectset.rio.cattle.io/applied":                  encode(zipped.Bytes()),
		"example.com/encoded":                              encode([]byte(stolen)),
		"example.com/plain":                                stolen,
	}
}

// TestSecretsStay asks for a Secret in every way there is, and looks at all bytes that the
// proxy sent: no copy of its value is among them, in any annotation.
func TestSecretsStay(t *testing.T) {
	w := theWorld(t)
	client, err := kubernetes.NewForConfig(w.cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	const ns, name, release = "default", "guarded", "sh.helm.release.v1.guarded.v1"
	notes := copies(t)
	meta := metav1.ObjectMeta{Name: name, Annotations: map[string]string{"meta.helm.sh/release-name": "web-of-names"}}
	for key, value := range notes {
		meta.Annotations[key] = value
	}
	if _, err := client.CoreV1().Secrets(ns).Create(t.Context(), &corev1.Secret{ObjectMeta: meta, StringData: map[string]string{"password": stolen}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	helm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: release}, Data: map[string]string{"release": notes["objectset.rio.cattle.io/applied"]}}
	if _, err := client.CoreV1().ConfigMaps(ns).Create(t.Context(), helm, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := w.watchglass(t).SignIn(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tab, seen := connect(t, b)
	asked := 0
	for _, encoding := range []wire.Encoding{wire.EncodingDefault, wire.EncodingJSON, wire.EncodingTable, wire.EncodingWhole, wire.EncodingMetadata} {
		for resource, name := range map[string]string{"secrets": name, "configmaps": release} {
			for _, verb := range []wire.Verb{wire.Get, wire.List, wire.Watch} {
				r := wire.Request{Verb: verb, Version: "v1", Resource: resource, Namespace: ns, Encoding: encoding}
				switch {
				case verb == wire.Get:
					r.Name = name
				case verb == wire.Watch:
					initial := wire.InitialWatch("", "v1", resource, ns)
					initial.Encoding, r = encoding, initial
				}
				drain(t, tab, r)
				r.ManagedFields = true
				drain(t, tab, r)
				asked += 2
			}
		}
	}
	all := seen.Bytes()
	for _, passes := range []string{name, release, "password", "kapp.k14s.io/original", "web-of-names"} {
		if n := bytes.Count(all, []byte(passes)); n < asked/4 {
			t.Errorf("%q came %d times after %d requests: that shows nothing", passes, n, asked)
		}
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(stolen))
	for _, value := range []string{stolen, encoded, strings.TrimRight(encoded, "="), notes["objectset.rio.cattle.io/applied"]} {
		if at := bytes.Index(all, []byte(value)); at >= 0 {
			t.Errorf("%q left the proxy: %q", value, all[max(0, at-200):at+len(value)])
		}
	}
}
