package pane

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
)

func web1In(version int, phase string) testObject {
	o := pod("a", "web1", phase)
	o.version = version
	return o
}

// TestChanges checks what is reported about versions, about a deleted object, and about one
// that was created again.
func TestChanges(t *testing.T) {
	onHost(t, newServer(), nil, func(t *testing.T, h *host) {
		began := time.Now()
		h.opens(NewChanges, "pods", "a", "web1", nil)
		if first := last[detail.Changes](h); first.Since != began.UnixMilli() || len(first.Versions) != 0 || first.Secret {
			t.Errorf("%+v", first)
		}
		h.shows(web1In(1, "Pending"))
		h.Wait(soon)
		h.wantShown(0) // the same document: nothing has changed yet
		h.shows(web1In(2, "Running"))
		h.Wait(soon)
		if all := read[detail.Changes](h); len(all) != 1 || len(all[0].Versions) != 2 || all[0].Versions[0].Fields[0].After != "Running" {
			t.Errorf("%+v", all)
		}
		h.Wait(time.Second)
		h.gone = time.Now().Add(-time.Hour)
		h.deletes()
		h.Wait(time.Second)
		h.deletes() // reported twice
		h.Wait(soon)
		if all := read[detail.Changes](h); len(all) != 1 || !all[0].Deleted || all[0].Gone != h.gone.UnixMilli() || len(all[0].Versions) != 2 {
			t.Errorf("%+v, want gone %v", all, h.gone)
		}
		h.shows(web1In(5, "Running"))
		h.Wait(soon)
		if got := last[detail.Changes](h); got.Deleted || got.Gone != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// TestChangesGoneAtFirst checks that the versions of an object are shown if it is already
// deleted when its tab is opened.
func TestChangesGoneAtFirst(t *testing.T) {
	onHost(t, newServer(), nil, func(t *testing.T, h *host) {
		h.opens(NewSummary, "pods", "a", "web1", nil)
		h.shows(web1In(1, "Pending"))
		h.shows(web1In(2, "Running"))
		h.shown()
		object, decoder := h.object, h.decoder
		h.opens(NewChanges, "pods", "a", "web1", nil)
		h.Do(func() { h.object, h.decoder = object, decoder })
		h.deletes()
		h.Wait(soon)
		if got := last[detail.Changes](h); !got.Deleted || got.Gone != 0 || len(got.Versions) != 2 {
			t.Errorf("%+v", got)
		}
	})
}

// TestChangesPace checks that an object that changes all the time is shown at intervals, up to
// its last version, and that a requested comparison does not wait.
func TestChangesPace(t *testing.T) {
	onHost(t, newServer(), nil, func(t *testing.T, h *host) {
		h.opens(NewChanges, "pods", "a", "web1", nil)
		h.shows(web1In(100, "Pending"))
		h.Wait(soon)
		h.shown()
		for i := range 50 {
			h.shows(web1In(101+i, fmt.Sprint("Phase", i)))
			h.Wait(changesEvery / 10)
		}
		h.Wait(changesEvery)
		all := read[detail.Changes](h)
		if len(all) < 5 || len(all) > 7 {
			t.Errorf("%d documents in 5 × %v", len(all), changesEvery)
		}
		if n := int(h.Wakes.Load()); n > len(all)+1 {
			t.Errorf("it asked %d times to be woken for %d documents", n, len(all))
		}
		versions := all[len(all)-1].Versions
		if versions[0].Fields[0].After != "Phase49" {
			t.Errorf("%+v", versions[0])
		}
		h.shows(web1In(200, "Failed"))
		h.shown()
		h.shows(web1In(201, "Failed"))
		for _, o := range []detail.ChangesOptions{
			{From: versions[0].Version, To: versions[5].Version}, // in quick succession
			{From: versions[5].Version, To: versions[2].Version},
		} {
			h.options(o)
			if all := read[detail.Changes](h); len(all) != 1 || all[0].Compared == nil || all[0].Compared.From != versions[5].Version {
				t.Errorf("%+v", all)
			}
		}
		h.options(detail.ChangesOptions{From: "1", To: versions[2].Version})
		if got := last[detail.Changes](h); got.Compared != nil {
			t.Errorf("%+v", got.Compared)
		}
	})
}

// TestChangesSecret checks that the document of a secret says that it is one.
func TestChangesSecret(t *testing.T) {
	onHost(t, newServer(), nil, func(t *testing.T, h *host) {
		h.opens(NewChanges, "secrets", "a", "s", nil)
		if !last[detail.Changes](h).Secret {
			t.Error("it does not")
		}
	})
}

// TestChangesLimit checks what a document may hold. The requested comparison has priority, then
// the newest versions; the rest is counted.
func TestChangesLimit(t *testing.T) {
	compared := func(fields, size int) detail.Comparison {
		c := detail.Comparison{Fields: make([]detail.Field, fields), More: 7}
		for i := range c.Fields {
			c.Fields[i] = detail.Field{Path: "p", After: strings.Repeat("x", size-1)}
		}
		return c
	}
	for _, c := range []struct {
		size int
		want string
	}{
		{8, "100+7 100+7 100+7 100+7 0+107 0+107"},
		{4 << 10, "64+43 0+107 0+107 0+107 0+107 0+107"},
	} {
		asked := compared(100, c.size)
		shows := detail.Changes{Compared: &asked}
		kept := make([]detail.Comparison, 5)
		for i := range kept {
			kept[i] = compared(100, c.size)
			shows.Versions = append(shows.Versions, detail.Version{Comparison: kept[i]})
		}
		limit(&shows)
		got := []string{fmt.Sprintf("%d+%d", len(asked.Fields), asked.More)}
		for i, v := range shows.Versions {
			got = append(got, fmt.Sprintf("%d+%d", len(v.Fields), v.More))
			if len(kept[i].Fields) != 100 || kept[i].More != 7 {
				t.Error("what is kept is cut")
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("fields of %d bytes: %s, want %s", c.size, got, c.want)
		}
		if doc, err := json.Marshal(shows); err != nil || len(doc) > changesBytes+changesFields*64 {
			t.Errorf("%d bytes, %v", len(doc), err)
		}
	}
}
