package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/port"
)

// The formats of an export.
const (
	asCSV  = "csv"
	asJSON = "json"
)

// piece is how many rows are asked for at once: between two pieces the page does
// what else there is to do.
const piece = 250

// export is one that is under way. It ends when it has all rows, when what is on
// screen becomes something else, or when somebody stops it.
type export struct {
	as     string
	turned uint32 // the seq of what is exported
	of     uint64 // its generation
	file   file
	got    int
}

// printed is a piece of what matches, as the worker tells it.
type printed struct {
	Total   int
	Columns []struct{ Name string }
	Rows    []struct{ Cells []string }
	// Generation of the list: pieces of two do not fit together.
	Generation uint64
}

// startExport gathers all rows that match, as they print, in their order. Until it
// has them changes wait, so that the pieces fit together.
func (sh *share) startExport(as string) {
	if sh.export != nil || sh.list.window.Columns == nil || sh.list.panelled() {
		return
	}
	e := &export{as: as}
	sh.export = e
	sh.list.look()
	e.turned = sh.list.turned
	sh.sayProgress(0, sh.list.window.Total)
	sh.collect(e)
}

// sayProgress has a notice stand until the export has ended.
func (sh *share) sayProgress(got, total int) {
	sh.notices.notice = notice{text: "Exporting: " + Count(got) + " of " + Count(total) + " rows", action: StopExport, label: "Stop", number: sh.notices.notice.number + 1}
}

// collect asks for the next piece, and goes on from there when it has come.
func (sh *share) collect(e *export) {
	args := fmt.Sprintf(`[{"offset": %d, "limit": %d}]`, e.got, piece)
	sh.ask("piece", json.RawMessage(args), func(answer port.Answer) {
		var next printed
		var err error
		if answer.Error != "" {
			err = fmt.Errorf("the worker said: %s", answer.Error)
		} else {
			err = json.Unmarshal(answer.Value, &next)
		}
		if !sh.onPiece(e, next, err) {
			sh.redrawSoon()
			sh.collect(e)
		}
	})
}

// stopExport ends the export that is under way.
func (sh *share) stopExport() {
	if sh.export != nil {
		sh.endExport("The export was stopped: nothing was saved.")
	}
}

// gathered takes a piece, and reports whether it was the last.
func (sh *share) onPiece(e *export, next printed, err error) (ended bool) {
	switch {
	case sh.export != e:
		return true // stopped
	case err != nil:
		sh.endExport("Nothing was exported: " + err.Error() + ".")
		return true
	case sh.list.turned != e.turned:
		sh.endExport("Nothing was exported: something else was asked for meanwhile.")
		return true
	}
	if e.got > 0 && next.Generation != e.of {
		sh.endExport("Nothing was exported: the list became another meanwhile. Try again.")
		return true
	}
	if e.of = next.Generation; e.got == 0 {
		e.file = newFile(e.as, next)
	}
	for _, r := range next.Rows {
		e.file.row(r.Cells)
	}
	e.got += len(next.Rows)
	if len(next.Rows) > 0 && e.got < next.Total {
		sh.sayProgress(e.got, next.Total)
		return false
	}
	sh.browser.Save(sh.exportName(e.as), mimes[e.as], e.file.end())
	rows := " rows are"
	if e.got == 1 {
		rows = " row is"
	}
	said := Count(e.got) + rows + " exported as " + strings.ToUpper(e.as) + "."
	if state := sh.state.Source.State; state != "live" {
		said += " The list was not live: " + state + "."
	}
	sh.endExport(said)
	return true
}

func (sh *share) endExport(said string) {
	sh.export = nil
	sh.list.look()
	sh.notices.say(notice{text: said})
}

var mimes = map[string]string{asCSV: "text/csv;charset=utf-8", asJSON: "application/json"}

// unfit is what does not belong into the name of a file.
var unfit = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// exportName says what is in the file, of where, and of when.
func (sh *share) exportName(as string) string {
	parts := []string{sh.address.Resource}
	if sh.state.Proxy != nil && sh.state.Proxy.Context != "" {
		parts = append(parts, sh.state.Proxy.Context)
	}
	parts = append(parts, time.Now().Format("20060102-150405"))
	return strings.Trim(unfit.ReplaceAllString(strings.Join(parts, "-"), "-"), "-.") + "." + as
}

// file is a file that is written row by row.
type file interface {
	row(cells []string)
	end() [][]byte
}

func newFile(as string, first printed) file {
	names := make([]string, len(first.Columns))
	for i, c := range first.Columns {
		names[i] = c.Name
	}
	if as == asJSON {
		return &jsonFile{names: distinct(names)}
	}
	f := &csvFile{}
	f.row(names)
	return f
}

// blocks are the bytes of a file, in pieces: a large one need not be moved as it
// grows.
type blocks struct {
	full [][]byte
	last bytes.Buffer
}

const blockSize = 1 << 20

func (b *blocks) cut() {
	if b.last.Len() >= blockSize {
		b.full = append(b.full, b.last.Bytes())
		b.last = bytes.Buffer{}
	}
}

func (b *blocks) all() [][]byte { return append(b.full, b.last.Bytes()) }

// csvFile is as RFC 4180 has it.
type csvFile struct{ blocks }

func (f *csvFile) row(cells []string) {
	for i, cell := range cells {
		if i > 0 {
			f.last.WriteByte(',')
		}
		f.last.WriteString(csvCell(cell))
	}
	f.last.WriteString("\r\n")
	f.cut()
}

func (f *csvFile) end() [][]byte { return f.all() }

// csvCell is a cell of a CSV. What a spreadsheet would run as a formula gets an
// apostrophe before it, which makes a text of it; so does a number with a sign: who
// reads the file by a program takes JSON, where every cell is as it is. What could
// end a cell in some spreadsheet stands in quotes.
func csvCell(text string) string {
	if text != "" && strings.IndexByte("=+-@\t\r\n", text[0]) >= 0 {
		text = "'" + text
	}
	if strings.ContainsAny(text, "\",;\t\r\n") || strings.TrimSpace(text) != text {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

// jsonFile is a list of objects, with a field for each column.
type jsonFile struct {
	blocks
	names []string
	rows  int
}

func (f *jsonFile) row(cells []string) {
	sep := ",\n"
	if f.rows++; f.rows == 1 {
		sep = "[\n"
	}
	f.last.WriteString(sep)
	for i, cell := range cells[:min(len(cells), len(f.names))] {
		f.last.WriteByte("{,"[min(i, 1)])
		f.last.Write(jsonText(f.names[i]))
		f.last.WriteByte(':')
		f.last.Write(jsonText(cell))
	}
	f.last.WriteByte('}')
	f.cut()
}

func (f *jsonFile) end() [][]byte {
	if f.rows == 0 {
		f.last.WriteString("[")
	}
	f.last.WriteString("\n]\n")
	return f.all()
}

func jsonText(text string) []byte {
	doc, _ := json.Marshal(text) // of a text it does not fail
	return doc
}

// distinct are names of which no two are the same: a kind may name columns as it
// likes.
func distinct(names []string) []string {
	out, has := make([]string, len(names)), make(map[string]bool)
	for i, name := range names {
		out[i] = name
		for n := 2; has[out[i]]; n++ {
			out[i] = name + " " + strconv.Itoa(n)
		}
		has[out[i]] = true
	}
	return out
}
