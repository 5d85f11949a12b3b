//go:build !js

package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/history"
)

// opened reads an intact file.
func opened(t *testing.T, file []byte) *Recording {
	t.Helper()
	got, err := read(file, 1<<20)
	if err != nil || got.Damage != "" {
		t.Fatal(err, got)
	}
	return got
}

// headed is a file with this header, and nothing else.
func headed(t *testing.T, h Header) []byte {
	t.Helper()
	doc, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return appendSection(appendSection([]byte(firstLine+"1\n"), headerSection, doc), endSection, nil)
}

// TestAltered holds that a file says what it lacks, also of what the recording that it was saved from lacked, and names
// namespaces only if no name is replaced.
func TestAltered(t *testing.T) {
	record := randomRecord(rand.New(rand.NewPCG(5, 5)), 300)
	_, to := record.Span()
	h := Header{From: begun, To: to}
	first := opened(t, write(t, record, h, Choices{Namespaces: []string{"ns-1"}, HideAnnotations: true}))
	if want := []string{"some namespaces left out", "annotations left out", "logs left out"}; !slices.Equal(first.Altered, want) || !slices.Equal(first.LeftOut, []string{"ns-1"}) || first.Unnamed != 0 {
		t.Errorf("%+v", first.Header)
	}
	part := first.Header
	second := opened(t, write(t, first, part, Choices{Namespaces: []string{"ns-2", "ns-1"}, HideHosts: true}))
	if want := []string{"some namespaces left out", "annotations left out", "hosts and IP addresses replaced", "logs left out"}; !slices.Equal(second.Altered, want) || !slices.Equal(second.LeftOut, []string{"ns-1", "ns-2"}) {
		t.Errorf("of a part: %+v", second.Header)
	}
	file := write(t, second, second.Header, Choices{HideNodes: true, Namespaces: []string{"ns-0"}})
	if third := opened(t, file); third.LeftOut != nil || third.Unnamed != 3 || bytes.Contains(file, []byte("ns-")) {
		t.Errorf("with names replaced: %+v", third.Header)
	}
	if old := opened(t, headed(t, Header{Altered: []string{"some namespaces left out"}})); old.Unnamed != 1 {
		t.Errorf("of an older file: %+v", old.Header)
	}
}

// TestAlteredBounded holds that a file cannot say so much of what it lacks that the page is slow.
func TestAlteredBounded(t *testing.T) {
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprint(i, strings.Repeat("x", 500)))
	}
	got := opened(t, headed(t, Header{Altered: many, LeftOut: many, Unnamed: -5}))
	if doc, _ := json.Marshal(got.Header); len(doc) > 15_000 || got.Unnamed != 400 {
		t.Errorf("%d bytes, %d others", len(doc), got.Unnamed)
	}
}

// TestTruncatedLogs holds that a file whose end is missing says that logs may be missing, and one without logs does
// not.
func TestTruncatedLogs(t *testing.T) {
	record := loggedRecord{randomRecord(rand.New(rand.NewPCG(6, 6)), 50), []history.Log{{Pod: "a", Text: []byte("2026-11-23T14:02:00Z a line\n")}}}
	_, to := record.Span()
	for _, c := range []struct {
		choices Choices
		want    bool
	}{{Choices{Logs: anyLog}, true}, {Choices{}, false}} {
		file := write(t, record, Header{From: begun, To: to}, c.choices)
		got, err := read(file[:len(file)-1], 1<<20)
		if err != nil || !got.To.Equal(micro(to)) || got.Damage == "" || strings.HasSuffix(got.Damage, ". Logs may be missing.") != c.want {
			t.Errorf("%+v: %v, %q", c.choices, err, got.Damage)
		}
	}
}

// TestMissingLines holds that a file has the times in which lines of a log are missing, or that this is not known, also when
// a part of it is saved.
func TestMissingLines(t *testing.T) {
	at := func(seconds int) time.Time { return begun.Add(time.Duration(seconds) * time.Second) }
	line := func(seconds int) []byte { return []byte(at(seconds).Format(time.RFC3339Nano) + " a line\n") }
	logs := []history.Log{
		{Namespace: "ns-0", Pod: "name-1", Container: "main", Text: slices.Concat(line(20), line(50)), Known: true, Gaps: []history.Gap{{To: at(20)}, {From: at(30), To: at(40), UID: "u1"}, {From: at(50), To: at(100), UID: "u2"}}},
		{Namespace: "ns-0", Pod: "name-1", Container: "main", Previous: true, Text: line(30), Known: true},
		{Pod: "a", Text: line(30)},
	}
	want := func(record *Recording, want string) {
		t.Helper()
		got := ""
		for _, l := range record.Logs() {
			if got += fmt.Sprint("known ", l.Known, ":"); l.Known {
				for _, g := range l.Gaps {
					got += fmt.Sprint(" ", g.From.Sub(begun), "-", g.To.Sub(begun), g.UID)
				}
			}
			got += "; "
		}
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	record := loggedRecord{randomRecord(rand.New(rand.NewPCG(6, 6)), 50), logs}
	file := write(t, record, Header{From: begun, To: at(60)}, Choices{Logs: anyLog})
	whole := opened(t, file)
	want(whole, "known true: 0s-20s 30s-40su1 50s-1m0su2; known true:; known false:; ")
	want(opened(t, write(t, whole, Header{From: at(25), To: at(35)}, Choices{Logs: anyLog})), "known true:; known false:; ")
	want(opened(t, write(t, whole, Header{From: at(35), To: at(55)}, Choices{Logs: anyLog})), "known true: 35s-40su1 50s-55su2; ")
}

// TestMissingBounded holds that a file cannot say of a log that it lacks more than it may, nor of one that it has not.
func TestMissingBounded(t *testing.T) {
	head := headed(t, Header{From: begun, To: begun.Add(time.Minute)})
	head = head[:len(head)-6] // without its end
	l := appendText(appendText(appendText(nil, ""), "a"), "")
	withLog := appendSection(slices.Clip(head), logSection, appendText(append(l, 0), "x\n"))
	many, _ := json.Marshal(make([]gap, maxGaps+1))
	for name, file := range map[string][]byte{
		"of no log": appendSection(slices.Clip(head), missingSection, []byte(`[]`)),
		"too many":  appendSection(slices.Clip(withLog), missingSection, many),
		"malformed": appendSection(slices.Clip(withLog), missingSection, []byte(`{`)),
	} {
		if got, err := read(file, 1<<20); err != nil || !strings.Contains(got.Damage, errContent.Error()) {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
	beyond, _ := json.Marshal([]gap{{From: -5, To: 1 << 62}})
	got, err := read(appendSection(appendSection(withLog, missingSection, beyond), endSection, nil), 1<<20)
	if err != nil || got.Damage != "" || len(got.Logs()) != 1 || !got.Logs()[0].Gaps[0].From.Equal(got.From) || got.Logs()[0].Gaps[0].To.Sub(got.To) > time.Millisecond {
		t.Errorf("beyond the file: %v %+v", err, got)
	}
}
