package grid

import "watchglass/internal/object"

// Tone is the tone of an object or of a cell. Package object has the rule.
type Tone = object.Tone

// The tones.
const (
	Plain   = object.Plain
	OK      = object.OK
	Pending = object.Pending
	Warning = object.Warning
	Failed  = object.Failed
)

func newToner(kind string, columns []Column) object.Toner {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return object.NewToner(kind, names)
}

// StateTone is the tone of a status of one kind's objects.
func StateTone(kind, state string) Tone { return object.StateTone(kind, state) }
