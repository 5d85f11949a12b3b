package line

import "strings"

// Trace recognises the lines of one log that continue the line before: stack traces of Java,
// Python, Go, JavaScript, .NET, Ruby, Rust and PHP. The zero Trace is at the beginning of a log.
type Trace struct {
	kind  traceKind
	level Level // of the category whose message follows
}

type traceKind uint8

const (
	noTrace    traceKind = iota
	someTrace            // of any language that indents
	pyTrace              // after "Traceback"
	pyEnd                // after the last line of a Python trace, or what is indented below it
	pyMore               // after "During handling of the above exception"
	goTrace              // after "panic:" or "goroutine 1 [running]:"
	rustTrace            // after "thread 'main' panicked at src/main.rs:4:5:", whose message follows
	rustEnd              // after the message
	errorTrace           // after a line with the level error, which may be followed by a trace
	netHead              // after "fail: Acme.Orders[7]", whose message is the next line
	netTrace             // after that message
	phpTrace             // after "Stack trace:" or "[stacktrace]"
	pgTrace              // after the detail or the statement of an error of PostgreSQL
)

// Next takes the next line. It returns the line's level, and whether it continues the one before.
func (t *Trace) Next(text string) (level Level, continues bool) {
	if t.kind == netHead && strings.HasPrefix(text, netIndent) {
		t.kind = netTrace
		return t.level, false
	}
	if t.continues(text) {
		return None, true
	}
	level = LevelOf(text)
	switch t.kind = noTrace; {
	case level != None && isCategory(text):
		t.kind, t.level = netHead, level
	case level < Warn:
	case !isLetter(text[0]):
		t.kind = errorTrace
	case strings.HasPrefix(text, "Traceback (most recent"):
		t.kind = pyTrace
	case strings.HasPrefix(text, "panic: "), strings.HasPrefix(text, "fatal error: "), strings.HasPrefix(text, "SIG"):
		t.kind = goTrace
	case strings.HasPrefix(text, "thread '") && strings.HasSuffix(text, ":"):
		t.kind = rustTrace
	case strings.HasPrefix(text, "thread '"):
		t.kind = rustEnd
	default:
		t.kind = errorTrace
	}
	return level, false
}

// continues reports whether a line continues the one before, and notes in what kind of trace.
func (t *Trace) continues(text string) bool {
	if text == "" {
		return t.kind == goTrace || t.kind == pyEnd || t.kind == pyMore || t.kind == rustTrace || t.kind == rustEnd
	}
	switch c := text[0]; {
	case c == ' ' || c == '\t' || c == 'C':
	case t.kind == errorTrace && isDigit(c) && isDetail(text):
		t.kind = pgTrace
		return true
	case t.kind == noTrace, t.kind == errorTrace && !isLetter(c) && c != '[':
		return false // as nearly all lines
	}
	bare := strings.TrimLeft(text, " \t")
	indented := len(bare) < len(text)
	if kind := traced(bare, indented); kind != noTrace {
		if t.kind == noTrace || t.kind == errorTrace {
			t.kind = kind
		}
		return true
	}
	switch t.kind {
	case pyTrace:
		if !indented {
			t.kind = pyEnd
			return named(text)
		}
		return true
	case pyEnd:
		if strings.HasPrefix(text, "During handling of the above") || strings.HasPrefix(text, "The above exception was") {
			t.kind = pyMore
			return true
		}
		return indented
	case pyMore:
		t.kind = pyTrace
		return strings.HasPrefix(text, "Traceback (most recent")
	case goTrace:
		return indented || called(text) || strings.HasPrefix(text, "goroutine ") || strings.HasPrefix(text, "[signal ") || strings.HasPrefix(text, "exit status ") || strings.HasPrefix(text, "created by ") || strings.HasPrefix(text, "PC=") || isRegister(text)
	case rustTrace, rustEnd:
		return t.rust(text, indented)
	case someTrace:
		return text == "}" || indented && LevelOf(text) == None // } is the end of the properties of an error of JavaScript
	case pgTrace:
		return text[0] == '\t' || isDetail(text)
	case errorTrace:
		return t.after(text)
	case phpTrace:
		return strings.HasPrefix(text, "#") || strings.HasPrefix(text, "  thrown in ") || strings.HasPrefix(text, `"}`) || strings.HasPrefix(text, "[previous exception]")
	case netTrace:
		return strings.HasPrefix(text, netIndent)
	}
	return false
}

// isDetail reports whether a line is more of what PostgreSQL has said: 2026-11-22 02:47:17 UTC [7] HINT:  text.
// It writes these lines at once.
func isDetail(text string) bool {
	head, _, ok := strings.Cut(text[:min(len(text), mostNamed)], ":  ")
	if !ok {
		return false
	}
	switch head[strings.LastIndexByte(head, ' ')+1:] {
	case "DETAIL", "HINT", "QUERY", "CONTEXT", "LOCATION", "STATEMENT", "BACKTRACE":
		return true
	}
	return false
}

// netIndent is before each line of a message of .NET's console logger.
const netIndent = "      "

// isCategory reports whether a line is of .NET's console logger: info: Acme.Orders[7]. It writes the
// message below.
func isCategory(text string) bool {
	id, ok := strings.CutSuffix(text, "]")
	if !ok || id == "" || !isDigit(id[len(id)-1]) {
		return false
	}
	category := strings.TrimRight(id, "-0123456789")
	at := strings.LastIndexByte(category, ' ')
	if !strings.HasSuffix(category, "[") || at < len("info:") || text[at-1] != ':' {
		return false
	}
	switch text[at-len("info:") : at-1] {
	case "trce", "dbug", "info", "warn", "fail", "crit":
		return true
	}
	return false
}

// isRegister reports whether a line of a Go trace has the value of a register: rip    0x47f3.
func isRegister(text string) bool {
	name := tokenAt(text, 0)
	value := tokenAt(text, name.To).Of(text)
	return name.To <= len("rflags") && strings.HasPrefix(value, "0x") && strings.HasSuffix(text, value)
}

// rust reports whether a line continues a panic of Rust: its message is one line and what is indented
// below it, and after a note nothing follows.
func (t *Trace) rust(text string, indented bool) bool {
	switch {
	case strings.HasPrefix(text, "note: "):
		t.kind = noTrace
	case indented || text == "stack backtrace:":
		t.kind = rustEnd
	case t.kind == rustEnd || strings.HasPrefix(text, "thread '") || LevelOf(text) != None:
		return false
	default:
		t.kind = rustEnd
	}
	return true
}

// after reports whether a line begins the trace of the error before it.
func (t *Trace) after(text string) bool {
	switch {
	case strings.HasPrefix(text, "Traceback (most recent"):
		t.kind = pyTrace
	case text == "Stack trace:", text == "[stacktrace]":
		t.kind = phpTrace
	case strings.HasPrefix(text, "goroutine "), called(text) && strings.IndexByte(text, '/') > 0:
		t.kind = goTrace
	case exception(text):
		t.kind = someTrace
	default:
		return false
	}
	return true
}

// traced returns the kind of trace in which alone a line can stand, whatever precedes it.
func traced(bare string, indented bool) traceKind {
	switch {
	case strings.HasPrefix(bare, "at "):
		if indented {
			return someTrace
		}
	case strings.HasPrefix(bare, "Caused by: "):
		return someTrace
	case !indented:
	case strings.HasPrefix(bare, "Suppressed: "), strings.HasPrefix(bare, "... ") && strings.HasSuffix(bare, " more"),
		strings.HasPrefix(bare, "from ") && strings.Contains(bare, ":in "), strings.HasPrefix(bare, "--- End of "), strings.HasPrefix(bare, "---> "):
		return someTrace
	}
	return noTrace
}

// named reports whether a line is the last of a Python trace: the error's class and its message.
func named(text string) bool {
	name, _, _ := strings.Cut(text, ":")
	return name != "" && isLetter(name[0]) && strings.IndexByte(name, ' ') < 0 && strings.IndexByte(name, '=') < 0
}

// called reports whether a line of a Go trace names a function: main.run(0x1), main.run or panic(0x1).
func called(text string) bool {
	if !isLetter(text[0]) || strings.IndexByte(text, '.') < 0 && !strings.HasPrefix(text, "panic(") {
		return false
	}
	name := text
	if open := strings.LastIndexByte(text, '('); open > 0 && strings.HasSuffix(text, ")") {
		name = text[:open]
	} else if strings.HasSuffix(text, "(...)") {
		name = text[:len(text)-len("(...)")]
	}
	return !strings.ContainsAny(name, " \t:=\"")
}
