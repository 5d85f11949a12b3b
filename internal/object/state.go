package object

import (
	"cmp"
	"strings"

	"watchglass/internal/object/tone"
)

// ratherThanStatus are the columns that show the state of some kinds better than tone.StateColumns; a
// separator between column names is printed between the values.
var ratherThanStatus = map[string]string{
	"ReplicaSet": "Ready/Desired", "DaemonSet": "Ready/Desired", "ReplicationController": "Ready/Desired", "Service": "Type",
	"PodDisruptionBudget": "Allowed Disruptions", "HorizontalPodAutoscaler": "Replicas", "CronJob": "Schedule",
}

// State returns an object's state as the list of its kind shows it. An unmet condition is shown by
// its reason, if there is a column for it.
func State(kind string, o *Object, columns []Column) string {
	text := func(name string) string {
		c, ok := CellOf(o, columns, name)
		if !ok || c.Kind.Ticks() || c.Text == none {
			return ""
		}
		return c.Text
	}
	if first, second, two := strings.Cut(ratherThanStatus[kind], "/"); text(first) != "" { // else it is another group's kind
		if two {
			return text(first) + "/" + text(second)
		}
		return text(first)
	}
	for _, name := range tone.StateColumns {
		switch state := text(name); state {
		case "":
		case "True":
			return name
		case "False":
			return cmp.Or(text("Reason"), "Not "+strings.ToLower(name))
		case "Unknown":
			return cmp.Or(text("Reason"), state)
		default:
			return state
		}
	}
	return text("Completions") // jobs of servers before 1.30 have no status
}

// CellOf returns an object's cell in the column of a name, ignoring case.
func CellOf(o *Object, columns []Column, name string) (Cell, bool) {
	for i, c := range columns {
		if strings.EqualFold(c.Name, name) {
			return o.Cell(columns, i), true
		}
	}
	return Cell{}, false
}

// ToneOfObject returns the tone of an object, given its kind and its decoder's columns.
func ToneOfObject(kind string, o *Object, columns []Column) tone.Tone {
	names, cells := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		if names[i] = c.Name; !c.Kind.Ticks() {
			cells[i] = o.Cell(columns, i).Text
		}
	}
	return tone.NewCells(kind, names).Row(cells, o.Health())
}
