package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor time in /proc/PID/stat: 1/100 s for every program,
// whatever the kernel counts in.
const tick = 10 * time.Millisecond

// cpu is the processor time that a process has had.
func cpu(pid int) (time.Duration, error) {
	doc, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name, in brackets, may hold anything. utime and stime are the 14th and
	// 15th of all fields, the 12th and 13th behind the name.
	fields := strings.Fields(string(doc[bytes.LastIndexByte(doc, ')')+1:]))
	return ticks(fields, 11, 13)
}

// ticks sums some of the fields of a line.
func ticks(fields []string, from, to int) (time.Duration, error) {
	if len(fields) < to {
		return 0, fmt.Errorf("%q has %d fields", fields, len(fields))
	}
	var sum time.Duration
	for _, field := range fields[from:to] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}

// machine is the processor time that all processes have had, and that all
// processors could have given.
func machine() (used, whole time.Duration, err error) {
	doc, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, err
	}
	line, _, _ := strings.Cut(string(doc), "\n")
	fields := strings.Fields(line) // cpu user nice system idle iowait irq softirq steal …
	if whole, err = ticks(fields, 1, 9); err != nil {
		return 0, 0, err
	}
	idle, err := ticks(fields, 4, 6)
	return whole - idle, whole, err
}

// written is how many bytes a process has written, to sockets for the most part.
func written(pid int) (int64, error) {
	return procField(fmt.Sprintf("/proc/%d/io", pid), "wchar")
}

// statusKB is a figure of /proc/PID/status, in bytes.
func statusKB(pid int, name string) (int64, error) {
	kb, err := procField(fmt.Sprintf("/proc/%d/status", pid), name)
	return kb << 10, err
}

// procField is the number behind "name:" in a file.
func procField(path, name string) (int64, error) {
	doc, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(doc)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strconv.ParseInt(strings.Fields(value)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no %s", path, name)
}

// load is the machine's load over the last minute.
func load() (string, error) {
	doc, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "", err
	}
	minute, _, _ := strings.Cut(string(doc), " ")
	return minute, nil
}

// workerThreads are what Chromium calls the thread of a worker, of one tab and of all, as
// far as the kernel keeps names.
var workerThreads = []string{"DedicatedWorker", "SharedWorker th"}

// workerCPU is the processor time of the workers' threads in our browsers. The
// compilers of the wasm have threads of their own, which are not in it.
func workerCPU() (time.Duration, error) {
	tasks, err := filepath.Glob("/proc/[0-9]*/task/[0-9]*/comm")
	if err != nil {
		return 0, err
	}
	parents, total, found := map[int]int{}, time.Duration(0), false
	for _, path := range tasks {
		name, err := os.ReadFile(path)
		if err != nil || !slices.Contains(workerThreads, strings.TrimRight(string(name), "\n")) {
			continue // another's, or gone
		}
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2]) // the pattern has digits there
		if !descends(pid, os.Getpid(), parents) {
			continue
		}
		doc, err := os.ReadFile(filepath.Join(filepath.Dir(path), "schedstat"))
		if err != nil {
			return 0, err
		}
		ns, err := strconv.ParseInt(strings.Fields(string(doc))[0], 10, 64)
		if err != nil {
			return 0, err
		}
		total, found = total+time.Duration(ns), true
	}
	if !found {
		return 0, fmt.Errorf("none of our browsers has a thread called one of %q", workerThreads)
	}
	return total, nil
}

// descends reports whether a process comes from another one. Parents remembers
// what was read.
func descends(pid, from int, parents map[int]int) bool {
	for ; pid > 1; pid = parents[pid] {
		if pid == from {
			return true
		}
		if _, ok := parents[pid]; !ok {
			parent, _ := procField(fmt.Sprintf("/proc/%d/status", pid), "PPid") // 0 ends it
			parents[pid] = int(parent)
		}
	}
	return false
}

// browserPIDs are the processes of our browsers: those below this one, and not of what else
// it started.
func browserPIDs(from int) (pids []int, err error) {
	paths, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		return nil, err
	}
	parents := map[int]int{}
	for _, path := range paths {
		name, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(name), "chrom") && !strings.Contains(string(name), "headless") {
			continue
		}
		if pid, _ := strconv.Atoi(strings.Split(path, "/")[2]); descends(pid, from, parents) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
