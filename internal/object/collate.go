package object

// AppendCollation appends a key to dst whose order by bytes is the Natural
// order of the strings, for sorting many of them. A run of digits becomes its
// length and the digits, so that longer numbers come later; the mark before it
// puts digits before all else.
func AppendCollation(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if !isDigit(s[i]) {
			if s[i] <= digitMark {
				dst = append(dst, digitMark+1) // control characters, as one
			}
			dst = append(dst, s[i])
			i++
			continue
		}
		zeros := i
		for i < len(s) && s[i] == '0' {
			i++
		}
		digits := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		n := i - digits
		dst = append(dst, digitMark, byte(n>>8), byte(n))
		dst = append(dst, s[digits:i]...)
		z := digits - zeros
		dst = append(dst, byte(z>>8), byte(z))
	}
	return dst
}

const digitMark = 1
