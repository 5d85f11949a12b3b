package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// columns is a table with a column for each of several sections, and one for their budgets.
type columns struct {
	title    string
	heads    []string // of the sections
	sections []section
}

// markdown writes the table. Rows of the same name are one line.
func (c columns) markdown() string {
	var out strings.Builder
	fmt.Fprintf(&out, "| %s | %s | budget |\n| --- |%s\n", c.title, strings.Join(c.heads, " | "), strings.Repeat(" ---: |", len(c.heads)+1))
	var of [][]row
	for _, s := range c.sections {
		of = append(of, wholeNames(s.Rows))
	}
	for _, name := range namesOf(of) {
		line := make([]row, len(of)) // a section may have no such row
		for i, rows := range of {
			if at := slices.IndexFunc(rows, func(r row) bool { return r.Name == name }); at >= 0 {
				line[i] = rows[at]
			}
		}
		fmt.Fprintf(&out, "| %s | %s |\n", name, strings.Join(cellsOf(line), " | "))
	}
	return out.String()
}

// ranOn says what the medians of a table are of.
func ranOn(command, what string) string {
	return fmt.Sprintf("\nMedians and their spread, of %s of `make %s` on %s; machine %s.\n", what, command, time.Now().UTC().Format(time.DateOnly), thisMachine())
}

// wholeNames puts the row above in front of the names that are indented, since they go on with it.
func wholeNames(rows []row) []row {
	rows, above := slices.Clone(rows), ""
	for i, r := range rows {
		if name, indented := strings.CutPrefix(r.Name, "  "); indented {
			rows[i].Name = above + ", " + name
		} else {
			above = r.Name
		}
	}
	return rows
}

// namesOf returns the names of all rows, in the order of the longest section.
func namesOf(sections [][]row) (names []string) {
	sections = slices.Clone(sections)
	slices.SortStableFunc(sections, func(a, b []row) int { return len(b) - len(a) })
	for _, rows := range sections {
		for _, r := range rows {
			if !slices.Contains(names, r.Name) {
				names = append(names, r.Name)
			}
		}
	}
	return names
}

// cellsOf returns the cells of a line. Milliseconds are written as seconds if there are many.
func cellsOf(line []row) (cells []string) {
	long := slices.ContainsFunc(line, func(r row) bool { return r.Unit == millis && len(r.Values) > 0 && r.Of.of(r.Values) >= 1000 })
	allowed := ""
	for _, r := range line {
		if long && r.Unit == millis {
			r = r.inSeconds()
		}
		cells = append(cells, r.cell())
		if allowed == "" {
			allowed = r.allowed()
		}
	}
	return append(cells, allowed)
}

// inSeconds returns the row with seconds instead of milliseconds.
func (r row) inSeconds() row {
	r.Unit, r.Values = seconds, slices.Clone(r.Values)
	for i := range r.Values {
		r.Values[i] /= 1000
	}
	if r.Budget != nil {
		r.Budget = &budget{r.Budget.Most / 1000, r.Budget.Of}
	}
	return r
}

// cell returns the figure of a row, and its spread.
func (r row) cell() string {
	if len(r.Values) == 0 {
		return ""
	}
	figure := strings.TrimSpace(r.figure(r.Of.of(r.Values)) + " " + string(r.Unit))
	if len(r.Values) == 1 {
		return figure
	}
	return fmt.Sprintf("%s (%s to %s)", figure, r.figure(r.Values.quantile(0)), r.figure(r.Values.quantile(1)))
}
