package cluster

import (
	"strings"
	"time"

	"watchglass/internal/hub/kinds"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// TableAgain is the wait before a definition is requested again after an error that may pass.
const TableAgain = 30 * time.Second

// tableQuestion is what was asked about the definition of a kind that the server prints.
type tableQuestion struct {
	changes int       // of definitions so far, when it was asked
	again   time.Time // when to ask once more; zero: it was answered
	asking  bool
}

// LearnTable finds out what the dates of a Table need: whole objects in its rows, or the
// paths in the kind's definition. Lists that show it then reopen with that. columns is called
// once the definition has come, and returns nil if nobody shows the Table any more.
func (c *Cluster) LearnTable(table string, needs object.TableNeeds, columns func() []object.Column, now time.Time) {
	p, changes := c.Kinds.Table(table)
	if needs.Body && !p.Body {
		p.Body = true
		c.Kinds.SetTable(table, p)
	}
	if !needs.Definition && p.Definition == "" {
		return
	}
	if q, asked := c.tables[table]; asked && (q.asking || q.changes == changes && (q.again.IsZero() || now.Before(q.again))) {
		return
	}
	c.tables[table] = tableQuestion{changes: changes, asking: true}
	c.Start(func() {
		definition, err := c.readDefinition(table)
		c.Post(c.Ctx, func() { c.setDefinition(table, definition, err, columns()) })
	})
}

// readDefinition reads the definition of a kind. Users who may not read it, and kinds without
// one, do without. Any goroutine but the loop's may call it: it waits.
func (c *Cluster) readDefinition(table string) (object.Definition, error) {
	r := Definitions
	name, version, _ := strings.Cut(table, " ")
	r.Verb, r.Name, r.Encoding = wire.Get, name, wire.EncodingJSON
	doc, err := c.Client.Get(c.Ctx, r)
	if err != nil {
		return "", err
	}
	return object.ReadDefinition(doc, version), nil
}

// setDefinition stores the answer. Without columns it is of no use, and is requested again
// when needed.
func (c *Cluster) setDefinition(table string, definition object.Definition, err error, columns []object.Column) {
	q := c.tables[table]
	q.asking = false
	if status := wire.StatusOf(err); err != nil && (status == nil || !status.Denied() && !status.NotFound()) {
		q.again = time.Now().Add(TableAgain)
	}
	c.tables[table] = q
	if err != nil {
		return
	}
	if columns == nil {
		delete(c.tables, table) // only the columns say which parts matter
		return
	}
	p, _ := c.Kinds.Table(table)
	dated, body := definition.Dates(columns)
	if !dated || p.Definition == definition {
		return
	}
	p.Definition, p.Body = definition, p.Body || body
	c.Kinds.SetTable(table, p)
}

// TableOf returns the TableKey of a kind that the server prints; "" if the tab prints it.
func TableOf(kind *object.Kind) string {
	if kind.Printed() || kind.Native() {
		return ""
	}
	return kinds.TableKey(kind)
}
