package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
	"watchglass/internal/view"
)

// answer answers a question of the page. Those about a list or the hub are answered at once,
// those about a store when it has synced.
func (p *Page) answer(ask port.Ask) {
	switch ask.Method {
	case "list":
		p.answerFrom(ask, listStore)
	case "snapshot":
		p.answerFrom(ask, snapshotStore)
	case "find":
		p.endSearch()
		p.find(ask)
	case "findAll":
		p.endSearch()
		p.findAll(ask)
	case "recording.preview":
		p.files.preview(ask)
	case "recording.save":
		p.files.save(ask)
	case "recording.start":
		p.reply(ask, p.files.begin)
	case "recording.stop":
		p.reply(ask, p.files.stop)
	case "inspect":
		p.reply(ask, p.inspect)
	case "past.step":
		p.stepTo(ask)
	case "rows":
		p.reply(ask, ofView(p, ask, rowsOf))
	case "piece":
		p.reply(ask, ofView(p, ask, pieceOf))
	case "facets":
		p.reply(ask, ofView(p, ask, facetsOf))
	case "labels":
		p.reply(ask, ofView(p, ask, labelsOf))
	default:
		p.reply(ask, func(json.RawMessage) (any, error) { return nil, fmt.Errorf("there is no method %q", ask.Method) })
	}
}

// answerLater answers from a goroutine of its own, which ends after answerWithin or with the
// cluster.
func (p *Page) answerLater(ask port.Ask, value func(context.Context, json.RawMessage) (any, error)) {
	ctx, cancel := context.WithTimeout(p.cluster.Ctx, answerWithin)
	p.cluster.Start(func() {
		defer cancel()
		p.reply(ask, func(args json.RawMessage) (any, error) { return value(ctx, args) })
	})
}

// answerFrom is answerLater with what holds the stores.
func (p *Page) answerFrom(ask port.Ask, value func(context.Context, *cluster.Cluster, json.RawMessage) (any, error)) {
	c := p.cluster
	p.answerLater(ask, func(ctx context.Context, args json.RawMessage) (any, error) { return value(ctx, c, args) })
}

// find answers a search of the lists that are held.
func (p *Page) find(ask port.Ask) {
	c, shown := p.cluster, p.kindsShown()
	p.answerLater(ask, func(_ context.Context, args json.RawMessage) (any, error) { return findIn(c, args, shown) })
}

// findAll answers a search of all kinds. Another search of the page, or its end, ends it.
func (p *Page) findAll(ask port.Ask) {
	c, shown := p.cluster, p.kindsShown()
	ctx, cancel := context.WithTimeout(c.Ctx, searchWithin)
	p.endSearch = cancel
	c.Start(func() {
		defer cancel()
		p.reply(ask, func(args json.RawMessage) (any, error) { return findInAll(ctx, c, args, shown) })
	})
}

// kindsShown returns the IDs of the kinds of the page's cluster that its lists show.
func (p *Page) kindsShown() map[string]bool {
	ids := make(map[string]bool)
	for _, l := range p.lists {
		if s, ok := l.Shown(); ok && l.Cluster() == p.cluster {
			ids[s.Kind.ID()] = true
		}
	}
	return ids
}

// reply sends a value or an error message. Any goroutine may call it.
func (p *Page) reply(ask port.Ask, value func(json.RawMessage) (any, error)) {
	answer := port.Answer{ID: ask.ID}
	v, err := value(ask.Args)
	if err == nil {
		answer.Value, err = json.Marshal(v)
	}
	if err != nil {
		answer.Error = err.Error()
	}
	p.port.Send(answer)
}

var errNothingShown = errors.New("nothing has loaded yet")

// ofView answers from the view of the list that a question is about.
func ofView(p *Page, ask port.Ask, value func(*view.View, json.RawMessage, time.Time) (any, error)) func(json.RawMessage) (any, error) {
	return func(args json.RawMessage) (any, error) {
		l, s, ok := p.shown(ask.List)
		if !ok {
			return nil, errNothingShown
		}
		return value(s.View, args, l.Cluster().Now())
	}
}

type rowColumn struct {
	Name     string `json:"name"`
	Priority int    `json:"priority"`
}

type row struct {
	Key   string   `json:"key"`
	UID   string   `json:"uid"`
	Cells []string `json:"cells"`
}

type rows struct {
	Total   int         `json:"total"`
	Columns []rowColumn `json:"columns"`
	Rows    []row       `json:"rows"`
}

// piece is a part of a list that the page exports in parts. An age whose instant is known is
// exported as that instant.
type piece struct {
	rows
	// Generation distinguishes pieces of one list from those of another.
	Generation uint64
}

func rowsOf(v *view.View, args json.RawMessage, now time.Time) (any, error) {
	p, err := readPiece(v, args, asShown, now)
	return p.rows, err
}

func pieceOf(v *view.View, args json.RawMessage, now time.Time) (any, error) {
	return readPiece(v, args, exactAges, now)
}

// exactAges returns a row's cells with the instants of its ages.
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

// asShown returns a row's cells as they are on screen.
func asShown(_ []view.Column, r view.Row) []string { return r.Cells }

// readPiece returns a range of the rows that match.
func readPiece(v *view.View, args json.RawMessage, cells func([]view.Column, view.Row) []string, now time.Time) (piece, error) {
	options := struct {
		Offset int `json:"offset"`
		Limit  int `json:"limit"`
	}{Limit: 100}
	if err := arguments(args, &options); err != nil {
		return piece{}, err
	}
	total, columns, list := v.Rows(options.Offset, options.Limit, now)
	out := rows{Total: total, Columns: []rowColumn{}, Rows: []row{}}
	for _, c := range columns {
		out.Columns = append(out.Columns, rowColumn{c.Name, c.Priority})
	}
	for _, r := range list {
		out.Rows = append(out.Rows, row{r.Key, r.UID, cells(columns, r)})
	}
	return piece{out, v.Generation()}, nil
}

type facetValue struct {
	Value string `json:"value"`
	Count int    `json:"count"`
	Sum   string `json:"sum,omitempty"`
}

type facet struct {
	Name   string       `json:"name"`
	Values []facetValue `json:"values"`
}

func facetsOf(v *view.View, _ json.RawMessage, now time.Time) (any, error) {
	out := []facet{}
	for _, f := range v.Facets(now) {
		values := []facetValue{}
		for _, fv := range f.Values {
			values = append(values, facetValue{fv.Value, fv.Count, fv.Sum})
		}
		out = append(out, facet{f.Name, values})
	}
	return out, nil
}

// labelsOf returns the values of a label, or without a name the names of all labels.
func labelsOf(v *view.View, args json.RawMessage, _ time.Time) (any, error) {
	key := ""
	if err := arguments(args, &key); err != nil {
		return nil, err
	}
	return v.Labels(key), nil
}
