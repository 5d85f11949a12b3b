package logs

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"watchglass/internal/detail/log"
	"watchglass/internal/port"
	"watchglass/web/words"
)

// pick selects a line, then a range up to a second line. A third starts over.
func (t *logs) pick(value string) {
	at, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return
	}
	t.update(func(l *state) {
		switch {
		case !l.picking || l.picked != l.picks:
			l.picking, l.picked, l.picks = true, at, at
		case at == l.picked:
			l.picking = false
		default:
			l.picked, l.picks = min(at, l.picked), max(at, l.picked)
		}
	})
	t.Host.Text().Paint()
}

// copyLines copies the selected lines, or all lines shown.
func (t *logs) copyLines() {
	l := t.shown
	from, to := l.picked, l.picks
	if !l.picking {
		from, to = 0, math.MaxInt64
	}
	copied := log.SaveOptions{Copy: true, From: from, To: to, Export: log.Export{Names: len(l.names) > 0, Times: l.times}}
	t.export(copied, "The logs were reloaded or filtered before they could be copied. Copy again.", func(text [][]byte, lost uint64) {
		said := "Lines copied."
		if lost > 0 {
			said = "Copied the first 4 MB."
		}
		t.Host.Copy(string(bytes.Join(text, nil)), said)
	})
}

// save saves the lines shown or, if raw, everything buffered as it was received.
func (t *logs) save(raw bool) {
	l := t.shown
	how := log.Export{All: raw, Raw: raw, Names: !raw && len(l.names) > 0, Times: !raw && l.times}
	name := t.Host.Address().Container
	if name == log.AllContainers || name == "" {
		name = "logs"
	}
	as := words.FileName(t.Host.Subject().Name+"-"+name) + ".log"
	t.export(log.SaveOptions{Export: how}, "The logs were reloaded or filtered before they could be saved. Save again.", func(text [][]byte, lost uint64) {
		t.Host.Browser().Save(as, "text/plain;charset=utf-8", text)
		if lost > 0 {
			t.Host.Notify(words.Count(int(lost)) + " lines were dropped before they could be saved.")
		}
	})
}

// export asks for lines, and passes them on once all have come. If the hub reads or shows other lines before that, it shows
// the notice failed. It refuses while it waits for others: they would be lost.
func (t *logs) export(options log.SaveOptions, failed string, done func(text [][]byte, lost uint64)) {
	if t.exporting != 0 {
		t.Host.Notify("Still saving or copying these logs. Try again when that is done.")
		return
	}
	args, _ := json.Marshal([]log.SaveOptions{options}) // numbers and bools
	var text [][]byte
	pull := func() { t.Host.Send(port.Pull{ID: t.exporting}) }
	t.exporting = t.Host.Transfer("log.save", args, port.Transfer{Chunk: func(data []byte) {
		text = append(text, data)
		pull()
	}}, func(a port.Answer) {
		t.exporting = 0
		var result log.SaveResult
		if a.Error != "" || json.Unmarshal(a.Value, &result) != nil {
			t.Host.Notify(failed)
		} else {
			done(text, result.Lost)
		}
		t.Host.Redraw()
	})
	pull()
}
