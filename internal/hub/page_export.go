package hub

import (
	"encoding/json"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/view"
)

// exportRows is the number of rows in a chunk. The hub and the page stay responsive between two.
const exportRows = 250

// export sends all matching rows of a list, as long as it is not loaded anew: parts of two lists do not fit together. The
// page pauses the list meanwhile.
func (p *Page) export(ask port.Ask) {
	_, shown, ok := p.Shown(ask.List)
	if !ok {
		p.port.Send(ask.Answer(nil, errNothingShown))
		return
	}
	sent, generation := 0, uint64(0)
	p.Begin(ask, port.Transfer{Pull: func() {
		l, now, ok := p.Shown(ask.List)
		if !ok || now.View != shown.View {
			p.End(ask, nil, port.ErrReloaded)
			return
		}
		next, of := readRows(now.View, sent, exportRows, l.Cluster().Now(), exactAges), now.View.Generation()
		if sent > 0 && of != generation { // the first reading may apply a new query
			p.End(ask, nil, port.ErrReloaded)
			return
		}
		generation = of
		doc, _ := json.Marshal(next) // texts and numbers
		p.port.Send(port.Chunk{ID: ask.ID, Data: doc})
		if sent += len(next.Rows); len(next.Rows) == 0 || sent >= next.Total {
			p.End(ask, nil, nil)
		}
	}})
}

// exactAges returns a row's cells with the instants of its ages, where they are known.
func exactAges(columns []view.Column, r view.Row) []string {
	instants := r.Instants
	for at, c := range columns {
		if !c.Aged() || len(instants) == 0 {
			continue
		}
		if instants[0] != 0 {
			r.Cells[at] = time.Unix(instants[0], 0).UTC().Format(time.RFC3339)
		}
		instants = instants[1:]
	}
	return r.Cells
}
