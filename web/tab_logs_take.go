package web

import (
	"math"
	"strconv"

	"watchglass/internal/detail/log"
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
	lt.drawer.paintText()
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
	lt.update(func(l *logs) { l.saving = nil })
	lt.askPiece(log.Take{Export: how})
}

// askPiece requests the first piece of a file or a copy.
func (lt *logsTab) askPiece(t log.Take) {
	lt.update(func(l *logs) {
		if t.Seq = 1; l.ask.Take != nil {
			t.Seq = l.ask.Take.Seq + 1
		}
		l.ask.Take = &t
	})
	lt.request()
}

// onPiece applies a piece and requests the next one.
func (lt *logsTab) onPiece(piece *log.Piece) (redraw bool) {
	l := lt.logs
	if t := l.ask.Take; t == nil || piece.Seq != t.Seq || piece.Number != t.Number {
		return false
	}
	if l.ask.Take.Copy {
		lt.onCopied(piece)
		return false
	}
	lt.update(func(l *logs) {
		l.saving = append(l.saving, piece.Text)
		next := *l.ask.Take
		next.Number++
		l.ask.Take = &next
	})
	if !piece.Last {
		lt.request()
		return false
	}
	name := lt.address.Container
	if name == log.AllContainers || name == "" {
		name = "logs"
	}
	lt.browser.Save(unfit().ReplaceAllString(lt.drawer.asked.Name+"-"+name, "-")+".log", "text/plain;charset=utf-8", lt.logs.saving)
	lt.update(func(l *logs) { l.saving = nil })
	if piece.Lost > 0 {
		lt.notices.say(notice{text: Count(int(piece.Lost)) + " lines were dropped before they could be saved."})
	}
	return true
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
