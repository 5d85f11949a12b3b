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
		tape, err := read(file, 1<<20)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		from, to := tape.Span()
		all := []time.Time{from, to}
		for i := range tape.Streams() {
			for _, g := range tape.Gaps(i) {
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
