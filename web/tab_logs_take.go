package web

import (
	"math"
	"strconv"

	"watchglass/internal/detail/log"
	"watchglass/web/words"
)

// pick selects a line, then a range up to a second line. A third starts over.
func (lt *logsTab) pick(value string) {
	at, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return
	}
	lt.update(func(l *logs) {
		switch {
		case !l.picking || l.picked != l.picks:
			l.picking, l.picked, l.picks = true, at, at
		case at == l.picked:
			l.picking = false
		default:
			l.picked, l.picks = min(at, l.picked), max(at, l.picked)
		}
	})
	lt.drawer.text.Paint()
}

// copyLines copies the selected lines, or all lines shown.
func (lt *logsTab) copyLines() {
	l := lt.logs
	from, to := l.picked, l.picks
	if !l.picking {
		from, to = 0, math.MaxInt64
	}
	lt.askPiece(log.Take{Copy: true, From: from, To: to, Export: log.Export{Names: len(l.names) > 0, Times: l.times}})
}

// save saves the lines shown or, if raw, everything buffered as it was received.
func (lt *logsTab) save(raw bool) {
	l := lt.logs
	how := log.Export{All: raw, Raw: raw, Names: !raw && len(l.names) > 0, Times: !raw && l.times}
	name := lt.address.Container
	if name == log.AllContainers || name == "" {
		name = "logs"
	}
	lt.update(func(l *logs) {
		l.saving, l.savingAs = nil, words.FileName(lt.drawer.asked.Name+"-"+name)+".log"
	})
	lt.askPiece(log.Take{Export: how})
}

// askPiece requests the first piece of a file or a copy.
func (lt *logsTab) askPiece(t log.Take) {
	lt.update(func(l *logs) {
		l.taken++
		t.Seq, l.ask.Take = l.taken, &t
	})
	lt.request()
}

// onPiece applies a piece that is awaited, and requests the next one. After the last one, no request
// asks for a piece until the user saves or copies again.
func (lt *logsTab) onPiece(piece *log.Piece) (redraw bool) {
	t := lt.logs.ask.Take
	if t == nil || piece.Seq != t.Seq || piece.Number != t.Number {
		return false
	}
	if !piece.Last && !piece.Cut {
		lt.update(func(l *logs) {
			next := *t
			next.Number++
			l.saving, l.ask.Take = append(l.saving, piece.Text), &next
		})
		lt.request()
		return false
	}
	saving := lt.logs.saving
	lt.update(func(l *logs) { l.saving, l.ask.Take = nil, nil })
	switch {
	case piece.Cut && t.Copy:
		lt.notices.say(notice{text: "The logs were reloaded before they could be copied. Copy again."})
	case piece.Cut:
		lt.notices.say(notice{text: "The logs were reloaded before they could be saved. Save again."})
	case t.Copy:
		lt.onCopied(piece)
		return false
	default:
		lt.onSaved(append(saving, piece.Text), piece.Lost)
	}
	return true
}

// onSaved hands a complete file to the browser.
func (lt *logsTab) onSaved(file [][]byte, lost uint64) {
	lt.browser.Save(lt.logs.savingAs, "text/plain;charset=utf-8", file)
	if lost > 0 {
		lt.notices.say(notice{text: words.Count(int(lost)) + " lines were dropped before they could be saved."})
	}
}

func (lt *logsTab) onCopied(piece *log.Piece) {
	said := "Lines copied."
	if piece.Lost > 0 {
		said = "Copied the first 4 MB."
	}
	lt.browser.Copy(string(piece.Text), func(copied bool) {
		if !copied {
			said = "The browser blocked copying."
		}
		lt.locked(func() { lt.notices.say(notice{text: said}) })
	})
}
