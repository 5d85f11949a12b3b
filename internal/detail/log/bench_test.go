package log

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// written is what programs write, some of it in colours, in chunks as they come.
func written(bytes int) (chunks [][]byte, lines int) {
	r := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for at := start; b.Len() < bytes; lines++ {
		at = at.Add(time.Duration(r.IntN(20_000)))
		text := fmt.Sprintf(`{"level":"info","msg":"request","method":"GET","path":"/v1/items/%d","status":200,"ms":%d}`, r.IntN(1e6), r.IntN(1000))
		if r.IntN(4) == 0 {
			text = "\x1b[32mINFO\x1b[0m " + text
		}
		b.WriteString(at.Format(time.RFC3339Nano) + " " + text + "\n")
	}
	for all := []byte(b.String()); len(all) > 0; {
		n := min(len(all), 256<<10)
		chunks, all = append(chunks, all[:n]), all[n:]
	}
	return chunks, lines
}

// BenchmarkFollow takes 10 MB, in turns of a chunk, as the worker does: split, stored,
// put in order, filtered, a window made of the end.
func BenchmarkFollow(b *testing.B) {
	for _, c := range []struct {
		name    string
		filter  string
		sources int
	}{{"all", "", 1}, {"word", "items/77", 1}, {"expression", `/status":[45]\d\d/`, 1}, {"field", "ms>=900", 1}, {"ten pods", "", 10}} {
		b.Run(c.name, func(b *testing.B) {
			chunks, lines := written(10_000_000)
			b.SetBytes(10_000_000)
			s := NewStore(Default)
			v := NewView(s)
			v.Ask(Query{Filter: filterOf(b, c.filter), Columns: 120})
			for i := range c.sources {
				s.NewSource(fmt.Sprint(i), "c").Open(start, false)
			}
			for b.Loop() {
				for i, chunk := range chunks {
					s.sources[i%c.sources].Write(chunk)
					s.Merge(start)
					v.Step(1 << 30)
					_, rows, _ := v.Count()
					d := Document{Window: v.Window(rows-60, 60)}
					if _, err := d.Append(nil); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(lines), "ns/line")
		})
	}
}

// BenchmarkAsk asks something else of a store that is full.
func BenchmarkAsk(b *testing.B) {
	s := NewStore(Default)
	s.NewSource("p", "c").Open(start, false)
	chunks, _ := written(40_000_000)
	for _, chunk := range chunks {
		s.sources[0].Write(chunk)
		s.Merge(start)
	}
	v := NewView(s)
	for _, c := range []struct {
		name, filter string
	}{{"all", ""}, {"word", "items/77"}, {"expression", `/status":[45]\d\d/`}, {"level", "level>=warn"}, {"field", "ms>=900"}, {"value", "path:*items/77*"}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				v.Ask(Query{Filter: filterOf(b, c.filter), Columns: 120})
				v.Step(1 << 30)
			}
		})
	}
}
