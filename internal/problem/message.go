package problem

import (
	"sort"
	"strings"

	"watchglass/internal/document"
)

// Messages of kubelets, runtimes and schedulers, cut to what is specific.

// wrappers are what runtimes put in front of the error that they pass on. A prefix of a part of the
// message is enough.
var wrappers = []string{
	"ErrImagePull", "ImagePullBackOff", "rpc error", "code = ", "Error response from daemon", "Back-off pulling image ",
	"failed to pull and unpack image ", "failed to pull image ", "Failed to pull image ", "failed to resolve reference ", "failed to resolve image ", "failed to authorize", "failed to fetch anonymous token", "failed to copy",
	"failed to create containerd task", "failed to create shim task", "OCI runtime create failed", "runc create failed",
	"unable to start container process", "error during container init", "failed to generate container ", "failed to generate spec", "Failed to apply default image tag ", "Failed to create pod sandbox", "failed to setup network for sandbox ",
}

// specific returns a message without the wrappers in front of its last parts, and without parts that
// only repeat a name that the reader has seen, such as the image.
func specific(message, name string) string {
	parts := strings.Split(message, ": ")
	var kept []string
	for i, part := range parts {
		if i < len(parts)-1 && wraps(part) || name != "" && strings.Trim(part, `"`) == name {
			continue
		}
		kept = append(kept, afterDesc(part))
	}
	return strings.Join(kept, ": ")
}

// wraps reports whether a part of a message only says that another follows.
func wraps(part string) bool {
	if _, after, ok := strings.Cut(part, " desc = "); ok {
		part = after
	}
	for _, w := range wrappers {
		if strings.HasPrefix(part, w) {
			return true
		}
	}
	return false
}

// afterDesc returns the description of an error of gRPC.
func afterDesc(part string) string {
	if strings.HasPrefix(part, "code = ") {
		if _, desc, ok := strings.Cut(part, " desc = "); ok {
			return desc
		}
	}
	return part
}

// controlPlane are the taints of nodes on which no workload is expected to run.
var controlPlane = []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}

// misfit is why some nodes do not fit a pod: "6 Insufficient cpu".
type misfit struct {
	text  string
	nodes int64
}

// unwanted reports whether the pod itself excludes the nodes: they say nothing of why the others don't fit. A pod of a
// DaemonSet excludes all nodes but one.
func (m misfit) unwanted() bool {
	return strings.Contains(m.text, "didn't match Pod's node affinity/selector") || strings.Contains(m.text, "didn't satisfy plugin(s) [NodeAffinity]")
}

// misfits sorts them, most nodes first, and last those that the pod does not want.
type misfits []misfit

func (s misfits) Len() int      { return len(s) }
func (s misfits) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s misfits) Less(i, j int) bool {
	if a, b := s[i].unwanted(), s[j].unwanted(); a != b {
		return b
	}
	return s[i].nodes > s[j].nodes
}

// unfit returns the scheduler's message with the reason of most nodes that it wants first: "6 Insufficient
// cpu (0/7 nodes are available)". The taint of the control plane and the attempt at preemption are left out.
func unfit(message string) string {
	message, _, _ = strings.Cut(message, " preemption: ")
	head, tail, ok := strings.Cut(strings.TrimSuffix(message, "."), " nodes are available: ")
	if !ok {
		return message
	}
	all, some := parseMisfits(tail), misfits(nil)
	for _, m := range all {
		if !m.ofControlPlane() {
			some = append(some, m)
		}
	}
	if len(some) == 0 {
		some = all
	}
	sort.Stable(some)
	texts := make([]string, len(some))
	for i, m := range some {
		texts[i] = m.text
	}
	return strings.Join(texts, ", ") + " (" + head + " nodes are available)"
}

// parseMisfits parses "1 node(s) had untolerated taint {a: b}, 6 Insufficient cpu".
func parseMisfits(text string) (all misfits) {
	for _, part := range strings.Split(text, ", ") {
		n := int64(0)
		for i := 0; i < len(part) && '0' <= part[i] && part[i] <= '9'; i++ {
			n = min(10*n+int64(part[i]-'0'), 1<<40)
		}
		if last := len(all) - 1; n == 0 && last >= 0 { // a comma within a reason
			all[last].text += ", " + part
			continue
		}
		all = append(all, misfit{part, n})
	}
	return all
}

func (m misfit) ofControlPlane() bool {
	for _, taint := range controlPlane {
		if strings.Contains(m.text, "taint") && strings.Contains(m.text, "{"+taint+":") {
			return true
		}
	}
	return false
}

// telling are what the line of a log contains that says why a program ended, in lower case.
var telling = []string{"panic:", "exception", "error", "fatal", "caused by", "cannot", "failed"}

// lastLine returns the line of a termination message that says why a program ended: the last one, or,
// above a stack, the last that names an error. Frames of a stack are neither.
func lastLine(text string) string {
	last, frames := "", false
	for rest := strings.TrimRight(text, " \n\r\t"); rest != ""; {
		cut := strings.LastIndexByte(rest, '\n')
		line := strings.TrimRight(rest[cut+1:], " \r\t")
		rest = rest[:max(cut, 0)]
		switch {
		case isFrame(line):
			frames = frames || line != ""
		case !frames, tells(line):
			return fieldsOfLog(line)
		case last == "":
			last = line
		}
	}
	return last
}

// fieldsOfLog returns the message and the error of a line of a log in JSON; any other line as it is.
func fieldsOfLog(line string) string {
	if !strings.HasPrefix(line, "{") {
		return line
	}
	v, err := document.Parse([]byte(line))
	if err != nil {
		return line
	}
	first := func(names ...string) string {
		for _, name := range names {
			if text := v.At(name).Text(); text != "" {
				return text
			}
		}
		return ""
	}
	if text := join(first("msg", "message"), ": ", first("error", "err")); text != "" {
		return text
	}
	return line
}

// isFrame reports whether a line is part of a stack, or says only that a program ended.
func isFrame(line string) bool {
	if line == "" || line[0] == ' ' || line[0] == '\t' {
		return true
	}
	for _, prefix := range [...]string{"at ", "goroutine ", "exit status ", "... ", "created by ", "[signal ", "}", "Traceback "} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return strings.HasSuffix(line, ")") && !strings.ContainsAny(line, " :") // main.main()
}

func tells(line string) bool {
	line = strings.ToLower(line[:min(len(line), 512)])
	for _, word := range telling {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}
