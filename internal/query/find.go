package query

// finder finds a word in texts, ignoring the case of ASCII letters. It compares the last
// letter first and skips ahead by the letter found there (Horspool), so most of a text is
// never read.
type finder struct {
	word string // in lower case
	skip [256]uint8
}

func newFinder(word string) *finder {
	f := &finder{word: lower(word)}
	most := min(len(f.word), 255)
	for i := range f.skip {
		f.skip[i] = uint8(most)
	}
	for i := len(f.word) - most; i < len(f.word)-1; i++ {
		f.skip[f.word[i]] = uint8(len(f.word) - 1 - i)
	}
	for c := 'a'; c <= 'z'; c++ {
		f.skip[c-'a'+'A'] = f.skip[c]
	}
	return f
}

func (f *finder) in(text string) bool { return f.index(text) >= 0 }

// index returns the position of the word's first occurrence; -1 if there is none.
func (f *finder) index(text string) int {
	n := len(f.word)
	if n == 0 {
		return 0
	}
	last := f.word[n-1]
	for i := n - 1; i < len(text); i += int(f.skip[text[i]]) {
		if fold[text[i]] == last && f.at(text, i-n+1) {
			return i - n + 1
		}
	}
	return -1
}

// at reports whether all letters of the word but the last are at i.
func (f *finder) at(text string, i int) bool {
	for j := range len(f.word) - 1 {
		if fold[text[i+j]] != f.word[j] {
			return false
		}
	}
	return true
}

// fold maps ASCII letters to lower case, and other bytes to themselves.
var fold = func() (table [256]byte) {
	for i := range table {
		table[i] = byte(i)
	}
	for c := byte('A'); c <= 'Z'; c++ {
		table[c] = c - 'A' + 'a'
	}
	return table
}()

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = fold[c]
	}
	return string(b)
}
