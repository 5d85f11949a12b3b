package main

import (
	"maps"
	"strings"
	"testing"
)

func TestParseBench(t *testing.T) {
	got, err := parseBench(`goos: linux
pkg: watchglass/internal/indexer
BenchmarkReplace/empty/ours-2         	       4	  75804005 ns/op	19741648 B/op	  122440 allocs/op
BenchmarkUpdate/client-go         	  271473	      1300 ns/op	       0 B/op	       0 allocs/op
BenchmarkAddPop/client-go-realfifo-16 	 1292936	       276.6 ns/op	     194 B/op	       1 allocs/op
BenchmarkDecodePod/ours-2         	  103185	      3429 ns/op	 465.50 MB/s	    2048 B/op	       3 allocs/op
PASS
ok  	watchglass/internal/indexer	13.390s
`)
	want := map[string]figure{
		"BenchmarkReplace/empty/ours": {75804005, 122440}, "BenchmarkUpdate/client-go": {1300, 0},
		"BenchmarkAddPop/client-go-realfifo": {276.6, 1}, "BenchmarkDecodePod/ours": {3429, 3},
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
	for _, line := range []string{"BenchmarkX-2 10 5 MB/s", "BenchmarkX-2 10 fast ns/op 1 allocs/op", "BenchmarkX-2 10 5 ns/op"} {
		if got, err := parseBench(line); err == nil {
			t.Errorf("%q is read as %v", line, got)
		}
	}
}

func TestPartsTable(t *testing.T) {
	p := part{name: "a part"}
	all := []measured{
		{part: p, ours: sample{100, 120, 900}, theirs: sample{200, 250, 1800}, wasm: sample{5e3}, ourAllocs: sample{0}, theirAllocs: sample{566831}},
		{part: p, ours: sample{2e6}, theirs: sample{1e6}, wasm: sample{1e7}, ourAllocs: sample{1}, theirAllocs: sample{2}},
	}
	table := partsTable(all)
	for _, want := range []string{"| a part | 120 ns | 250 ns | 0.50 × | 5.0 µs | 0 / 566,831 |\n", "| a part | 2.0 ms | 1.0 ms | 2.00 × | 10.0 ms | 1 / 2 |\n"} {
		if !strings.Contains(table, want) {
			t.Errorf("%s\nhas no\n%s", table, want)
		}
	}
	if err := slower(all[:1]); err != nil {
		t.Error(err)
	}
	if err := slower(all); err == nil || err.Error() != "a part: ours takes 2.00 times what client-go's does" {
		t.Error(err)
	}
}
