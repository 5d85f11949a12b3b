package hub

import (
	"strings"
	"time"

	"watchglass/internal/hub/kinds"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// tableAgain is how long it takes until a definition is asked for again that could not be
// had, but for a reason that lasts.
const tableAgain = 30 * time.Second

// tableQuestion is what was asked about the definition of a kind that the server prints.
type tableQuestion struct {
	changes int       // among the definitions, before it was asked
	again   time.Time // when to ask once more; zero: it was answered
	asking  bool
}

// learnTable finds out what the dates of a Table need: whole objects in its rows, or the
// paths in the kind's definition. Lists that show it open anew with that. The columns are
// called for once the definition has come; they may have left the screen by then.
func (c *Cluster) learnTable(table string, needs object.TableNeeds, columns func() []object.Column, now time.Time) {
	p, changes := c.kinds.Table(table)
	if needs.Body && !p.Body {
		p.Body = true
		c.kinds.SetTable(table, p)
	}
	if !needs.Definition && p.Definition == "" {
		return
	}
	if q, asked := c.tables[table]; asked && (q.asking || q.changes == changes && (q.again.IsZero() || now.Before(q.again))) {
		return
	}
	c.tables[table] = tableQuestion{changes: changes, asking: true}
	c.start(func() {
		definition, err := c.readDefinition(table)
		c.post(c.ctx, func() { c.setDefinition(table, definition, err, columns()) })
	})
}

// readDefinition reads the definition of a kind. Who may not read it, and kinds that have
// none, do without. Any goroutine but the loop's may call it: it waits.
func (c *Cluster) readDefinition(table string) (object.Definition, error) {
	r := definitions
	name, version, _ := strings.Cut(table, " ")
	r.Verb, r.Name, r.Encoding = wire.Get, name, wire.EncodingJSON
	doc, err := c.client.Get(c.ctx, r)
	if err != nil {
		return "", err
	}
	return object.ReadDefinition(doc, version), nil
}

// setDefinition takes the answer; without columns nobody needs it any more.
func (c *Cluster) setDefinition(table string, definition object.Definition, err error, columns []object.Column) {
	q := c.tables[table]
	q.asking = false
	if status := wire.StatusOf(err); err != nil && (status == nil || !status.Denied() && !status.NotFound()) {
		q.again = time.Now().Add(tableAgain)
	}
	c.tables[table] = q
	if err != nil {
		return
	}
	if columns == nil {
		delete(c.tables, table) // the columns say what of it is of use
		return
	}
	p, _ := c.kinds.Table(table)
	dated, body := definition.Dates(columns)
	if !dated || p.Definition == definition {
		return
	}
	p.Definition, p.Body = definition, p.Body || body
	c.kinds.SetTable(table, p)
}

// tableOf names the Table that the server prints of a kind; "" if the tab prints it.
func tableOf(kind *object.Kind) string {
	if kind.Printed() || kind.Native() {
		return ""
	}
	return kinds.TableKey(kind)
}
