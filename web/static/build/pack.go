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
// per run of data. It leaves out which line each instruction is from. It also leaves out a table of 3.6 MB that
// follows from the number of functions, and puts in its place the descriptions of functions, sorted so that they
// compress well: a start function, which the browser runs before anything else, puts these where they belong,
// and then fills in the table.
func pack(program []byte) ([]byte, error) {
	m, image, t, err := open(program)
	if err != nil {
		return nil, err
	}
	table, described := t.buckets, t.functions
	if err := t.forget(image); err != nil {
		return nil, err
	}
	place, sorted := image[table.at:][:table.n*bucketBytes], described.take(image)
	if len(sorted) > len(place) {
		return nil, errTables
	}
	clear(place)
	copy(place, sorted)
	m.sections[dataSection] = writeData(image)
	if m.sections[codeSection], err = straighten(m.sections[codeSection]); err != nil {
		return nil, err
	}
	if err := m.addStart(slices.Concat(startLocals, described.putBack(table.at), table.fill(), []byte{opEnd})); err != nil {
		return nil, err
	}
	return m.bytes(), nil
}

// open returns a program's module, its memory and the runtime's tables there.
func open(program []byte) (module, []byte, tables, error) {
	m, err := readModule(program)
	if err != nil {
		return m, nil, tables{}, err
	}
	image, err := readData(m.sections[dataSection])
	if err != nil {
		return m, nil, tables{}, err
	}
	t, err := findTables(image)
	return m, image, t, err
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

// functions is the runtime's table of functions (runtime.moduledata.ftab): for each the address of its code, and
// where its description (runtime._func) is, counted in bytes from the table. An entry for the end of the code
// follows, which is no part of functions.
type functions struct{ at, n int }

const entryBytes = 8

// A description has eleven words, and then as many as two of its fields say.
const (
	descriptionBytes = 44
	pcdataAt         = 28 // a word
	funcdataAt       = 43 // a byte
)

// growing are the words of a description that mostly grow from function to function: where its code begins, and
// its name.
var growing = []int{0, nameAt}

var errTables = errors.New("pack the program: Go's table of functions is not as it was in Go 1.26; see findfunc in runtime/symtab.go")

// tables are those of the runtime that are packed (runtime.moduledata). The last four say what each function is
// called, and from which lines its code is.
type tables struct {
	buckets
	functions
	names, units, files, values []byte
}

// findTables finds the tables in a memory. It fails if the memory is not as this version of Go makes
// it, or if a table has anything that is not restored.
func findTables(image []byte) (tables, error) {
	const headerMagic = 0x0801_0000_ffff_fff1 // runtime.pcHeader of 64-bit pointers and addresses by byte
	const names, units, files, values, described, ftab, findfunctab, minpc, maxpc = 1, 4, 7, 10, 13, 16, 19, 20, 21
	for at := 0; at+maxpc*8 < len(image); at += 8 { // runtime.moduledata begins with a pointer to pcHeader
		word := func(i int) int { return wordAt(image, at+i*8) }
		list := func(i, size int) []byte { return within(image, word(i), word(i+1), size) }
		header := word(0)
		if header <= 0 || uint64(wordAt(image, header)) != headerMagic {
			continue
		}
		t := tables{
			buckets:   buckets{at: word(findfunctab), n: (word(maxpc) - word(minpc)) / bucketAddresses},
			functions: functions{at: word(ftab), n: wordAt(image, header+8)},
			names:     list(names, 1), units: list(units, 4), files: list(files, 1), values: list(values, 1),
		}
		if t.computed(image) && t.functions.at == word(described) && t.ordered(list(described, 1)) &&
			len(t.names) > 0 && len(t.units) > 0 && len(t.files) > 0 && len(t.values) > 0 {
			return t, nil
		}
	}
	return tables{}, errTables
}

// wordAt returns a word of a memory, or -1 outside of it.
func wordAt(image []byte, at int) int {
	if at < 0 || at > len(image)-8 {
		return -1
	}
	return int(binary.LittleEndian.Uint64(image[at:]))
}

// within returns n elements of some size from a memory, or nothing if they are not in it.
func within(image []byte, at, n, size int) []byte {
	if at < 0 || at > len(image) || n < 0 || n > (len(image)-at)/size {
		return nil
	}
	return image[at:][:n*size]
}

// ordered reports whether the descriptions follow the table, one behind the other.
func (f functions) ordered(table []byte) bool {
	if f.n < 1 || f.n > len(table)/entryBytes {
		return false
	}
	end := f.n * entryBytes
	for i := range f.n {
		at := int(binary.LittleEndian.Uint32(table[i*entryBytes+4:]))
		if at < end || at > len(table)-descriptionBytes {
			return false
		}
		end = at + descriptionSize(table[at:])
	}
	return end <= len(table)
}

// descriptionSize returns how many bytes the description has with which b begins.
func descriptionSize(b []byte) int {
	return descriptionBytes + 4*(int(binary.LittleEndian.Uint32(b[pcdataAt:]))+int(b[funcdataAt]))
}

// description returns the memory of a description.
func (f functions) description(image []byte, i int) []byte {
	b := image[f.at+int(binary.LittleEndian.Uint32(image[f.at+i*entryBytes+4:])):]
	return b[:descriptionSize(b)]
}

// take clears all descriptions except the first, and returns them sorted: the first word of each, the second
// word of each, and so on, and then what follows the words of each. What grows becomes the difference to the
// function before, and so does the table itself.
func (f functions) take(image []byte) []byte {
	sorted := make([]byte, f.n*descriptionBytes)
	for i := 1; i < f.n; i++ {
		d, before := f.description(image, i), f.description(image, i-1)
		for at := 0; at < descriptionBytes; at += 4 {
			word := binary.LittleEndian.Uint32(d[at:])
			if slices.Contains(growing, at) {
				word -= binary.LittleEndian.Uint32(before[at:])
			}
			binary.LittleEndian.PutUint32(sorted[at*f.n+4*i:], word)
		}
		sorted = append(sorted, d[descriptionBytes:]...)
	}
	for i := f.n - 1; i > 0; i-- {
		clear(f.description(image, i))
		entry := image[f.at+(i-1)*entryBytes:]
		for at := 0; at < entryBytes; at += 4 {
			next := entry[entryBytes+at:]
			binary.LittleEndian.PutUint32(next, binary.LittleEndian.Uint32(next)-binary.LittleEndian.Uint32(entry[at:]))
		}
	}
	return sorted
}

// computed reports whether the table in a memory is what fill makes of zeros.
func (t buckets) computed(image []byte) bool {
	if t.n <= 0 || t.at <= 0 || t.n > (len(image)-t.at)/bucketBytes {
		return false
	}
	var want [bucketBytes]byte
	for i := range t.n {
		binary.LittleEndian.PutUint32(want[:], uint32(i/bucketsByFunction))
		if [bucketBytes]byte(image[t.at+i*bucketBytes:]) != want {
			return false
		}
	}
	return true
}

// startLocals declares the variables of the start function, which are zero at first.
var startLocals = []byte{1, 6, typeI32}

const (
	localIndex     = iota // of a bucket
	localEntry            // of the function before, in bytes
	localBefore           // its description
	localDescribed        // the description
	localRest             // what has been put back of what follows the words, in bytes
	localSize             // what follows them here, in bytes
)

// putBack returns the code that undoes take. What was taken is at an address:
//
//	for entry := 0; entry < (n-1)*8; entry += 8 {
//		before = table[entry+4]
//		table[entry+8] += table[entry]; table[entry+12] += table[entry+4]
//		described = table[entry+12]
//		table[described+word] = sorted[word*n+entry/2+4] // of each word; and what grows: += table[before+word]
//		size = (table[described+28] + table[described+43]) * 4
//		copy(table[described+44:], sorted[44*n+rest:][:size])
//		rest += size
//	}
func (f functions) putBack(sorted int) []byte {
	b := []byte{opBlock, typeEmpty, opLoop, typeEmpty}
	b = append(appendInt(append(b, opLocalGet, localEntry, opI32Const), (f.n-1)*entryBytes), opI32GeU, opBranchIf, 1)
	access := func(op byte, at int) { b = binary.AppendUvarint(append(b, op, 0), uint64(at)) }
	load := func(op, local byte, at int) {
		b = append(b, opLocalGet, local)
		access(op, f.at+at)
	}
	load(opI32Load, localEntry, 4)
	b = append(b, opLocalSet, localBefore)
	for at := 0; at < entryBytes; at += 4 {
		b = append(b, opLocalGet, localEntry)
		load(opI32Load, localEntry, at)
		load(opI32Load, localEntry, entryBytes+at)
		b = append(b, opI32Add)
		access(opI32Store, f.at+entryBytes+at)
	}
	load(opI32Load, localEntry, entryBytes+4)
	b = append(b, opLocalSet, localDescribed)
	for at := 0; at < descriptionBytes; at += 4 {
		b = append(b, opLocalGet, localDescribed, opLocalGet, localEntry, opI32Const, 1, opI32ShrU)
		access(opI32Load, sorted+at*f.n+4)
		if slices.Contains(growing, at) {
			load(opI32Load, localBefore, at)
			b = append(b, opI32Add)
		}
		access(opI32Store, f.at+at)
	}
	b = append(appendInt(append(b, opLocalGet, localDescribed, opI32Const), f.at+descriptionBytes), opI32Add)
	b = append(appendInt(append(b, opLocalGet, localRest, opI32Const), sorted+f.n*descriptionBytes), opI32Add)
	load(opI32Load, localDescribed, pcdataAt)
	load(opI32Load8U, localDescribed, funcdataAt)
	b = append(b, opI32Add, opI32Const, 2, opI32Shl, opLocalTee, localSize, opMemory, memoryCopy, 0, 0)
	b = append(b, opLocalGet, localRest, opLocalGet, localSize, opI32Add, opLocalSet, localRest)
	b = append(b, opLocalGet, localEntry, opI32Const, entryBytes, opI32Add, opLocalSet, localEntry)
	return append(b, opBranch, 0, opEnd, opEnd)
}

// fill returns the code that fills the table, in the place of whatever was there:
//
//	clear(table)
//	for index := 0; ; { table[index] = index / 16; if index++; index >= n { break } }
func (t buckets) fill() []byte {
	b := append(appendInt([]byte{opI32Const}, t.at), opI32Const, 0)
	b = append(appendInt(append(b, opI32Const), t.n*bucketBytes), opMemory, memoryFill, 0)
	b = append(b, opLoop, typeEmpty)
	b = append(b, opLocalGet, localIndex, opI32Const, bucketBytes, opI32Mul)
	b = append(b, opLocalGet, localIndex, opI32Const, 4, opI32ShrU)
	b = binary.AppendUvarint(append(b, opI32Store, 2), uint64(t.at))
	b = append(b, opLocalGet, localIndex, opI32Const, 1, opI32Add, opLocalTee, localIndex)
	b = append(appendInt(append(b, opI32Const), t.n), opI32LtU, opBranchIf, 0)
	return append(b, opEnd)
}
