package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// processor is the processor time of all threads that a process has, in
// nanoseconds, where cpu counts in hundredths of a second. Go keeps its threads.
func processor(pid int) (time.Duration, error) {
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*/schedstat", pid))
	if err != nil || len(paths) == 0 {
		return 0, errors.Join(err, fmt.Errorf("process %d has no threads", pid))
	}
	var total time.Duration
	for _, path := range paths {
		doc, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		ns, err := strconv.ParseInt(strings.Fields(string(doc))[0], 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(ns)
	}
	return total, nil
}

// processors is the processor time of several processes.
func processors(pids ...int) (all []time.Duration, err error) {
	for _, pid := range pids {
		spent, err := processor(pid)
		if err != nil {
			return nil, err
		}
		all = append(all, spent)
	}
	return all, nil
}

// resident is the resident memory of a process.
func resident(pid int) (float64, error) {
	bytes, err := statusKB(pid, "VmRSS")
	return float64(bytes), err
}

// connectionsTo is how many connections a process has to a port.
func connectionsTo(pid, port int) (int, error) {
	sockets := map[string]bool{} // by their inodes
	for _, name := range []string{"tcp", "tcp6"} {
		table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, name))
		if err != nil {
			return 0, err
		}
		for _, inode := range establishedTo(string(table), port) {
			sockets["socket:["+inode+"]"] = true
		}
	}
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		return 0, err
	}
	n := 0
	for _, path := range files {
		if name, err := os.Readlink(path); err == nil && sockets[name] { // one that is closed just now is none
			n++
		}
	}
	return n, nil
}

// established is the state of a connection that stands, as the kernel writes it.
const established = "01"

// establishedTo finds in a table like /proc/net/tcp the inodes of the connections to
// a port that stand.
func establishedTo(table string, port int) (inodes []string) {
	suffix := fmt.Sprintf(":%04X", port)
	for line := range strings.Lines(table) {
		fields := strings.Fields(line) // sl local remote state queues timer retransmits uid timeout inode …
		if len(fields) > 9 && strings.HasSuffix(fields[2], suffix) && fields[3] == established {
			inodes = append(inodes, fields[9])
		}
	}
	return inodes
}

// sumOf sums the samples of a metric, in Prometheus's text, that have a label. There
// may be none.
func sumOf(doc, name, label string) (sum float64, found bool, err error) {
	for line := range strings.Lines(doc) {
		labels, value, ok := strings.Cut(strings.TrimPrefix(line, name+"{"), "} ")
		if !ok || !strings.HasPrefix(line, name+"{") || !strings.Contains(","+labels+",", ","+label+",") {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			return 0, false, err
		}
		sum, found = sum+v, true
	}
	return sum, found, nil
}
