// Package recording is a noun: a history in a file.
//
// In: a history.Record, and what to leave out or replace; or the pieces of a file. Out: the pieces of a
// file, uncompressed; or the Recording of a file, which keeps objects and deltas as they were read.
//
// The browser compresses a file with gzip. The content begins with a line with the version of the
// format. Sections follow: a byte for the kind, the length, that many bytes, and their CRC-32. Readers
// skip sections of unknown kinds, so that a newer Watchglass can add some without a new version.
// Numbers are varints, texts follow their length, times are in microseconds. The sections are, in this
// order:
//
//	H  the Header, in JSON
//	S  a stream with its gaps, in JSON; the first is number 0
//	O  the objects of a stream when it is first known: the stream, then key, UID and payload of each
//	C  changes of all streams, the oldest first, as Record has them
//	T  a time: all changes up to then precede it
//	L  a piece of a container's log: namespace, pod, container, previous, text
//	M  the times in which lines of the log before are missing, in JSON, each with the UID of its pod, since another pod may
//	   have had the name; without the section, that is not known
//	G  the gaps of a stream, in JSON, if they changed while the file was written
//	E  the end
package recording

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"
)

// firstLine begins a file. The version of the format follows.
const firstLine = "watchglass recording "

// version is the version of the format written, and the newest that can be read.
const version = 1

// The kinds of sections.
const (
	headerSection  = 'H'
	streamSection  = 'S'
	objectsSection = 'O'
	changesSection = 'C'
	timeSection    = 'T'
	logSection     = 'L'
	missingSection = 'M'
	gapsSection    = 'G'
	endSection     = 'E'
)

// The kinds of changes. Each is preceded by its stream and the time since the stream's previous change.
const (
	putChange    = 'P' // key, UID and payload: the object is added, or written whole again
	deltaChange  = 'M' // number of the object, UID ("" if unchanged), delta
	deleteChange = 'D' // number of the object
)

// wholeEvery is the maximum number of deltas between two whole payloads of an object. It bounds the
// deltas that reading a moment takes.
const wholeEvery = 32

// Header says what was recorded, and by whom.
type Header struct {
	Cluster string    `json:"cluster"`
	User    string    `json:"user,omitempty"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	// Version is the version of the Watchglass that saved it, Apiserver that of the cluster.
	Version   string `json:"version"`
	Apiserver string `json:"apiserver,omitempty"`
	Page      string `json:"page,omitempty"` // the page's address, without its host
	// Altered lists what was left out or replaced.
	Altered []string `json:"altered,omitempty"`
	// LeftOut are the namespaces that were left out, and Unnamed is how many others were: no name is in the file if
	// names are replaced.
	LeftOut []string `json:"leftOut,omitempty"`
	Unnamed int      `json:"unnamed,omitempty"`
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
	From int64  `json:"from"`
	To   int64  `json:"to"`
	Why  byte   `json:"why"`
	UID  string `json:"uid,omitempty"` // in a log, of the pod; an older Watchglass takes the gap for one of every pod of the name
}

// ErrFormat is wrapped by errors about files that are not recordings or whose beginning is damaged.
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

// fields reads a section's payload. After an error, bad is set and its methods return zero values.
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
