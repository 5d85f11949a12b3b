package grid

import "strings"

// Tone is how things are, in four steps. Each has a colour and a glyph of its
// own.
type Tone string

// The tones.
const (
	Plain   Tone = ""
	OK      Tone = "ok"
	Pending Tone = "pending"
	Warning Tone = "warning"
	Failed  Tone = "failed"
)

// tones of what kubectl prints as a status, or as the type of an event. Red is for what needs a person.
var tones = map[string]Tone{
	"Running": OK, "Completed": OK, "Succeeded": OK, "Active": OK, "Ready": OK, "Bound": OK, "Complete": OK, "Available": OK,
	"Pending": Pending, "ContainerCreating": Pending, "PodInitializing": Pending, "SchedulingGated": Pending,
	"Terminating": Pending, "Unknown": Pending, "ContainerStatusUnknown": Pending, "Suspended": Pending,
	"CrashLoopBackOff": Warning, "ImagePullBackOff": Warning, "ErrImagePull": Warning, "NotReady": Warning, "ErrImageNeverPull": Warning,
	"CreateContainerConfigError": Warning, "CreateContainerError": Warning, "InvalidImageName": Warning, "RunContainerError": Warning,
	"Failed": Failed, "Error": Failed, "Evicted": Failed, "OOMKilled": Failed, "DeadlineExceeded": Failed, "NodeLost": Failed,
	"SuccessCriteriaMet": OK, "Released": Pending, "FailureTarget": Failed, "Warning": Warning,
	"ContainerCannotRun": Failed, "StartError": Failed, "UnexpectedAdmissionError": Failed, "NodeAffinity": Failed, "Lost": Failed,
}

// ToneOf is the tone of a status.
func ToneOf(status string) Tone {
	if t, ok := tones[status]; ok {
		return t
	}
	if ready, ok := strings.CutSuffix(status, ",SchedulingDisabled"); ok {
		if t := ToneOf(ready); t != OK {
			return t
		}
		return Pending // somebody wants it so
	}
	if rest, ok := strings.CutPrefix(status, "Init:"); ok {
		if strings.Contains(rest, "/") {
			return Pending
		}
		return ToneOf(rest)
	}
	switch {
	case strings.HasPrefix(status, "Signal:"), strings.HasPrefix(status, "ExitCode:"), strings.HasPrefix(status, "OutOf"):
		return Failed
	case strings.HasSuffix(status, "BackOff"), strings.HasPrefix(status, "Err"), strings.HasSuffix(status, "Error"):
		return Warning
	}
	return Plain
}
