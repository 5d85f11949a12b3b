package object

// Natural orders strings as kubectl's --sort-by does: runs of digits count as
// numbers, so that web-9 comes before web-10. It is negative, zero or positive.
func Natural(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		ca, cb := a[i], b[j]
		if da, db := isDigit(ca), isDigit(cb); da != db {
			if da {
				return -1 // digits before all else
			}
			return 1
		} else if !da {
			if ca != cb {
				return int(ca) - int(cb)
			}
			i, j = i+1, j+1
			continue
		}
		zi, zj := i, j
		for i < len(a) && a[i] == '0' {
			i++
		}
		for j < len(b) && b[j] == '0' {
			j++
		}
		ni, nj := i, j
		for i < len(a) && isDigit(a[i]) {
			i++
		}
		for j < len(b) && isDigit(b[j]) {
			j++
		}
		if d := (i - ni) - (j - nj); d != 0 {
			return d // more digits, zeros aside, is more
		}
		if da, db := a[ni:i], b[nj:j]; da != db {
			if da < db {
				return -1
			}
			return 1
		}
		if d := (ni - zi) - (nj - zj); d != 0 {
			return d // equal numbers: fewer zeros first
		}
	}
	return (len(a) - i) - (len(b) - j)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
