//go:build !js

package relay

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"watchglass/internal/relay/queue"
)

// trickle is a body of which some bytes come each millisecond. It counts how often it is read.
type trickle struct {
	text  []byte
	begun time.Time
	read  int
	reads int
}

const trickles = 3 << 10 // in a millisecond

func (r *trickle) Read(p []byte) (int, error) {
	r.reads++
	come := func() int { return min(int(time.Since(r.begun)/time.Millisecond)*trickles, len(r.text)) - r.read }
	for come() == 0 {
		if r.read == len(r.text) {
			return 0, io.ErrUnexpectedEOF
		}
		time.Sleep(time.Millisecond)
	}
	n := copy(p, r.text[r.read:][:come()])
	r.read += n
	return n, nil
}

// TestGathering checks that a list that comes slowly is read in large pieces while others wait, at once if none do, and
// that nothing is lost either way.
func TestGathering(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 60*trickles/16)
	read := func(crowded bool) (reads int) {
		synctest.Test(t, func(t *testing.T) {
			q := queue.New(queue.Bounds{First: 1, Least: 1, Most: 1, Each: 1})
			place, _ := q.Join("a", "ana")
			if crowded {
				_, _ = q.Join("a", "bob")
			}
			body := &trickle{text: text, begun: time.Now()}
			g := &bufferingReader{Reader: body, place: func() *queue.Place { return place }}
			got := make([]byte, 0, len(text))
			for len(got) < len(text)/2 {
				n, err := g.Read(got[len(got):cap(got)][:min(readBytes, cap(got)-len(got))])
				if got = got[:len(got)+n]; err != nil {
					t.Fatal(err)
				}
			}
			place.Leave(true) // the list is complete
			reads = body.reads
			late, err := io.ReadAll(g)
			if got = append(got, late...); !bytes.Equal(got, text) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("read %d bytes of %d, and %v", len(got), len(text), err)
			}
			if waited := time.Since(body.begun); waited > 60*time.Millisecond+gatherFor {
				t.Errorf("it took %v", waited)
			}
		})
		return reads
	}
	if crowded, alone := read(true), read(false); alone != 30 || crowded > 3 {
		t.Errorf("%d reads while others wait, %d alone", crowded, alone)
	}
}

// TestGatheringEnds checks that bytes that come with the end of the answer are read before it.
func TestGatheringEnds(t *testing.T) {
	q := queue.New(queue.Bounds{First: 1, Least: 1, Most: 1, Each: 1})
	place, _ := q.Join("a", "ana")
	_, _ = q.Join("a", "bob")
	text := bytes.Repeat([]byte("x"), 3*readBytes)
	g := &bufferingReader{Reader: iotest.DataErrReader(bytes.NewReader(text)), place: func() *queue.Place { return place }}
	if got, err := io.ReadAll(g); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
