package recording

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
)

var begun = time.Date(2026, 11, 23, 14, 2, 0, 0, time.UTC)

// payload returns an object in JSON that looks like one of the kind.
func payload(kind, key string, version int, rng *rand.Rand) []byte {
	namespace, name, _ := strings.Cut(key, "/")
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"apiVersion":"v1","kind":%q,"metadata":{"name":%q,"namespace":%q,"resourceVersion":"%d"},"spec":{"nodeName":"node-%d"},"status":{`, kind, name, namespace, version, rng.IntN(40))
	for i := range rng.IntN(6) {
		fmt.Fprintf(&b, `"field%d":"value %d of something that is long enough",`, i, rng.IntN(1000))
	}
	b.WriteString(`"phase":"Running"}}`)
	return b.Bytes()
}

// randomRecord returns a record of two streams with changes of all types, several at the same moment.
func randomRecord(rng *rand.Rand, changes int) *historytest.Model {
	t := historytest.New(begun)
	t.Open(history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
	t.Open(history.Stream{Group: "acme.com", Version: "v1", Resource: "things", Kind: "Thing", Namespaced: true, Columns: []byte(`[{"name":"Name"}]`)})
	t.Miss(1, history.Gap{From: begun.Add(3 * time.Second), To: begun.Add(5 * time.Second), Why: history.Away})
	at := begun
	for i := range changes {
		if rng.IntN(4) > 0 {
			at = at.Add(time.Duration(rng.IntN(300_000)) * time.Microsecond)
		}
		stream, key, uid := rng.IntN(2), fmt.Sprintf("ns-%d/name-%d", rng.IntN(3), rng.IntN(20)), fmt.Sprintf("uid-%d", rng.IntN(3))
		var p []byte
		if rng.IntN(5) > 0 {
			p = payload([]string{"Pod", "Thing"}[stream], key, i, rng)
		} else if o, ok := t.Find(stream, key, at); ok {
			uid = o.UID
		}
		t.Put(stream, at, key, uid, p)
	}
	return t
}

// write returns the file of a record, and the largest piece.
func write(t testing.TB, record history.Record, h Header, c Choices) []byte {
	t.Helper()
	var file []byte
	if _, err := Write(record, h, c, func(piece []byte) error {
		file = append(file, piece...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return file
}

// read returns the record of a file that comes in pieces.
func read(file []byte, size int) (*Recording, error) {
	var r Reader
	for piece := range slices.Chunk(file, size) {
		if r.Write(piece) != nil {
			break
		}
	}
	return r.Close("")
}

// reread returns a whole record as it is after it was written and read.
func reread(t testing.TB, record history.Record) *Recording {
	t.Helper()
	from, to := record.Span()
	file, err := read(write(t, record, Header{From: from, To: to}, Choices{}), 1<<16)
	if err != nil || file.Damage != "" {
		t.Fatal(err, file.Damage)
	}
	return file
}

// changesOf returns changes as texts.
func changesOf(each func(yield func(history.Change) bool)) (all []string) {
	each(func(c history.Change) bool {
		all = append(all, fmt.Sprintf("%s %c %s %s %s → %s", c.At.UTC().Format(time.RFC3339Nano), c.Type, c.Key, c.UID, c.Before, c.After))
		return true
	})
	return all
}

// TestModel holds that a file has what the record has, at any moment and between any two.
func TestModel(t *testing.T) {
	for round := range uint64(6) {
		rng := rand.New(rand.NewPCG(round, 1))
		record := randomRecord(rng, 600)
		first, last := record.Span()
		from := first.Add(time.Duration(rng.Int64N(int64(last.Sub(first)))) / 2).Truncate(time.Microsecond)
		to := last
		got, err := read(write(t, record, Header{Cluster: "prod", From: from, To: to}, Choices{Logs: anyLog}), 1000+rng.IntN(100_000))
		if err != nil || got.Damage != "" {
			t.Fatal(err, got.Damage)
		}
		if a, b := got.Span(); !a.Equal(from) || !b.Equal(to) {
			t.Fatalf("span %v to %v, want %v to %v", a, b, from, to)
		}
		if fmt.Sprint(got.Streams()) != fmt.Sprint(record.Streams()) {
			t.Fatalf("streams %v", got.Streams())
		}
		random := func() time.Time {
			return from.Add(time.Duration(rng.Int64N(int64(to.Sub(from)))))
		}
		for stream := range got.Streams() {
			for range 10 {
				at, other := random(), random()
				if a, b := historytest.Objects(got, stream, at), historytest.Objects(record, stream, at); fmt.Sprint(a) != fmt.Sprint(b) {
					t.Fatalf("round %d, stream %d at %v:\n%v\nwant\n%v", round, stream, at, a, b)
				}
				for key := range historytest.Objects(record, stream, other) {
					a, ok := got.Find(stream, key, at)
					b, there := record.Find(stream, key, at)
					if ok != there || a.UID != b.UID || !bytes.Equal(a.Payload, b.Payload) {
						t.Fatalf("round %d: find %s: %v %v, want %v %v", round, key, ok, a, there, b)
					}
					want := historytest.VersionsOf(record, record.Streams()[stream], key, b.UID, at)
					some := historytest.VersionsOf(got, record.Streams()[stream], key, b.UID, at)
					if len(some) > len(want) || !slices.Equal(some, want[len(want)-len(some):]) || ok && len(some) == 0 {
						t.Fatalf("round %d: versions of %s at %v:\n%s\nwant\n%s", round, key, at, some, want)
					}
				}
				a := historytest.Moved(got, stream, at, other)
				b := historytest.Moved(record, stream, at, other)
				if !slices.Equal(a, b) {
					t.Fatalf("round %d: moved %v to %v:\n%s\nwant\n%s", round, at, other, strings.Join(a, "\n"), strings.Join(b, "\n"))
				}
				if other.Before(at) {
					at, other = other, at
				}
				a = changesOf(func(y func(history.Change) bool) { got.Between(stream, at, other, y) })
				b = changesOf(func(y func(history.Change) bool) { record.Between(stream, at, other, y) })
				if !slices.Equal(a, b) {
					t.Fatalf("round %d: between %v and %v:\n%s\nwant\n%s", round, at, other, strings.Join(a, "\n"), strings.Join(b, "\n"))
				}
			}
		}
	}
}

// TestPlain holds that a decompressed file that is intact reads like one that comes in pieces, and that any other is
// refused, since it is read again with the reason.
func TestPlain(t *testing.T) {
	record := loggedRecord{randomRecord(rand.New(rand.NewPCG(4, 4)), 1500), []history.Log{{Pod: "a", Text: []byte("x\n")}}}
	from, to := record.Span()
	file := write(t, record, Header{From: begun, To: to}, Choices{Logs: anyLog})
	pauses := 0
	rest := func() error { pauses++; return nil }
	plain, err := ReadPlain(file, rest)
	if err != nil || pauses < 2 {
		t.Fatal(err, pauses)
	}
	pieces, err := read(file, 4096)
	if err != nil {
		t.Fatal(err)
	}
	if plain.Count() != pieces.Count() || fmt.Sprint(plain.Header, plain.Damage, plain.Logs(), plain.Streams()) != fmt.Sprint(pieces.Header, pieces.Damage, pieces.Logs(), pieces.Streams()) {
		t.Errorf("%+v, want %+v", plain.Header, pieces.Header)
	}
	for stream := range pieces.Streams() {
		a, b := historytest.Moved(plain, stream, from, to), historytest.Moved(pieces, stream, from, to)
		if !slices.Equal(a, b) || fmt.Sprint(historytest.Objects(plain, stream, to)) != fmt.Sprint(historytest.Objects(pieces, stream, to)) {
			t.Errorf("stream %d differs", stream)
		}
	}
	for n := 0; n < len(file); n += 997 {
		if _, err := ReadPlain(file[:n], rest); err == nil {
			t.Errorf("%d of %d bytes are read", n, len(file))
		}
	}
	if _, err := ReadPlain(append(bytes.Clone(file), "more"...), rest); err == nil {
		t.Error("a file with something behind its end is read")
	}
	if _, err := ReadPlain([]byte(firstLine+"2\n"), rest); err == nil {
		t.Error("a newer format is read")
	}
	stop := errors.New("stop")
	if _, err := ReadPlain(file, func() error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}

// TestGaps holds that a file says when changes may be missing, of the time that it has.
func TestGaps(t *testing.T) {
	record := randomRecord(rand.New(rand.NewPCG(1, 1)), 200)
	_, to := record.Span()
	got, err := read(write(t, record, Header{From: begun, To: to}, Choices{}), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if want := record.Gaps(1); fmt.Sprint(got.Gaps(1)) != fmt.Sprint(want) || len(got.Gaps(0)) > 0 {
		t.Errorf("gaps %v and %v, want none and %v", got.Gaps(0), got.Gaps(1), want)
	}
}

// TestTruncated holds that a file that ends anywhere is refused, or opens with the objects of each moment that it
// still claims.
func TestTruncated(t *testing.T) {
	record := randomRecord(rand.New(rand.NewPCG(2, 2)), 1500)
	_, to := record.Span()
	file := write(t, record, Header{From: begun, To: to}, Choices{})
	refused, partly := 0, 0
	for n := 0; n < len(file); n += 997 {
		got, err := read(file[:n], 4096)
		if err != nil {
			refused++
			continue
		}
		if partly++; got.Damage == "" {
			t.Fatalf("%d of %d bytes: no damage", n, len(file))
		}
		_, until := got.Span()
		if strings.HasPrefix(got.Damage, "Some objects") {
			continue
		}
		for stream := range got.Streams() {
			if a, b := historytest.Objects(got, stream, until), historytest.Objects(record, stream, until); fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("%d of %d bytes: stream %d at %v:\n%v\nwant\n%v", n, len(file), stream, until, a, b)
			}
		}
	}
	if refused == 0 || partly < 20 {
		t.Errorf("%d refused and %d partly opened", refused, partly)
	}
}

// TestDamaged holds that a byte that changed is noticed, wherever it is.
func TestDamaged(t *testing.T) {
	record := randomRecord(rand.New(rand.NewPCG(3, 3)), 300)
	_, to := record.Span()
	file := write(t, record, Header{From: begun, To: to}, Choices{})
	for n := 0; n < len(file); n += 31 {
		bad := bytes.Clone(file)
		bad[n] ^= 0x20
		if got, err := read(bad, 1<<20); err == nil && got.Damage == "" && fmt.Sprint(historytest.Objects(got, 0, to)) != fmt.Sprint(historytest.Objects(record, 0, to)) {
			t.Fatalf("byte %d of %d: not noticed", n, len(file))
		}
	}
}

// TestRefused holds why files are refused.
func TestRefused(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"", "not a Watchglass recording: the file ends too early"},
		{"PK\x03\x04 something else\n", "not a Watchglass recording"},
		{"watchglass recording 2\n", "the recording has format 2, but this version reads only up to format 1: open it with a newer Watchglass"},
		{"watchglass recording 1\n", "not a Watchglass recording: the file ends too early"},
		{"watchglass recording x\n", "not a Watchglass recording"},
		{string(appendSection([]byte("watchglass recording 1\n"), 'H', []byte(`{`))), "not a Watchglass recording: a section is malformed"},
		{string(appendSection([]byte("watchglass recording 1\n"), 'C', []byte(`{`))), "not a Watchglass recording: a section is malformed"},
		{"watchglass recording 1\nH\xff\xff\xff\xff\xff\xff\x01", "not a Watchglass recording: a section is too long"},
	} {
		if _, err := read([]byte(test.file), 7); err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, want %q", test.file, err, test.want)
		}
	}
}

// TestBomb holds that a file that never ends is given up, before it takes more memory than a tab has.
func TestBomb(t *testing.T) {
	var r Reader
	head := appendSection([]byte(firstLine+"1\n"), headerSection, []byte(`{"cluster":"x"}`))
	err := r.Write(head)
	piece := appendSection(nil, 'Z', make([]byte, 1<<20))
	n := 0
	for ; err == nil && n < 1000; n++ {
		err = r.Write(piece)
	}
	if err == nil || n > 300 {
		t.Errorf("%v after %d MB", err, n)
	}
}

// TestOpenedLate holds that the objects of a stream that was opened later are there from then on, whether or not
// they changed.
func TestOpenedLate(t *testing.T) {
	late := begun.Add(10 * time.Second)
	record := historytest.New(begun)
	n := record.Open(history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
	record.Put(n, late, "a/still", "1", []byte(`{"still":1}`))
	record.Put(n, late, "a/moves", "2", []byte(`{"moves":1}`))
	record.Put(n, late.Add(time.Second), "a/moves", "2", []byte(`{"moves":2}`))
	record.Miss(n, history.Gap{From: begun, To: late, Why: history.Closed})
	_, to := record.Span()
	got, err := read(write(t, record, Header{From: begun, To: to}, Choices{}), 1<<20)
	if err != nil || got.Damage != "" {
		t.Fatal(err, got.Damage)
	}
	for _, at := range []time.Time{begun, late.Add(-time.Millisecond), late, to} {
		if a, b := historytest.Objects(got, 0, at), historytest.Objects(record, 0, at); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("at %v: %v, want %v", at, a, b)
		}
	}
	if all := changesOf(func(y func(history.Change) bool) { got.Between(0, begun, to, y) }); len(all) != 1 {
		t.Errorf("changes %v", all)
	}
	for _, pair := range [][2]time.Time{{begun, to}, {to, begun}} {
		a := historytest.Moved(got, 0, pair[0], pair[1])
		b := historytest.Moved(record, 0, pair[0], pair[1])
		if !slices.Equal(a, b) {
			t.Errorf("moved %v, want %v", a, b)
		}
	}
}

// TestEmit holds that an error ends a file, and that pieces are small.
func TestEmit(t *testing.T) {
	record := randomRecord(rand.New(rand.NewPCG(4, 4)), 3000)
	_, to := record.Span()
	largest, pauses := 0, 0
	if _, err := Write(record, Header{From: begun, To: to}, Choices{}, func(piece []byte) error {
		if largest = max(largest, len(piece)); piece == nil {
			pauses++
		}
		return nil
	}); err != nil || largest > 2*sectionSize || pauses == 0 {
		t.Errorf("%v, pieces of %d bytes, %d pauses", err, largest, pauses)
	}
	stop := errors.New("stop")
	if _, err := Write(record, Header{From: begun, To: to}, Choices{}, func([]byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

// TestLeftOut holds that kinds and namespaces that are left out are in no byte of the file, but for the names of
// namespaces in the header.
func TestLeftOut(t *testing.T) {
	record := randomRecord(rand.New(rand.NewPCG(5, 5)), 600)
	_, to := record.Span()
	file := write(t, record, Header{From: begun, To: to}, Choices{Kinds: []string{"things.acme.com"}, Namespaces: []string{"ns-1"}})
	file = bytes.Replace(file, []byte(`"leftOut":["ns-1"]`), nil, 1)
	for _, canary := range []string{"Thing", "acme.com", "ns-1"} {
		if bytes.Contains(file, []byte(canary)) {
			t.Errorf("%q is in the file", canary)
		}
	}
	if !bytes.Contains(file, []byte("ns-2")) {
		t.Error("so is nothing")
	}
}

// loggedRecord is a record with logs.
type loggedRecord struct {
	history.Record
	logs []history.Log
}

func (l loggedRecord) Logs() []history.Log { return l.logs }

// gapRecord is a record whose first stream has gaps.
type gapRecord struct {
	history.Record
	gaps []history.Gap
}

func (g gapRecord) Gaps(i int) []history.Gap {
	if i > 0 {
		return nil
	}
	return g.gaps
}

// TestLookGaps holds that a preview has the times in which changes may be missing, within the file and of
// kinds that are in it.
func TestLookGaps(t *testing.T) {
	record := randomRecord(rand.New(rand.NewPCG(7, 7)), 50)
	at := func(n int) time.Time { return begun.Add(time.Duration(n) * time.Millisecond) }
	to := at(100)
	gapped := gapRecord{record, []history.Gap{
		{From: at(-9), To: at(-5), Why: history.Away}, {From: at(-2), To: at(3), Why: history.Relisted}, {From: at(2), To: at(5), Why: history.Away},
		{From: at(10), To: at(20), Why: history.Closed}, {From: at(30), To: at(40), Why: history.Away}, {From: at(90), Why: history.Away},
	}}
	for _, c := range []struct {
		choices Choices
		want    string
	}{{Choices{}, "-2-5 30-40 90-100"}, {Choices{Kinds: []string{kindID(record.Streams()[0])}}, ""}} {
		p, err := NewPreview(gapped, begun, to, c.choices, func() error { return nil })
		var got []string
		for _, g := range p.Gaps {
			got = append(got, fmt.Sprintf("%d-%d", g.From.Sub(begun).Milliseconds(), g.To.Sub(begun).Milliseconds()))
		}
		if s := strings.Join(got, " "); err != nil || s != c.want {
			t.Errorf("%q, want %q; %v", s, c.want, err)
		}
	}
}

// anyLog are the logs of these tests.
var anyLog = []string{"ns-0/name-1/main", "ns-0/name-1/main/previous", "payments/billing-7d9f-abcde/ledger", "/a/"}

// TestLogs holds that logs are in the file if they were chosen, whole, and not otherwise.
func TestLogs(t *testing.T) {
	record := randomRecord(rand.New(rand.NewPCG(6, 6)), 50)
	_, to := record.Span()
	logs := []history.Log{
		{Namespace: "ns-0", Pod: "name-1", Container: "main", Text: []byte(strings.Repeat("2026-11-23T14:02:01Z a line\n", 20_000))},
		{Namespace: "ns-0", Pod: "name-1", Container: "main", Previous: true, Text: []byte("2026-11-23T14:02:00Z before\n")},
	}
	around := slices.Clone(logs)
	around[1].Text = slices.Concat([]byte("of no time\n2026-11-23T14:01:01Z too early\nits second line\n"), around[1].Text, []byte("2036-11-23T14:01:01Z too late\n"))
	around = append(around, history.Log{Namespace: "ns-0", Pod: "other", Text: []byte("2026-11-23T14:02:01Z of another\n")})
	p, err := NewPreview(loggedRecord{record, around}, begun, to, Choices{Logs: anyLog[1:2]}, func() error { return nil })
	if s := fmt.Sprintf("%+v", p.Logs); err != nil || !strings.Contains(s, "Container:main Previous:true Lines:1 Outside:4 Chosen:true") || !strings.Contains(s, "ID:ns-0/other/ Namespace:ns-0 Pod:other Container: Previous:false Lines:1 Outside:0 Chosen:false") {
		t.Errorf("%v, preview %s", err, s)
	}
	file := write(t, loggedRecord{record, around}, Header{From: begun, To: to}, Choices{Logs: anyLog})
	got, err := read(file, 1<<16)
	if err != nil || fmt.Sprint(got.Logs()) != fmt.Sprint(logs) {
		t.Errorf("%v, %d logs", err, len(got.Logs()))
	}
	if file := write(t, loggedRecord{record, logs}, Header{From: begun, To: to}, Choices{}); bytes.Contains(file, []byte("a line")) {
		t.Error("logs that were not chosen are in the file")
	}
}

// TestFile holds what is said of files that are not what they should be on disk.
func TestFile(t *testing.T) {
	record := randomRecord(rand.New(rand.NewPCG(9, 9)), 3000)
	_, to := record.Span()
	zip := func(plain []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(plain); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	file := zip(write(t, record, Header{From: begun, To: to}, Choices{}))
	damaged := bytes.Clone(file)
	copy(damaged[len(file)/2:], bytes.Repeat([]byte{0xff}, 40))
	stop := errors.New("stop")
	for name, test := range map[string]struct {
		file         []byte
		pause        error
		fail, damage string
	}{
		"whole":        {file: file},
		"empty":        {fail: ErrFormat.Error()},
		"another":      {file: []byte("PK\x03\x04 and something more than ten bytes"), fail: ErrFormat.Error()},
		"another gzip": {file: zip([]byte("a tarball\n")), fail: ErrFormat.Error()},
		"cut":          {file: file[:len(file)/2], damage: "the file ends too early"},
		"damaged":      {file: damaged, damage: "is"},
		"bad sum":      {file: append(bytes.Clone(file[:len(file)-8]), 1, 2, 3, 4, 5, 6, 7, 8), damage: "the file is damaged"},
		"ended":        {file: file, pause: stop, fail: "stop"},
	} {
		got, err := Read(bytes.NewReader(test.file), func() error { return test.pause })
		switch {
		case test.fail != "" && (err == nil || err.Error() != test.fail):
			t.Errorf("%s: %v, want %s", name, err, test.fail)
		case test.fail == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.fail == "" && (got.Damage == "") != (test.damage == ""), test.fail == "" && !strings.Contains(got.Damage, test.damage):
			t.Errorf("%s: damage %q, want %q", name, got.Damage, test.damage)
		}
	}
}

func FuzzRead(f *testing.F) {
	record := randomRecord(rand.New(rand.NewPCG(8, 8)), 20)
	_, to := record.Span()
	f.Add(write(f, loggedRecord{record, []history.Log{{Pod: "a", Text: []byte("2026-11-23T14:02:00Z x\n"), Gaps: []history.Gap{{To: to}}, Known: true}}}, Header{From: begun, To: to}, Choices{Logs: anyLog}))
	f.Add([]byte(firstLine + "1\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if plain, err := ReadPlain(file, func() error { return nil }); err == nil {
			tryAll(plain)
		}
		got, err := read(resealed(file), 997)
		if err != nil {
			return
		}
		tryAll(got)
	})
}

// tryAll reads all that a record has.
func tryAll(got *Recording) {
	from, to := got.Span()
	for stream := range got.Streams() {
		historytest.Objects(got, stream, to)
		changesOf(func(y func(history.Change) bool) { got.Moved(stream, from.Add(-1), to, nil, y) })
		changesOf(func(y func(history.Change) bool) { got.Moved(stream, to, from, nil, y) })
		changesOf(func(y func(history.Change) bool) { got.Between(stream, from, to, y) })
		got.Gaps(stream)
	}
	got.Logs()
}

// resealed returns a file whose checksums are right, so that what they protect is tried.
func resealed(file []byte) []byte {
	at := bytes.IndexByte(file, '\n') + 1
	out := bytes.Clone(file[:at])
	for f := (fields{b: file[at:]}); len(f.b) > 0; {
		kind := f.byte()
		payload := f.bytes()
		if f.bad {
			break
		}
		out = appendSection(out, kind, payload)
		f.b = f.b[min(len(f.b), 4):]
	}
	return out
}
