package columns

import "encoding/json"

// saved returns the saved columns of each kind. Only those that are texts are of this version; the others are kept.
func (cs *Chooser) saved() map[string]any {
	var kept map[string]any
	if json.Unmarshal([]byte(cs.browser.Recall("columns")), &kept) != nil || kept == nil {
		return make(map[string]any)
	}
	return kept
}

// SavedFor returns the saved columns of a kind; "" if there are none.
func (cs *Chooser) SavedFor(kind string) string {
	columns, _ := cs.saved()[kind].(string)
	return columns
}

func (cs *Chooser) remember() {
	kept, kind := cs.saved(), cs.host.Here()
	if cs.host.Address().Columns == "" {
		delete(kept, kind)
	} else {
		kept[kind] = cs.host.Address().Columns
	}
	if doc, err := json.Marshal(kept); err == nil {
		cs.browser.Remember("columns", string(doc))
	}
}
