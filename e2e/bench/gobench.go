package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// figure is what one run of a Go benchmark says of one operation.
type figure struct {
	took   float64 // ns
	allocs float64
}

// benchLine is a line of "go test -bench -benchmem": a name, on how many processors
// if on more than one, how often it ran, and values each with its unit.
var benchLine = regexp.MustCompile(`^(Benchmark\S*?)(?:-\d+)?\s+\d+\s+(.+)$`)

// parseBench reads what a test binary printed, by the names of the benchmarks.
func parseBench(out string) (map[string]figure, error) {
	figures := make(map[string]figure)
	for line := range strings.Lines(out) {
		m := benchLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		values, err := parseValues(strings.Fields(m[2]))
		took, timed := values["ns/op"]
		allocs, counted := values["allocs/op"]
		if err != nil || !timed || !counted {
			return nil, fmt.Errorf("%q tells no time and allocations: %v", line, err)
		}
		figures[m[1]] = figure{took, allocs}
	}
	return figures, nil
}

// parseValues reads values by their units.
func parseValues(words []string) (map[string]float64, error) {
	values := make(map[string]float64)
	for i := 0; i+1 < len(words); i += 2 {
		v, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			return nil, err
		}
		values[words[i+1]] = v
	}
	return values, nil
}
