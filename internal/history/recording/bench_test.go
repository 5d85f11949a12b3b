package recording

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/object/rewrite"
)

// busy is ten minutes of a cluster with 10,000 pods and 100 changes per second, as a file.
func busy(b *testing.B) []byte {
	b.Helper()
	model, err := os.ReadFile("../../object/testdata/pod.pb")
	if err != nil {
		b.Fatal(err)
	}
	pods, _ := object.Builtin("pods")
	rng := rand.New(rand.NewPCG(1, 1))
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	random := func(n int) string {
		out := make([]byte, n)
		for i := range out {
			out[i] = letters[rng.IntN(len(letters))]
		}
		return string(out)
	}
	type pod struct {
		key, name, owner, namespace, uid, ip, node, id string
		payload                                        []byte
	}
	version := 1_000_000
	write := func(p *pod) []byte {
		version++
		out, err := rewrite.Once(pods, model, func(path []string, text string) (string, bool) {
			switch strings.Join(path, ".") {
			case "metadata.name":
				return p.name, true
			case "metadata.namespace":
				return p.namespace, true
			case "metadata.uid":
				return p.uid, true
			case "metadata.resourceVersion":
				return fmt.Sprint(version), true
			case "metadata.ownerReferences.name":
				return p.owner, true
			case "spec.nodeName":
				return p.node, true
			case "status.podIP", "status.podIPs.ip":
				return p.ip, true
			case "status.containerStatuses.containerID":
				return p.id, true
			case "status.message":
				return random(30), true
			}
			return text, true
		})
		if err != nil {
			b.Fatal(err)
		}
		return out
	}
	h := Header{Cluster: "bench", From: begun, To: begun.Add(10 * time.Minute)}
	var file []byte
	w := &writer{redactor: newRedactor(Choices{}), emit: func(piece []byte) error { file = append(file, piece...); return nil }, out: []byte(firstLine + "1\n")}
	s := history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}
	w.walk = &walk{record: &Recording{streams: make([]stream, 1)}, from: h.From, to: h.To, streams: []history.Stream{s}, numbers: []int{0}, pause: w.flush}
	if err := w.header(h); err != nil {
		b.Fatal(err)
	}
	all := make([]*pod, 10_000)
	for i := range all {
		owner := fmt.Sprintf("service-%d-%s", i/20, random(10))
		p := &pod{namespace: fmt.Sprintf("team-%02d", i%50), owner: owner, name: owner + "-" + random(5), uid: random(8) + "-" + random(4) + "-" + random(12), ip: fmt.Sprintf("10.%d.%d.%d", i/62500, i/250%250, i%250), node: fmt.Sprintf("node-%04d", i/30), id: "containerd://" + random(64)}
		p.key = p.namespace + "/" + p.name
		p.payload = write(p)
		all[i] = p
	}
	for _, p := range all {
		w.change(0, history.Change{At: h.From.Add(time.Microsecond), Type: 'A', Key: p.key, UID: p.uid, After: p.payload})
	}
	for i := range 60_000 {
		p := all[rng.IntN(len(all))]
		before := p.payload
		if i%10 == 0 {
			p.id = "containerd://" + random(64)
		}
		p.payload = write(p)
		w.change(0, history.Change{At: h.From.Add(time.Duration(i) * 10 * time.Millisecond), Type: 'M', Key: p.key, UID: p.uid, Before: before, After: p.payload})
	}
	w.cut(changesSection)
	if err := w.time(h.To); err != nil {
		b.Fatal(err)
	}
	w.section(endSection, nil)
	return append(file, w.out...)
}

// BenchmarkFile measures how long a file of ten minutes takes to be written and read, and how large it is.
func BenchmarkFile(b *testing.B) {
	record, err := read(busy(b), 1<<17)
	if err != nil || record.Damage != "" {
		b.Fatal(err, record.Damage)
	}
	h := record.Header
	h.From = h.From.Add(time.Millisecond)
	var file []byte
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			file = file[:0]
			longest, last := time.Duration(0), time.Now()
			if _, err := Write(record, h, Choices{}, func(piece []byte) error {
				file = append(file, piece...)
				longest, last = max(longest, time.Since(last)), time.Now()
				return nil
			}); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(longest.Milliseconds()), "ms-longest")
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := io.Copy(z, bytes.NewReader(file)); err != nil || z.Close() != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(file))/1e6, "MB-plain")
		b.ReportMetric(float64(packed.Len())/1e6, "MB-file")
	})
	b.Run("as the page has it chosen", func(b *testing.B) {
		for b.Loop() {
			if _, err := Write(record, h, Choices{HideAnnotations: true, HideValues: true}, func([]byte) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("redacted", func(b *testing.B) {
		for b.Loop() {
			if _, err := Write(record, h, Choices{HideNamespaces: true, HideObjects: true, HideNodes: true, HideAnnotations: true, HideValues: true, HideImages: true, HideHosts: true}, func([]byte) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(file); err != nil || z.Close() != nil {
		b.Fatal(err)
	}
	b.Run("read packed", func(b *testing.B) {
		for b.Loop() {
			got, err := Read(bytes.NewReader(packed.Bytes()), func() error { return nil })
			if err != nil || got.Damage != "" {
				b.Fatal(err, got.Damage)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			got, err := read(file, 1<<17)
			if err != nil || got.Damage != "" {
				b.Fatal(err, got.Damage)
			}
			n := 0
			got.At(0, h.From.Add(5*time.Minute), func(history.Object) bool { n++; return true })
			if n != 10_000 {
				b.Fatal(n)
			}
		}
	})
}
