package tools

import (
	"encoding/json"
	"maps"
	"strings"
)

// Unread are what this version can't read of the stored views: another version may have written them. Saving
// writes them as they are.
type Unread struct {
	file  map[string]json.RawMessage // members of the file
	views []json.RawMessage
	whole string // the stored text, if it is no file of views at all
	aside string // such texts of before, which are stored elsewhere
}

// Some reports whether there are any.
func (u *Unread) Some() bool { return len(u.views) > 0 || u.whole != "" || u.aside != "" }

// Store is where a browser stores views.
type Store interface {
	Remember(name, text string) bool
	Recall(name string) string
}

// Recall returns the views stored for a base path, and what can't be read of them.
func Recall(b Store, base string) (views []View, rest Unread) {
	text := b.Recall("views" + base)
	rest.aside = b.Recall("views-unread" + base)
	var all []json.RawMessage
	var content string
	if json.Unmarshal([]byte(text), &rest.file) != nil || json.Unmarshal(rest.file["views"], &all) != nil || json.Unmarshal(rest.file["watchglass"], &content) != nil || content != viewContent {
		rest.file, rest.whole = nil, text
		return nil, rest
	}
	names := make(map[string]bool, len(all))
	for _, one := range all {
		var k View
		d := json.NewDecoder(strings.NewReader(string(one)))
		d.DisallowUnknownFields()
		if d.Decode(&k) != nil || k.check(names) != nil || len(views) >= MostViews {
			rest.views = append(rest.views, one)
			continue
		}
		names[k.Name] = true
		views = append(views, k)
	}
	return views, rest
}

// Remember stores views for a base path beside those that can't be read, and reports whether the browser did so.
func Remember(b Store, base string, views []View, rest Unread) bool {
	if rest.whole != "" && !b.Remember("views-unread"+base, rest.aside+rest.whole) {
		return false
	}
	var mine struct{ Views []json.RawMessage }
	_ = json.Unmarshal([]byte(WriteViews(views)), &mine) // as it was just written
	file := maps.Clone(rest.file)
	if file == nil {
		file = map[string]json.RawMessage{"watchglass": json.RawMessage(`"` + viewContent + `"`), "version": json.RawMessage("1")}
	}
	file["views"], _ = json.Marshal(append(mine.Views, rest.views...)) // JSON never fails to encode
	doc, _ := json.Marshal(file)
	return b.Remember("views"+base, string(doc))
}
