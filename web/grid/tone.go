package grid

import (
	"watchglass/internal/object/tone"
)

// Tone is the severity of an object or a cell. Package object has the rules.
type Tone = tone.Tone

// The tones.
const (
	Plain   = tone.Plain
	OK      = tone.OK
	Pending = tone.Pending
	Warning = tone.Warning
	Failed  = tone.Failed
)

func newCellTones(kind string, columns []Column) tone.Cells {
	names := make([]string, len(columns))
	for i, c := range columns {
		if !c.Sum {
			names[i] = c.Name
		}
	}
	return tone.NewCells(kind, names)
}

// StateTone returns the tone of a kind's state.
func StateTone(kind, state string) Tone { return tone.OfState(kind, state) }
