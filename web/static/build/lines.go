//go:build !js

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The words of a description that are read here: where its name is, in which tables the sizes of its frames, the
// files and the lines of its code are, where the list of its files begins, and its first line.
const (
	nameAt      = 4
	framesAt    = 16
	filesAt     = 20
	linesAt     = 24
	unitAt      = 32
	firstLineAt = 36
)

// forget removes which line of which file each instruction is from: a fifteenth of what is sent, and read only
// when the program has crashed. The runtime prints ?:0 for it, behind the name of the function, and then the
// address in the function, for which findLines finds the line again.
func (t tables) forget(image []byte) error {
	done := map[uint32]bool{0: true} // or kept: functions share the tables that are equal, and 0 is the table of nothing
	for i := range t.functions.n {
		d := t.description(image, i)
		done[wordOf(d, framesAt)] = true
		for j := range int(wordOf(d, pcdataAt)) {
			done[wordOf(d, descriptionBytes+4*j)] = true
		}
	}
	for i := range t.functions.n {
		d := t.description(image, i)
		for _, at := range []int{filesAt, linesAt} {
			if from := wordOf(d, at); !done[from] {
				_, size, err := t.runs(from)
				if err != nil {
					return err
				}
				clear(t.values[from:][:size])
				done[from] = true
			}
		}
		for _, at := range []int{filesAt, linesAt, unitAt, firstLineAt} {
			clear(d[at:][:4])
		}
	}
	clear(t.units)
	clear(t.files)
	return nil
}

// wordOf returns a word of a description, or of the list of units.
func wordOf(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

// run is a value, and the address in a function up to which it holds.
type run struct{ value, end int }

// runs reads a table of values, and returns how many bytes it has: for each value the difference to the one before
// and to how many addresses it holds, and a zero where another would begin.
func (t tables) runs(from uint32) (runs []run, size int, err error) {
	r := reader{b: t.values[min(int(from), len(t.values)):]}
	last := run{value: -1}
	for !r.bad {
		difference := r.uint()
		if difference == 0 && len(runs) > 0 {
			return runs, len(t.values) - int(from) - len(r.b), nil
		}
		last.value += difference>>1 ^ -(difference & 1)
		last.end += r.uint()
		runs = append(runs, last)
	}
	return nil, 0, errTables
}

// value returns what a table has for an address in a function.
func (t tables) value(from uint32, address int) int {
	runs, _, err := t.runs(from)
	if i := slices.IndexFunc(runs, func(r run) bool { return address < r.end }); err == nil && from != 0 && i >= 0 {
		return runs[i].value
	}
	return -1
}

// line returns the file and the line of an address in a function.
func (t tables) line(d []byte, address int) (string, bool) {
	file, line := t.value(wordOf(d, filesAt), address), t.value(wordOf(d, linesAt), address)
	unit := (int(wordOf(d, unitAt)) + file) * 4
	if file < 0 || line < 0 || unit > len(t.units)-4 {
		return "", false
	}
	return fmt.Sprintf("%s:%d", textAt(t.files, wordOf(t.units, unit)), line), true
}

// textAt returns the text that begins in a list of texts, each of which a zero ends.
func textAt(list []byte, at uint32) string {
	b, _, _ := bytes.Cut(list[min(int(at), len(list)):], []byte{0})
	return string(b)
}

// frame is where a function stands in a stack of a program without lines: its address in the function.
var frame = regexp.MustCompile(`^(\s*)\?:0 \+0x([0-9a-f]+)$`)

// compileAndFind compiles the tab's program, and finds the lines of a stack in it.
func compileAndFind(stack io.Reader, out io.Writer) error {
	program, err := compilePlain()
	if err != nil {
		return err
	}
	return findLines(program, stack, out)
}

// findLines copies a stack that the page printed, and writes the file and the line to each function that has an
// address there: inlined ones don't. The program is compiled from the page's commit, and is not packed.
func findLines(program []byte, stack io.Reader, out io.Writer) error {
	_, image, t, err := open(program)
	if err != nil {
		return err
	}
	named := map[string][]byte{}
	for i := range t.functions.n {
		d := t.description(image, i)
		name := printed(textAt(t.names, wordOf(d, nameAt)))
		if named[name] != nil {
			d = nil // one of a generic function's: it isn't known which
		}
		named[name] = d
	}
	var d []byte
	lines := bufio.NewScanner(stack)
	for lines.Scan() {
		line := lines.Text()
		if at := frame.FindStringSubmatch(line); at != nil && d != nil {
			address, _ := strconv.ParseUint(at[2], 16, 16)
			if found, ok := t.line(d, max(int(address), 1)-1); ok { // of the call, not of what follows it
				line = at[1] + found + " +0x" + at[2]
			}
		}
		d = named[called(line)]
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return lines.Err()
}

// printed returns a function's name as the runtime prints it, without the types of a generic one.
func printed(name string) string {
	from, to := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if from < 0 || to < from {
		return name
	}
	return name[:from] + "[...]" + name[to+1:]
}

// called returns the name of the function in a line of a stack.
func called(line string) string {
	line, created := strings.CutPrefix(line, "created by ")
	if created {
		line, _, _ = strings.Cut(line, " in goroutine ")
		return line
	}
	return line[:max(0, strings.LastIndexByte(line, '('))]
}
