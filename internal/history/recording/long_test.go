//go:build unix

package recording

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/internal/cputest"
)

// TestLongWords checks that the time a long word takes grows with its length, not with the square of it: nothing
// pauses within a word.
func TestLongWords(t *testing.T) {
	const short, long = 1 << 14, 1 << 17
	r := newRedactor(everything)
	r.collect = true
	r.note(objectName, strings.Repeat("a-", 100)+"b")
	for i := range 100 {
		r.note(hostName, fmt.Sprint("pay", i, ".acme.com"))
		r.note(imageName, fmt.Sprint("acme/app:", i))
		r.note(objectName, fmt.Sprint("web-", i))
	}
	r.noteValue("hunter2-CANARY", true)
	r.collect = false
	for _, part := range []string{"a", "a.", "a-", "-", ".", "a:", "a/", "1.", "1-", "\\n", "%2F", "[1m", "\x1b[1m", "a_", "@", "hunter2-"} {
		one, more := r.fastest(t, strings.Repeat(part, short/len(part))), r.fastest(t, strings.Repeat(part, long/len(part)))
		// Time that grows with the length would be 8 times as long, and with its square 64 times.
		if more > 24*max(one, time.Millisecond) {
			t.Errorf("%d KB of %q take %v, %d KB %v", short>>10, part, one, long>>10, more)
		}
	}
}

// fastest returns the least processor time that a text takes in three tries.
func (r *redactor) fastest(t *testing.T, text string) time.Duration {
	return cputest.Least(t, func() {
		r.logText([]byte(text))
		r.text(text, false)
	})
}
