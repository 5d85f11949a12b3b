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

	taken [plainRoles]Field // the fields that are the time, the level and the message, by role
	has   [plainRoles]bool  // which of them there are
	work  int
}

// Work returns how many bytes Parse has read, each as often as it was read. It is never more than a multiple of
// the line's length, whatever is in the line.
func (l *Line) Work() int { return l.work }

// Parse reads a line. It reuses the memory of Fields.
func (l *Line) Parse(text string) {
	*l = Line{Fields: l.Fields[:0], work: len(text)}
	from := skipSpaces(text, 0)
	braced, paired := from < len(text) && text[from] == '{', isPair(text, from)
	if braced || paired {
		l.work += len(text)
		l.Level = LevelOf(text)
	}
	switch {
	case braced && l.object(text, from):
		if l.Message.Empty() {
			l.inner(text)
		}
		return
	case paired && l.pairsAtEnd(text, from) == from:
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

// add adds a field, or takes it for the time, the level or the message.
func (l *Line) add(text string, f Field) {
	role, _ := roleOf(f.Key.Of(text))
	switch {
	case role == timeRole && l.Time.Empty() && (!f.Nested() || !dateIn(text, f).Empty()):
		if l.Time = f.Value; f.Nested() {
			l.Time = dateIn(text, f)
		}
	case role == messageRole && l.Message.Empty() && !f.Nested():
		l.Message, l.Quoted = f.Value, f.Kind == '"'
	case role == messageRole && l.has[role] && l.taken[role].NameOf(text) == weakMessage && !f.Nested():
		l.Fields = append(l.Fields, l.taken[role])
		l.Message, l.Quoted = f.Value, f.Kind == '"'
	case role == levelRole && !l.has[role] && l.Level != None && valued(f.Value.Of(text)) == l.Level:
	default:
		l.Fields = append(l.Fields, f)
		return
	}
	l.taken[role], l.has[role] = f, true
}

// dateIn returns the time in an object of MongoDB: {"$date":"2026-11-22T02:47:17.123Z"}.
func dateIn(text string, f Field) Part {
	o := object{text: text[:f.Value.To], at: f.Value.From + 1}
	if f.Kind == '{' && o.next() && o.key.Of(text) == "$date" && o.kind != '{' {
		return o.value
	}
	return Part{}
}

// inner takes the message from the fields of Rust's tracing: {"fields":{"message":"saved"}}. They
// remain a field.
func (l *Line) inner(text string) {
	for _, f := range l.Fields {
		if f.Kind != '{' || f.Key.Of(text) != "fields" {
			continue
		}
		for o := (object{text: text[:f.Value.To], at: f.Value.From + 1}); o.next(); {
			if o.key.Of(text) == "message" && o.kind == '"' {
				l.Message, l.Quoted = o.value, true
			}
		}
	}
}

// weakMessage is the name of a field that is the message only if no other is: structlog has it for
// the message, and others for what has happened.
const weakMessage = "event"

// object reads the JSON object that the text ends with. It reports whether there is one.
func (l *Line) object(text string, from int) bool {
	o := object{text: text, at: from + 1}
	l.work += len(text) - from
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
	if start := l.pairsAtEnd(text, from); start < len(text) {
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
	client := tokenAt(text, 0)
	user := tokenAt(text, tokenAt(text, client.To).To)
	dated := strings.HasPrefix(text[skipSpaces(text, user.To):], "[") // client, identity, user, [time]
	if dated && isHost(client.Of(text)) || strings.IndexByte(client.Of(text), '.') > 0 && isDigit(text[client.From]) {
		put("client", client)
		if dated && user.To < asked.From { // HAProxy has the name of a frontend there
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

// isHost reports whether a text can be an address or the name of a host.
func isHost(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isWord(c) && strings.IndexByte(".:-%", c) < 0 {
			return false
		}
	}
	return text != "" && text != "-"
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
		value, ok, read := within(text, Part{from, len(text)}, name)
		if ok || read && alias(name) == plainRole {
			return value, ok
		}
	}
	if !*parsed {
		l.Parse(text)
		*parsed = true
	}
	return l.Lookup(text, name)
}

// Lookup returns the value of a field. The name may be in another case, and leads into nested
// objects with dots. Whatever a line calls its message and its time, msg, message and time find them.
func (l *Line) Lookup(text, name string) (value string, ok bool) {
	for i := range l.Fields {
		if value, ok := l.Fields[i].find(text, name); ok {
			return value, true
		}
	}
	for role := range l.taken {
		if l.has[role] {
			if value, ok := l.taken[role].find(text, name); ok {
				return value, true
			}
		}
	}
	switch role := alias(name); {
	case role == messageRole && !l.Message.Empty():
		return l.Text(text), true
	case role == timeRole && !l.Time.Empty():
		return l.Time.Of(text), true
	}
	return "", false
}

// alias returns the role that a name in a filter has in all formats.
func alias(name string) role {
	if len(name) > len("message") {
		return plainRole
	}
	switch strings.ToLower(name) {
	case "msg", "message":
		return messageRole
	case "time":
		return timeRole
	}
	return plainRole
}

// find returns the value of a field, if it has a name, or of what is nested in it.
func (f *Field) find(text, name string) (value string, ok bool) {
	key := f.NameOf(text)
	if len(key) == len(name) && strings.EqualFold(key, name) {
		return f.Text(text), true
	}
	if rest, ok := below(key, name); ok && f.Kind == '{' {
		value, ok, _ := within(text, f.Value, rest)
		return value, ok
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

// within returns the value of a member of an object, or else whether all of the text is one.
func within(text string, at Part, name string) (value string, ok, read bool) {
	o := object{text: text[:at.To], at: at.From + 1}
	for o.next() {
		f := Field{Key: o.key, Value: o.value, Kind: o.kind}
		if value, ok := f.find(text, name); ok {
			return value, true, false
		}
	}
	return "", false, o.ended && o.at == at.To
}

// Text returns the message with its escapes decoded.
func (l *Line) Text(text string) string {
	message := l.Message.Of(text)
	if l.Quoted {
		message = unescape(message)
	}
	return message
}
