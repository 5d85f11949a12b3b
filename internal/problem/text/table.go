package text

// Table holds lists of names, each behind its key. Unlike a map, it takes no code to fill.
type Table [][]string

// Of returns the names of a key; nil if there are none.
func (t Table) Of(key string) []string {
	for _, names := range t {
		if names[0] == key {
			return names[1:]
		}
	}
	return nil
}
