package web

import (
	"math"
	"strconv"

	"watchglass/internal/detail/log"
)

// pickLogs chooses a line; a second one, and all between; a third begins anew.
func (p *Page) pickLogs(value string) {
	at, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return
	}
	p.changeLogs(func(l *logs) {
		switch {
		case !l.picking || l.picked != l.picks:
			l.picking, l.picked, l.picks = true, at, at
		case at == l.picked:
			l.picking = false
		default:
			l.picked, l.picks = min(at, l.picked), max(at, l.picked)
		}
	})
	p.paintText()
}

// copyLogs copies the lines that are chosen, or all that show.
func (p *Page) copyLogs() {
	l := p.drawer.logs
	from, to := l.picked, l.picks
	if !l.picking {
		from, to = 0, math.MaxInt64
	}
	p.askPiece(log.Take{Copy: true, From: from, To: to, Export: log.Export{Names: len(l.names) > 0, Times: l.times}})
}

// saveLogs saves what is held: as it shows, or all of it as it came.
func (p *Page) saveLogs(raw bool) {
	l := p.drawer.logs
	how := log.Export{All: raw, Raw: raw, Names: !raw && len(l.names) > 0, Times: !raw && l.times}
	p.changeLogs(func(l *logs) { l.saving = nil })
	p.askPiece(log.Take{Export: how})
}

// askPiece asks for the first piece of something.
func (p *Page) askPiece(t log.Take) {
	p.changeLogs(func(l *logs) {
		if t.Seq = 1; l.ask.Take != nil {
			t.Seq = l.ask.Take.Seq + 1
		}
		l.ask.Take = &t
	})
	p.askLogs()
}

// takeLogsPiece takes a piece, and asks for the next.
func (p *Page) takeLogsPiece(piece *log.Piece) (redraw bool) {
	l := p.drawer.logs
	if t := l.ask.Take; t == nil || piece.Seq != t.Seq || piece.Number != t.Number {
		return false
	}
	if l.ask.Take.Copy {
		p.copiedLogs(piece)
		return false
	}
	p.changeLogs(func(l *logs) {
		l.saving = append(l.saving, piece.Text)
		next := *l.ask.Take
		next.Number++
		l.ask.Take = &next
	})
	if !piece.Last {
		p.askLogs()
		return false
	}
	name := p.address.Container
	if name == log.AllContainers || name == "" {
		name = "logs"
	}
	p.browser.Save(unfit.ReplaceAllString(p.drawer.asked.Name+"-"+name, "-")+".log", "text/plain;charset=utf-8", p.drawer.logs.saving)
	p.changeLogs(func(l *logs) { l.saving = nil })
	if piece.Lost > 0 {
		p.say(notice{text: Count(int(piece.Lost)) + " lines went for want of room before they could be saved."})
	}
	return true
}

func (p *Page) copiedLogs(piece *log.Piece) {
	said := "The lines are copied."
	if piece.Lost > 0 {
		said = "The first 4 MB of the lines are copied."
	}
	p.browser.Copy(string(piece.Text), func(copied bool) {
		if !copied {
			said = "The browser has no clipboard for this page."
		}
		p.mu.Lock()
		p.say(notice{text: said})
		p.mu.Unlock()
	})
}
