//go:build !js

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// The sections of a module, in the order in which WebAssembly wants them.
const (
	customSection   = 0
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	startSection    = 8
	codeSection     = 10
	dataSection     = 11
)

// module is a WebAssembly module. Custom sections, which say who built it, are dropped.
type module struct{ sections [12][]byte }

const magic = "\x00asm\x01\x00\x00\x00"

var errModule = errors.New("the compiled program is not the WebAssembly that this build knows")

func readModule(b []byte) (module, error) {
	var m module
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return m, errModule
	}
	r := reader{b: b[len(magic):]}
	for len(r.b) > 0 && !r.bad {
		id, body := r.byte(), r.take(r.uint())
		if int(id) >= len(m.sections) {
			return m, fmt.Errorf("%w: section %d", errModule, id)
		}
		if id != customSection {
			m.sections[id] = body
		}
	}
	if r.bad {
		return m, errModule
	}
	return m, nil
}

func (m *module) bytes() []byte {
	b := []byte(magic)
	for id, body := range m.sections {
		if len(body) > 0 {
			b = append(b, byte(id))
			b = append(binary.AppendUvarint(b, uint64(len(body))), body...)
		}
	}
	return b
}

// addStart makes code the body of a function without parameters and results that runs first.
func (m *module) addStart(code []byte) error {
	if m.sections[startSection] != nil {
		return fmt.Errorf("%w: it has a start function", errModule)
	}
	imports, _ := binary.Uvarint(m.sections[importSection]) // Go imports only functions
	types := m.append(typeSection, []byte{0x60, 0, 0})
	functions := m.append(functionSection, binary.AppendUvarint(nil, types))
	m.append(codeSection, append(binary.AppendUvarint(nil, uint64(len(code))), code...))
	m.sections[startSection] = binary.AppendUvarint(nil, imports+functions)
	return nil
}

// append adds an element to a section that is a list, and returns its index there.
func (m *module) append(section int, element []byte) uint64 {
	n, size := binary.Uvarint(m.sections[section])
	body := binary.AppendUvarint(nil, n+1)
	m.sections[section] = append(append(body, m.sections[section][size:]...), element...)
	return n
}

// The instructions that are used here, and those at the borders of groups with the same operands.
const (
	opUnreachable  = 0x00
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBranch       = 0x0c
	opBranchIf     = 0x0d
	opBranchTable  = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opDrop         = 0x1a
	opSelect       = 0x1b
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opGlobalSet    = 0x24
	opI32Load      = 0x28
	opI32Load8U    = 0x2d
	opI32Store     = 0x36
	opI64Store32   = 0x3e
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opI32LtU       = 0x49
	opI32GeU       = 0x4f
	opI32Add       = 0x6a
	opI32Mul       = 0x6c
	opI32Shl       = 0x74
	opI32ShrU      = 0x76
	lastNumeric    = 0xc4
	opMemory       = 0xfc // and one of:
	lastTruncate   = 0x07
	memoryCopy     = 0x0a
	memoryFill     = 0x0b

	typeI32   = 0x7f
	typeEmpty = 0x40
)

// reader reads WebAssembly's encoding. Beyond the end, and from a number that is cut off or too large, it reads zeros
// and is bad.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.b, r.bad = nil, true
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte {
	b := r.take(1)
	if b == nil {
		return 0
	}
	return b[0]
}

func (r *reader) uint() int {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || n > math.MaxInt {
		r.b, r.bad = nil, true
		return 0
	}
	r.take(size)
	return int(n)
}

func (r *reader) int() int {
	var n int64
	for shift := 0; shift < 64; {
		c := r.byte()
		n |= int64(c&0x7f) << shift
		if shift += 7; c < 0x80 {
			if c&0x40 != 0 && shift < 64 {
				n |= -1 << shift
			}
			return int(n)
		}
	}
	r.b, r.bad = nil, true
	return 0
}

// appendInt appends a signed number in LEB128.
func appendInt(b []byte, n int) []byte {
	for n < -64 || n >= 64 {
		b = append(b, byte(n&0x7f)|0x80)
		n >>= 7
	}
	return append(b, byte(n&0x7f))
}
