package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Version is the protocol's version; both ends must speak the same.
const Version = 1

// The limits of a connection. Both ends enforce them.
const (
	// MaxFrame is the largest frame that the tab reads. A frame carries whole objects, so it is
	// also the size of the largest object.
	MaxFrame = 8 << 20
	// MaxControl is the largest frame the proxy reads: requests are small.
	MaxControl = 64 << 10
	// MaxStreams is how many streams one connection may hold open.
	MaxStreams = 256

	// BatchBytes and BatchLinger limit a frame under load: it is sent at this size or after
	// this time, whichever comes first.
	BatchBytes  = 256 << 10
	BatchLinger = 8 * time.Millisecond

	// StreamWindow is how many bytes of a stream may be on their way: sent and not yet
	// credited. ConnWindow is the limit for all streams together.
	StreamWindow = 4 << 20
	ConnWindow   = 64 << 20
	// EarlyWindow is the window of the early stream until the tab credits something: more
	// than a screenful, and little compared with the program, which is downloaded over the
	// same line.
	EarlyWindow = 128 << 10
	// CreditStep is the least that the tab credits at once.
	CreditStep = 64 << 10

	// BeatEvery is the interval of the heartbeats of both ends.
	BeatEvery = time.Second
	// StaleAfter is the age at which a silent link no longer proves anything. A tab looks once
	// a second, so that it says live for five seconds at most after the last sign of life.
	StaleAfter = 4 * time.Second
	// DeadAfter is the age at which the tab gives up a silent socket, unless a large message is
	// arriving (see LargeWithin).
	DeadAfter = 10 * time.Second
	// GoneAfter is the age at which the proxy gives up a silent tab, or one that accepts nothing
	// of a message. It is long because a hidden tab may be frozen and come back.
	GoneAfter = 90 * time.Second

	// ShortWatch is the requested length of a watch whose response may be held back until it
	// ends.
	ShortWatch = 6 * time.Second

	// DrainMost is the longest time that a stopping proxy may give its tabs to reconnect.
	DrainMost = time.Hour
)

// Kind says what a frame carries.
type Kind byte

// The kinds of frames. Bodies marked JSON are one JSON document.
const (
	KindOpen    Kind = 1 // tab → proxy, JSON Request
	KindCredit  Kind = 2 // tab → proxy, uvarint bytes
	KindClose   Kind = 3 // tab → proxy, no body: the tab ends a stream
	KindBeat    Kind = 4 // both; from the proxy with the ages of its streams
	KindWelcome Kind = 5 // proxy → tab, JSON Welcome, on stream 0
	KindOpened  Kind = 6 // proxy → tab, JSON Opened: the apiserver has answered
	KindData    Kind = 7 // proxy → tab, uvarint sequence, then Event records
	KindEnd     Kind = 8 // proxy → tab, JSON End: nothing more on this stream
	KindDrain   Kind = 9 // proxy → tab, uvarint milliseconds within which to reconnect, on stream 0
	// KindLarge comes right before a message larger than BatchBytes, on stream 0, with its size as
	// uvarint bytes. On a slow link nothing else arrives until the tab has the whole message.
	KindLarge Kind = 10 // proxy → tab
	// KindQueued has the places of streams whose requests wait in the proxy, on stream 0. It is sent with each beat, to
	// tabs whose Hello says that they know it.
	KindQueued Kind = 11 // proxy → tab
	// KindPaused names the streams that are paused because the user's permission could not be confirmed, with the length of
	// the pause, on stream 0. It is sent before each beat while there are any, and once when there are none any more, to
	// tabs whose Hello says that they know it.
	KindPaused Kind = 12 // proxy → tab
)

// Frame is one message of the WebSocket.
type Frame struct {
	Kind   Kind
	Stream uint32
	Body   []byte
}

// ErrFrame is wrapped by the error for every malformed frame or record.
var ErrFrame = errors.New("malformed frame")

// AppendHeader appends a frame's header to dst.
func AppendHeader(dst []byte, kind Kind, stream uint32) []byte {
	return binary.AppendUvarint(append(dst, byte(kind)), uint64(stream))
}

// ParseFrame reads a message. The body aliases the message.
func ParseFrame(msg []byte) (Frame, error) {
	if len(msg) == 0 {
		return Frame{}, fmt.Errorf("%w: empty", ErrFrame)
	}
	kind := Kind(msg[0])
	if kind < KindOpen || kind > KindPaused {
		return Frame{}, fmt.Errorf("%w: kind %d", ErrFrame, kind)
	}
	stream, n := binary.Uvarint(msg[1:])
	if n <= 0 || stream > 1<<31 {
		return Frame{}, fmt.Errorf("%w: stream number", ErrFrame)
	}
	return Frame{Kind: kind, Stream: uint32(stream), Body: msg[1+n:]}, nil
}

// JSONFrame returns a frame with v as JSON for its body. It is for the small structs of this
// package, which cannot fail to encode.
func JSONFrame(kind Kind, stream uint32, v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("wire: encode %T: %v", v, err))
	}
	return append(AppendHeader(nil, kind, stream), body...)
}

// CreditFrame returns n bytes of credit to a stream.
func CreditFrame(stream uint32, n int) []byte {
	return binary.AppendUvarint(AppendHeader(nil, KindCredit, stream), uint64(n))
}

// Credit reads the body of a credit frame.
func (f Frame) Credit() (int, error) {
	n, used := binary.Uvarint(f.Body)
	if used <= 0 || used != len(f.Body) || n > ConnWindow {
		return 0, fmt.Errorf("%w: credit", ErrFrame)
	}
	return int(n), nil
}

// JSON reads the body of a frame whose body is JSON.
func (f Frame) JSON(into any) error {
	if err := json.Unmarshal(f.Body, into); err != nil {
		return fmt.Errorf("%w: kind %d: %v", ErrFrame, f.Kind, err)
	}
	return nil
}

// Age is how long ago the apiserver last gave a sign of life on a stream.
type Age struct {
	Stream uint32
	Age    time.Duration
}

// BeatFrame returns a heartbeat. The proxy's has the ages of its streams, the tab's has none.
func BeatFrame(ages []Age) []byte { return agesFrame(KindBeat, ages) }

// PausedFrame returns a frame with the streams that are paused, and for how long they have been.
func PausedFrame(all []Age) []byte { return agesFrame(KindPaused, all) }

func agesFrame(kind Kind, ages []Age) []byte {
	b := AppendHeader(nil, kind, 0)
	for _, a := range ages {
		b = binary.AppendUvarint(b, uint64(a.Stream))
		b = binary.AppendUvarint(b, uint64(max(a.Age, 0)/time.Millisecond))
	}
	return b
}

// Ages reads the body of a heartbeat, or of a frame with the streams that are paused.
func (f Frame) Ages() ([]Age, error) {
	var ages []Age
	err := f.pairs(func(stream uint32, ms uint64) {
		ages = append(ages, Age{stream, time.Duration(ms) * time.Millisecond})
	})
	return ages, err
}

// QueuePosition is how many requests have their turn before that of a stream.
type QueuePosition struct {
	Stream uint32
	Ahead  int
}

// QueuedFrame returns a frame with the places of streams.
func QueuedFrame(all []QueuePosition) []byte {
	b := AppendHeader(nil, KindQueued, 0)
	for _, q := range all {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(q.Stream)), uint64(q.Ahead))
	}
	return b
}

// Queued reads the body of a frame with the places of streams.
func (f Frame) Queued() ([]QueuePosition, error) {
	var all []QueuePosition
	err := f.pairs(func(stream uint32, n uint64) { all = append(all, QueuePosition{stream, int(min(n, 1<<31-1))}) })
	return all, err
}

// pairs reads a body of pairs of a stream and a number.
func (f Frame) pairs(each func(stream uint32, n uint64)) error {
	for b := f.Body; len(b) > 0; {
		stream, n := binary.Uvarint(b)
		if n <= 0 || stream > 1<<31 {
			return fmt.Errorf("%w: kind %d", ErrFrame, f.Kind)
		}
		v, m := binary.Uvarint(b[n:])
		if m <= 0 || v > uint64(1<<62/time.Millisecond) {
			return fmt.Errorf("%w: kind %d", ErrFrame, f.Kind)
		}
		each(uint32(stream), v)
		b = b[n+m:]
	}
	return nil
}

// DrainFrame returns a frame that tells the tab to reconnect within a time. Another proxy
// then serves it.
func DrainFrame(within time.Duration) []byte {
	return binary.AppendUvarint(AppendHeader(nil, KindDrain, 0), uint64(max(within, 0)/time.Millisecond))
}

// Drain reads the body of a drain frame.
func (f Frame) Drain() (time.Duration, error) {
	ms, used := binary.Uvarint(f.Body)
	if used <= 0 || used != len(f.Body) || ms > uint64(DrainMost/time.Millisecond) {
		return 0, fmt.Errorf("%w: drain", ErrFrame)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// LargeFrame returns a frame that announces a message of some size.
func LargeFrame(size int) []byte {
	return binary.AppendUvarint(AppendHeader(nil, KindLarge, 0), uint64(size))
}

// Large reads the body of a frame that announces a message, and returns its size.
func (f Frame) Large() (size int, err error) {
	n, used := binary.Uvarint(f.Body)
	if used <= 0 || used != len(f.Body) || n > MaxFrame {
		return 0, fmt.Errorf("%w: large", ErrFrame)
	}
	return int(n), nil
}

// largeRate is the slowest link, in bytes a second, over which a large message arrives: 131 kbit/s.
const largeRate = 16 << 10

// LargeWithin returns how long a tab waits for an announced message: as long as it takes on the slowest
// link, besides DeadAfter. The wait is bounded, because the link may die in the middle of the message,
// and the tab cannot tell that from a slow one.
func LargeWithin(size int) time.Duration {
	return DeadAfter + time.Duration(size)*time.Second/largeRate
}
