package describe

import (
	"regexp"
	"slices"
	"strings"
)

// item is something that describe prints: the labels that it stands under, and its text.
type item struct {
	labels []string
	text   string
}

// label is what a line begins with, if it has a name.
var label = regexp.MustCompile(`^((?:- )?[A-Za-z0-9][^:\s]*(?: [^:\s]+)*):(?:\s+|$)`)

// parse reads what describe printed, up to the events.
func parse(text string) (items []item) {
	type level struct {
		indent int
		name   string
	}
	var stack []level
	column := 0 // where the text of the last label began
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n ")
		body := strings.TrimLeft(line, " \t")
		indent := len(line) - len(body)
		switch {
		case strings.HasPrefix(line, "Events:"):
			return items
		case body == "" || strings.Trim(body, "-= \t") == "":
			continue
		}
		m := label.FindString(body)
		if m == "" || column > 0 && indent >= column {
			if column == 0 || indent < column { // a line of a table, or of what is under the last label
				for len(stack) > 0 && stack[len(stack)-1].indent >= indent {
					stack = stack[:len(stack)-1]
				}
			}
			if indent == 0 && !strings.Contains(body, "  ") { // a title
				stack, column = []level{{0, body}}, 0
				continue
			}
			items = append(items, item{names(stack, func(l level) string { return l.name }), body})
			continue
		}
		for len(stack) > 0 && stack[len(stack)-1].indent >= indent {
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, level{indent, strings.TrimPrefix(strings.TrimSpace(strings.TrimRight(m, " \t:")), "- ")})
		rest := body[len(m):]
		column = 0
		if rest != "" {
			column = indent + len(m)
			items = append(items, item{names(stack, func(l level) string { return l.name }), rest})
		}
	}
	return items
}

func names[T any](all []T, of func(T) string) []string {
	out := make([]string, len(all))
	for i, e := range all {
		out[i] = of(e)
	}
	return out
}

// times are instants and ages: the summary has them, as ages that tick.
var times = regexp.MustCompile(`\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d( \+0000 UTC|(\.\d+)?Z)|<invalid>$`)

// own are the describer's own words, which are no values of the object: what it says of
// kinds of volumes and of scopes, what it calls parts of a value, and what stands for
// nothing.
var own = []*regexp.Regexp{
	regexp.MustCompile(`\((a|an|the|bare) [^()]*(\([^()]*\))?[^()]*\)`), regexp.MustCompile(`\(traffic [^)]*\)|\(Selected pods [^)]*\)|\(Allowing [^)]*\)|\(Total limits [^)]*\)`),
	regexp.MustCompile(`^\* Matches all pods .*`), regexp.MustCompile(`^\( current / target \)$|^Not affecting \w+ traffic$|^Allowing \w+ traffic$`),
	regexp.MustCompile(`<(none|unset|unknown|nil|any|default|auto)>|%!s\(<nil>\)|\b0/(TCP|UDP|SCTP)( \([^)]*\))?`), regexp.MustCompile(`<set to the key|' in secret '|' of config map '`),
	regexp.MustCompile(`\d+s ago$|\b\d+(s|m|h|d)(\d+(s|m|h))?$`),
	regexp.MustCompile(`Optional: (true|false)`), regexp.MustCompile(`\bContainers?$`),
	regexp.MustCompile(`&SecretReference\{Name:|,Namespace:|,\}|APIGroup:|Kind:|Name:`), regexp.MustCompile(`->|EphemeralVolume`), regexp.MustCompile(`\+ \d+ more\.\.\.`), regexp.MustCompile(`\(\d+ in total\)`), regexp.MustCompile(`terminates|SNI routes`),
}

// heads are the lines above tables, of which the words are names of columns.
var heads = regexp.MustCompile(`^(Type|Resource|Name|Host|Kind|Namespace|Resources|Driver) {2,}(\w|Non-)`)

// words are the values in a text.
func words(text string) []string {
	if heads.MatchString(text) {
		return nil
	}
	text = times.ReplaceAllString(text, " ")
	for _, r := range own {
		text = r.ReplaceAllString(text, " ")
	}
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t|()[]',\"<>", r) })
}

// fact is something that stands on the page: the titles and the name above it, and its
// text.
type fact struct {
	Path []string
	Text string
}

// plainName is a name as it is compared: describe, the API and the summary do not agree
// on spaces and capitals.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, name)
}

// synonyms are names of describe's that the summary calls something else.
var synonyms = map[string]string{
	"environmentvariablesfrom": "environmentfrom", "port": "ports", "hostport": "hostports", "podsstatus": "podstatus", "podsstatuses": "podstatus", "isdefaultclass": "defaultclass", "targetref": "target", "nodename": "node", "strategytype": "strategytype",
	"seccompprofile": "security", "localhostprofile": "security", "exitcode": "laststate", "reference": "reference", "secret": "secret",
	"discoverychapauth": "source", "sessionchapauth": "source", "signer": "signer", "requestinguser": "requestinguser", "holderidentity": "lease",
	"ip": "ips", "targetport": "targetport", "policyrule": "rules", "rollingupdatestrategy": "rollingupdatestrategy",
	"deploymentpods": "pods", "newreplicaset": "newreplicaset", "oldreplicasets": "oldreplicasets", "completedindexes": "completedindexes",
	"volumeclaims": "volumeclaims", "taints": "taints", "data": "data", "binarydata": "binarydata", "schedulinggroup": "schedulinggroup",
}

// about are the facts that stand under the most of an item's names; all, if none does.
func (i item) about(facts []fact) (out []fact) {
	most := 0
	for _, f := range facts {
		n := 0
		for _, l := range i.labels {
			name := plainName(l)
			if slices.ContainsFunc(f.Path, func(p string) bool { p = plainName(p); return p != "" && (p == name || p == synonyms[name]) }) {
				n++
			}
		}
		if n > most {
			most, out = n, nil
		}
		if n == most && n > 0 {
			out = append(out, f)
		}
	}
	if most == 0 {
		return facts
	}
	return out
}

// missing are the values of an item that do not stand on the page where they belong.
func (i item) missing(facts []fact) (out []string) {
	if last := strings.Join(i.labels[max(len(i.labels)-1, 0):], ""); i.text == "false" && (last == "Optional" || last == "ReadOnly") {
		return nil // it is what nobody said
	}
	var text strings.Builder
	for _, f := range i.about(facts) {
		text.WriteString(strings.Join(f.Path, " ") + " " + f.Text + " ")
	}
	has := strings.ToLower(text.String())
	for _, w := range words(i.text) {
		whole := strings.ToLower(strings.Trim(w, ":/=.;"))
		parts := strings.FieldsFunc(whole, func(r rune) bool { return r == '/' || r == '=' || r == ':' })
		if !standsIn(has, whole) && slices.ContainsFunc(parts, func(p string) bool { return !standsIn(has, p) }) {
			out = append(out, w)
		}
	}
	return out
}

// standsIn reports whether a word stands in a text, and not as a part of another.
func standsIn(text, word string) bool {
	if word == "" {
		return true
	}
	letter := func(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(word)
		if !(at > 0 && letter(text[at-1]) && letter(word[0])) && !(end < len(text) && letter(text[end]) && letter(word[len(word)-1])) {
			return true
		}
		from = at + 1
	}
}
