package sorting

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// Ranks returns the rank of each text among distinct texts.
func Ranks(texts []string) []uint32 {
	ranks := make([]uint32, len(texts))
	for i, k := range Texts(len(texts), func(i int) string { return texts[i] }) {
		ranks[k.At] = uint32(i)
	}
	return ranks
}

// Text is a text and its index, with the eight bytes that are being compared.
type Text struct {
	eight uint64
	Text  string
	At    uint32
}

// Texts returns n texts sorted; equal ones by index.
func Texts(n int, text func(i int) string) []Text {
	keys := make([]Text, n)
	for i := range keys {
		keys[i] = Text{Text: text(i), At: uint32(i)}
	}
	sortKeys(keys, 0)
	return keys
}

// deepest is the number of shared bytes from which the rest of the texts is compared at once.
const deepest = 4096

// sortKeys sorts texts that agree in their first depth bytes. It compares the next eight
// bytes, and then, among equals, the eight after. Names share long prefixes, which are thus
// compared only once. Beyond deepest bytes the rest is compared at once, so that data cannot overflow the stack.
func sortKeys(keys []Text, depth int) {
	if depth > deepest {
		slices.SortFunc(keys, func(a, b Text) int {
			return cmp.Or(strings.Compare(a.Text[depth:], b.Text[depth:]), int(a.At)-int(b.At))
		})
		return
	}
	for i := range keys {
		keys[i].eight = eightAt(keys[i].Text, depth)
	}
	left := func(k Text) int { return min(len(k.Text)-depth, 9) } // a text that ends here sorts first
	slices.SortFunc(keys, func(a, b Text) int {
		if a.eight != b.eight {
			return cmp.Compare(a.eight, b.eight)
		}
		return cmp.Or(left(a)-left(b), int(a.At)-int(b.At))
	})
	for start := 0; start < len(keys); {
		end := start + 1
		for end < len(keys) && keys[end].eight == keys[start].eight && left(keys[end]) == left(keys[start]) {
			end++
		}
		if end-start > 1 && left(keys[start]) > 8 {
			sortKeys(keys[start:end], depth+8)
		}
		start = end
	}
}

// eightAt returns eight bytes of a text, padded with zeros.
func eightAt(text string, i int) uint64 {
	var eight [8]byte
	copy(eight[:], text[min(i, len(text)):])
	return binary.BigEndian.Uint64(eight[:])
}
