package line

import "strings"

// mostNamed is how much of a line may name where a message comes from.
const mostNamed = 120

// message returns where the message begins after the head. What names the message's origin
// becomes fields.
func (h head) message(s string, l *Line) int {
	at := max(h.time.To, h.mark.To)
	if at == 0 {
		return 0
	}
	switch {
	case h.mark.Empty() || h.time.Empty():
	case h.mark.From < h.time.From && h.mark.To-h.mark.From <= len("I,"):
		return h.begun(s, l)
	case h.mark.From < h.time.From:
		if s[h.mark.From] != '<' {
			l.named(s, Part{h.mark.To, h.time.From})
		}
	case h.opened(s):
		return h.closed(s, l)
	default:
		l.named(s, Part{h.time.To, h.mark.From})
	}
	if h.mark.Empty() && h.time.From > 0 && s[h.time.From-1] != '[' { // a name before the time
		return 0
	}
	at = separated(s, at)
	switch {
	case h.mark.To > 0 && h.mark.To < len(s) && s[h.mark.To] == '\t':
		return l.tabbed(s, at)
	case h.mark.To > 0 && h.mark.To+1 < len(s) && s[h.mark.To] == ':' && isLetter(s[h.mark.To+1]):
		if end := strings.IndexByte(s[h.mark.To+1:], ':'); end > 0 && strings.IndexByte(s[h.mark.To+1:h.mark.To+1+end], ' ') < 0 { // WARNING:name:text
			l.name("logger", Part{h.mark.To + 1, h.mark.To + 1 + end})
			return skipSpaces(s, h.mark.To+end+2)
		}
	}
	return l.origin(s, at)
}

// separated skips what separates a head from its message.
func separated(s string, at int) int {
	for at < len(s) {
		switch c := s[at]; {
		case strings.IndexByte(" \t]>:|", c) >= 0:
			at++
		case c == '[' && elapsed(s, at) > at: // INFO[0001] of logrus
			at = elapsed(s, at)
		case c == '-' && (at+1 == len(s) || s[at+1] == ' ') && s[at-1] == ' ':
			at++
		default:
			return at
		}
	}
	return at
}

// elapsed returns where [0001] ends, if it follows a word at once.
func elapsed(s string, at int) int {
	end := at + 1
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	if at == 0 || !isLetter(s[at-1]) || end == at+1 || end == len(s) || s[end] != ']' {
		return at
	}
	return end + 1
}

// opened reports whether the level is in the bracket that the time begins with.
func (h head) opened(s string) bool {
	return h.time.From > 0 && s[h.time.From-1] == '[' && strings.IndexByte(s[h.time.To:h.mark.From], ']') < 0 && h.mark.To < len(s) && s[h.mark.To] != ']'
}

// closed returns where the message begins after the bracket with time and level.
func (h head) closed(s string, l *Line) int {
	end := strings.IndexByte(s[h.mark.To:min(len(s), h.mark.To+mostNamed)], ']')
	if end < 0 {
		return separated(s, h.mark.To)
	}
	l.named(s, Part{h.mark.To, h.mark.To + end})
	return separated(s, h.mark.To+end+1)
}

// isRuby reports whether a line is of Ruby's logger: I, [time #1]  INFO -- name: text.
func isRuby(s string, h head) bool { return s[h.mark.To-1] == ',' }

// begun returns where the message begins if the line begins with a letter for the level, as of
// Ruby and klog.
func (h head) begun(s string, l *Line) int {
	if isRuby(s, h) {
		if at := strings.Index(s[h.time.To:min(len(s), h.time.To+mostNamed)], "-- "); at >= 0 {
			at += h.time.To + len("-- ")
			if end := strings.Index(s[at:min(len(s), at+mostNamed)], ": "); end >= 0 {
				l.name("logger", Part{at, at + end})
				return at + end + 2
			}
		}
		return separated(s, h.time.To)
	}
	end := strings.Index(s[h.time.To:min(len(s), h.time.To+mostNamed)], "] ")
	if end < 0 {
		return separated(s, h.time.To)
	}
	end += h.time.To
	thread := tokenAt(s, h.time.To)
	caller := tokenAt(s, thread.To)
	if thread.To >= end {
		caller = thread
	} else {
		l.name("pid", thread)
	}
	if caller.To != end+1 {
		return caller.From
	}
	l.name("caller", Part{caller.From, end})
	return end + 2
}

// tabbed returns where the message begins in a line whose columns are separated by tabs.
func (l *Line) tabbed(s string, at int) int {
	for {
		end := strings.IndexByte(s[at:], '\t')
		if end < 0 || end > mostNamed || end == 0 || strings.IndexByte(s[at:at+end], ' ') >= 0 || at+end+1 == len(s) || s[at+end+1] == '{' || isPair(s, at+end+1) {
			return at
		}
		name := "logger"
		if strings.IndexByte(s[at:at+end], ':') > 0 {
			name = "caller"
		}
		l.name(name, Part{at, at + end})
		at += end + 1
	}
}

// origin returns where the message begins after the names of a thread and a logger.
func (l *Line) origin(s string, at int) int {
	rest := s[at:min(len(s), at+mostNamed)]
	if dashes := strings.Index(rest, " --- ["); dashes > 0 && strings.Trim(rest[:dashes], "0123456789") == "" { // Spring
		if colon := strings.Index(rest, " : "); colon > dashes {
			l.name("pid", Part{at, at + dashes})
			threads := at + dashes + len(" --- ")
			logger := strings.LastIndexByte(strings.TrimRight(rest[:colon], " "), ' ') + 1 + at
			if last := strings.LastIndex(s[threads:logger], "] ["); last > 0 {
				l.name("app", Part{threads + 1, threads + last})
				threads += last + 2
			}
			l.named(s, Part{threads, logger})
			l.name("logger", trimmed(s, Part{logger, at + colon}))
			return skipSpaces(s, at+colon+3)
		}
	}
	dash, dashes := strings.Index(rest, " - "), len(" - ")
	if long := strings.Index(rest, " -- "); dash < 0 && long > 0 { // logback without a configuration
		dash, dashes = long, len(" -- ")
	}
	if dash > 0 {
		left := Part{at, at + dash}
		if tokens, ok := l.origins(s, left); ok {
			for _, p := range tokens {
				l.named(s, p)
			}
			return skipSpaces(s, at+dash+dashes)
		}
	}
	first := tokenAt(s, at)
	word := first.Of(s)
	switch {
	case strings.HasSuffix(word, ":") && (strings.Contains(word, "::") || isWorker(word)): // Rust, nginx
		l.named(s, Part{first.From, first.To - 1})
		return skipSpaces(s, first.To)
	case strings.HasPrefix(s[first.To:], " > ") && strings.Contains(word, ".go:"): // zerolog
		l.name("caller", first)
		return first.To + len(" > ")
	}
	return at
}

// isWorker reports whether a word is what nginx puts before a message: 29#29:.
func isWorker(word string) bool {
	return strings.Contains(word, "#") && strings.Trim(word, "0123456789#:") == ""
}

// origins splits what precedes a dash into a thread and a logger. It is false for a sentence.
func (l *Line) origins(s string, left Part) (tokens []Part, ok bool) {
	named := len(l.Fields) > 0
	for at := left.From; ; {
		p := trimmed(s, Part{at, left.To})
		if p.Empty() {
			return tokens, len(tokens) > 0
		}
		if s[p.From] == '[' {
			end := strings.IndexByte(s[p.From:left.To], ']')
			if end < 0 {
				return nil, false
			}
			p.To, named = p.From+end+1, true
		} else if p.To = min(tokenAt(s, p.From).To, left.To); !isLetter(s[p.From]) || strings.IndexByte(p.Of(s), '"') >= 0 || !named && !strings.Contains(p.Of(s), ".") {
			return nil, false
		}
		if tokens = append(tokens, p); len(tokens) > 2 {
			return nil, false
		}
		at = p.To
	}
}

// named adds what a text between a time, a level and a message names: a process, a thread, or a
// logger.
func (l *Line) named(s string, p Part) { l.nameOf(s, p, "logger") }

// nameOf adds a process, a thread, or what has another name.
func (l *Line) nameOf(s string, p Part, other string) {
	p = trimmed(s, p)
	if end := strings.Index(p.Of(s), "] "); end > 0 && s[p.From] == '[' { // [Nest] 7, or [78] ana@shop
		l.nameOf(s, Part{p.From, p.From + end + 1}, other)
		p.From += end + 2
	}
	brackets := strings.IndexByte(p.Of(s), '[') >= 0
	for !p.Empty() && strings.IndexByte(" \t[]{}()-|:/.,", s[p.From]) >= 0 {
		p.From++
	}
	for !p.Empty() && strings.IndexByte(" \t[]{}()-|:/.,", s[p.To-1]) >= 0 {
		p.To--
	}
	switch text := p.Of(s); {
	case p.Empty():
	case strings.Trim(text, "0123456789#") == "":
		l.name("pid", p)
	case brackets:
		l.name("thread", p)
	default:
		l.name(other, p)
	}
}

func (l *Line) name(name string, p Part) {
	if !p.Empty() {
		l.Fields = append(l.Fields, Field{Name: name, Value: p})
	}
}
