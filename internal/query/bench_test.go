package query

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// blob is a Row whose cells stand in one text, as in the tab.
type blob struct {
	text, namespace, name string
	created               int64
}

func (b *blob) Namespace() string                { return b.namespace }
func (b *blob) Name() string                     { return b.name }
func (b *blob) Text() string                     { return b.text }
func (b *blob) Lookup(string) (string, bool)     { return "", false }
func (b *blob) Span(int) (int64, int64)          { return b.created, 0 }
func (b *blob) Any(List, func(string) bool) bool { return false }
func (b *blob) ImagesAndOwners() string          { return "" }
func (b *blob) Code(int) uint16                  { return 0 }

func (b *blob) Cell(i int) string {
	rest := b.text
	for range i {
		_, rest, _ = strings.Cut(rest, "\x1f")
	}
	cell, _, _ := strings.Cut(rest, "\x1f")
	return cell
}

// blobs are pods of a large cluster.
func blobs(n int) []*blob {
	r := rand.New(rand.NewPCG(1, 1))
	all := make([]*blob, n)
	letters := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte("bcdfghjklmnpqrstvwxz2456789"[r.IntN(27)])
		}
		return b.String()
	}
	apps := strings.Fields("web cart checkout payments ingest worker search billing mailer cache")
	status := strings.Fields("Running Running Running Running Running Running Completed Pending CrashLoopBackOff Error")
	for i := range all {
		b := &blob{namespace: fmt.Sprintf("team-%02d", r.IntN(60)), name: apps[r.IntN(10)] + "-" + letters(10) + "-" + letters(5), created: now.Unix() - r.Int64N(30*86400)}
		cells := []string{b.namespace + "/" + b.name, fmt.Sprintf("%d/1", r.IntN(2)), status[r.IntN(10)], fmt.Sprint(r.IntN(20)), "", fmt.Sprintf("10.%d.%d.%d", r.IntN(256), r.IntN(256), r.IntN(256)), fmt.Sprintf("node-%03d", r.IntN(500)), "<none>", fmt.Sprintf("%dm", r.IntN(900)), fmt.Sprintf("%dMi", r.IntN(900)), "<none>"}
		b.text = strings.Join(cells, "\x1f")
		all[i] = b
	}
	return all
}

// BenchmarkMatch is one filter over 100,000 rows.
func BenchmarkMatch(b *testing.B) {
	all := blobs(100_000)
	for _, c := range [][2]string{
		{"word", "crash"},
		{"two words", "web node-007"},
		{"namespace and word", "ns:team-07 crash"},
		{"status", "!status:Running,Completed"},
		{"regexp with a word", `/^web-.*crash/`},
		{"regexp without a word", `/[bcd]{4}\d*$|^[89]/`},
		{"fuzzy", "-f wbx4"},
		{"age", "age>3d"},
		{"restarts", "restarts>=5"},
		{"quantity", "cpu<500m"},
	} {
		b.Run(c[0], func(b *testing.B) {
			m := mustBind(b, c[1])
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for _, r := range all {
					if m.Match(r, now) {
						n++
					}
				}
				if n == 0 || n == len(all) {
					b.Fatalf("%q matches %d", c[1], n)
				}
			}
		})
	}
}
