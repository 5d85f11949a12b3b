package web

import (
	"encoding/json"
	"strings"

	"watchglass/internal/port"
	"watchglass/web/tools"
	"watchglass/web/words"
)

// export is a running export. It ends when it has all rows, when the query changes, or when
// the user stops it.
type export struct {
	as       string
	id       uint32 // of the transfer
	querySeq uint32 // first seq of the exported query
	file     tools.File
	got      int
}

const viewChanged = "Nothing was exported: the view changed. Try again."

// startExport exports all matching rows as shown, in their order. Updates are paused until it
// has them, so that they fit together.
func (sh *share) startExport(as string) {
	if sh.export != nil || sh.page.list.Window().Columns == nil || sh.page.panel.replacesList() {
		return
	}
	if sh.page.past.Playing() { // the rows are to be of one moment
		sh.page.past.Pause(func(failed string) {
			if failed == "" {
				sh.startExport(as)
			}
		})
		return
	}
	e := &export{as: as}
	sh.export = e
	sh.page.SendQueries()
	e.querySeq = sh.page.list.Query()
	sh.sayProgress(0, sh.page.list.Window().Total)
	sh.request(e)
}

// sayProgress shows a notice with the progress until the export ends.
func (sh *share) sayProgress(got, total int) {
	sh.page.Progress("Exporting: "+words.Count(got)+" of "+words.Count(total)+" rows", StopExport)
}

// request asks for the rows, and pulls one chunk after another, so that the page does its other work between two.
func (sh *share) request(e *export) {
	pull := func() { sh.page.Send(port.Pull{ID: e.id}) }
	e.id = sh.page.Transfer("export", json.RawMessage(`[]`), port.Transfer{Chunk: func(data []byte) {
		if sh.onRows(e, data) {
			pull()
		}
	}}, func(a port.Answer) {
		switch {
		case sh.export != e: // ended
		case a.Error == port.ErrReloaded.Error() && sh.page.list.Query() != e.querySeq:
			sh.endExport(viewChanged)
		case a.Error == port.ErrReloaded.Error():
			sh.endExport("Nothing was exported: the list was reloaded. Try again.")
		case a.Error != "":
			sh.endExport("Nothing was exported: the worker said: " + a.Error + ".")
		default:
			sh.page.browser.Save(sh.exportName(e.as), mimes[e.as], e.file.End())
			sh.endExport(sh.summary(e))
		}
	})
	pull()
}

// stopExport ends the running export.
func (sh *share) stopExport() {
	if sh.export != nil {
		sh.endExport("Export stopped. No file was saved.")
	}
}

// onRows adds rows to the file, and reports whether the export goes on.
func (sh *share) onRows(e *export, data []byte) bool {
	var next tools.ExportRows
	if err := json.Unmarshal(data, &next); err != nil {
		sh.endExport("Nothing was exported: " + err.Error() + ".")
		return false
	}
	if sh.page.list.Query() != e.querySeq {
		sh.endExport(viewChanged)
		return false
	}
	if e.file == nil {
		e.file = tools.NewFile(e.as, next)
	}
	for _, r := range next.Rows {
		e.file.Row(r.Cells)
	}
	e.got += len(next.Rows)
	sh.sayProgress(e.got, next.Total)
	return true
}

// summary says how many rows a file has, and why they may not be those that were asked for.
func (sh *share) summary(e *export) string {
	rows := " rows"
	if e.got == 1 {
		rows = " row"
	}
	message := words.Count(e.got) + rows + " exported as " + strings.ToUpper(e.as) + "."
	if state := sh.page.state.Source.State; state != port.Live {
		message += " The list was not live: " + state + "."
	}
	for _, p := range sh.page.filter.Problems() {
		message += " " + strings.TrimSuffix(words.Sentence(p.Text)+". "+words.Instead(p), " ")
	}
	for _, g := range sh.page.panel.unknown() {
		message += " Incomplete: " + g.Text(words.GapsNamed)
	}
	return message
}

func (sh *share) endExport(message string) {
	sh.page.Cancel(sh.export.id)
	sh.export = nil
	sh.page.SendQueries()
	sh.page.notices.say(notice{text: message})
}

var mimes = map[string]string{tools.AsCSV: "text/csv;charset=utf-8", tools.AsJSON: "application/json"}

// exportName returns a file name with kind, context and time.
func (sh *share) exportName(as string) string {
	parts := []string{sh.page.address.Resource}
	if sh.page.state.Proxy != nil && sh.page.state.Proxy.Context != "" {
		parts = append(parts, sh.page.state.Proxy.Context)
	}
	parts = append(parts, sh.page.past.Now().Format("20060102-150405"))
	return strings.Trim(words.FileName(strings.Join(parts, "-")), "-.") + "." + as
}
