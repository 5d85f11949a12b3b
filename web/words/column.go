package words

// ColumnNotes say what the columns show that kubectl does not have.
var ColumnNotes = map[string]string{
	"Pods":              "running or pending",
	"CPU":               "usage",
	"Memory":            "usage",
	"Measured":          "age of the usage",
	"CPU Requests":      "sum of pods",
	"CPU Limits":        "sum of pods",
	"Memory Requests":   "sum of pods",
	"Memory Limits":     "sum of pods",
	"Requested":         "higher of CPU and memory requests, %",
	"CPU Requested":     "CPU requests, % of allocatable",
	"Memory Requested":  "memory requests, % of allocatable",
	"CPU of Request":    "CPU usage, % of request",
	"CPU of Limit":      "CPU usage, % of limit",
	"Memory of Request": "memory usage, % of request",
	"Memory of Limit":   "memory usage, % of limit",
	"Endpoints":         "ready",
	"Last Restart":      "of a container",
	"Exit":              "how a container last ended",
	"Exit Code":         "of the container that last ended",
	"Waiting":           "why a container waits",
	"Images":            "without registry",
	"Conditions":        "abnormal conditions",
}
