package log

// sgr returns the look after a "select graphic rendition" sequence.
func (s Style) sgr(params []byte) Style {
	for more := true; more; {
		var p param
		p, params, more = next(params)
		switch n := p.value; {
		case n == 38 || n == 48 || n == 58:
			var colour int
			if colour, params, more = p.colour(params, more); n == 58 || colour < 0 {
				continue
			}
			s = s.with(n == 48, colour+1)
		case n == 0:
			s = 0
		case n == 4 && p.sub == "0":
			s &^= Underline
		case n < len(sets) && sets[n] != 0:
			s |= sets[n]
		case n < len(clears) && clears[n] != 0:
			s &^= clears[n]
		case n >= 30 && n <= 37, n >= 90 && n <= 97:
			s = s.with(false, n%10+n/90*8+1)
		case n >= 40 && n <= 47, n >= 100 && n <= 107:
			s = s.with(true, n%10+n/100*8+1)
		}
	}
	return s
}

// sets and clears are the attributes that each parameter sets or clears.
var (
	sets   = [...]Style{1: Bold, 2: Dim, 3: Italic, 4: Underline, 7: Inverse, 9: Struck, 21: Underline}
	clears = [...]Style{22: Bold | Dim, 23: Italic, 24: Underline, 27: Inverse, 29: Struck, 39: foreground, 49: background}
)

func (s Style) with(behind bool, colour int) Style {
	if behind {
		return s&^background | Style(colour)<<5
	}
	return s&^foreground | Style(colour)
}

// param is a parameter, with what follows a colon in it.
type param struct {
	value int
	sub   string
}

// next splits off the first parameter. A value too large to mean anything is capped.
func next(params []byte) (p param, rest []byte, more bool) {
	i := 0
	for ; i < len(params) && params[i] >= '0' && params[i] <= '9'; i++ {
		p.value = min(p.value*10+int(params[i]-'0'), 9999)
	}
	from := i
	for i < len(params) && params[i] != ';' {
		i++
	}
	if from < i {
		p.sub = string(params[from+1 : i])
	}
	if i == len(params) {
		return p, nil, false
	}
	return p, params[i+1:], true
}

// colour parses 5;n or 2;r;g;b, or the same with colons. It returns one of the sixteen colours,
// or a negative number for anything else.
func (p param) colour(params []byte, more bool) (int, []byte, bool) {
	if p.sub != "" {
		return colons(p.sub), params, more
	}
	take := func() (n int) {
		if !more {
			return -1
		}
		var p param
		p, params, more = next(params)
		return p.value
	}
	switch take() {
	case 5:
		return indexed(take()), params, more
	case 2:
		r, g, b := take(), take(), take()
		return nearest(r, g, b), params, more
	}
	return -1, params, more
}

// colons parses 5:n, 2:r:g:b, or 2:space:r:g:b.
func colons(sub string) int {
	n, at := [7]int{}, 0
	for i := range len(sub) {
		switch c := sub[i]; {
		case c == ':':
			if at++; at == len(n) {
				return -1
			}
		case c >= '0' && c <= '9':
			n[at] = min(n[at]*10+int(c-'0'), 9999)
		}
	}
	switch {
	case n[0] == 5 && at >= 1:
		return indexed(n[1])
	case n[0] == 2 && at == 3:
		return nearest(n[1], n[2], n[3])
	case n[0] == 2 && at > 3:
		return nearest(n[2], n[3], n[4])
	}
	return -1
}

// indexed maps one of 256 colours to one of sixteen. The 256 are the sixteen, a cube of six
// levels, and greys.
func indexed(n int) int {
	switch {
	case n < 0 || n > 255:
		return -1
	case n < 16:
		return n
	case n < 232:
		n -= 16
		return nearest(level(n/36), level(n/6%6), level(n%6))
	}
	grey := 8 + (n-232)*10
	return nearest(grey, grey, grey)
}

func level(n int) int {
	if n == 0 {
		return 0
	}
	return 55 + n*40
}

// palette holds the sixteen colours roughly as terminals show them.
var palette = [16][3]int{
	{0, 0, 0}, {205, 49, 49}, {13, 188, 121}, {200, 200, 16}, {36, 114, 200}, {188, 63, 188}, {17, 168, 205}, {200, 200, 200},
	{102, 102, 102}, {241, 76, 76}, {35, 209, 139}, {245, 245, 67}, {59, 142, 234}, {214, 112, 214}, {41, 184, 219}, {255, 255, 255},
}

// nearest returns the closest of the sixteen colours.
func nearest(r, g, b int) int {
	if min(r, g, b) < 0 || max(r, g, b) > 255 {
		return -1
	}
	best, least := 0, 1<<30
	for i, p := range palette {
		dr, dg, db := r-p[0], g-p[1], b-p[2]
		if d := 3*dr*dr + 4*dg*dg + 2*db*db; d < least {
			best, least = i, d
		}
	}
	return best
}
