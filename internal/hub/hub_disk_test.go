package hub

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/history/historytest"
	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// onDisk runs a test with a hub that has a disk, and little memory for history.
func onDisk(t *testing.T, p *proxy, test func(t *testing.T, c *pagesFixture, disk *historytest.Disk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c, disk := &pagesFixture{t: t, proxies: map[string]*proxy{"": p}}, &historytest.Disk{Room: 1 << 30}
		c.hub = New(ctx, Options{
			AuditEvery: 1000 * time.Hour, Disk: disk, HistoryLimit: 130_000,
			Dial: func(ctx context.Context, name string) (socket.Connection, error) { return p.dial(ctx) },
		})
		ended := make(chan struct{})
		go func() { c.hub.Run(); close(ended) }()
		defer func() {
			cancel()
			<-ended
		}()
		test(t, c, disk)
	})
}

// fill changes pods until memory has dropped what was before.
func (v *testPage) fill() {
	for n := range 400 {
		o := pod("a", "web1", "Running")
		o.labels = map[string]string{"n": strings.Repeat(fmt.Sprint(n%10), 500)}
		v.proxy.change(wire.Modified, o)
		v.wait(200 * time.Millisecond)
	}
}

// TestDisk goes back further than memory reaches: to the rows and facets of then, with filters, and to live.
func TestDisk(t *testing.T) {
	onDisk(t, three(), func(t *testing.T, c *pagesFixture, disk *historytest.Disk) {
		v := c.connect("", "ana")
		v.page.in <- port.KeepHistory{Disk: true}
		v.showList("pods", view.Query{Seq: 1})
		v.wait(time.Second)
		began := time.Now()
		v.wait(10 * time.Second)
		v.proxy.change(wire.Deleted, pod("a", "web2", ""))
		v.proxy.change(wire.Modified, pod("b", "db1", "Failed"))
		v.wait(10 * time.Second)
		v.fill()
		past := v.travel(port.Travel{At: began})
		if !past.At.Equal(began) || past.Error != "" || past.From.After(began) || !past.Disk.Memory.After(began.Add(time.Minute)) || !past.Disk.On || past.Disk.Bytes == 0 {
			t.Fatalf("%+v", past)
		}
		v.wantRows("live", "a/web1 a/web2 b/db1")
		v.travel(port.Travel{At: began.Add(15 * time.Second)})
		v.wantRows("live", "a/web1 b/db1")
		v.showList("pods", view.Query{Seq: 2, Text: "status:Failed"})
		v.wantRows("live", "b/db1")
		v.travel(port.Travel{At: began.Add(5 * time.Second)})
		v.wantRows("live", "")
		v.travel(port.Travel{})
		v.wantRows("live", "b/db1")

		v.page.in <- port.KeepHistory{}
		v.wait(2 * time.Second)
		if disk.IDs() != nil || disk.Cleared == 0 {
			t.Errorf("segments %v are left", disk.IDs())
		}
		if past := v.travel(port.Travel{At: began}); past.At.Equal(began) || past.Disk.On {
			t.Errorf("%+v", past)
		}
	})
}

// TestDiskOff checks that nothing goes to disk unless somebody chose it, or where the proxy forbids it.
func TestDiskOff(t *testing.T) {
	for _, forbidden := range []bool{false, true} {
		p := three()
		p.welcome.NoDiskHistory = forbidden
		onDisk(t, p, func(t *testing.T, c *pagesFixture, disk *historytest.Disk) {
			v := c.connect("", "ana")
			v.page.in <- port.KeepHistory{Disk: forbidden}
			v.showList("pods", view.Query{Seq: 1})
			v.fill()
			if past := v.travel(port.Travel{}); past.Disk.Forbidden != forbidden || !past.Disk.Can || past.Disk.Bytes != 0 || !past.Dropped || disk.Most != 0 {
				t.Errorf("%+v, %d bytes were on disk", past, disk.Most)
			}
		})
	}
}

// TestDiskLeft checks that the disk is cleared when everybody has left, as after a sign-out, and that another
// user's history is not there for the next.
func TestDiskLeft(t *testing.T) {
	onDisk(t, three(), func(t *testing.T, c *pagesFixture, disk *historytest.Disk) {
		v := c.connect("", "ana")
		v.page.in <- port.KeepHistory{Disk: true}
		v.showList("pods", view.Query{Seq: 1})
		v.fill()
		if len(disk.IDs()) == 0 {
			t.Fatal("nothing is on disk")
		}
		other := c.connect("", "bob")
		other.page.in <- port.KeepHistory{Disk: true}
		v.disconnect()
		other.wait(2 * time.Second)
		if len(disk.IDs()) != 0 {
			t.Errorf("segments %v of another user are left", disk.IDs())
		}
		other.disconnect()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if disk.IDs() != nil || disk.Cleared == 0 {
			t.Errorf("segments %v are left", disk.IDs())
		}
	})
}

// TestDiskStays checks that history stays on disk, and goes on there, while any tab is open, whichever turned it on;
// and that any of them turns it off.
func TestDiskStays(t *testing.T) {
	onDisk(t, three(), func(t *testing.T, c *pagesFixture, disk *historytest.Disk) {
		before, v, later := c.connect("", "ana"), c.connect("", "ana"), c.connect("", "ana")
		for _, page := range []*testPage{before, v, later} {
			page.showList("pods", view.Query{Seq: 1})
		}
		v.page.in <- port.KeepHistory{Disk: true}
		v.fill()
		segments := len(disk.IDs())
		if segments == 0 {
			t.Fatal("nothing is on disk")
		}
		v.disconnect()
		before.wait(2 * time.Second)
		if past := before.travel(port.Travel{}); disk.Cleared != 0 || !past.Disk.On {
			t.Errorf("cleared %d times, with two tabs open: %+v", disk.Cleared, past.Disk)
		}
		before.fill()
		if len(disk.IDs()) <= segments {
			t.Errorf("nothing more is stored: segments %v", disk.IDs())
		}
		later.page.in <- port.KeepHistory{}
		before.wait(2 * time.Second)
		if past := before.travel(port.Travel{}); disk.IDs() != nil || past.Disk.On {
			t.Errorf("segments %v, %+v", disk.IDs(), past.Disk)
		}
	})
}

// TestDiskFails checks that a disk that fails is said to, and that memory goes on.
func TestDiskFails(t *testing.T) {
	onDisk(t, three(), func(t *testing.T, c *pagesFixture, disk *historytest.Disk) {
		disk.Fail = context.DeadlineExceeded
		v := c.connect("", "ana")
		v.page.in <- port.KeepHistory{Disk: true}
		v.showList("pods", view.Query{Seq: 1})
		v.fill()
		at := time.Now()
		v.wait(5 * time.Second)
		if past := v.travel(port.Travel{At: at}); past.Disk.Failed == "" || !past.At.Equal(at) {
			t.Errorf("%+v", past)
		}
		v.wantRows("live", "a/web1 a/web2 b/db1")
	})
}
