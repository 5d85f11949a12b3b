package history

import (
	"encoding/binary"
	"sort"

	"watchglass/internal/wire"
)

// slotBytes is how much one block holds. The memory of the oldest is free once all its records are dropped.
const slotBytes = 1 << slotBits

const slotBits = 15

// journal has the changes of a stream in order of time, in blocks. The place of a record never changes. A
// block begins at a multiple of slotBytes; one with a larger record takes several slots.
type journal struct {
	blocks []*block // by slot
	first  uint64   // slot
	end    uint64   // the place behind the last record
	bytes  int
	count  int
}

// block is a part of a journal.
type block struct {
	start       uint64 // the place of its first byte
	kept        uint64 // the place of the first record that is not dropped
	first, last int64  // the times of its first and last record
	slots       int
	buf         []byte
}

// record is one change in a journal, not to be confused with a Record, which is all that is remembered. Back is how far
// before it the chain's previous record begins; 0: there is none.
type record struct {
	chain uint64
	kind  wire.EventType
	back  uint64
	at    int64
	body  []byte
	size  int
}

// the overheads that are counted beside text.
const (
	blockCost = 64
	chainCost = 240
	baseCost  = 96
)

// The types of changes, as records have them.
const (
	kindsModified = wire.Modified
	kindsDeleted  = wire.Deleted
)

var kinds = [...]wire.EventType{wire.Added, wire.Modified, wire.Deleted}

// append adds a record, and returns its place.
func (j *journal) append(chain uint64, kind int, last uint64, at int64, body []byte) uint64 {
	b := j.tail(at, len(body))
	before := cap(b.buf)
	place := j.end
	back := uint64(0)
	if last > 0 && last-1 >= j.start() {
		back = place - (last - 1)
	}
	b.buf = appendNumber(b.buf, chain<<2|uint64(kind))
	b.buf = appendNumber(b.buf, back)
	b.buf = appendNumber(b.buf, uint64(at-b.first))
	b.buf = appendNumber(b.buf, uint64(len(body)))
	b.buf = append(b.buf, body...)
	b.last, j.end = at, b.start+uint64(len(b.buf))
	j.bytes += cap(b.buf) - before
	j.count++
	return place
}

// tail returns the block for the next record.
func (j *journal) tail(at int64, size int) *block {
	size += 4 * binary.MaxVarintLen64
	if n := len(j.blocks); n > 0 && len(j.blocks[n-1].buf)+size <= slotBytes {
		return j.blocks[n-1]
	}
	b := &block{start: j.behind(), first: at, last: at}
	b.kept = b.start
	if len(j.blocks) > 0 { // the first grows: most streams have no more
		b.buf = make([]byte, 0, max(slotBytes, size))
	} else {
		j.first = b.start >> slotBits
	}
	for ; b.slots == 0 || b.slots*slotBytes < size; b.slots++ {
		j.blocks = append(j.blocks, b)
	}
	j.end = b.start
	j.bytes += blockCost + cap(b.buf)
	return b
}

// behind returns where the next block begins: behind all slots of the last one. Its last slot may be empty,
// since a record is estimated to be longer than it is.
func (j *journal) behind() uint64 {
	if n := len(j.blocks); n > 0 {
		last := j.blocks[n-1]
		return last.start + uint64(last.slots)*slotBytes
	}
	return (j.end + slotBytes - 1) >> slotBits << slotBits
}

// start returns the place of the oldest record.
func (j *journal) start() uint64 {
	if len(j.blocks) == 0 {
		return j.end
	}
	return j.blocks[0].kept
}

// of returns the block of a place.
func (j *journal) of(place uint64) *block { return j.blocks[place>>slotBits-j.first] }

// since returns the place of the first record of the first block that reaches beyond a time.
func (j *journal) since(at int64) uint64 {
	i := sort.Search(len(j.blocks), func(i int) bool { return j.blocks[i].last > at })
	if i == len(j.blocks) {
		return j.end
	}
	return j.blocks[i].kept
}

// at returns the record at a place, which there must be.
func (j *journal) at(place uint64) record { return j.of(place).at(place) }

func (b *block) at(place uint64) (r record) {
	buf := b.buf[place-b.start:]
	var v [4]uint64
	for i := range v {
		n, size := readNumber(buf)
		v[i], buf, r.size = n, buf[size:], r.size+size
	}
	r.chain, r.kind, r.back, r.at, r.body = v[0]>>2, kinds[v[0]&3], v[1], b.first+int64(v[2]), buf[:v[3]]
	r.size += int(v[3])
	return r
}

// after returns the place of the record after the one at a place.
func (j *journal) after(place uint64, r record) uint64 {
	b := j.of(place)
	if place += uint64(r.size); place < b.end() {
		return place
	}
	return min(b.start+uint64(b.slots)*slotBytes, j.end)
}

func (b *block) end() uint64 { return b.start + uint64(len(b.buf)) }

// previous returns the place of the record of the chain before the one at a place, plus one; 0 if there
// is none, or it was dropped.
func (j *journal) previous(place uint64, r record) uint64 {
	if r.back == 0 || place-r.back < j.start() {
		return 0
	}
	return place - r.back + 1
}

// dropMost is how many records are dropped at once.
const dropMost = 256

// drop drops the oldest records, after calling each with them, and returns when the last of them was.
func (j *journal) drop(each func(place uint64, r record)) (last int64) {
	b := j.blocks[0]
	for n := 0; n < dropMost && b.kept < b.end(); n++ {
		r := b.at(b.kept)
		each(b.kept, r)
		b.kept += uint64(r.size)
		last = r.at
		j.count--
	}
	if b.kept == b.end() {
		clear(j.blocks[:b.slots])
		j.blocks, j.first = j.blocks[b.slots:], j.first+uint64(b.slots)
		j.bytes -= cap(b.buf) + blockCost
	}
	return last
}
