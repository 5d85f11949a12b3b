//go:build !js

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// pack returns the same program in fewer bytes. Go's linker starts a new data segment at every eight
// zeros, up to 100,000 of them, and each has a header that compresses badly; pack writes one segment
// per run of data. It also leaves out a table of 3.6 MB that follows from the number of functions:
// a start function, which the browser runs before anything else, fills it in.
func pack(program []byte) ([]byte, error) {
	m, err := readModule(program)
	if err != nil {
		return nil, err
	}
	image, err := readData(m.sections[dataSection])
	if err != nil {
		return nil, err
	}
	table, err := findBuckets(image)
	if err != nil {
		return nil, err
	}
	clear(image[table.at:][:table.n*bucketBytes])
	m.sections[dataSection] = writeData(image)
	if err := m.addStart(table.fill()); err != nil {
		return nil, err
	}
	return m.bytes(), nil
}

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

const header = "\x00asm\x01\x00\x00\x00"

var errModule = errors.New("the compiled program is not the WebAssembly that this build knows")

func readModule(b []byte) (module, error) {
	var m module
	if len(b) < len(header) || string(b[:len(header)]) != header {
		return m, errModule
	}
	r := reader{b: b[len(header):]}
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
	b := []byte(header)
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

// maxMemory bounds the memory that a module has at its start.
const maxMemory = 1 << 30

// readData returns the memory as the data section leaves it, from address 0.
func readData(section []byte) ([]byte, error) {
	var image []byte
	r := reader{b: section}
	for n := r.uint(); n > 0 && !r.bad; n-- {
		flags, op, at, end := r.byte(), r.byte(), r.int(), r.byte()
		body := r.take(r.uint())
		if flags != 0 || op != opI32Const || end != opEnd || at < 0 || at > maxMemory {
			return nil, fmt.Errorf("%w: a data segment at %d", errModule, at)
		}
		if more := at + len(body) - len(image); more > 0 {
			image = append(image, make([]byte, more)...)
		}
		copy(image[at:], body)
	}
	if r.bad || len(r.b) > 0 {
		return nil, errModule
	}
	return image, nil
}

// zeros are as many as are left out of the data. Fewer compress to less than a segment's header.
const zeros = 128

// writeData writes the data section of a memory.
func writeData(image []byte) []byte {
	var n uint64
	var segments []byte
	for at := 0; at < len(image); {
		if image[at] == 0 {
			at++
			continue
		}
		end, gap := at, 0 // end is behind the last byte that is not zero
		for i := at; i < len(image) && gap < zeros; i++ {
			if gap++; image[i] != 0 {
				end, gap = i+1, 0
			}
		}
		segments = append(segments, 0, opI32Const)
		segments = append(appendInt(segments, at), opEnd)
		segments = append(binary.AppendUvarint(segments, uint64(end-at)), image[at:end]...)
		n, at = n+1, end
	}
	return slices.Concat(binary.AppendUvarint(nil, n), segments)
}

// buckets is the runtime's table from program counter to function (runtime.findfunctab): a bucket for
// each 4096 addresses. As WebAssembly has no addresses, Go gives each function 65,536 of them, so that
// bucket i is of function i/16, and has nothing else in it. A last bucket of fewer addresses is shorter, and
// is no part of buckets: it stays in the data.
type buckets struct{ at, n int }

const (
	bucketBytes       = 20
	bucketAddresses   = 4096
	bucketsByFunction = 16
)

// findBuckets finds the table in a memory. It fails if the memory is not as this version of Go makes
// it, or if the table has anything that is not computed.
func findBuckets(image []byte) (buckets, error) {
	word := func(at int) int {
		if at < 0 || at+8 > len(image) {
			return -1
		}
		return int(binary.LittleEndian.Uint64(image[at:]))
	}
	const magic = 0x0801_0000_ffff_fff1 // runtime.pcHeader of 64-bit pointers and addresses by byte
	const findfunctab, minpc, maxpc = 19 * 8, 20 * 8, 21 * 8
	for at := 0; at+maxpc < len(image); at += 8 { // runtime.moduledata begins with a pointer to pcHeader
		if h := word(at); h <= 0 || uint64(word(h)) != magic {
			continue
		}
		t := buckets{at: word(at + findfunctab)}
		t.n = (word(at+maxpc) - word(at+minpc)) / bucketAddresses
		if t.n > 0 && t.at > 0 && t.n <= (len(image)-t.at)/bucketBytes && t.computed(image) {
			return t, nil
		}
	}
	return buckets{}, errors.New("pack the program: Go's table of functions is not as it was in Go 1.26; see findfunc in runtime/symtab.go")
}

// computed reports whether the table in a memory is what fill makes of zeros.
func (t buckets) computed(image []byte) bool {
	var want [bucketBytes]byte
	for i := range t.n {
		binary.LittleEndian.PutUint32(want[:], uint32(i/bucketsByFunction))
		if [bucketBytes]byte(image[t.at+i*bucketBytes:]) != want {
			return false
		}
	}
	return true
}

// The instructions that are used here.
const (
	opLoop     = 0x03
	opEnd      = 0x0b
	opBranchIf = 0x0d
	opLocalGet = 0x20
	opLocalTee = 0x22
	opI32Store = 0x36
	opI32Const = 0x41
	opI32LtU   = 0x49
	opI32Add   = 0x6a
	opI32Mul   = 0x6c
	opI32ShrU  = 0x76

	typeI32   = 0x7f
	typeEmpty = 0x40
)

// fill returns the body of a function that fills the table:
//
//	for i := 0; ; { table[i] = i / 16; if i++; i >= n { return } }
func (t buckets) fill() []byte {
	b := []byte{1, 1, typeI32, opLoop, typeEmpty} // one local: i
	b = append(b, opLocalGet, 0, opI32Const, bucketBytes, opI32Mul)
	b = append(b, opLocalGet, 0, opI32Const, 4, opI32ShrU)
	b = binary.AppendUvarint(append(b, opI32Store, 2), uint64(t.at))
	b = append(b, opLocalGet, 0, opI32Const, 1, opI32Add, opLocalTee, 0)
	b = append(appendInt(append(b, opI32Const), t.n), opI32LtU, opBranchIf, 0)
	return append(b, opEnd, opEnd)
}

// reader reads WebAssembly's encoding. Beyond the end it reads zeros and is bad.
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
	r.take(max(size, 1))
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
			break
		}
	}
	return int(n)
}

// appendInt appends a signed number in LEB128.
func appendInt(b []byte, n int) []byte {
	for n < -64 || n >= 64 {
		b = append(b, byte(n&0x7f)|0x80)
		n >>= 7
	}
	return append(b, byte(n&0x7f))
}
