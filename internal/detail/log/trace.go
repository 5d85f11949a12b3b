package log

const (
	// longestTrace is how many lines may continue another. More than that is no trace.
	longestTrace = 1000
	// farthest is how many lines on a line may continue another, those of other sources included, so
	// that a trace among many other lines takes no long time.
	farthest = 2000
)

// headOf returns the position of the line that a line continues. It is false if that one was
// dropped, or is too far before it.
func (s *Store) headOf(p uint64, r *record) (head uint64, ok bool) {
	for at := p; p > s.first && at-p < farthest; {
		p--
		if other := s.at(p); other.source == r.source && !other.is(isMore|isNote) {
			return p, true
		}
	}
	return 0, false
}

// unbroken returns the position, at most p, from which on no line before end continues one before it.
func (s *Store) unbroken(p, end uint64) uint64 {
	for until := end; p < until; {
		from, seen := p, make(map[uint16]bool)
		for at := from; at < until; at++ {
			r := s.at(at)
			if r.is(isNote) || seen[r.source] {
				continue
			}
			seen[r.source] = true
			if r.is(isMore) {
				if head, ok := s.headOf(at, r); ok {
					p = min(p, head)
				}
			}
		}
		until = from
	}
	return p
}

// head returns the position of the line that the next line of a source continues.
func (v *View) head(p uint64, r *record) (head uint64, ok bool) {
	if int(r.source) < len(v.heads) && v.heads[r.source] > v.store.First() {
		head = v.heads[r.source] - 1
		return head, p-head <= farthest
	}
	if head, ok = v.store.headOf(p, r); ok {
		v.setHead(r.source, head)
	}
	return head, ok
}

// setHead notes which line of a source the next ones may continue.
func (v *View) setHead(source uint16, p uint64) {
	for int(source) >= len(v.heads) {
		v.heads = append(v.heads, 0)
	}
	v.heads[source] = p + 1
}

// mostBetween is how many lines of others a trace may be mixed with to be shown because of a line
// within it.
const mostBetween = 200

// lookMore looks at a line that continues another: it is shown with that one. If the filter finds
// only both together, it is because of this line that both are shown.
func (v *View) lookMore(p uint64, r *record) {
	head, ok := v.head(p, r)
	if !ok && p-v.store.First() >= farthest { // what it continues is too far away
		r.flags &^= isMore
		r.rows = 0 // it is shown with its fields
		v.addIfShown(p, r)
		return
	}
	if !ok {
		if matches, _ := v.match(r, nil); matches && v.query.Raw {
			v.push(p, r)
		}
		return
	}
	if i, shown := v.entry(head); shown {
		v.join(i, head, p, r)
		return
	}
	if matches, _ := v.match(r, v.store.at(head)); !matches {
		return
	}
	if pending := p >= v.until && head < v.until; pending || p-head > mostBetween {
		v.apart = v.apart || pending
		v.push(p, r)
		return
	}
	v.forced[head] = true
	v.rewind(head, v.next) // what follows has not been looked at
}

// join folds a line under the one that it continues. There are at most so many entries from that one
// on as a line may be away from it.
func (v *View) join(i int, head, p uint64, r *record) {
	if v.query.Raw || p >= v.until {
		v.apart = v.apart || !v.query.Raw
		v.push(p, r)
		return
	}
	rows := uint64(0)
	if v.open[v.store.at(head).id()] {
		rows = uint64(v.heightOf(r))
	}
	v.work += v.entries.len() - i
	for ; i < v.entries.len(); i++ {
		e := v.entries.at(i)
		e.lines++
		e.rows += rows
	}
	if v.query.Search != nil && v.query.Search.In(v.plain(r)) {
		v.hit(head)
	}
}

// folded calls f with each line that is folded under the one at a position.
func (v *View) folded(head uint64, f func(p uint64, r *record)) {
	first := v.store.at(head)
	if v.query.Raw || first.is(isNote|isMore) {
		return
	}
	for p := head + 1; p < min(v.next, v.until, head+farthest+1); p++ {
		r := v.store.at(p)
		if r.source != first.source || r.is(isNote) {
			continue
		}
		if !r.is(isMore) {
			return
		}
		f(p, r)
	}
}

// row returns a line as filters see it, with the one that it continues, if it does.
func (v *View) row(r, head *record) *row {
	v.line = row{source: v.store.sources[r.source], level: r.level(), line: v.line.line}
	if head == nil {
		v.line.text = v.plain(r)
		v.line.fields = v.line.text
		return &v.line
	}
	v.both = append(append(v.both[:0], v.plain(head)...), '\n')
	n := len(v.both) - 1
	v.both = append(v.both, v.plain(r)...)
	v.line.text, v.line.level = shared(v.both), head.level()
	v.line.fields = v.line.text[:n]
	return &v.line
}
