package hub

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/history/recording"
	"watchglass/internal/port"
	"watchglass/internal/view"
)

// publishedFixture is a page without a cluster, with a published recording that comes when the test says so.
type publishedFixture struct {
	*fixture
	filed *filed
	come  chan []byte // nil: it could not be fetched or decompressed
}

func onPublished(t *testing.T, test func(t *testing.T, b publishedFixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := publishedFixture{come: make(chan []byte, 1)}
		ctx, cancel := context.WithCancel(t.Context())
		h := New(ctx, Options{Published: func(ctx context.Context) ([]byte, error) {
			select {
			case file := <-b.come:
				if file == nil {
					return nil, errors.New("not found")
				}
				return file, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}})
		ended := make(chan struct{})
		go func() { h.Run(); close(ended) }()
		p := &page{in: make(chan port.Message, 256), answers: make(map[uint32]chan port.Answer)}
		b.fixture = &fixture{t: t, hub: h, page: p, disconnect: h.Connect(Connection{Port: p, Early: "pods"})}
		b.filed = b.collect(false)
		test(t, b)
		cancel()
		<-ended
	})
}

// shown returns the cluster of the recording on screen; "": there is none.
func (b publishedFixture) shown() string {
	b.wait(soon)
	if n := len(b.filed.pasts); n > 0 && b.filed.pasts[n-1].Recorded != nil {
		return b.filed.pasts[n-1].Recorded.Cluster
	}
	return ""
}

// plain returns a recording of a pod in a cluster, decompressed.
func plain(t *testing.T, cluster string) []byte {
	t.Helper()
	return plainOf(t, recording.Header{Cluster: cluster})
}

// plainOf is plain with more of a header.
func plainOf(t *testing.T, h recording.Header) []byte {
	t.Helper()
	cluster := h.Cluster
	begin := time.Date(1999, 5, 5, 0, 0, 0, 0, time.UTC)
	record := historytest.New(begin)
	o := pod("r", cluster, "Running")
	o.version = 1
	record.Put(record.Open(history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}), begin.Add(time.Minute), "r/"+cluster, "u-one", podBytes(o))
	h.From, h.To = record.Span()
	var file []byte
	if _, err := recording.Write(record, h, recording.Choices{}, func(chunk []byte) error {
		file = append(file, chunk...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestPublished holds that the recording that was published with the page is shown before the page asks for it, with
// the list that the page opens first, and that asking for it then changes nothing.
func TestPublished(t *testing.T) {
	onPublished(t, func(t *testing.T, b publishedFixture) {
		if name := b.shown(); name != "" {
			t.Fatalf("%s is shown before it has come", name)
		}
		b.come <- plain(t, "prod")
		if name := b.shown(); name != "prod" {
			t.Fatalf("%q is shown", name)
		}
		var opened bool
		b.postAndWait(func() { opened = b.hub.pages[0].cluster.EarlyLease != nil })
		if !opened {
			t.Error("no list is open before the page asks for one")
		}
		b.asksToOpen(1<<20, 7, true) // the report was on its way
		b.showList("pods", view.Query{Seq: 1})
		b.wantRows("live", "r/prod")
		if b.shown() != "prod" || b.filed.pulled > 0 {
			t.Errorf("%q is shown, and the page is asked for %d chunks", b.shown(), b.filed.pulled)
		}
	})
}

// TestPublishedDamaged holds that the page sends a published recording that the hub can't read, whether the page or the
// hub learns of it first.
func TestPublishedDamaged(t *testing.T) {
	file := plain(t, "prod")
	for name, come := range map[string][]byte{"missing": nil, "cut": file[:len(file)-1]} {
		onPublished(t, func(t *testing.T, b publishedFixture) {
			b.asksToOpen(1<<20, len(file), true)
			b.wait(soon)
			if b.filed.pulled > 0 {
				t.Errorf("%s: asked before it has come", name)
			}
			b.come <- come
			if b.shown() != "" || b.filed.pulled != port.Window {
				t.Errorf("%s: %q is shown, asked for %d chunks", name, b.shown(), b.filed.pulled)
			}
			b.opens(1<<20, file)
			if b.shown() != "prod" {
				t.Errorf("%s: %q is shown", name, b.shown())
			}
		})
		onPublished(t, func(t *testing.T, b publishedFixture) {
			b.come <- come
			b.wait(soon)
			b.asksToOpen(1<<20, len(file), true)
			if b.shown() != "" || b.filed.pulled != port.Window {
				t.Errorf("%s first: %q is shown, asked for %d chunks", name, b.shown(), b.filed.pulled)
			}
		})
	}
}

// TestPublishedLate holds that a published recording that comes late does not replace the one that the user has opened.
func TestPublishedLate(t *testing.T) {
	onPublished(t, func(t *testing.T, b publishedFixture) {
		b.opens(1<<20, plain(t, "mine"))
		b.come <- plain(t, "prod")
		if name := b.shown(); name != "mine" {
			t.Errorf("%q is shown", name)
		}
	})
}

// TestPublishedCanceled holds that a published recording is not shown once the user has canceled it.
func TestPublishedCanceled(t *testing.T) {
	onPublished(t, func(t *testing.T, b publishedFixture) {
		file := plain(t, "prod")
		b.asksToOpen(1<<20, len(file), true)
		b.page.in <- port.Cancel{ID: 1 << 20}
		b.wait(soon)
		b.come <- file
		if name := b.shown(); name != "" {
			t.Errorf("%s is shown", name)
		}
	})
}
