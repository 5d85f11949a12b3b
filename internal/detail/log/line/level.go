package line

import "strings"

// Level is how severe a line is.
type Level uint8

// The levels, the least severe first. None is the level of a line that has none.
const (
	None Level = iota
	Debug
	Info
	Warn
	Error
)

// Levels is the number of levels, including None.
const Levels = int(Error) + 1

var levelNames = [Levels]string{"", "debug", "info", "warn", "error"}

// String returns the level's name in lower case.
func (l Level) String() string { return levelNames[min(int(l), Levels-1)] }

// longestLevel is the length of the longest name of a level.
const longestLevel = len("informational")

// Named returns the level that a word stands for, in any case: warn, WARNING or wrn.
func Named(word string) Level {
	if len(word) < 3 || len(word) > longestLevel {
		return None
	}
	var buffer [longestLevel]byte
	for i := range len(word) {
		buffer[i] = word[i] | 0x20
	}
	switch string(buffer[:len(word)]) {
	case "error", "err", "eror", "erro", "fatal", "ftl", "fata", "crit", "critical", "severe", "panic", "dpanic", "pani", "emerg", "emergency", "alert", "fail", "fault":
		return Error
	case "warn", "warning", "wrn":
		return Warn
	case "info", "inf", "information", "informational", "notice", "note", "system", "log":
		return Info
	case "debug", "dbg", "dbug", "debu", "trace", "trc", "trce", "trac", "verbose", "vrb", "fine", "finer", "finest", "config":
		return Debug
	}
	return None
}

// lettered returns the level that one letter stands for, as in glog.
func lettered(c byte) Level {
	switch c {
	case 'E', 'F', 'C', 'P':
		return Error
	case 'W':
		return Warn
	case 'I', 'N':
		return Info
	case 'D', 'T', 'V':
		return Debug
	}
	return None
}

// numbered returns the level that a number stands for: of syslog up to 7, of pino and bunyan
// from 10 on.
func numbered(n int) Level {
	switch {
	case n < 0 || n > 7 && n < 10 || n > 100:
		return None
	case n <= 3 || n >= 50:
		return Error
	case n == 4 || n > 7 && n >= 40:
		return Warn
	case n <= 6 || n >= 30:
		return Info
	}
	return Debug
}

// valued returns the level of a field's value: a name, a letter or a number.
func valued(value string) Level {
	if len(value) > 0 && value[0] >= '0' && value[0] <= '9' {
		if n := number(value); n >= 0 {
			return numbered(n)
		}
		return None
	}
	if len(value) == 1 {
		return lettered(value[0] &^ 0x20)
	}
	if len(value) == 2 && value[0] == 'D' && isDigit(value[1]) { // MongoDB
		return Debug
	}
	if at := strings.IndexAny(value, "+-"); at > 0 && number(value[at+1:]) >= 0 { // slog: DEBUG-4
		value = value[:at]
	}
	return Named(value)
}

// number reads a number of at most three digits; -1 for anything else.
func number(s string) (n int) {
	if len(s) == 0 || len(s) > 3 {
		return -1
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// LevelOf returns the level of a line. It reads only as much of the line as it needs.
func LevelOf(text string) Level {
	switch from := skipSpaces(text, 0); {
	case from == len(text):
		return None
	case text[from] == '{':
		if level, ok := objectLevel(text[from:]); ok {
			return level
		}
	case isPair(text, from):
		if level := pairLevel(text, from); level != None {
			return level
		}
	}
	return headOf(text).level
}

// objectLevel returns the level of a JSON object. It is false if the text is not one.
func objectLevel(text string) (level Level, ok bool) {
	o := object{text: text, at: 1}
	for o.next() {
		switch role, inner := roleOf(o.key.Of(text)); {
		case role == levelRole:
			if level = valued(o.value.Of(text)); level != None {
				return level, true
			}
		case inner && o.kind == '{':
			within := object{text: text[:o.value.To], at: o.value.From + 1}
			for within.next() {
				if within.key.Of(text) == "level" {
					return valued(within.value.Of(text)), true
				}
			}
		}
	}
	return None, o.ended
}

// pairLevel returns the level of a line of key=value pairs.
func pairLevel(text string, from int) Level {
	for p := (pairs{text: text, at: from}); p.next(); {
		if role, _ := roleOf(p.key.Of(text)); role == levelRole {
			return valued(p.value.Of(text))
		}
	}
	return None
}

// role is what a field says besides its value.
type role uint8

const (
	timeRole role = iota
	levelRole
	messageRole
	plainRole

	plainRoles = int(plainRole)
)

// roleOf returns the role of a field by its name. It is inner for an object that may have the
// level, as in ECS.
func roleOf(key string) (r role, inner bool) {
	if len(key) == 0 || len(key) > len("severity_number") {
		return plainRole, false
	}
	switch key[0] {
	case 'l', 's', 'L', 'S', '@', 'm', 'M', 'e', 't', 'T', 'd', 'a', 'P', 'b', '_', 'n':
	default:
		return plainRole, false
	}
	switch key {
	case "level", "severity", "lvl", "loglevel", "logLevel", "log_level", "log.level", "levelname", "level_name", "LogLevel", "Level", "LEVEL", "L", "@l", "@level", "s", "severity_text", "severityText", "Severity", "SEVERITY", "PRIORITY":
		return levelRole, false
	case "msg", "message", "@message", "Message", "MESSAGE", "M", "@m", "@mt", "event", "short_message", "body", "textPayload":
		return messageRole, false
	case "time", "ts", "timestamp", "@timestamp", "Timestamp", "TIMESTAMP", "t", "T", "@t", "date", "datetime", "asctime", "eventTime", "start_time", "timeMillis", "_time":
		return timeRole, false
	}
	return plainRole, key == "log"
}
