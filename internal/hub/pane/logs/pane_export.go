package logs

import "watchglass/internal/detail/log"

const (
	// chunkBytes is about how much of a file the page gets at once.
	chunkBytes = 1 << 20
	// maxCopied is about how much text is copied at most.
	maxCopied = 4 << 20
)

// Export makes the text of a file that is saved, or that is copied, in parts.
type Export struct {
	pane   *logPane
	view   *log.View // whose lines they are
	take   log.SaveOptions
	saving *log.Saving // nil for a copy
	// Lost is how many lines were dropped before they were written; 1 if not all of a copy is.
	Lost uint64
}

// Export begins the text that is saved or copied.
func (p *logPane) Export(t log.SaveOptions) *Export {
	e := &Export{pane: p, view: p.lines.view, take: t}
	if !t.Copy {
		e.saving = e.view.Save(t.Export)
	}
	return e
}

// Next returns the next part of the text, and whether there is more. It is not ok if other lines are read by now.
func (e *Export) Next() (text []byte, more, ok bool) {
	if e.pane.lines.view != e.view {
		return nil, false, false
	}
	if e.saving == nil {
		text, whole := e.view.Lines(e.take.From, e.take.To, e.take.Export, maxCopied)
		if !whole {
			e.Lost = 1
		}
		return text, false, true
	}
	text, more = e.saving.Next(nil, chunkBytes)
	e.Lost = e.saving.Lost
	return text, more, true
}
