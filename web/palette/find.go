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

// objectSearch is what the palette knows of objects whose names match its text.
type objectSearch struct {
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

// find asks the worker for the objects whose names match a text.
func (pl *Palette) find(text string, all bool) {
	text = strings.TrimSpace(text)
	if len(text) < findLeast || pl.only() != "" {
		pl.search = objectSearch{}
		return
	}
	method := "find"
	if all {
		method = "findAll"
	}
	args, _ := json.Marshal([]string{text}) // strings never fail to encode
	pl.search.asked, pl.search.all, pl.search.waiting = text, all, true
	if _, namespace, two := strings.Cut(text, " "); two && !all {
		args, _ := json.Marshal([]string{"namespaces " + namespace})
		pl.host.Ask(method, args, func(a port.Answer) { pl.onNamespaces(text, a) })
	}
	pl.host.Ask(method, args, func(a port.Answer) { pl.onFound(text, all, a) })
}

// onNamespaces takes the namespaces that match, unless the text has changed since. What is on screen names
// those of its own objects only.
func (pl *Palette) onNamespaces(text string, a port.Answer) {
	var answer struct {
		Objects []foundObject
		Total   int // if more match than Objects are
	}
	if pl.search.asked != text || pl.state.Load() == nil || a.Error != "" || json.Unmarshal(a.Value, &answer) != nil {
		return
	}
	pl.search.namespaces, pl.search.within, pl.search.unlisted = nil, text, max(answer.Total-len(answer.Objects), 0)
	for _, o := range answer.Objects {
		if o.Resource == "namespaces" {
			pl.search.namespaces = append(pl.search.namespaces, o.Name)
		}
	}
	pl.host.Redraw()
}

// onFound takes the answer to a request, unless a later one was sent since.
func (pl *Palette) onFound(text string, all bool, a port.Answer) {
	if pl.search.asked != text || pl.search.all != all || pl.state.Load() == nil {
		return
	}
	pl.search.waiting = false
	var answer struct {
		Objects []foundObject
		Total   int // if more match than Objects are
		Kinds   int
		Missing []struct{ Resource string }
	}
	if a.Error != "" || json.Unmarshal(a.Value, &answer) != nil {
		if all {
			pl.host.Notify("Search failed: " + a.Error)
		}
		return
	}
	pl.search.text, pl.search.objects, pl.search.kinds, pl.search.missing = text, answer.Objects, answer.Kinds, nil
	pl.search.total = max(answer.Total, len(answer.Objects))
	for _, m := range answer.Missing {
		pl.search.missing = append(pl.search.missing, pl.host.ListName(m.Resource))
	}
	pl.host.Redraw()
}

// objectOffers returns the objects that were found. Those of the text before stay until the next
// answer if they still match.
func (pl *Palette) objectOffers(text string) (all []ui.Offer) {
	for _, o := range pl.search.objects {
		key := o.Name
		if o.Namespace != "" {
			key = o.Namespace + "/" + o.Name
		}
		if pl.search.text != text && !strings.Contains(strings.ToLower(key), text) {
			continue
		}
		all = append(all, ui.Offer{Action: ui.GoFound, Value: o.Resource + " " + key, Text: key, Hint: o.Kind, State: o.State, Tone: o.Tone})
	}
	return all
}

// searchOffers returns the entry that searches the kinds that are not held.
func (pl *Palette) searchOffers(text string) []ui.Offer {
	switch {
	case len(text) < findLeast:
		return nil
	case pl.search.all && pl.search.asked == text && pl.search.waiting:
		return []ui.Offer{{Action: SearchAll, Value: text, Text: "Searching all kinds …"}}
	case pl.search.all && pl.search.text == text:
		hint := words.Count(pl.search.kinds) + " kinds searched"
		if n := len(pl.search.missing); n > 0 {
			hint += ", not " + strings.Join(pl.search.missing[:min(n, 3)], ", ")
			if n > 3 {
				hint += " and " + words.Count(n-3) + " more"
			}
		}
		if len(pl.search.objects) == 0 {
			hint = "Nothing found. " + hint
		}
		return []ui.Offer{{Action: SearchAll, Value: text, Text: "Search all kinds again", Hint: hint}}
	}
	return []ui.Offer{{Action: SearchAll, Value: text, Text: "Search all kinds for “" + text + "”", Hint: "searches names"}}
}
