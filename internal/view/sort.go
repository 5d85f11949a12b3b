package view

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"watchglass/internal/object"
)

// arrange sorts a list, which must be in the order of keys. The result is what sorting by
// compare would give. It is faster for long lists: each cell is read once, and equal ones keep
// their order.
func (o *order) arrange(byKeys list) list {
	if o.column < 0 {
		out := slices.Clone(byKeys)
		if o.descending {
			slices.Reverse(out)
		}
		return out
	}
	if o.then != nil { // equal cells keep their order
		byKeys = o.then.arrange(byKeys)
	}
	switch kind := o.columns[o.column].Kind; {
	case !o.quantities && (kind == object.TextCell || kind == object.NameCell):
		return o.arrangeText(byKeys)
	default:
		return o.arrangeNumbers(byKeys)
	}
}

// numberKey is a cell's number and the index of its object.
type numberKey struct {
	key float64
	at  uint32
}

// arrangeNumbers sorts by number. Cells without a number come last, or first when descending,
// as in compare, unless the column is derived.
func (o *order) arrangeNumbers(byKeys list) list {
	keys := make([]numberKey, 0, len(byKeys))
	var rest list
	for i, obj := range byKeys {
		key, ok := o.number(obj.Cell(o.columns, o.column))
		if !ok {
			rest = append(rest, obj)
			continue
		}
		if o.descending {
			key = -key
		}
		keys = append(keys, numberKey{key, uint32(i)})
	}
	slices.SortFunc(keys, func(a, b numberKey) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return int(a.at) - int(b.at)
	})
	slices.SortFunc(rest, o.compare)
	out := make(list, 0, len(byKeys))
	restFirst := o.descending && !o.unknownLast()
	if restFirst {
		out = append(out, rest...)
	}
	for _, k := range keys {
		out = append(out, byKeys[k.at])
	}
	if !restFirst {
		out = append(out, rest...)
	}
	return out
}

// arrangeText ranks the distinct texts, then distributes the objects by rank. If nearly every
// object has its own text, ranking would be a detour, and arrangeDistinct sorts instead.
func (o *order) arrangeText(byKeys list) list {
	ids := make([]uint32, len(byKeys))
	known := make(map[string]uint32)
	var texts []string
	for i, obj := range byKeys {
		text := obj.Cell(o.columns, o.column).Text
		id, ok := known[text]
		if !ok {
			id = uint32(len(texts))
			known[text] = id
			texts = append(texts, text)
			if len(texts) > 1000 && len(texts) > i/2 {
				return o.arrangeDistinct(byKeys)
			}
		}
		ids[i] = id
	}
	return o.countingSort(byKeys, ids, rank(texts))
}

// countingSort returns the objects in the order of their texts' ranks, by counting sort.
func (o *order) countingSort(byKeys list, ids, ranks []uint32) list {
	starts := make([]int, len(ranks)+1)
	for i, id := range ids {
		r := ranks[id]
		if o.descending {
			r = uint32(len(ranks)) - 1 - r
		}
		ids[i] = r
		starts[r+1]++
	}
	for i := range ranks {
		starts[i+1] += starts[i]
	}
	out := make(list, len(byKeys))
	for i, r := range ids {
		out[starts[r]] = byKeys[i]
		starts[r]++
	}
	return out
}

// arrangeDistinct sorts every object's text.
func (o *order) arrangeDistinct(byKeys list) list {
	keys := inOrder(len(byKeys), func(i int) string { return byKeys[i].Cell(o.columns, o.column).Text })
	out := make(list, 0, len(keys))
	if !o.descending {
		for _, k := range keys {
			out = append(out, byKeys[k.at])
		}
		return out
	}
	for end := len(keys); end > 0; { // backwards, but equal texts keep their order
		start := end - 1
		for start > 0 && keys[start-1].text == keys[start].text {
			start--
		}
		for _, k := range keys[start:end] {
			out = append(out, byKeys[k.at])
		}
		end = start
	}
	return out
}

// rank returns the rank of each text among distinct texts.
func rank(texts []string) []uint32 {
	ranks := make([]uint32, len(texts))
	for i, k := range inOrder(len(texts), func(i int) string { return texts[i] }) {
		ranks[k.at] = uint32(i)
	}
	return ranks
}

// textKey is a text and its index, with the eight bytes that are currently compared.
type textKey struct {
	eight uint64
	text  string
	at    uint32
}

// inOrder returns n texts sorted; equal ones by index.
func inOrder(n int, text func(i int) string) []textKey {
	keys := make([]textKey, n)
	for i := range keys {
		keys[i] = textKey{text: text(i), at: uint32(i)}
	}
	sortKeys(keys, 0)
	return keys
}

// deepest is how many bytes texts may share until the rest is compared at once.
const deepest = 4096

// sortKeys sorts texts that agree in their first depth bytes. It compares the next eight
// bytes, and then, among equals, the eight after. Names share long prefixes, which are thus
// compared only once. Beyond deepest bytes the rest is compared at once: the depth of the stack is not up to the data.
func sortKeys(keys []textKey, depth int) {
	if depth > deepest {
		slices.SortFunc(keys, func(a, b textKey) int {
			return cmp.Or(strings.Compare(a.text[depth:], b.text[depth:]), int(a.at)-int(b.at))
		})
		return
	}
	for i := range keys {
		keys[i].eight = eightAt(keys[i].text, depth)
	}
	left := func(k textKey) int { return min(len(k.text)-depth, 9) } // a text that ends here sorts first
	slices.SortFunc(keys, func(a, b textKey) int {
		if a.eight != b.eight {
			return cmp.Compare(a.eight, b.eight)
		}
		return cmp.Or(left(a)-left(b), int(a.at)-int(b.at))
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
