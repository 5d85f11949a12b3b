package schema

import "testing"

// TestMessages checks that the text has every message that a field of it is of.
func TestMessages(t *testing.T) {
	schema.once.Do(indexSchema)
	for name := range schema.offsets {
		for i := range messageNamed(name).Fields {
			messageNamed(name).Fields[i].Message() // panics where one is missing
		}
	}
}
