package line

import (
	"slices"
	"strings"
)

// Line is what a line says. Its parts are parts of the text it was read from.
type Line struct {
	Level   Level
	Time    Part // as written; empty if there is none
	Message Part
	Quoted  bool    // the message has escapes
	Fields  []Field // without time, level and message
}

// Parse reads a line. It reuses the memory of Fields.
func (l *Line) Parse(text string) {
	*l = Line{Fields: l.Fields[:0]}
	from := skipSpaces(text, 0)
	braced, paired := from < len(text) && text[from] == '{', isPair(text, from)
	if braced || paired {
		l.Level = LevelOf(text)
	}
	switch {
	case braced && l.object(text, from):
		return
	case paired && pairsAtEnd(text, from) == from:
		l.pairs(text, from)
		return
	}
	h := headOf(text)
	if l.Time = h.time; !braced && !paired {
		l.Level = h.level
	}
	l.Message = Part{h.message(text, l), len(text)}
	l.ends(text)
	l.Message = trimmed(text, l.Message)
	if end := closingQuote(text, l.Message.From); end >= 0 && end+1 == l.Message.To { // klog
		l.Message, l.Quoted = Part{l.Message.From + 1, end}, true
	}
	l.request(text)
	l.lead(text, h)
}

// lead adds what precedes the time and the level, unless the message or a field has it: no text is lost.
func (l *Line) lead(text string, h head) {
	to := h.time.From
	if h.time.Empty() || !h.mark.Empty() && h.mark.From < to {
		to = h.mark.From
	}
	if l.Message.From < to || strings.HasSuffix(text[:to], "=") || slices.ContainsFunc(l.Fields, func(f Field) bool { return !f.Within && f.Value.From < to }) {
		return
	}
	l.nameOf(text, Part{0, len(strings.TrimRight(text[:to], " ["))}, "source")
}

// add adds a field, or takes it for the time or the message.
func (l *Line) add(text string, f Field) {
	switch role, _ := roleOf(f.Key.Of(text)); {
	case role == timeRole && l.Time.Empty() && !f.Nested():
		l.Time = f.Value
	case role == messageRole && l.Message.Empty() && !f.Nested():
		l.Message, l.Quoted = f.Value, f.Kind == '"'
	case role == levelRole && valued(f.Value.Of(text)) != None:
	default:
		l.Fields = append(l.Fields, f)
	}
}

// object reads the JSON object that the text ends with. It reports whether there is one.
func (l *Line) object(text string, from int) bool {
	o := object{text: text, at: from + 1}
	n, before := len(l.Fields), *l
	for o.next() {
		l.add(text, Field{Key: o.key, Value: o.value, Kind: o.kind})
	}
	if !o.ended || skipSpaces(text, o.at) < len(text) {
		*l = before
		l.Fields = l.Fields[:n]
		return false
	}
	return true
}

// pairs reads the key=value pairs that the text ends with.
func (l *Line) pairs(text string, from int) {
	for p := (pairs{text: text, at: from}); p.next(); {
		l.add(text, Field{Key: p.key, Value: p.value, Kind: p.kind})
	}
}

// mostObjects is how many opening brackets are tried for an object at the end of a message.
const mostObjects = 4

// ends reads the fields at the end of a message, and cuts them off.
func (l *Line) ends(text string) {
	from := l.Message.From
	if strings.HasSuffix(strings.TrimRight(text, " "), "}") {
		at := from
		for range mostObjects {
			next := strings.IndexByte(text[at:], '{')
			if next < 0 {
				break
			}
			if at += next; (at == from || text[at-1] == ' ' || text[at-1] == '\t') && l.whole(text, at) {
				return
			}
			at++
		}
	}
	if start := pairsAtEnd(text, from); start < len(text) {
		l.Message.To = start
		if start = skipSpaces(text, from); l.Message.To <= start {
			l.Message = Part{}
		}
		l.pairs(text, max(l.Message.To, from))
	}
}

// whole reads the object that begins at a position, if it is all that follows.
func (l *Line) whole(text string, at int) bool {
	message := l.Message
	if l.Message.To = at; trimmed(text, l.Message).Empty() {
		l.Message = Part{}
	}
	if l.object(text, at) {
		return true
	}
	l.Message = message
	return false
}

// request reads what an access log says of a request: "GET /path HTTP/1.1" 200 5.
func (l *Line) request(text string) {
	m := l.Message
	at := strings.Index(m.Of(text), " HTTP/")
	if at < 0 {
		return
	}
	open := strings.LastIndexByte(text[m.From:m.From+at], '"')
	close := strings.IndexByte(text[m.From+at:m.To], '"')
	if open < 0 || close < 0 {
		return
	}
	asked := Part{m.From + open + 1, m.From + at}
	method, _, ok := strings.Cut(asked.Of(text), " ")
	if !ok || !isUpper(method) || len(method) > len("PROPPATCH") {
		return
	}
	put := func(name string, p Part) {
		if !p.Empty() && p.Of(text) != "-" {
			l.Fields = append(l.Fields, Field{Name: name, Value: p, Within: p.From >= m.From})
		}
	}
	if client := tokenAt(text, 0); strings.IndexByte(client.Of(text), '.') > 0 && isDigit(text[client.From]) {
		put("client", client)
		if user := tokenAt(text, tokenAt(text, client.To).To); user.To < asked.From && text[user.From] != '[' {
			put("user", user)
		}
	}
	put("method", Part{asked.From, asked.From + len(method)})
	put("path", Part{asked.From + len(method) + 1, asked.To})
	status := tokenAt(text, m.From+at+close+1)
	if number(status.Of(text)) >= 100 {
		put("status", status)
		if size := tokenAt(text, status.To); size.To > size.From && isDigit(text[size.From]) {
			put("bytes", size)
		}
	}
}

// tokenAt returns the next text without spaces.
func tokenAt(s string, at int) Part {
	at = skipSpaces(s, at)
	end := at
	for end < len(s) && s[end] != ' ' && s[end] != '\t' {
		end++
	}
	return Part{at, end}
}

// Find returns the value of a field of a line, as Lookup does. It reads no more of JSON than it
// needs; other lines are parsed into l unless they already were.
func (l *Line) Find(text, name string, parsed *bool) (value string, ok bool) {
	if from := skipSpaces(text, 0); from < len(text) && text[from] == '{' && text[len(text)-1] == '}' {
		return within(text, Part{from, len(text)}, name)
	}
	if !*parsed {
		l.Parse(text)
		*parsed = true
	}
	return l.Lookup(text, name)
}

// Lookup returns the value of a field. The name may be in another case, and leads into nested
// objects with dots.
func (l *Line) Lookup(text, name string) (value string, ok bool) {
	for _, f := range l.Fields {
		key := f.NameOf(text)
		if len(key) == len(name) && strings.EqualFold(key, name) {
			return f.Text(text), true
		}
		if rest, ok := below(key, name); ok && f.Kind == '{' {
			if value, ok := within(text, f.Value, rest); ok {
				return value, true
			}
		}
	}
	return "", false
}

// below returns the rest of a name that begins with a key and a dot.
func below(key, name string) (rest string, ok bool) {
	if len(name) <= len(key)+1 || name[len(key)] != '.' || !strings.EqualFold(name[:len(key)], key) {
		return "", false
	}
	return name[len(key)+1:], true
}

// within returns the value of a member of a nested object.
func within(text string, at Part, name string) (value string, ok bool) {
	o := object{text: text[:at.To], at: at.From + 1}
	for o.next() {
		key := o.key.Of(text)
		if len(key) == len(name) && strings.EqualFold(key, name) {
			return Field{Value: o.value, Kind: o.kind}.Text(text), true
		}
		if rest, ok := below(key, name); ok && o.kind == '{' {
			if value, ok := within(text, o.value, rest); ok {
				return value, true
			}
		}
	}
	return "", false
}

// Text returns the message with its escapes decoded.
func (l *Line) Text(text string) string {
	message := l.Message.Of(text)
	if l.Quoted {
		message = unescape(message)
	}
	return message
}
