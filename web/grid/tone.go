package grid

import "watchglass/internal/object"

// Tone is the severity of an object or a cell. Package object has the rules.
type Tone = object.Tone

// The tones.
const (
	Plain   = object.Plain
	OK      = object.OK
	Pending = object.Pending
	Warning = object.Warning
	Failed  = object.Failed
)

func newCellTones(kind string, columns []Column) object.CellTones {
	names := make([]string, len(columns))
	for i, c := range columns {
		if !c.Sum {
			names[i] = c.Name
		}
	}
	return object.NewCellTones(kind, names)
}

// StateTone returns the tone of a kind's state.
func StateTone(kind, state string) Tone { return object.StateTone(kind, state) }
