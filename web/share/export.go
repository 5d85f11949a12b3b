package share

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

// Exporting returns the format that rows are being exported as; "" if none are.
func (sh *Share) Exporting() string {
	if sh.export == nil {
		return ""
	}
	return sh.export.as
}

// ViewChanged ends the running export, if there is one: a file is of one view.
func (sh *Share) ViewChanged() {
	if sh.export != nil {
		sh.endExport(viewChanged)
	}
}

// startExport exports all matching rows as shown, in their order. Updates are paused until it
// has them, so that they fit together.
func (sh *Share) startExport(as string) {
	if sh.export != nil || sh.host.Window().Columns == nil || sh.host.ShowsPanel() {
		return
	}
	if sh.host.Playing() { // the rows are to be of one moment
		sh.host.Pause(func(failed string) {
			if failed == "" {
				sh.startExport(as)
			}
		})
		return
	}
	e := &export{as: as}
	sh.export = e
	sh.host.SendQueries()
	e.querySeq = sh.host.Query()
	sh.sayProgress(0, sh.host.Window().Total)
	sh.request(e)
}

// sayProgress shows a notice with the progress until the export ends.
func (sh *Share) sayProgress(got, total int) {
	sh.host.Progress("Exporting: "+words.Count(got)+" of "+words.Count(total)+" rows", stopExport)
}

// request asks for the rows, and pulls one chunk after another, so that the page does its other work between two.
func (sh *Share) request(e *export) {
	pull := func() { sh.host.Send(port.Pull{ID: e.id}) }
	e.id = sh.host.Transfer("export", json.RawMessage(`[]`), port.Transfer{Chunk: func(data []byte) {
		if sh.onRows(e, data) {
			pull()
		}
	}}, func(a port.Answer) {
		switch {
		case sh.export != e: // ended
		case a.Error == port.ErrReloaded.Error() && sh.host.Query() != e.querySeq:
			sh.endExport(viewChanged)
		case a.Error == port.ErrReloaded.Error():
			sh.endExport("Nothing was exported: the list was reloaded. Try again.")
		case a.Error != "":
			sh.endExport("Nothing was exported: the worker said: " + a.Error + ".")
		default:
			sh.browser.Save(sh.exportName(e.as), mimes[e.as], e.file.End())
			sh.endExport(sh.summary(e))
		}
	})
	pull()
}

// stopExport ends the running export.
func (sh *Share) stopExport() {
	if sh.export != nil {
		sh.endExport("Export stopped. No file was saved.")
	}
}

// onRows adds rows to the file, and reports whether the export goes on.
func (sh *Share) onRows(e *export, data []byte) bool {
	var next tools.ExportRows
	if err := json.Unmarshal(data, &next); err != nil {
		sh.endExport("Nothing was exported: " + err.Error() + ".")
		return false
	}
	if sh.host.Query() != e.querySeq {
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
func (sh *Share) summary(e *export) string {
	rows := " rows"
	if e.got == 1 {
		rows = " row"
	}
	message := words.Count(e.got) + rows + " exported as " + strings.ToUpper(e.as) + "."
	if state := sh.host.State().Source.State; state != port.Live {
		message += " The list was not live: " + state + "."
	}
	for _, p := range sh.host.Problems() {
		message += " " + strings.TrimSuffix(words.Sentence(p.Text)+". "+words.Instead(p), " ")
	}
	for _, g := range sh.host.Unknown() {
		message += " Incomplete: " + g.Text(words.GapsNamed)
	}
	return message
}

func (sh *Share) endExport(message string) {
	sh.host.Cancel(sh.export.id)
	sh.export = nil
	sh.host.SendQueries()
	sh.host.Notify(message)
}

var mimes = map[string]string{tools.AsCSV: "text/csv;charset=utf-8", tools.AsJSON: "application/json"}

// exportName returns a file name with kind, context and time.
func (sh *Share) exportName(as string) string {
	parts := []string{sh.host.Address().Resource}
	if sh.host.State().Proxy != nil && sh.host.State().Proxy.Context != "" {
		parts = append(parts, sh.host.State().Proxy.Context)
	}
	parts = append(parts, sh.host.Now().Format("20060102-150405"))
	return strings.Trim(words.FileName(strings.Join(parts, "-")), "-.") + "." + as
}
