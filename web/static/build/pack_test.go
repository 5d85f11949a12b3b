//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// hello uses the runtime's tables of functions: it collects garbage, and prints a stack. Some of its
// data looks like addresses, and is not.
const hello = `package main

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
)

// most looks like an address behind all memory.
var most = [4]uint64{math.MaxInt64, math.MaxUint64, math.MaxInt64 - 7, 1 << 63}

type deep int

//go:noinline
func (d deep) stack(n int) string {
	if n > 0 {
		return d.stack(n-1) + one(d)
	}
	return string(debug.Stack())
}

//go:noinline
func one[T any](T) string { return "" }

func main() {
	runtime.GC()
	fmt.Println(most)
	done := make(chan string)
	go func() { done <- deep(0).stack(3) }()
	fmt.Print(<-done)
}
`

// compare instantiates two modules without running them, and fails if their memories differ.
const compare = `
const memory = (file) => {
  const m = new WebAssembly.Module(require("fs").readFileSync(file)), imports = {};
  for (const i of WebAssembly.Module.imports(m)) (imports[i.module] ??= {})[i.name] = () => 0;
  return Buffer.from(new WebAssembly.Instance(m, imports).exports.mem.buffer);
};
if (Buffer.compare(memory(process.argv[1]), memory(process.argv[2])) !== 0) throw new Error("the memories differ");
`

// TestPack packs a program of this version of Go: its memory and what it does are the same.
func TestPack(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(file(name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	output := func(name string, args ...string) []byte {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir, c.Env, c.Stderr = dir, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS="), os.Stderr
		b, err := c.Output()
		if err != nil {
			t.Fatalf("%s %q: %v", name, args, err)
		}
		return b
	}
	write("hello.go", []byte(hello))
	output("go", "build", "-trimpath", "-ldflags=-s -w", "-o", "plain.wasm", "hello.go")
	plain, err := os.ReadFile(file("plain.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	packed, err := pack(plain)
	if err != nil {
		t.Fatal(err)
	}
	if len(packed) > len(plain)*19/20 {
		t.Errorf("%d bytes are packed in %d: more than 95 %%", len(plain), len(packed))
	}
	write("packed.wasm", packed)
	write("forgotten.wasm", withoutLines(t, plain))
	output("node", "-e", compare, "forgotten.wasm", "packed.wasm")
	root, err := goroot()
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(root, "lib", "wasm", "wasm_exec_node.js")
	want, got := output("node", run, "plain.wasm"), output("node", run, "packed.wasm")
	if bytes.Contains(got, []byte(".go:")) {
		t.Errorf("the packed program has lines:\n%s", got)
	}
	var found bytes.Buffer
	if err := findLines(plain, bytes.NewReader(got), &found); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(want, []byte("main.deep.stack")) || found.String() != string(want) {
		t.Errorf("the packed program printed\n%s, in which these lines were found:\n%s, and the other\n%s", got, &found, want)
	}
	if _, err := pack(packed); err == nil {
		t.Error("a packed program was packed again")
	}
}

// withoutLines returns a program that differs only in what forget leaves out.
func withoutLines(t *testing.T, program []byte) []byte {
	t.Helper()
	m, image, tables, err := open(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := tables.forget(image); err != nil {
		t.Fatal(err)
	}
	m.sections[dataSection] = writeData(image)
	return m.bytes()
}

// TestPackRefuses what is not a whole program of Go.
func TestPackRefuses(t *testing.T) {
	for _, program := range []string{"", magic, magic + "\x0b\x05\x01", magic + "\x0c\x00", magic + "\x0b\x01\x00", magic + "\x0b\x06\x01\x00\x41\x7f\x0b\x00"} {
		if b, err := pack([]byte(program)); err == nil {
			t.Errorf("%q is packed as %q", program, b)
		}
	}
}

func TestSignedNumbers(t *testing.T) {
	for _, n := range []int{0, 1, -1, 63, 64, -64, -65, 8191, 8192, 1 << 30, -1 << 31} {
		b := appendInt(nil, n)
		r := reader{b: b}
		if got := r.int(); got != n || r.bad || len(r.b) != 0 {
			t.Errorf("%d is written as %x and read as %d", n, b, got)
		}
	}
}

// TestOrdered holds that the differences are only written where the start function can undo them: between
// descriptions that lie behind the table, one behind the other.
func TestOrdered(t *testing.T) {
	const n = 3
	end := n*entryBytes + n*descriptionBytes
	for _, tc := range []struct {
		name    string
		offsets [n]int
		words   byte // that follow each description
		size    int
		want    bool
	}{
		{"as Go writes it", [n]int{24, 68, 112}, 0, end, true},
		{"with room between", [n]int{24, 72, 120}, 1, end + 12, true},
		{"one word over the next", [n]int{24, 72, 120}, 2, end + 16, false},
		{"one word beyond the end", [n]int{24, 72, 120}, 1, end + 8, false},
		{"within the table", [n]int{20, 68, 112}, 0, end, false},
		{"one over another", [n]int{24, 64, 112}, 0, end, false},
		{"backwards", [n]int{112, 68, 24}, 0, end, false},
		{"beyond the end", [n]int{24, 68, 113}, 0, end, false},
		{"a table that is cut off", [n]int{24, 68, 112}, 0, 20, false},
	} {
		table := make([]byte, max(tc.size, n*entryBytes))
		for i, offset := range tc.offsets {
			binary.LittleEndian.PutUint32(table[i*entryBytes+4:], uint32(offset))
			if at := offset + pcdataAt; at < len(table) {
				table[at] = tc.words
			}
		}
		if got := (functions{n: n}).ordered(table[:tc.size]); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}
