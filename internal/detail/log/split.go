package log

import (
	"bytes"
	"unicode/utf8"
)

// longest is the maximum length of a line in bytes; a longer one is cut into parts.
const longest = 16 << 10

// longestStamp is more than any timestamp that a server puts before a line.
const longestStamp = 40

// ending is how a line ended, so that it can be written as it was.
type ending uint8

const (
	newline ending = iota
	crlf
	returned // a lone CR: a program overwrites its own line
	cut      // the line goes on in the next
	open     // nothing: it was the last
)

var endings = [...]string{newline: "\n", crlf: "\r\n", returned: "\r", cut: "", open: ""}

// splitter splits a stream into lines. Its chunks may end anywhere, which does not affect the
// result.
type splitter struct {
	rest   []byte // of an incomplete line
	within bool   // the line's time was read, and perhaps parts of it
	stamp  int64
}

// sink receives a line with its time; the bytes are valid until it returns.
type sink func(time int64, line []byte, e ending)

// write passes on the lines that are complete with this chunk.
func (s *splitter) write(chunk []byte, to sink) {
	for len(s.rest) > 0 && len(chunk) > 0 { // rest never holds much more than a line
		n := bytes.IndexByte(chunk, '\n') + 1
		if n == 0 || n > longest {
			n = min(len(chunk), longest)
		}
		s.rest, chunk = append(s.rest, chunk[:n]...), chunk[n:]
		s.rest = append(s.rest[:0], s.rest[s.lines(s.rest, false, to):]...)
	}
	if len(chunk) > 0 {
		s.rest = append(s.rest, chunk[s.lines(chunk, false, to):]...)
	}
}

// flush passes on the last line, which has no ending.
func (s *splitter) flush(to sink) {
	s.lines(s.rest, true, to)
	s.drop()
}

// drop discards an incomplete line: the next stream repeats it.
func (s *splitter) drop() { s.rest, s.within = s.rest[:0], false }

// lines passes on the complete lines, and returns the number of bytes used.
func (s *splitter) lines(b []byte, last bool, to sink) (used int) {
	for used < len(b) {
		n := s.line(b[used:], last, to)
		if n == 0 {
			break
		}
		used += n
	}
	return used
}

// line passes on a line, or reads the time of one, and returns the number of bytes used; 0 if
// it needs more input.
func (s *splitter) line(b []byte, last bool, to sink) int {
	end := bytes.IndexByte(b[:min(len(b), longest+1)], '\n')
	if !s.within {
		if end < 0 && len(b) < longestStamp && !last {
			return 0
		}
		n := 0
		s.stamp, n = stampOf(b)
		if s.within = true; n > 0 {
			return n
		}
	}
	text := b[:min(len(b), longest+1)]
	if end >= 0 {
		text = b[:end]
	}
	back := bytes.IndexByte(text, '\r')
	switch {
	case back >= 0 && back+1 < len(b) && b[back+1] == '\n':
		s.within = false
		to(s.stamp, b[:back], crlf)
		return back + 2
	case back >= 0 && (back+1 < len(b) || last):
		to(s.stamp, b[:back], returned)
		return back + 1
	case back >= 0:
		return 0 // a newline may follow
	case end >= 0:
		s.within = false
		to(s.stamp, text, newline)
		return end + 1
	case len(b) > longest:
		n := whole(b[:longest])
		to(s.stamp, b[:n], cut)
		return n
	case last:
		to(s.stamp, b, open)
		return len(b)
	}
	return 0
}

// whole returns how much of a line can be cut off without splitting a character.
func whole(b []byte) int {
	for n := len(b) - 1; n > len(b)-utf8.UTFMax && n > 0; n-- {
		if utf8.RuneStart(b[n]) {
			if !utf8.FullRune(b[n:]) {
				return n
			}
			break
		}
	}
	return len(b)
}
