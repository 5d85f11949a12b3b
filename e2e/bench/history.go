package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// entry is one run in the history: a line of history.jsonl.
type entry struct {
	Date    string    `json:"date"`
	Command string    `json:"command"`          // such as bench or parts
	Commit  string    `json:"commit,omitempty"` // unknown of figures that were read from a README
	Machine string    `json:"machine"`
	Figures []reading `json:"figures"`
}

// reading is one figure of a run: a cell of the README's tables, or a line of the full report.
type reading struct {
	Table  string   `json:"table"`
	Row    string   `json:"row"`
	Column string   `json:"column"`
	Text   string   `json:"text"`          // as it is printed, with its unit
	Value  float64  `json:"value"`         // in ms, KB, × or a number
	Min    *float64 `json:"min,omitempty"` // of the rounds, in the same unit
	Max    *float64 `json:"max,omitempty"`
}

func (r reading) key() [3]string { return [3]string{r.Table, r.Row, r.Column} }

// scale turns each unit into the one of its kind that a reading is in.
var scale = map[string]float64{"": 1, "×": 1, "%": 1, "ns": 1e-6, "µs": 1e-3, "ms": 1, "s": 1e3, "KB": 1, "MB": 1e3}

var cellFigure = regexp.MustCompile(`^(-?[0-9][0-9,]*(?:\.[0-9]+)?)(?: (×|%|ns|µs|ms|s|KB|MB))?(?: \([0-9.]+ to [0-9.]+\))?$`)

// readTables returns all figures of the tables in a Markdown text. A cell that is no single figure,
// such as a text, a dash or two figures, has none. The spread behind a figure is left out.
func readTables(markdown string) (all []reading) {
	var heads []string
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			heads = nil
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], "**", ""))
		}
		if heads == nil {
			heads = distinct(cells)
			continue
		}
		for i := 1; i < min(len(cells), len(heads)); i++ {
			if m := cellFigure.FindStringSubmatch(cells[i]); m != nil {
				v, _ := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
				all = append(all, reading{Table: heads[0], Row: cells[0], Column: heads[i], Text: strings.TrimSpace(m[1] + " " + m[2]), Value: v * scale[m[2]]})
			}
		}
	}
	return disambiguated(all)
}

// distinct puts the one before it in front of a head that occurs twice, such as the ratio of two clusters.
func distinct(heads []string) []string {
	out := slices.Clone(heads)
	for i := range heads {
		if at := slices.Index(heads, heads[i]); i > 0 && (at < i || slices.Contains(heads[i+1:], heads[i])) {
			out[i] = heads[i-1] + ": " + heads[i]
		}
	}
	return out
}

// disambiguated puts the row before it in front of a row that occurs twice in a table, such as the
// ratio of the two contenders above it.
func disambiguated(all []reading) []reading {
	seen, before := map[[3]string]bool{}, ""
	for i, r := range all {
		if !seen[r.key()] && !strings.HasPrefix(r.Row, "Watchglass / ") {
			before = r.Row
		} else if load, _, ok := strings.Cut(before, ": "); ok {
			all[i].Row = load + ": " + r.Row
		}
		seen[all[i].key()] = true
	}
	return all
}

// readSections returns the lines of the full report, with their spread.
func readSections(sections []section) (all []reading) {
	for _, s := range sections {
		for _, r := range wholeNames(s.Rows) {
			if len(r.Values) == 0 {
				continue
			}
			by := scale[string(r.Unit)]
			least, most := by*r.Values.quantile(0), by*r.Values.quantile(1)
			v := r.Of.of(r.Values)
			all = append(all, reading{
				Table: s.Name, Row: r.Name, Column: "median", Text: strings.TrimSpace(r.figure(v) + " " + string(r.Unit)),
				Value: by * v, Min: &least, Max: &most,
			})
		}
	}
	return all
}

var (
	measuredOn = regexp.MustCompile("`make [a-z]+` on ([0-9]{4}-[0-9]{2}-[0-9]{2})")
	measuredBy = regexp.MustCompile(`[0-9]+ cores, [a-z0-9]+/[a-z0-9]+`)
)

// readEntry reads a run from what it wrote into the README.
func readEntry(command, markdown string) (entry, error) {
	on, by := measuredOn.FindStringSubmatch(markdown), measuredBy.FindString(markdown)
	e := entry{Command: command, Machine: by, Figures: readTables(markdown)}
	if on == nil || by == "" || len(e.Figures) == 0 {
		return e, fmt.Errorf("the figures of %s have no date, machine or table", command)
	}
	e.Date = on[1]
	return e, nil
}

// readHistory reads all entries, oldest first.
func readHistory(path string) (all []entry, err error) {
	doc, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(doc))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, len(all)+1, err)
		}
		all = append(all, e)
	}
	return all, lines.Err()
}

// appendHistory adds an entry to the history.
func appendHistory(path string, e entry) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(line.Bytes())
	return errors.Join(err, f.Close())
}

// latest returns the last entry of a command that is wanted.
func latest(all []entry, command string, wanted func(entry) bool) (entry, bool) {
	for _, e := range slices.Backward(all) {
		if e.Command == command && wanted(e) {
			return e, true
		}
	}
	return entry{}, false
}

// worthSaying is how much a figure has to differ to be printed, in percent: medians of a shared
// machine differ by less from run to run.
const worthSaying = 5

// changed prints which figures differ between two runs.
func changed(out io.Writer, what string, before, after entry) {
	fmt.Fprintf(out, "\nChanged by %d %% and more since %s, %s %s:\n", worthSaying, what, before.Date, before.Commit)
	was := map[[3]string]reading{}
	for _, r := range before.Figures {
		was[r.key()] = r
	}
	same := 0
	for _, r := range after.Figures {
		b, ok := was[r.key()]
		if !ok || b.Value == 0 {
			continue
		}
		if by := 100 * (r.Value/b.Value - 1); by <= -worthSaying || by >= worthSaying {
			fmt.Fprintf(out, "  %+4.0f %%  %s: %s, %s: %s → %s\n", by, r.Table, r.Row, r.Column, b.Text, r.Text)
		} else {
			same++
		}
	}
	fmt.Fprintf(out, "  %d figures differ by less.\n", same)
}

// remember adds a run to the history beside the README, prints what changed since the last run on
// this machine and since that of another commit, and draws the plots anew.
func remember(out io.Writer, readme, command, markdown string, sections []section) error {
	e, err := readEntry(command, markdown)
	if err != nil {
		return err
	}
	e.Figures = append(e.Figures, readSections(sections)...)
	e.Commit, e.Machine, e.Date = commit(), thisMachine(), time.Now().UTC().Format("2006-01-02T15:04Z")
	path := filepath.Join(filepath.Dir(readme), "history.jsonl")
	all, err := readHistory(path)
	if err != nil {
		return err
	}
	here := func(b entry) bool { return b.Machine == e.Machine }
	last, ok := latest(all, command, here)
	if ok {
		changed(out, "the last run on a machine like this", last, e)
	}
	other, also := latest(all, command, func(b entry) bool { return here(b) && b.Commit != e.Commit })
	if also && (other.Date != last.Date || other.Commit != last.Commit) {
		changed(out, "the last run of another commit", other, e)
	}
	if err := appendHistory(path, e); err != nil {
		return err
	}
	return drawPlots(filepath.Dir(readme))
}

// commit names what is checked out; -dirty says that something in it was changed.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty", "--exclude", "*").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

func thisMachine() string {
	return fmt.Sprintf("%d cores, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
}

// plotsCommand records the figures of the README that are not in the history, and draws the plots.
const plotsCommand = "plots"

// commandBlock is the part of the README that a command writes.
type commandBlock struct {
	command string
	block   block
}

// blocks are the parts of the README with a history.
var blocks = []commandBlock{
	{"bench", figuresBlock}, {partsCommand, partsBlock}, {connectionsCommand, connectionsBlock}, {largeCommand, largeBlock},
	{againCommand, againBlock}, {pastCommand, pastBlock}, {overviewCommand, overviewBlock},
}

// plots is the whole command.
func plots(readme string) error {
	doc, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(readme), "history.jsonl")
	all, err := readHistory(path)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		e, err := readEntry(b.command, b.block.in(string(doc)))
		if err != nil {
			return err
		}
		last, ok := latest(all, b.command, func(entry) bool { return true })
		if ok && last.has(e.Figures) {
			continue
		}
		if err := appendHistory(path, e); err != nil {
			return err
		}
	}
	return drawPlots(filepath.Dir(readme))
}

// kept returns the README to write to, or "" if the sizes of a run are not the usual ones: the plots and the history
// compare figures of the same sizes.
func kept(flags *flag.FlagSet, readme string, log io.Writer) string {
	flags.Visit(func(f *flag.Flag) {
		if readme != "" && f.Name != "readme" && f.Name != "rounds" {
			fmt.Fprintf(log, "bench: nothing is written to %s, since -%s is not as usual\n", readme, f.Name)
			readme = ""
		}
	})
	return readme
}

// keep writes what a run has measured into the README, and adds it to the history. Without a README it does nothing.
func keep(out io.Writer, readme, command, markdown string, sections []section) error {
	if readme == "" {
		return nil
	}
	at := slices.IndexFunc(blocks, func(b commandBlock) bool { return b.command == command })
	if err := blocks[at].block.write(readme, markdown); err != nil {
		return err
	}
	return remember(out, readme, command, markdown, sections)
}

// has reports whether an entry has all of some figures.
func (e entry) has(figures []reading) bool {
	have := map[[3]string]string{}
	for _, r := range e.Figures {
		have[r.key()] = r.Text
	}
	return !slices.ContainsFunc(figures, func(r reading) bool { return have[r.key()] != r.Text })
}
