package history

import (
	"bytes"
	"testing"
)

// TestJournalEmptySlot checks records that nearly fill a slot, behind which the last slot of their block is
// empty: each is found at its place, and all can be dropped.
func TestJournalEmptySlot(t *testing.T) {
	for _, slots := range []int{1, 2, 3} {
		for size := slots*slotBytes - 64; size <= slots*slotBytes+8; size++ {
			checkJournal(t, [][]byte{[]byte("first"), bytes.Repeat([]byte{'a'}, size), []byte("small"), bytes.Repeat([]byte{'b'}, size), []byte("last")})
		}
	}
}

// checkJournal writes records of one chain to a journal, reads them both ways, and drops them.
func checkJournal(t *testing.T, bodies [][]byte) {
	t.Helper()
	var j journal
	var places []uint64
	last := uint64(0)
	for i, body := range bodies {
		places = append(places, j.append(1, 1, last, int64(i), body))
		last = places[i] + 1
	}
	place, n := j.start(), 0
	for ; place < j.end; n++ {
		r := j.at(place)
		if place != places[n] || !bytes.Equal(r.body, bodies[n]) {
			t.Fatalf("record %d is at %d with %d bytes, want %d with %d", n, place, len(r.body), places[n], len(bodies[n]))
		}
		if back := j.previous(place, r); n > 0 && back != places[n-1]+1 {
			t.Fatalf("record %d leads back to %d, want %d", n, back, places[n-1]+1)
		}
		place = j.after(place, r)
	}
	dropped := 0
	for len(j.blocks) > 0 {
		j.drop(func(place uint64, r record) {
			if place != places[dropped] || !bytes.Equal(r.body, bodies[dropped]) {
				t.Fatalf("record %d is dropped with %d bytes", dropped, len(r.body))
			}
			dropped++
		})
	}
	if n != len(bodies) || dropped != n || j.count != 0 || j.bytes != 0 {
		t.Errorf("%d records read and %d dropped of %d; %d bytes are left", n, dropped, len(bodies), j.bytes)
	}
}
