package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// report is what was measured: the parts put it here, lines makes rows of it.
type report struct {
	Begin    time.Time `json:"begin"`
	Pods     int       `json:"pods"`
	Rounds   int       `json:"rounds"`
	Churn    float64   `json:"churn"`  // events a second that were asked for
	Flowed   float64   `json:"flowed"` // and that there were
	Versions versions  `json:"versions"`
	Sections []section `json:"sections"`

	bare                             visit // of a tab with next to nothing
	download, revisit                row
	visits, busy                     []visit
	busyNative, busyTasks            sample
	natives                          map[nativeKind]*nativeSamples
	others                           sample // of the machine, in percent
	filter, details                  sample
	changed, painted, fromSent       sample
	proxyIdle, proxyFirst, proxyMore sample
	demo                             demo
	gush                             gush
}

// section is rows that belong together.
type section struct {
	Name string `json:"name"`
	Rows []row  `json:"rows"`
}

// of is one figure of every visit.
func of(visits []visit, figure func(v visit) float64) sample {
	out := make(sample, 0, len(visits))
	for _, v := range visits {
		out = append(out, figure(v))
	}
	return out
}

// write writes all of it, to be read by programs.
func (r *report) write(path string) error {
	doc, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(doc, '\n'), 0o644)
}
