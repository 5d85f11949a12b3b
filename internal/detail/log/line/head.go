package line

import "strings"

// longestHead is how much of a line is searched for a time and a level.
const longestHead = 160

// head is what the beginning of a line says.
type head struct {
	level Level
	mark  Part // the word or letter for the level, with its brackets
	time  Part
}

// headOf reads the beginning of a line that is neither JSON nor logfmt.
func headOf(s string) (h head) {
	at := skipSpaces(s, 0)
	if h, ok := signed(s, at); ok {
		return h
	}
	if end, level := priority(s, at); end > at {
		h.level, h.mark = level, Part{at, end}
		if at = end; strings.HasPrefix(s[at:], "1 ") { // RFC 5424
			at += 2
		}
	}
	until := min(len(s), longestHead)
	for i := at; i < until; {
		c := s[i]
		switch {
		case c == '"':
			i = until
		case h.time.Empty() && (isDigit(c) || isLetter(c) && (i == at || s[i-1] == '[')) && i < longestHead/2 && (i == 0 || !isWord(s[i-1])):
			if end := timeAt(s, i); end > i {
				h.time, i = Part{i, end}, end
				continue
			}
			if i = wordEnd(s, i, until); h.level == None {
				i = h.word(s, at, i)
			}
		case isLetter(c):
			if i = wordEnd(s, i, until); h.level == None {
				i = h.word(s, at, i)
			}
		default:
			i++
		}
		if h.level != None && !h.time.Empty() {
			break
		}
	}
	if level := php(s[min(at, until):until]); level != None {
		h.level = level
	}
	if h.level == None && (crashed(s[at:]) || strings.HasPrefix(strings.TrimLeft(s[h.time.To:], " "), "http: panic serving ")) {
		h.level = Error
	}
	return h
}

// wordEnd returns where the letters or digits that begin at a position end.
func wordEnd(s string, i, until int) int {
	letters := isLetter(s[i])
	for i++; i < until && isLetter(s[i]) == letters && (letters || isDigit(s[i])); {
		i++
	}
	return i
}

// word takes the word that ends at a position for the level, if it is one. It returns where to
// go on.
func (h *head) word(s string, begin, end int) int {
	from := end
	for from > begin && isLetter(s[from-1]) {
		from--
	}
	level := Named(s[from:end])
	if level == None || !h.marks(s, begin, from, end) {
		return end
	}
	h.level, h.mark = level, bracketed(s, max(begin, h.time.To), Part{from, end})
	return h.mark.To
}

// marks reports whether the name of a level stands where a program would write the level, and
// not a sentence.
func (h *head) marks(s string, begin, from, end int) bool {
	before, after := byte(' '), byte(' ')
	if from > begin {
		before = s[from-1]
	}
	if end < len(s) {
		after = s[end]
	}
	word := s[from:end]
	first := from == begin || !h.time.Empty() && len(strings.Trim(s[h.time.To:from], " \t|:-]")) == 0
	closed := strings.IndexByte("]>:|", after) >= 0
	switch word[0] | 0x20 {
	case 'a', 'l', 'c', 'v': // alert, log, config and verbose are words of their own
		if !closed && after != ' ' || lowerIs(word, "log") && after != ':' && (word != "LOG" || !first || !strings.HasPrefix(s[end:], " [")) { // LOG [ of Nest
			return false
		}
	}
	if lowerIs(word, "note") || lowerIs(word, "system") {
		return h.mysql(s, from, end)
	}
	if isUpper(word) {
		return strings.IndexByte(" \t[<|.:(=-", before) >= 0 && strings.IndexByte(" \t]>|:,[/)", after) >= 0 && (!lowerIs(word, "config") && !lowerIs(word, "log") && !lowerIs(word, "fine") || closed || first)
	}
	switch {
	case before == '[' || before == '<' || before == ':' || before == ' ' && from >= 2 && s[from-2] == '[':
		next := skipSpaces(s, end)
		if next < len(s) && (s[next] == ']' && before != '<' || s[next] == '>' && before == '<') {
			return true
		}
		return first && after == ':'
	case before == '\t' && after == '\t':
		return true
	case before == '=' || before == '"':
		return strings.HasSuffix(strings.TrimSuffix(s[:from], `"`), "level=")
	}
	return first && (after == ':' || !h.time.Empty() && (after == ' ' || after == '\t'))
}

// mysql reports whether a word in brackets follows the time and a thread's number, as of MySQL and
// MariaDB: 0 [Note].
func (h *head) mysql(s string, from, end int) bool {
	if h.time.Empty() || s[from-1] != '[' || end == len(s) || strings.Trim(s[h.time.To:from-1], " 0123456789") != "" {
		return false
	}
	return lowerIs(s[from:end], "note") && s[end] == ']' || strings.HasPrefix(s[end:], "] [MY-")
}

// bracketed returns the part with the brackets around it.
func bracketed(s string, begin int, p Part) Part {
	from, to := p.From, skipSpaces(s, p.To)
	for from > begin && s[from-1] == ' ' {
		from--
	}
	if from > begin && s[from-1] == ':' && to < len(s) && s[to] == ']' { // [core:error]
		if open := strings.LastIndexByte(s[begin:from], '['); open >= 0 && strings.IndexByte(s[begin+open:from], ']') < 0 {
			return Part{begin + open, to + 1}
		}
	}
	if from > begin && to < len(s) && (s[from-1] == '[' && s[to] == ']' || s[from-1] == '<' && s[to] == '>') {
		return Part{from - 1, to + 1}
	}
	return p
}

func isUpper(word string) bool {
	for i := range len(word) {
		if word[i] > 'Z' {
			return false
		}
	}
	return true
}

// lowerIs reports whether a word in any case is one in lower case.
func lowerIs(word, lower string) bool {
	return len(word) == len(lower) && strings.EqualFold(word, lower)
}

// signed reads lines that begin with a letter for the level, as of glog and Ruby, and those of
// Redis, which have a sign after the time.
func signed(s string, at int) (h head, ok bool) {
	if at+2 >= len(s) {
		return h, false
	}
	if level := lettered(s[at]); level != None {
		end := at + 1
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		if n := end - at - 1; (n == 4 || n == 6 || n == 8) && end < len(s) && s[end] == ' ' {
			if clock := clockAt(s, end+1); clock > end+1 {
				return head{level, Part{at, at + 1}, Part{at + 1, clock}}, true
			}
		}
		if strings.HasPrefix(s[at+1:], ", [") {
			if end := timeAt(s, at+4); end > at+4 {
				return head{level, Part{at, at + 2}, Part{at + 4, end}}, true
			}
		}
		return h, false
	}
	return redis(s, at)
}

// redis reads 1:M 22 Nov 2026 02:47:17.123 * text.
func redis(s string, at int) (h head, ok bool) {
	i := at
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == at || i+4 > len(s) || s[i] != ':' || strings.IndexByte("MSCX", s[i+1]) < 0 || s[i+2] != ' ' {
		return h, false
	}
	end := timeAt(s, i+3)
	if end == i+3 || end+2 >= len(s) || s[end] != ' ' || s[end+2] != ' ' {
		return h, false
	}
	level := None
	switch s[end+1] {
	case '.', '-':
		level = Debug
	case '*':
		level = Info
	case '#':
		level = Warn
	}
	return head{level, Part{end + 1, end + 2}, Part{i + 3, end}}, level != None
}

// priority reads the number of syslog at the beginning of a line: <11>.
func priority(s string, at int) (end int, level Level) {
	if at >= len(s) || s[at] != '<' {
		return at, None
	}
	to := at + 1
	for to < len(s) && isDigit(s[to]) {
		to++
	}
	n := number(s[at+1 : to])
	if n < 0 || n > 191 || to == len(s) || s[to] != '>' {
		return at, None
	}
	return to + 1, numbered(n & 7)
}

// crashed reports whether a line begins what a runtime prints when a program fails.
func crashed(s string) bool {
	switch {
	case s == "":
		return false
	case strings.HasPrefix(s, "Traceback (most recent call last)"), strings.HasPrefix(s, "fatal error: "), strings.HasPrefix(s, "Exception in thread "),
		strings.HasPrefix(s, "Unhandled exception"), strings.HasPrefix(s, "thread '") && strings.Contains(s, " panicked at "),
		strings.HasPrefix(s, "SIGQUIT: quit"), strings.HasPrefix(s, "SIGABRT: abort"), strings.HasPrefix(s, "SIGSEGV: segmentation violation"):
		return true
	}
	return exception(s)
}

// php returns the level that PHP names in an error, also in what PHP-FPM logs as a notice: PHP
// Fatal error:  text.
func php(s string) Level {
	from := strings.Index(s, "PHP ")
	if from < 0 || from > 0 && s[from-1] != ' ' && s[from-1] != '"' {
		return None
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(s[from:], "PHP message: "), ":  ")
	name, _ = strings.CutPrefix(name, "PHP ")
	switch name {
	case "Fatal error", "Parse error", "Core error", "Compile error", "Recoverable fatal error":
		return Error
	case "Warning", "Core Warning", "User Warning":
		return Warn
	case "Notice", "User Notice", "Deprecated", "User Deprecated":
		return Info
	}
	return None
}

// exception reports whether a line begins with the name of an error's class: java.io.IOException
// or TypeError, with a colon or nothing after it.
func exception(s string) bool {
	end := 0
	for end < len(s) && (isWord(s[end]) || s[end] == '.' || s[end] == '$') {
		end++
	}
	if end == 0 || !isLetter(s[0]) || end < len(s) && s[end] != ':' {
		return false
	}
	name := s[:end]
	return strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Error") || end < len(s) && strings.HasSuffix(name, "Throwable")
}
