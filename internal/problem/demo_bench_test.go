//go:build !js

package problem

import (
	"net/http/httptest"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/demo"
	"watchglass/internal/object"
	"watchglass/internal/problem/kinds"
)

// payloads returns the objects of a kind as a watch in protobuf has them.
func payloads(t testing.TB, cluster *demo.Cluster, kind object.Kind) (all [][]byte) {
	t.Helper()
	path := "/api/v1/" + kind.Resource
	if kind.Group != "" {
		path = "/apis/" + kind.APIVersion() + "/" + kind.Resource
	}
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept", "application/vnd.kubernetes.protobuf")
	w := httptest.NewRecorder()
	cluster.Handler().ServeHTTP(w, r)
	fields := func(msg []byte, number protowire.Number, each func([]byte)) {
		for len(msg) > 0 {
			n, typ, size := protowire.ConsumeTag(msg)
			if size < 0 {
				t.Fatalf("%s: %d %.100s", path, w.Code, w.Body)
			}
			msg = msg[size:]
			size = protowire.ConsumeFieldValue(n, typ, msg)
			if n == number {
				value, _ := protowire.ConsumeBytes(msg)
				each(value)
			}
			msg = msg[size:]
		}
	}
	var meta []byte
	for i, text := range []string{kind.APIVersion(), kind.Name} {
		meta = protowire.AppendString(protowire.AppendTag(meta, protowire.Number(i+1), protowire.BytesType), text)
	}
	fields(w.Body.Bytes()[4:], 2, func(list []byte) {
		fields(list, 2, func(item []byte) {
			one := protowire.AppendBytes(protowire.AppendTag([]byte("k8s\x00"), 1, protowire.BytesType), meta)
			all = append(all, protowire.AppendBytes(protowire.AppendTag(one, 2, protowire.BytesType), item))
		})
	})
	return all
}

// BenchmarkDemo says what the objects of each kind cost an engine, for the objects of the demo
// cluster.
func BenchmarkDemo(b *testing.B) {
	now := time.Now()
	cluster := demo.New(demo.Options{Seed: 1, Pods: 20_000, Now: func() time.Time { return now }})
	for _, resource := range kinds.Resources() {
		kind, ok := object.Builtin(resource)
		if !ok || resource == kinds.APIServices || resource == kinds.ValidatingWebhooks || resource == kinds.MutatingWebhooks {
			continue
		}
		d := object.NewDecoder(kind, true)
		var changes []Change
		for _, payload := range payloads(b, cluster, kind) {
			o, err := d.Decode(payload)
			if err != nil {
				b.Fatal(err)
			}
			changes = append(changes, Change{Kind: &kind, Columns: d.Columns(), After: o})
		}
		b.Run(kind.Resource, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e := New(Options{ServerMinor: func() int { return 37 }})
				e.Apply(changes, now)
				e.Read(now, 0)
				e.Changed(now)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*max(len(changes), 1)), "ns/object")
		})
	}
}
