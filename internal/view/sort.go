package view

import (
	"slices"

	"watchglass/internal/columns"
	"watchglass/internal/object"
	"watchglass/internal/sorting"
)

// arrange sorts slots, which must be in the order of keys. The result is what sorting by compare would give, but faster: each
// cell is read at most once, and equal cells keep their order.
func (o *order) arrange(byKeys []uint32, t *texts) []uint32 {
	if o.column < 0 {
		out := slices.Clone(byKeys)
		if o.descending {
			slices.Reverse(out)
		}
		return out
	}
	if o.then != nil { // equal cells keep their order
		byKeys = o.then.arrange(byKeys, t)
	}
	switch kind := o.columns[o.column].Kind; {
	case o.quantities || kind != object.TextCell && kind != object.NameCell:
		return o.arrangeNumbers(byKeys, t.table)
	case t.shape.textOnly(o.column):
		if x := t.readColumn(o.column); !x.Over() {
			return o.arrangeTexts(byKeys, x)
		}
	}
	return o.arrangeDistinct(byKeys, t.table)
}

// arrangeNumbers sorts by number. Cells without a number come last, or first when descending,
// as in compare, unless the column is derived.
func (o *order) arrangeNumbers(byKeys []uint32, t *columns.Table) []uint32 {
	keys := make([]sorting.Number, 0, len(byKeys))
	rest := columns.List{Table: t, Compare: o.compare}
	first := !o.quantities && object.FirstNumberColumn(o.columns) == o.column
	for _, slot := range byKeys {
		n, ok := o.numberOf(t.At(slot), first)
		if !ok {
			rest.Slots = append(rest.Slots, slot)
			continue
		}
		if o.descending {
			n = -n
		}
		keys = append(keys, sorting.NewNumber(n, slot))
	}
	rest.Sort(rest.Slots)
	out := make([]uint32, 0, len(byKeys))
	restFirst := o.descending && !o.unknownLast()
	if restFirst {
		out = append(out, rest.Slots...)
	}
	for _, k := range sorting.Numbers(keys) {
		out = append(out, k.At)
	}
	if !restFirst {
		out = append(out, rest.Slots...)
	}
	return out
}

// arrangeTexts ranks the texts of a column, then sorts the slots by rank, with a counting sort.
func (o *order) arrangeTexts(byKeys []uint32, x *columns.Text) []uint32 {
	texts := make([]string, x.Codes())
	for code := range texts {
		texts[code], _ = x.Text(uint32(code))
	}
	ranks := sorting.Ranks(texts)
	starts := make([]int, len(ranks)+1)
	if o.descending {
		for code, r := range ranks {
			ranks[code] = uint32(len(ranks)) - 1 - r
		}
	}
	for _, slot := range byKeys {
		starts[ranks[x.Code(slot)]+1]++
	}
	for i := range ranks {
		starts[i+1] += starts[i]
	}
	out := make([]uint32, len(byKeys))
	for _, slot := range byKeys {
		r := ranks[x.Code(slot)]
		out[starts[r]] = slot
		starts[r]++
	}
	return out
}

// arrangeDistinct sorts every object's text.
func (o *order) arrangeDistinct(byKeys []uint32, t *columns.Table) []uint32 {
	keys := sorting.Texts(len(byKeys), func(i int) string { return t.At(byKeys[i]).Cell(o.columns, o.column).Text })
	out := make([]uint32, 0, len(keys))
	if !o.descending {
		for _, k := range keys {
			out = append(out, byKeys[k.At])
		}
		return out
	}
	for end := len(keys); end > 0; { // backwards, but equal texts keep their order
		start := end - 1
		for start > 0 && keys[start-1].Text == keys[start].Text {
			start--
		}
		for _, k := range keys[start:end] {
			out = append(out, byKeys[k.At])
		}
		end = start
	}
	return out
}
