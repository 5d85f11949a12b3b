package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// changes are those that the page was told since it was last asked.
func (b *bench) changes() []detail.Changes { return told[detail.Changes](b, "changes") }

// TestChangesPace shows that an object that changes all the time is told of at a pace, to
// its last version, and that what the reader asks for waits for nothing.
func TestChangesPace(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *bench) {
		asked := port.Focus{Seq: 1, Resource: "pods", Namespace: "a", Name: "web1", Tab: "changes"}
		b.focus(asked)
		b.changes()
		for i := range 50 {
			b.proxy.change(wire.Modified, pod("a", "web1", fmt.Sprint("Phase", i)))
			b.wait(changesPace / 10)
		}
		b.wait(changesPace)
		all := b.changes()
		if len(all) < 5 || len(all) > 7 {
			t.Errorf("%d documents in 5 × %v", len(all), changesPace)
		}
		last := all[len(all)-1].Versions
		if last[0].Fields[0].After != "Phase49" {
			t.Errorf("%+v", last[0])
		}
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(1)
		b.changes()
		asked.Options = json.RawMessage(fmt.Sprintf(`{"from":%q,"to":%q}`, last[0].Version, last[5].Version))
		b.page.in <- asked
		b.wait(1)
		if all := b.changes(); len(all) != 1 || all[0].Compared == nil {
			t.Errorf("%+v", all)
		}
	})
}

// TestChangesBound shows what a document may hold: it goes to what was asked for, and to
// the newest, and of the rest it is told how much there is.
func TestChangesBound(t *testing.T) {
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
		bound(&shows)
		told := []string{fmt.Sprintf("%d+%d", len(asked.Fields), asked.More)}
		for i, v := range shows.Versions {
			told = append(told, fmt.Sprintf("%d+%d", len(v.Fields), v.More))
			if len(kept[i].Fields) != 100 || kept[i].More != 7 {
				t.Error("what is kept is cut")
			}
		}
		if got := strings.Join(told, " "); got != c.want {
			t.Errorf("fields of %d bytes: %s, want %s", c.size, got, c.want)
		}
		if doc, err := json.Marshal(shows); err != nil || len(doc) > changesBytes+changesFields*64 {
			t.Errorf("%d bytes, %v", len(doc), err)
		}
	}
}
