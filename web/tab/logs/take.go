package logs

import (
	"math"
	"strconv"

	"watchglass/internal/detail/log"
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
	t.askPiece(log.Take{Copy: true, From: from, To: to, Export: log.Export{Names: len(l.names) > 0, Times: l.times}})
}

// save saves the lines shown or, if raw, everything buffered as it was received.
func (t *logs) save(raw bool) {
	l := t.shown
	how := log.Export{All: raw, Raw: raw, Names: !raw && len(l.names) > 0, Times: !raw && l.times}
	name := t.Host.Address().Container
	if name == log.AllContainers || name == "" {
		name = "logs"
	}
	t.update(func(l *state) {
		l.saving, l.savingAs = nil, words.FileName(t.Host.Subject().Name+"-"+name)+".log"
	})
	t.askPiece(log.Take{Export: how})
}

// askPiece requests the first piece of a file or a copy.
func (t *logs) askPiece(take log.Take) {
	t.update(func(l *state) {
		l.taken++
		take.Seq, l.ask.Take = l.taken, &take
	})
	t.request()
}

// onPiece applies a piece that is awaited, and requests the next one. After the last one, no request
// asks for a piece until the user saves or copies again.
func (t *logs) onPiece(piece *log.Piece) (redraw bool) {
	take := t.shown.ask.Take
	if take == nil || piece.Seq != take.Seq || piece.Number != take.Number {
		return false
	}
	if !piece.Last && !piece.Cut {
		t.update(func(l *state) {
			next := *take
			next.Number++
			l.saving, l.ask.Take = append(l.saving, piece.Text), &next
		})
		t.request()
		return false
	}
	saving := t.shown.saving
	t.update(func(l *state) { l.saving, l.ask.Take = nil, nil })
	switch {
	case piece.Cut && take.Copy:
		t.Host.Notify("The logs were reloaded before they could be copied. Copy again.")
	case piece.Cut:
		t.Host.Notify("The logs were reloaded before they could be saved. Save again.")
	case take.Copy:
		t.onCopied(piece)
		return false
	default:
		t.onSaved(append(saving, piece.Text), piece.Lost)
	}
	return true
}

// onSaved hands a complete file to the browser.
func (t *logs) onSaved(file [][]byte, lost uint64) {
	t.Host.Browser().Save(t.shown.savingAs, "text/plain;charset=utf-8", file)
	if lost > 0 {
		t.Host.Notify(words.Count(int(lost)) + " lines were dropped before they could be saved.")
	}
}

func (t *logs) onCopied(piece *log.Piece) {
	said := "Lines copied."
	if piece.Lost > 0 {
		said = "Copied the first 4 MB."
	}
	t.Host.Copy(string(piece.Text), said)
}
