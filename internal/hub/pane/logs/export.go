package logs

import "watchglass/internal/detail/log"

const (
	// pieceBytes is about how much of a file the page gets at once.
	pieceBytes = 1 << 20
	// maxCopied is about how much text is copied at most.
	maxCopied = 4 << 20
)

// export makes the pieces of a file that is saved, and the text that is copied.
type export struct {
	asked  log.Take // the last request that was answered
	saving *log.Saving
	piece  *log.Piece // that the page waits for
}

// refuse answers a request for a piece of lines that are gone.
func (e *export) refuse(t log.Take) {
	e.asked, e.piece = t, &log.Piece{Seq: t.Seq, Number: t.Number, Cut: true}
}

// answer makes the piece that the page asks for, unless it already did. A file that is not being
// saved does not go on: neither a finished one nor one whose lines are gone.
func (e *export) answer(t log.Take, v *log.View) {
	if t == e.asked {
		return
	}
	e.asked = t
	e.piece = &log.Piece{Seq: t.Seq, Number: t.Number}
	if t.Copy {
		text, whole := v.Lines(t.From, t.To, t.Export, maxCopied)
		e.piece.Text, e.piece.Last = text, true
		if !whole {
			e.piece.Lost = 1
		}
		return
	}
	if t.Number == 0 {
		e.saving = v.Save(t.Export)
	}
	if e.saving == nil {
		e.refuse(t)
		return
	}
	text, more := e.saving.Next(nil, pieceBytes)
	e.piece.Text, e.piece.Last, e.piece.Lost = text, !more, e.saving.Lost
	if !more {
		e.saving = nil
	}
}

// next returns the piece to send, once; nil if there is none.
func (e *export) next() []byte {
	if e.piece == nil {
		return nil
	}
	doc := e.piece.Append(nil)
	e.piece = nil
	return doc
}

// stop ends the file, because its lines are dropped.
func (e *export) stop() { e.saving = nil }
