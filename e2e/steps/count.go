package main

import (
	"bytes"
	"encoding/binary"
	"runtime/coverage"
)

// stepsOf returns how many pieces of instrumented code a function runs.
func stepsOf(f func()) (steps uint64) {
	if err := coverage.ClearCounters(); err != nil {
		panic(err)
	}
	f()
	var out bytes.Buffer
	if err := coverage.WriteCounters(&out); err != nil {
		panic(err)
	}
	return sumOf(out.Bytes())
}

// The parts of a file of counters, as internal/coverage of Go describes it.
const (
	fileHeader    = 32
	flavour       = 24 // where the header says how counters are written
	varint        = 2
	segmentHeader = 16
)

// sumOf adds up the counters of a file.
func sumOf(file []byte) (sum uint64) {
	rest := file[fileHeader:]
	functions := binary.LittleEndian.Uint64(rest)
	texts := binary.LittleEndian.Uint32(rest[8:]) + binary.LittleEndian.Uint32(rest[12:])
	rest = rest[segmentHeader+(texts+3)&^3:]
	next := func() (n uint64) {
		if file[flavour] == varint {
			value, size := binary.Uvarint(rest)
			rest = rest[size:]
			return value
		}
		n, rest = uint64(binary.LittleEndian.Uint32(rest)), rest[4:]
		return n
	}
	for range functions {
		counters := next()
		next() // the package
		next() // the function
		for range counters {
			sum += next()
		}
	}
	return sum
}
