package object

import "watchglass/internal/object/encoded"

// The fields of a Secret that have values.
const (
	secretData   = 2
	secretString = 4
)

// Withheld reports whether an object's bytes have no values of a Secret, as the relay promises. It does
// of those of all other kinds.
func (k Kind) Withheld(raw []byte) bool {
	if k.Group != "" || k.Resource != "secrets" {
		return true
	}
	if len(raw) > 0 && raw[0] == '{' {
		return withheldJSON(raw)
	}
	f := encoded.FieldsOf(raw)
	for f.Next() {
		if f.Number == secretData || f.Number == secretString {
			if _, text, err := encoded.Pair(f.Bytes); err != nil || len(text) > 0 {
				return false
			}
		}
	}
	return f.Err() == nil
}

func withheldJSON(raw []byte) bool {
	withheld := true
	err := encoded.Members(raw, func(key string, value []byte) error {
		if key != "data" && key != "stringData" || string(value) == "null" {
			return nil
		}
		return encoded.Members(value, func(_ string, value []byte) error {
			withheld = withheld && (string(value) == `""` || string(value) == "null")
			return nil
		})
	})
	return withheld && err == nil
}
