// Command steps looks for texts that take a parser of the tab many steps for each byte, which whoever writes a log
// or an object could use against whoever reads it. It counts steps, and not time: it is built with -cover, whose
// counters say how often each piece of the code ran. It writes what it finds, the worst first.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// found is a text, and what it took.
type found struct {
	target              string
	before, unit, after string
	perByte, growth     float64
}

func main() {
	tries := flag.Int("tries", 150, "texts per parser")
	seed := flag.Uint64("seed", 1, "seed of the texts")
	flag.Parse()
	for _, t := range targets {
		all := t.search(*tries, rand.New(rand.NewPCG(*seed, 1)))
		slices.SortFunc(all, func(a, b found) int { return cmp.Compare(b.perByte, a.perByte) })
		for _, f := range all[:min(3, len(all))] {
			fmt.Printf("%s: %.0f steps per byte, %.1f times as many in 4 times the text: %q %q… %q\n", f.target, f.perByte, f.growth, f.before, f.unit, f.after)
		}
		for _, f := range all {
			if f.perByte > t.most || f.growth > mostGrowth {
				fmt.Printf("TOO MANY: %+v\n", f)
			}
		}
	}
}

// mostGrowth is how many times as many steps a text may take that is four times as long.
const mostGrowth = 6

// search counts the steps of texts: a unit repeated, with something before and after it.
func (t *target) search(tries int, r *rand.Rand) (all []found) {
	pick := func(least, most int) (s string) {
		for range least + r.IntN(most-least+1) {
			s += t.tokens[r.IntN(len(t.tokens))]
		}
		return s
	}
	for i := range tries {
		f := found{target: t.name, before: pick(0, 2), unit: pick(1, 4), after: pick(0, 2)}
		if i < len(t.tokens) {
			f.before, f.unit, f.after = "", t.tokens[i], ""
		}
		text := func(size int) string { return f.before + strings.Repeat(f.unit, size/len(f.unit)) + f.after }
		short, long := text(t.size/4), text(t.size)
		some, many := stepsOf(func() { t.read(short) }), stepsOf(func() { t.read(long) })
		f.perByte, f.growth = float64(many)/float64(t.size), float64(many)/float64(some)
		all = append(all, f)
	}
	return all
}
