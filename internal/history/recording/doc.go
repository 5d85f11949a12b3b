// Package recording is a noun: a history in a file.
//
// In: a history.Tape, and what to leave out or replace; or the pieces of a file. Out: the pieces of a
// file, before its compression; or the Tape of a file, which keeps objects and deltas as they were
// read.
//
// A file is compressed with gzip, by the browser. Inside it begins with a line that names the version of its
// format. Sections follow: a byte that says of what kind, the length, that many bytes, and their
// CRC-32. Those of kinds that a reader does not know are skipped, so that a newer Watchglass can add some
// without another version. Numbers are varints, texts follow their length, times are in
// microseconds. The sections are, in this order:
//
//	H  the Header, in JSON
//	S  a stream with its gaps, in JSON; the first is number 0
//	O  the objects of a stream when it is first known: the stream, then key, UID and payload of each
//	C  changes of all streams, the oldest first, as Tape has them
//	T  a time: up to then all changes have been read
//	L  a piece of a container's log: namespace, pod, container, previous, text
//	G  the gaps of a stream, in JSON, if some came while the file was written
//	E  the end
package recording

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"
)

// firstLine begins a file, before the version of its format.
const firstLine = "watchglass recording "

// version is the version of the format that this package writes, and the newest that it reads.
const version = 1

// The kinds of sections.
const (
	headerSection  = 'H'
	streamSection  = 'S'
	objectsSection = 'O'
	changesSection = 'C'
	timeSection    = 'T'
	logSection     = 'L'
	gapsSection    = 'G'
	endSection     = 'E'
)

// The kinds of changes. Each follows its stream and the time since the change before it.
const (
	putChange    = 'P' // key, UID and payload: the object is added, or written whole again
	deltaChange  = 'M' // number of the object, UID ("" if it is the same), delta
	deleteChange = 'D' // number of the object
)

// wholeEvery is the most deltas between two whole payloads of an object, so that no moment needs more
// than that many.
const wholeEvery = 32

// Header says what was recorded, and by whom.
type Header struct {
	Cluster string    `json:"cluster"`
	User    string    `json:"user,omitempty"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	// Version is of the Watchglass that saved it, Apiserver of the cluster.
	Version   string `json:"version"`
	Apiserver string `json:"apiserver,omitempty"`
	Page      string `json:"page,omitempty"` // the address that was shown, without its host
	// Altered lists what was left out or replaced.
	Altered []string `json:"altered,omitempty"`
}

// streamHeader is a stream with its gaps.
type streamHeader struct {
	Group      string `json:"group,omitempty"`
	Version    string `json:"version"`
	Resource   string `json:"resource"`
	Kind       string `json:"kind"`
	Namespaced bool   `json:"namespaced,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Columns    []byte `json:"columns,omitempty"`
	Since      int64  `json:"since"` // when its objects are first known
	Gaps       []gap  `json:"gaps,omitempty"`
}

// streamGaps is all gaps of a stream.
type streamGaps struct {
	Stream int   `json:"stream"`
	Gaps   []gap `json:"gaps"`
}

// gap is a history.Gap.
type gap struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
	Why  byte  `json:"why"`
}

// ErrFormat is wrapped by the errors about files that are no recordings, or damaged ones.
var ErrFormat = errors.New("not a Watchglass recording")

// appendText adds a text after its length.
func appendText[T string | []byte](dst []byte, text T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// appendSection adds a section.
func appendSection(dst []byte, kind byte, payload []byte) []byte {
	dst = binary.AppendUvarint(append(dst, kind), uint64(len(payload)))
	dst = append(dst, payload...)
	return binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(payload))
}

// fields reads a section's payload. After an error it returns zero values, and bad is set.
type fields struct {
	b   []byte
	bad bool
}

func (f *fields) number() uint64 {
	n, size := binary.Uvarint(f.b)
	if size <= 0 {
		f.b, f.bad = nil, true
		return 0
	}
	f.b = f.b[size:]
	return n
}

func (f *fields) byte() byte {
	if len(f.b) == 0 {
		f.bad = true
		return 0
	}
	c := f.b[0]
	f.b = f.b[1:]
	return c
}

// bytes returns a text. It aliases the section.
func (f *fields) bytes() []byte {
	n := f.number()
	if n > uint64(len(f.b)) {
		f.b, f.bad = nil, true
		return nil
	}
	b := f.b[:n:n]
	f.b = f.b[n:]
	return b
}
