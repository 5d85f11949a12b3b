package web

import (
	"encoding/json"
	"fmt"
	"strings"

	"watchglass/internal/port"
	"watchglass/web/tools"
	"watchglass/web/words"
)

// piece is the number of rows per request. The page stays responsive between requests.
const piece = 250

// export is a running export. It ends when it has all rows, when the query changes, or when
// the user stops it.
type export struct {
	as       string
	querySeq uint32 // first seq of the exported query
	of       uint64 // generation of the list
	file     tools.File
	got      int
}

// startExport exports all matching rows as shown, in their order. Updates are paused until it
// has them, so that the pieces fit together.
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
	sh.page.Look()
	e.querySeq = sh.page.list.Query()
	sh.sayProgress(0, sh.page.list.Window().Total)
	sh.collect(e)
}

// sayProgress shows a notice with the progress until the export ends.
func (sh *share) sayProgress(got, total int) {
	sh.page.Progress("Exporting: "+words.Count(got)+" of "+words.Count(total)+" rows", StopExport)
}

// collect requests the next piece, and continues when it arrives.
func (sh *share) collect(e *export) {
	args := fmt.Sprintf(`[{"offset": %d, "limit": %d}]`, e.got, piece)
	sh.page.Ask("piece", json.RawMessage(args), func(answer port.Answer) {
		var next tools.Printed
		var err error
		if answer.Error != "" {
			err = fmt.Errorf("the worker said: %s", answer.Error)
		} else {
			err = json.Unmarshal(answer.Value, &next)
		}
		if !sh.onPiece(e, next, err) {
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
func (sh *share) onPiece(e *export, next tools.Printed, err error) (ended bool) {
	switch {
	case sh.export != e:
		return true // stopped
	case err != nil:
		sh.endExport("Nothing was exported: " + err.Error() + ".")
		return true
	case sh.page.list.Query() != e.querySeq:
		sh.endExport("Nothing was exported: the view changed. Try again.")
		return true
	}
	if e.got > 0 && next.Generation != e.of {
		sh.endExport("Nothing was exported: the list was reloaded. Try again.")
		return true
	}
	if e.of = next.Generation; e.got == 0 {
		e.file = tools.NewFile(e.as, next)
	}
	for _, r := range next.Rows {
		e.file.Row(r.Cells)
	}
	e.got += len(next.Rows)
	if len(next.Rows) > 0 && e.got < next.Total {
		sh.sayProgress(e.got, next.Total)
		return false
	}
	sh.page.browser.Save(sh.exportName(e.as), mimes[e.as], e.file.End())
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
	sh.export = nil
	sh.page.Look()
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
