package problem

// table holds lists of names by a key. Unlike a map, it takes no code to fill.
type table []struct {
	key   string
	names []string
}

// of returns the names of a key; nil if there are none.
func (t table) of(key string) []string {
	for i := range t {
		if t[i].key == key {
			return t[i].names
		}
	}
	return nil
}
