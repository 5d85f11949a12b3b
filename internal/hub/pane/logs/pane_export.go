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
	pane    *logPane
	view    *log.View // whose lines they are
	shows   shownLines
	options log.SaveOptions
	saving  *log.Saving // nil for a copy
	// Lost is how many lines were dropped before they were written; 1 if not all of a copy is.
	Lost uint64
}

// shownLines says which lines a pane shows.
type shownLines struct {
	filter   string
	from, to int64
}

func (p *logPane) shows() shownLines { return shownLines{p.lines.filter, p.asked.From, p.asked.To} }

// Export begins the text that is saved or copied.
func (p *logPane) Export(o log.SaveOptions) *Export {
	e := &Export{pane: p, view: p.lines.view, shows: p.shows(), options: o}
	if !o.Copy {
		e.saving = e.view.Save(o.Export)
	}
	return e
}

// Next returns the next part of the text, and whether there is more. It is not ok if other lines are read by now, or if
// others are shown and the text is of those.
func (e *Export) Next() (text []byte, more, ok bool) {
	if e.pane.lines.view != e.view || !e.options.Export.All && e.pane.shows() != e.shows {
		return nil, false, false
	}
	if e.saving == nil {
		text, whole := e.view.Lines(e.options.From, e.options.To, e.options.Export, maxCopied)
		if !whole {
			e.Lost = 1
		}
		return text, false, true
	}
	text, more = e.saving.Next(nil, chunkBytes)
	e.Lost = e.saving.Lost
	return text, more, true
}
