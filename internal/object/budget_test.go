package object

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// weighing returns an object with about n packed bytes.
func weighing(t testing.TB, d *Decoder, name string, n int) *Object {
	t.Helper()
	o, err := d.Decode([]byte(`{"kind":"Thing","apiVersion":"v1","metadata":{"name":"` + name + `"},"x":"` + strings.Repeat("x", n) + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestBudget(t *testing.T) {
	d := NewDecoder(Kind{Version: "v1", Name: "Thing"}, true)
	b := NewBudget(10_000)
	var list []*Object
	for i := range 20 {
		o := weighing(t, d, fmt.Sprint("a", i), 900)
		list = append(list, o)
		b.Keep(o)
		b.Keep(o) // once is enough
		list[0].Show()
	}
	bytes, objects, dropped := b.Used()
	if bytes > 10_000 || objects+dropped != 20 || objects != 10 {
		t.Fatal(bytes, objects, dropped)
	}
	if list[0].Packed() == nil {
		t.Error("what is on the screen lost its bytes")
	}
	if list[1].Packed() != nil || list[19].Packed() == nil || list[1].Name() != "a1" {
		t.Error("the wrong ones lost theirs")
	}
	b.Release(list[19])
	b.Release(list[19])
	if after, n, _ := b.Used(); after >= bytes || n != 9 || list[19].Packed() == nil {
		t.Error("released", after, n)
	}
}

// TestBudgetChurn checks that the count stays correct, and the ring small, while objects come
// and go.
func TestBudgetChurn(t *testing.T) {
	d := NewDecoder(Kind{Version: "v1", Name: "Thing"}, true)
	r := rand.New(rand.NewPCG(1, 1))
	b := NewBudget(1 << 20)
	stored := map[int]*Object{}
	for range 50_000 {
		k := r.IntN(100)
		if old := stored[k]; old != nil {
			b.Release(old)
			delete(stored, k)
		}
		if r.IntN(3) > 0 {
			stored[k] = weighing(t, d, fmt.Sprint(k), r.IntN(50))
			b.Keep(stored[k])
		}
	}
	var want int64
	for _, o := range stored {
		want += int64(len(o.Packed()))
	}
	if bytes, n, _ := b.Used(); bytes != want || n != len(stored) {
		t.Fatalf("%d bytes of %d objects, want %d of %d", bytes, n, want, len(stored))
	}
	if len(b.ring) > 2*b.live+1024 {
		t.Fatalf("the ring holds %d for %d", len(b.ring), b.live)
	}
	for i := range 5000 {
		stored[i+100] = weighing(t, d, fmt.Sprint(i), 10)
		b.Keep(stored[i+100])
	}
	for _, o := range stored { // a whole kind is left, and nothing is added afterwards
		b.Release(o)
	}
	if bytes, n, _ := b.Used(); bytes != 0 || n != 0 || len(b.ring) > 1024 {
		t.Fatalf("%d bytes of %d objects, and the ring holds %d", bytes, n, len(b.ring))
	}
}
