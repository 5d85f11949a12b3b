package web

import (
	"math"
	"strconv"

	"watchglass/internal/detail/log"
)

// pickLogs chooses a line; a second one, and all between; a third begins anew.
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

// copyLogs copies the lines that are chosen, or all that show.
func (lt *logsTab) copyLines() {
	l := lt.logs
	from, to := l.picked, l.picks
	if !l.picking {
		from, to = 0, math.MaxInt64
	}
	lt.askPiece(log.Take{Copy: true, From: from, To: to, Export: log.Export{Names: len(l.names) > 0, Times: l.times}})
}

// saveLogs saves what is held: as it shows, or all of it as it came.
func (lt *logsTab) save(raw bool) {
	l := lt.logs
	how := log.Export{All: raw, Raw: raw, Names: !raw && len(l.names) > 0, Times: !raw && l.times}
	lt.update(func(l *logs) { l.saving = nil })
	lt.askPiece(log.Take{Export: how})
}

// askPiece asks for the first piece of something.
func (lt *logsTab) askPiece(t log.Take) {
	lt.update(func(l *logs) {
		if t.Seq = 1; l.ask.Take != nil {
			t.Seq = l.ask.Take.Seq + 1
		}
		l.ask.Take = &t
	})
	lt.request()
}

// takeLogsPiece takes a piece, and asks for the next.
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
	lt.browser.Save(unfit.ReplaceAllString(lt.drawer.asked.Name+"-"+name, "-")+".log", "text/plain;charset=utf-8", lt.logs.saving)
	lt.update(func(l *logs) { l.saving = nil })
	if piece.Lost > 0 {
		lt.notices.say(notice{text: Count(int(piece.Lost)) + " lines went for want of room before they could be saved."})
	}
	return true
}

func (lt *logsTab) onCopied(piece *log.Piece) {
	said := "The lines are copied."
	if piece.Lost > 0 {
		said = "The first 4 MB of the lines are copied."
	}
	lt.browser.Copy(string(piece.Text), func(copied bool) {
		if !copied {
			said = "The browser has no clipboard for this page."
		}
		lt.locked(func() { lt.notices.say(notice{text: said}) })
	})
}
