package wire

import (
	"encoding/binary"
	"fmt"
)

// EventType is the type of a record in a Data frame.
type EventType byte

// The record types of a Data frame. A payload is the apiserver's own bytes, complete except
// for what the relay withholds. Its first bytes tell the encoding: "k8s\x00" is protobuf, "{"
// is JSON.
const (
	Added    EventType = 'A'
	Modified EventType = 'M'
	Deleted  EventType = 'D'
	// Bookmark carries an object that has only a version and perhaps annotations; in the log of a recording, LogGaps.
	Bookmark EventType = 'B'
	// Error carries a JSON Status: the apiserver ended the watch.
	Error EventType = 'E'
	// Item is one object of a list, in the list's order, or of a get.
	Item EventType = 'I'
	// ListEnd carries the JSON ListMeta of the page formed by the items before it.
	ListEnd EventType = 'L'
	// Columns carries the JSON column definitions of the Table rows after it.
	Columns EventType = 'C'
	// Text carries a piece of a log as received. It may end within a line, and within a
	// character.
	Text EventType = 'T'
)

func (t EventType) known() bool {
	switch t {
	case Added, Modified, Deleted, Bookmark, Error, Item, ListEnd, Columns, Text:
		return true
	}
	return false
}

// Event is one record.
type Event struct {
	Type    EventType
	Payload []byte
}

// Batch is the events of one frame.
type Batch struct {
	Events []Event
	// Bytes is how many bytes of their stream's credit the events use.
	Bytes int
}

// recordHeader is the largest size of a record's type and length, in bytes.
const recordHeader = 1 + binary.MaxVarintLen32

// EventSize returns an upper bound of the bytes that AppendEvent adds.
func EventSize(payload int) int { return recordHeader + payload }

// AppendEvent adds a record to a Data frame.
func AppendEvent(dst []byte, t EventType, payload []byte) []byte {
	dst = binary.AppendUvarint(append(dst, byte(t)), uint64(len(payload)))
	return append(dst, payload...)
}

// AppendData appends the start of a Data frame. Sequence numbers start at 1 and have no gaps.
func AppendData(dst []byte, stream uint32, seq uint64) []byte {
	return binary.AppendUvarint(AppendHeader(dst, KindData, stream), seq)
}

// Data splits a Data frame into its sequence number and its events. It appends the events to
// into. Payloads alias the frame.
func (f Frame) Data(into []Event) (seq uint64, events []Event, err error) {
	seq, n := binary.Uvarint(f.Body)
	if n <= 0 {
		return 0, into, fmt.Errorf("%w: data sequence", ErrFrame)
	}
	for b := f.Body[n:]; len(b) > 0; {
		t := EventType(b[0])
		size, m := binary.Uvarint(b[1:])
		if !t.known() || m <= 0 || size > uint64(len(b)-1-m) {
			return 0, into, fmt.Errorf("%w: record", ErrFrame)
		}
		end := 1 + m + int(size)
		into = append(into, Event{t, b[1+m : end : end]})
		b = b[end:]
	}
	return seq, into, nil
}
