package object

import "google.golang.org/protobuf/encoding/protowire"

// The fields of a Secret that have values.
const (
	secretData   protowire.Number = 2
	secretString protowire.Number = 4
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
	for len(raw) > 0 {
		number, typ, n := protowire.ConsumeTag(raw)
		if n < 0 {
			return false
		}
		_, value, m := consume(number, typ, raw[n:])
		if m < 0 {
			return false
		}
		if raw = raw[n+m:]; number == secretData || number == secretString {
			if _, text, ok := mapPair(value); !ok || len(text) > 0 {
				return false
			}
		}
	}
	return true
}

func withheldJSON(raw []byte) bool {
	withheld := true
	err := Members(raw, func(key string, value []byte) error {
		if key != "data" && key != "stringData" || string(value) == "null" {
			return nil
		}
		return Members(value, func(_ string, value []byte) error {
			withheld = withheld && (string(value) == `""` || string(value) == "null")
			return nil
		})
	})
	return withheld && err == nil
}
