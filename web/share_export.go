package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"watchglass/internal/port"
	"watchglass/web/words"
)

// The formats of an export.
const (
	asCSV  = "csv"
	asJSON = "json"
)

// piece is the number of rows per request. The page stays responsive between requests.
const piece = 250

// export is a running export. It ends when it has all rows, when the query changes, or when
// the user stops it.
type export struct {
	as       string
	querySeq uint32 // first seq of the exported query
	of       uint64 // generation of the list
	file     file
	got      int
}

// printed is a piece of the matching rows, as the worker sends it.
type printed struct {
	Total   int
	Columns []struct{ Name string }
	Rows    []struct{ Cells []string }
	// Generation of the list. Pieces of different generations do not fit together.
	Generation uint64
}

// startExport exports all matching rows as shown, in their order. Updates are paused until it
// has them, so that the pieces fit together.
func (sh *share) startExport(as string) {
	if sh.export != nil || sh.list.window.Columns == nil || sh.list.panelled() {
		return
	}
	if sh.past.playing { // the rows are to be of one moment
		sh.past.play()
		sh.past.waiting = append(sh.past.waiting, func(failed string) {
			if failed == "" {
				sh.startExport(as)
			}
		})
		return
	}
	e := &export{as: as}
	sh.export = e
	sh.list.look()
	e.querySeq = sh.list.querySeq
	sh.sayProgress(0, sh.list.window.Total)
	sh.collect(e)
}

// sayProgress shows a notice with the progress until the export ends.
func (sh *share) sayProgress(got, total int) {
	sh.notices.notice = notice{text: "Exporting: " + words.Count(got) + " of " + words.Count(total) + " rows", action: StopExport, label: "Stop", number: sh.notices.notice.number + 1}
}

// collect requests the next piece, and continues when it arrives.
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

// stopExport ends the running export.
func (sh *share) stopExport() {
	if sh.export != nil {
		sh.endExport("Export stopped. No file was saved.")
	}
}

// onPiece adds a piece to the file, and reports whether the export has ended.
func (sh *share) onPiece(e *export, next printed, err error) (ended bool) {
	switch {
	case sh.export != e:
		return true // stopped
	case err != nil:
		sh.endExport("Nothing was exported: " + err.Error() + ".")
		return true
	case sh.list.querySeq != e.querySeq:
		sh.endExport("Nothing was exported: the view changed. Try again.")
		return true
	}
	if e.got > 0 && next.Generation != e.of {
		sh.endExport("Nothing was exported: the list was reloaded. Try again.")
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
	sh.endExport(sh.summary(e))
	return true
}

// summary says how many rows a file has, and why they may not be those that were asked for.
func (sh *share) summary(e *export) string {
	rows := " rows"
	if e.got == 1 {
		rows = " row"
	}
	message := words.Count(e.got) + rows + " exported as " + strings.ToUpper(e.as) + "."
	if state := sh.state.Source.State; state != port.Live {
		message += " The list was not live: " + state + "."
	}
	for _, p := range sh.filter.problems() {
		message += " " + strings.TrimSuffix(words.Sentence(p.Text)+". "+words.Instead(p), " ")
	}
	for _, g := range sh.list.unknown() {
		message += " Incomplete: " + g.Text(words.GapsNamed)
	}
	return message
}

func (sh *share) endExport(message string) {
	sh.export = nil
	sh.list.look()
	sh.notices.say(notice{text: message})
}

var mimes = map[string]string{asCSV: "text/csv;charset=utf-8", asJSON: "application/json"}

// unfit matches characters that file names must not contain.
var unfit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9.-]+`) })

// exportName returns a file name with kind, context and time.
func (sh *share) exportName(as string) string {
	parts := []string{sh.address.Resource}
	if sh.state.Proxy != nil && sh.state.Proxy.Context != "" {
		parts = append(parts, sh.state.Proxy.Context)
	}
	parts = append(parts, sh.now().Format("20060102-150405"))
	return strings.Trim(unfit().ReplaceAllString(strings.Join(parts, "-"), "-"), "-.") + "." + as
}

// file is an export file, written row by row.
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

// blocks is a file's content in blocks, so that a large file is not copied as it grows.
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

// csvFile is CSV as in RFC 4180.
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

// csvCell escapes a cell. An apostrophe before =, +, - or @ keeps spreadsheets from running the
// cell as a formula; it also precedes signed numbers. Programs should read the JSON export,
// which leaves cells unchanged. Characters that end a cell in some spreadsheet are quoted.
func csvCell(text string) string {
	if text != "" && strings.IndexByte("=+-@\t\r\n", text[0]) >= 0 {
		text = "'" + text
	}
	if strings.ContainsAny(text, "\",;\t\r\n") || strings.TrimSpace(text) != text {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

// jsonFile is a JSON array of objects with a field for each column.
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
	doc, _ := json.Marshal(text) // a string never fails to encode
	return doc
}

// distinct numbers duplicate names: a kind may name several columns the same.
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
