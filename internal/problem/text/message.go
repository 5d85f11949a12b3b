package text

import (
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/message"
)

// Messages of kubelets and runtimes, cut to what is specific.

// Lead returns a message with its decisive words first.
func Lead(text string) string { return message.Lead(text) }

// wrappers are what runtimes put in front of the error that they pass on. A prefix of a part of the
// message is enough.
var wrappers = []string{
	"ErrImagePull", "ImagePullBackOff", "rpc error", "code = ", "Error response from daemon", "Back-off pulling image ",
	"failed to pull and unpack image ", "failed to pull image ", "Failed to pull image ", "failed to resolve reference ", "failed to resolve image ", "failed to authorize", "failed to fetch anonymous token", "failed to copy",
	"failed to create containerd task", "failed to create shim task", "OCI runtime create failed", "runc create failed",
	"unable to start container process", "error during container init", "failed to generate container ", "failed to generate spec", "Failed to apply default image tag ", "Failed to create pod sandbox", "failed to setup network for sandbox ",
}

// Specific returns a message without the wrappers in front of its last parts, and without parts that
// only repeat a name that the reader has seen, such as the image.
func Specific(message, name string) string {
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

// telling are what the line of a log contains that says why a program ended, in lower case.
var telling = []string{"panic:", "exception", "error", "fatal", "caused by", "cannot", "failed"}

// LastLine returns the line of a termination message that says why a program ended: the last one, or,
// above a stack, the last that names an error. Frames of a stack are neither.
func LastLine(text string) string {
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
	if text := Join(first("msg", "message"), ": ", first("error", "err")); text != "" {
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
