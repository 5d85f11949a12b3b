package focus

import (
	"watchglass/internal/detail/log"
	"watchglass/internal/hub/pane/logs"
	"watchglass/internal/port"
)

// SaveLog sends the page lines of the log that the object's tab shows, as long as the tab neither reads nor shows others.
func (o *Object) SaveLog(ask port.Ask) {
	var options log.SaveOptions
	pane := o.pane
	reader, ok := pane.(interface {
		Export(log.SaveOptions) *logs.Export
	})
	if err := ask.Read(&options); err != nil || !ok {
		if err == nil {
			err = port.ErrReloaded
		}
		o.page.Send(ask.Answer(nil, err))
		return
	}
	export := reader.Export(options)
	o.page.Begin(ask, port.Transfer{Pull: func() {
		text, more, ok := export.Next()
		if !ok || o.pane != pane {
			o.page.End(ask, nil, port.ErrReloaded)
			return
		}
		if o.page.Send(port.Chunk{ID: ask.ID, Data: text}); !more {
			o.page.End(ask, log.SaveResult{Lost: export.Lost}, nil)
		}
	}})
}
