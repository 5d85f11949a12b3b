package palette

import (
	"encoding/json"
	"strings"

	"watchglass/internal/port"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// foundObject is an object that the worker found by name.
type foundObject struct {
	Resource, Kind, Namespace, Name, State, Tone string
}

// SearchAll searches all kinds. Its value is the text to find.
const SearchAll ui.Action = "search-all"

// objectSearch is what the palette knows of objects whose names match its text.
type objectSearch struct {
	host    Host
	asked   string // the text of the last request
	all     bool   // it was for all kinds, not only for those that are held
	waiting bool
	text    string // that the objects match
	objects []foundObject
	kinds   int
	missing []string // kinds that could not be searched, or not wholly
	total   int      // how many objects match

	namespaces []string // that match the second word of the text; those of the text before stay until the next answer
	within     string   // the text that they match
	unlisted   int      // how many others match
}

// counted reports whether the worker has said how many objects and namespaces match. If a search fails, that is not known.
func (s *objectSearch) counted() bool {
	return !s.waiting && s.text == s.asked && (s.within == s.asked || !strings.Contains(s.asked, " "))
}

// findLeast is the least number of letters to search for: one would match nearly everything.
const findLeast = 2

// end forgets everything, and stop only what was requested: answers that come later are dropped.
func (s *objectSearch) end()  { *s = objectSearch{host: s.host} }
func (s *objectSearch) stop() { s.asked, s.waiting = "", false }

// find asks the worker for the objects whose names match a text.
func (s *objectSearch) find(text string, all bool) {
	text = strings.TrimSpace(text)
	if len(text) < findLeast {
		s.end()
		return
	}
	method := "find"
	if all {
		method = "findAll"
	}
	args, _ := json.Marshal([]string{text}) // strings never fail to encode
	s.asked, s.all, s.waiting = text, all, true
	if _, namespace, two := strings.Cut(text, " "); two && !all {
		args, _ := json.Marshal([]string{"namespaces " + namespace})
		s.host.Ask(method, args, func(a port.Answer) { s.onNamespaces(text, a) })
	}
	s.host.Ask(method, args, func(a port.Answer) { s.onFound(text, all, a) })
}

// onNamespaces takes the namespaces that match, unless the text has changed since. What is on screen names
// those of its own objects only.
func (s *objectSearch) onNamespaces(text string, a port.Answer) {
	var answer struct {
		Objects []foundObject
		Total   int // if more match than Objects are
	}
	if s.asked != text || a.Error != "" || json.Unmarshal(a.Value, &answer) != nil {
		return
	}
	s.namespaces, s.within, s.unlisted = nil, text, max(answer.Total-len(answer.Objects), 0)
	for _, o := range answer.Objects {
		if o.Resource == "namespaces" {
			s.namespaces = append(s.namespaces, o.Name)
		}
	}
	s.host.Redraw()
}

// onFound takes the answer to a request, unless a later one was sent since.
func (s *objectSearch) onFound(text string, all bool, a port.Answer) {
	if s.asked != text || s.all != all {
		return
	}
	s.waiting = false
	var answer struct {
		Objects []foundObject
		Total   int // if more match than Objects are
		Kinds   int
		Missing []struct{ Resource string }
	}
	if a.Error != "" || json.Unmarshal(a.Value, &answer) != nil {
		if all {
			s.host.Notify("Search failed: " + a.Error)
		}
		return
	}
	s.text, s.objects, s.kinds, s.missing = text, answer.Objects, answer.Kinds, nil
	s.total = max(answer.Total, len(answer.Objects))
	for _, m := range answer.Missing {
		s.missing = append(s.missing, s.host.ListName(m.Resource))
	}
	s.host.Redraw()
}

// offers returns the objects that were found. Those of the text before stay until the next
// answer if they still match.
func (s *objectSearch) offers(text string) (all []ui.Offer) {
	for _, o := range s.objects {
		key := o.Name
		if o.Namespace != "" {
			key = o.Namespace + "/" + o.Name
		}
		if s.text != text && !strings.Contains(strings.ToLower(key), text) {
			continue
		}
		all = append(all, ui.Offer{Action: ui.GoFound, Value: o.Resource + " " + key, Text: key, Hint: o.Kind, State: o.State, Tone: o.Tone})
	}
	return all
}

// more returns the entry that searches the kinds that are not held.
func (s *objectSearch) more(text string) []ui.Offer {
	switch {
	case len(text) < findLeast:
		return nil
	case s.all && s.asked == text && s.waiting:
		return []ui.Offer{{Action: SearchAll, Value: text, Text: "Searching all kinds …"}}
	case s.all && s.text == text:
		hint := words.Count(s.kinds) + " kinds searched"
		if n := len(s.missing); n > 0 {
			hint += ", not " + strings.Join(s.missing[:min(n, 3)], ", ")
			if n > 3 {
				hint += " and " + words.Count(n-3) + " more"
			}
		}
		if len(s.objects) == 0 {
			hint = "Nothing found. " + hint
		}
		return []ui.Offer{{Action: SearchAll, Value: text, Text: "Search all kinds again", Hint: hint}}
	}
	return []ui.Offer{{Action: SearchAll, Value: text, Text: "Search all kinds for “" + text + "”", Hint: "searches names"}}
}
