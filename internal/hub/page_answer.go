package hub

import (
	"context"
	"errors"
	"fmt"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/find"
	"watchglass/internal/hub/past"
	"watchglass/internal/port"
	"watchglass/internal/view"
)

// answer answers a question of the page. Those about a list or the hub are answered at once,
// those about a store when it has synced.
func (p *Page) answer(ask port.Ask) {
	switch ask.Method {
	case "list":
		p.answerLater(ask, listStore)
	case "snapshot":
		p.answerLater(ask, snapshotStore)
	case "find":
		p.find(ask, find.InMemory)
	case "findAll":
		p.find(ask, find.Everywhere)
	case "recording.preview":
		p.files.Preview(ask)
	case "recording.save":
		p.files.Save(ask)
	case "recording.open":
		p.files.Open(ask)
	case "recording.start":
		p.port.Send(ask.Answer(p.past.StartRecording(), nil))
	case "recording.stop":
		p.past.StopRecording()
		p.port.Send(ask.Answer(nil, nil))
	case "inspect":
		p.port.Send(ask.Answer(p.inspect(ask)))
	case "past.step":
		p.stepTo(ask)
	case "rows":
		p.answerFrom(ask, rowsOf)
	case "export":
		p.export(ask)
	case "facets":
		p.answerFrom(ask, facetsOf)
	case "labels":
		p.answerFrom(ask, labelsOf)
	default:
		p.port.Send(ask.Answer(nil, fmt.Errorf("there is no method %q", ask.Method)))
	}
}

// answerLater answers from a goroutine of its own, which ends after answerWithin or with the cluster.
func (p *Page) answerLater(ask port.Ask, value func(context.Context, *cluster.Cluster, port.Ask) (any, error)) {
	c := p.cluster
	ctx, cancel := context.WithTimeout(c.Ctx, answerWithin)
	c.Start(func() {
		defer cancel()
		p.port.Send(ask.Answer(value(ctx, c, ask)))
	})
}

// find answers a search by name. Another search of the page, or its end, ends it.
func (p *Page) find(ask port.Ask, search func(ctx context.Context, c *cluster.Cluster, text string, shown map[string]bool) (find.Answer, error)) {
	c, shown, ctx, text := p.cluster, p.kindsShown(), p.search.Begin(p.cluster.Ctx), ""
	if err := ask.Read(&text); err != nil {
		p.port.Send(ask.Answer(nil, err))
		return
	}
	c.Start(func() { p.port.Send(ask.Answer(search(ctx, c, text, shown))) })
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

// stepTo answers the time of the next or previous change to an object that a list shows.
func (p *Page) stepTo(ask port.Ask) {
	direction := 1
	if err := ask.Read(&direction); err != nil || direction == 0 {
		direction = 1
	}
	l, shown, ok := p.Shown(ask.List)
	if !ok || l.Cluster().Local.Only(shown.Kind) != nil {
		p.port.Send(ask.Answer(nil, errNothingShown))
		return
	}
	next := past.NextChange(l, shown, direction)
	p.answerLater(ask, func(ctx context.Context, _ *cluster.Cluster, _ port.Ask) (any, error) { return next(ctx) })
}

var errNothingShown = errors.New("nothing has loaded yet")

// answerFrom answers from the view of the list that a question is about.
func (p *Page) answerFrom(ask port.Ask, value func(*view.View, port.Ask, time.Time) (any, error)) {
	l, s, ok := p.Shown(ask.List)
	if !ok {
		p.port.Send(ask.Answer(nil, errNothingShown))
		return
	}
	p.port.Send(ask.Answer(value(s.View, ask, l.Cluster().Now())))
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

func rowsOf(v *view.View, ask port.Ask, now time.Time) (any, error) {
	options := struct {
		Offset int `json:"offset"`
		Limit  int `json:"limit"`
	}{Limit: 100}
	if err := ask.Read(&options); err != nil {
		return nil, err
	}
	return readRows(v, options.Offset, options.Limit, now, asShown), nil
}

// asShown returns a row's cells as they are on screen.
func asShown(_ []view.Column, r view.Row) []string { return r.Cells }

// readRows returns a range of the rows that match.
func readRows(v *view.View, offset, limit int, now time.Time, cells func([]view.Column, view.Row) []string) rows {
	total, columns, list := v.Rows(offset, limit, now)
	out := rows{Total: total, Columns: []rowColumn{}, Rows: []row{}}
	for _, c := range columns {
		out.Columns = append(out.Columns, rowColumn{c.Name, c.Priority})
	}
	for _, r := range list {
		out.Rows = append(out.Rows, row{r.Key, r.UID, cells(columns, r)})
	}
	return out
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

func facetsOf(v *view.View, _ port.Ask, now time.Time) (any, error) {
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
func labelsOf(v *view.View, ask port.Ask, _ time.Time) (any, error) {
	key := ""
	if err := ask.Read(&key); err != nil {
		return nil, err
	}
	return v.Labels(key), nil
}
