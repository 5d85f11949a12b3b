package tone

import (
	"slices"
	"strconv"
	"strings"
)

// Tone is the severity of a state. Each of the four besides Plain has its own colour and glyph. The
// lists, the Related tab and the summary all take it from this file.
type Tone string

// The tones. Red means that somebody must act; amber means less than was asked for.
const (
	Plain   Tone = ""
	OK      Tone = "ok"
	Pending Tone = "pending"
	Warning Tone = "warning"
	Failed  Tone = "failed"
)

// tones are the tones of kubectl's statuses and event types.
var tones = map[string]Tone{
	"Running": OK, "Completed": OK, "Succeeded": OK, "Active": OK, "Ready": OK, "Bound": OK, "Complete": OK, "Available": OK,
	"SuccessCriteriaMet": OK, "Healthy": OK, "Synced": OK,
	"Pending": Pending, "ContainerCreating": Pending, "PodInitializing": Pending, "SchedulingGated": Pending,
	"Terminating": Pending, "Unknown": Pending, "ContainerStatusUnknown": Pending, "Suspended": Pending, "Released": Pending,
	"Progressing": Pending, "Warning": Warning, "OutOfSync": Warning, "Missing": Warning, "Degraded": Failed,
	"True": OK, "False": Warning, // a condition
	"Failed": Failed, "Evicted": Failed, "OOMKilled": Failed, "DeadlineExceeded": Failed, "NodeLost": Failed, "NotReady": Failed,
	"FailureTarget": Failed, "ContainerCannotRun": Failed, "InvalidImageName": Failed, "NodeAffinity": Failed, "Lost": Failed,
}

// done are the statuses of objects that have ended well.
var done = map[string]bool{"Completed": true, "Complete": true, "Succeeded": true, "SuccessCriteriaMet": true}

// Done reports whether a status is of an object that has ended well, and so is not expected to be ready.
func Done(status string) bool { return done[status] }

// Of returns the tone of a status of any kind.
func Of(status string) Tone {
	if t, ok := tones[status]; ok {
		return t
	}
	if ready, ok := strings.CutSuffix(status, ",SchedulingDisabled"); ok {
		if t := Of(ready); t != OK {
			return t
		}
		return Pending // somebody cordoned it on purpose
	}
	if rest, ok := strings.CutPrefix(status, "Init:"); ok {
		if strings.Contains(rest, "/") {
			return Pending
		}
		return Of(rest)
	}
	switch {
	case strings.HasPrefix(status, "Signal:"), strings.HasPrefix(status, "ExitCode:"), strings.HasPrefix(status, "OutOf"),
		strings.HasSuffix(status, "BackOff"), strings.HasPrefix(status, "Err"), strings.HasSuffix(status, "Error"):
		return Failed
	}
	return Plain
}

// releaseTones are the tones of the statuses of Helm's releases. One that is pending may have been left so
// by a command that was interrupted, and then blocks the next.
var releaseTones = map[string]Tone{
	"deployed": OK, "failed": Failed, "pending-install": Warning, "pending-upgrade": Warning, "pending-rollback": Warning, "uninstalling": Pending, "unknown": Pending,
}

// OfState returns the tone of a kind's state: a status, or a ratio of ready objects.
func OfState(kind, state string) Tone {
	switch {
	case kind == "Release" && releaseTones[state] != Plain:
		return releaseTones[state]
	case kind == "PersistentVolumeClaim" && state == "Pending":
		return Warning // pods wait for it
	case kind == "Pod" && state == "NotReady":
		return Warning // some containers have ended, and the others are not ready
	}
	if n, of, ok := Fraction(state); ok {
		return readiness(n, of)
	}
	return Of(state)
}

// readiness returns the tone of n ready out of a desired number.
func readiness(n, of int) Tone {
	switch {
	case of <= 0:
		return Plain
	case n >= of:
		return OK
	case n <= 0:
		return Failed
	}
	return Warning
}

// Fraction parses "6/8".
func Fraction(text string) (n, of int, ok bool) {
	a, b, ok := strings.Cut(text, "/")
	if !ok {
		return 0, 0, false
	}
	n, err := strconv.Atoi(a)
	if err != nil {
		return 0, 0, false
	}
	of, err = strconv.Atoi(b)
	return n, of, err == nil
}

// StateColumns are the columns that show the state of an object, the most significant first. Case is
// ignored, because definitions differ in it. Those after Ready are of kinds that have neither of the
// first two.
var StateColumns = []string{
	"Status", "Ready", "Phase", "State", "Health Status", "Succeeded", "Healthy", "Available", "Synced", "Installed", "Programmed", "Accepted", "Sync Status", "Severity",
}

// Cells determines the tones of a row's cells. Its fields other than kind are indexes of
// columns; -1 if a column is not shown.
type Cells struct {
	kind                                              string
	status, event, ready, desired, completions, other int
}

// NewCells returns the cell tones of a kind's columns.
func NewCells(kind string, columns []string) Cells {
	t := Cells{kind, -1, -1, -1, -1, -1, -1}
	rank := len(StateColumns)
	for i, name := range columns {
		switch name = strings.ToLower(name); name {
		case "status":
			first(&t.status, i)
		case "type":
			first(&t.event, i)
		case "ready":
			first(&t.ready, i)
		case "desired":
			first(&t.desired, i)
		case "completions":
			first(&t.completions, i)
		default:
			at := slices.IndexFunc(StateColumns, func(state string) bool { return strings.EqualFold(state, name) })
			if at >= 0 && at < rank {
				t.other, rank = i, at
			}
		}
	}
	if t.status >= 0 || t.ready >= 0 {
		t.other = -1
	}
	return t
}

// Columns returns the indexes of the columns that the tone of a row follows from. Only events have a
// type with a tone.
func (t Cells) Columns() (all []int) {
	for i, column := range [...]int{t.status, t.ready, t.desired, t.completions, t.other, t.event} {
		if column >= 0 && (column != t.event || i < 5 || t.kind == "Event") {
			all = append(all, column)
		}
	}
	return all
}

// first sets an index that is not set. A definition can name two columns alike.
func first(at *int, i int) {
	if *at < 0 {
		*at = i
	}
}

// Has reports whether cells of a column may have a tone.
func Has(name string) bool {
	t := NewCells("", []string{name})
	return t.status == 0 || t.event == 0 || t.ready == 0 || t.completions == 0 || t.other == 0
}

// Row returns the tone of a row: the first tone of its cells, the most
// significant column first. health is the tone that the object's cells do not show.
func (t Cells) Row(cells []string, health Tone) Tone {
	for _, column := range [...]int{t.status, t.ready, t.completions, t.other, t.event} {
		if column >= 0 && column < len(cells) {
			if tone := t.Cell(column, cells, health); tone != Plain {
				return tone
			}
		}
	}
	return health
}

// Cell returns the tone of one cell of a row. A status is not green if the readiness beside it
// or the object's health is not. Readiness has no tone if the status already shows the same.
func (t Cells) Cell(column int, cells []string, health Tone) Tone {
	switch column {
	case t.event:
		return Of(cells[column])
	case t.other:
		return OfState(t.kind, cells[column])
	case t.status:
		tone := OfState(t.kind, cells[column])
		if tone != OK {
			return tone
		}
		if lacks := t.unready(cells); lacks != Plain {
			return lacks
		}
		if health != Plain {
			return health
		}
		return tone
	case t.ready:
		if t.status >= 0 {
			return t.unready(cells)
		}
		return t.readiness(cells)
	case t.completions:
		if t.status < 0 {
			return health // servers before 1.30 print no status of jobs
		}
		if n, of, ok := Fraction(cells[column]); ok && n < of && t.statusTone(cells) == Failed {
			return Failed
		}
	}
	return Plain
}

// statusTone returns the tone of a row's status alone.
func (t Cells) statusTone(cells []string) Tone {
	if t.status < 0 || t.status >= len(cells) {
		return Plain
	}
	return OfState(t.kind, cells[t.status])
}

// unready returns Warning if a row is not ready and its status does not show that: a pod is Running
// even if some of its containers are not ready.
func (t Cells) unready(cells []string) Tone {
	if own := t.statusTone(cells); t.status < 0 || t.status >= len(cells) || own != OK && own != Plain || Done(cells[t.status]) {
		return Plain
	}
	if r := t.readiness(cells); r == Warning || r == Failed {
		return Warning
	}
	return Plain
}

// readiness returns the tone of the Ready column alone: "6/8", a number to compare with the Desired
// column, or a condition.
func (t Cells) readiness(cells []string) Tone {
	if t.ready < 0 || t.ready >= len(cells) || t.kind == "Pod" && t.status < 0 {
		return Plain // a pod that has ended looks like one that is not ready
	}
	text := cells[t.ready]
	if n, of, ok := Fraction(text); ok {
		return readiness(n, of)
	}
	if tone := Of(text); tone != Plain {
		return tone
	}
	if t.desired < 0 || t.desired >= len(cells) {
		return Plain
	}
	n, err := strconv.Atoi(text)
	of, err2 := strconv.Atoi(cells[t.desired])
	if err != nil || err2 != nil {
		return Plain
	}
	return readiness(n, of)
}
