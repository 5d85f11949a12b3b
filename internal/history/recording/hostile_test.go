package recording

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/history"
)

// fileOf returns a file of sections, each a kind and a payload.
func fileOf(sections ...any) []byte {
	file := []byte(firstLine + "1\n")
	for i := 0; i < len(sections); i += 2 {
		file = appendSection(file, byte(sections[i].(rune)), fmt.Append(nil, sections[i+1]))
	}
	return file
}

const minute = `{"cluster":"x","from":"2026-11-23T14:02:00Z","to":"2026-11-23T14:03:00Z"}`

// TestTimes holds that a file that was made to hurt has no times that the page can't write or calculate with.
func TestTimes(t *testing.T) {
	far := string(binary.AppendUvarint(nil, 1<<62))
	const gaps = `{"version":"v1","resource":"pods","kind":"Pod","gaps":[{"from":-9223372036854775808,"to":9223372036854775807,"why":3}]}`
	for name, file := range map[string][]byte{
		"reached":      fileOf('H', minute, 'S', `{"version":"v1","resource":"pods"}`, 'T', far),
		"gaps":         fileOf('H', minute, 'S', gaps, 'E', ""),
		"later gaps":   fileOf('H', minute, 'S', `{"version":"v1","resource":"pods"}`, 'G', `{"stream":0,"gaps":[{"from":1,"to":9223372036854775807}]}`, 'E', ""),
		"since":        fileOf('H', minute, 'S', `{"version":"v1","resource":"pods","since":9223372036854775807}`, 'C', "\x00\x01P\x01a\x00\x01x", 'E', ""),
		"all of time":  fileOf('H', `{"from":"0000-01-01T00:00:00Z","to":"9999-12-31T23:59:59Z"}`, 'S', gaps, 'E', ""),
		"out of range": fileOf('H', `{"from":"0001-01-01T00:00:00+23:59","to":"9999-12-31T23:59:59-23:59"}`, 'S', gaps, 'E', ""),
	} {
		record, err := read(file, 1<<20)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		from, to := record.Span()
		all := []time.Time{from, to}
		for i := range record.Streams() {
			for _, g := range record.Gaps(i) {
				all = append(all, g.From, g.To)
			}
		}
		if _, err := json.Marshal(all); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if latest := slices.MaxFunc(all, time.Time.Compare); to.Sub(from) < time.Hour && latest.Sub(to) > time.Hour {
			t.Errorf("%s: a file up to %v has %v", name, to, latest)
		}
	}
}

// TestNoRoom holds what a file takes in memory that compresses to nothing.
func TestNoRoom(t *testing.T) {
	const most = 64 << 20
	used := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	stream := `{"version":"v1","resource":"pods","kind":"Pod"}`
	for name, sections := range map[string]func(i int) []any{
		"gaps": func(int) []any {
			return []any{'S', strings.TrimSuffix(stream, "}") + `,"gaps":[` + strings.Repeat("{},", 1<<20) + `{}]}`}
		},
		"later gaps": func(i int) []any {
			return []any{'S', stream, 'G', fmt.Sprintf(`{"stream":%d,"gaps":[%s{}]}`, i, strings.Repeat("{},", 1<<20))}
		},
		"names": func(int) []any {
			return []any{'S', fmt.Sprintf(`{"version":"v1","resource":%q}`, strings.Repeat("x", 1<<22))}
		},
		"logs": func(i int) []any { return []any{'L', fmt.Sprintf("\x00\x03%03d\x00\x00\x00", i)} },
	} {
		before := used()
		var r Reader
		err := r.Write(fileOf('H', minute))
		for i := 0; err == nil && i < 20; i++ {
			err = r.Write(fileOf(sections(i)...)[len(firstLine)+2:])
		}
		if more := used() - before; more > most && more < 1<<60 {
			t.Errorf("%s: %d MB after %d MB (%v)", name, more>>20, r.total>>20, err)
		}
		runtime.KeepAlive(&r)
	}
	var r Reader
	if err := r.Write(fileOf('H', `{"cluster":"`+strings.Repeat("x", 1<<20)+`"}`)); err == nil {
		t.Error("a header of a megabyte is read")
	}
}

// TestLargePayload holds that no object is larger than one that is shown, also after deltas: each of its versions would take
// as much again.
func TestLargePayload(t *testing.T) {
	const stream = `{"version":"v1","resource":"pods","kind":"Pod"}`
	large := strings.Repeat("x", maxPayload+1)
	put := string(appendText(appendText([]byte("\x00\x00P\x01a"), ""), "x"))
	grown := string(appendText([]byte("\x00\x00M\x00\x00"), new(history.Deltas).Append(nil, []byte("x"), []byte(large))))
	for name, file := range map[string][]byte{
		"object": fileOf('H', minute, 'S', stream, 'O', string(appendText([]byte("\x00\x01a\x00"), large)), 'E', ""),
		"put":    fileOf('H', minute, 'S', stream, 'C', string(appendText([]byte("\x00\x00P\x01a\x00"), large)), 'E', ""),
		"delta":  fileOf('H', minute, 'S', stream, 'C', put+grown, 'E', ""),
	} {
		if record, err := read(file, 1<<20); err != nil || !strings.Contains(record.Damage, errContent.Error()) {
			t.Errorf("%s: %v, %+v", name, err, record)
		}
	}
	if record, err := read(fileOf('H', minute, 'S', stream, 'C', put, 'E', ""), 1<<20); err != nil || record.Damage != "" {
		t.Errorf("%v, %+v: this test proves nothing", err, record)
	}
}

// TestNames holds that kinds have names as the apiserver has them: they are in lists, addresses and commands.
func TestNames(t *testing.T) {
	for name, stream := range map[string]string{
		"path": `{"version":"v1","resource":"../secrets"}`, "bidi": `{"version":"v1","resource":"pods","kind":"Po\u202ed"}`, "space": `{"group":"a b","version":"v1","resource":"pods"}`,
		"control": `{"version":"v1\u001b","resource":"pods"}`, "namespace": `{"version":"v1","resource":"pods","namespace":"a/b"}`, "long": `{"version":"v1","resource":"` + strings.Repeat("x", 300) + `"}`,
	} {
		if record, err := read(fileOf('H', minute, 'S', stream, 'E', ""), 1<<20); err != nil || record.Damage == "" || len(record.Streams()) != 0 {
			t.Errorf("%s: %v, %+v", name, err, record)
		}
	}
	if record, err := read(fileOf('H', minute, 'S', `{"group":"acme.io","version":"v1beta1","resource":"my-things","kind":"My_Thing","namespace":"a-1"}`, 'E', ""), 1<<20); err != nil || record.Damage != "" {
		t.Errorf("%v, %+v", err, record)
	}
}
