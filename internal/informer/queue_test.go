package informer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// words writes changes as the journal does.
func words(changes []Change[*thing]) string {
	j := new(journal)
	r := &Registration[*thing]{handler: j, synced: make(chan struct{})}
	for _, c := range changes {
		r.tell(c)
	}
	return strings.Join(j.lines, ", ")
}

func popAll[T any](q queue[T]) (all []Change[T]) {
	for {
		c, ok := q.pop()
		if !ok {
			return all
		}
		all = append(all, c)
	}
}

// history makes changes of a script: "+a1 a1~a2 -a2".
func history(script string) (all []Change[*thing]) {
	parse := func(word string) *thing { return &thing{word[:1], word[1:]} }
	for word := range strings.FieldsSeq(script) {
		before, after, updated := strings.Cut(word, "~")
		switch {
		case updated:
			all = append(all, Change[*thing]{Type: ObjectUpdated, Key: word[:1], Before: parse(before), After: parse(after)})
		case word[0] == '+':
			all = append(all, Change[*thing]{Type: ObjectAdded, Key: word[1:2], After: parse(word[1:])})
		default:
			all = append(all, Change[*thing]{Type: ObjectDeleted, Key: word[1:2], Before: parse(word[1:]), Final: parse(word[1:])})
		}
	}
	return all
}

// TestCoalescing shows what the changes of a key come to.
func TestCoalescing(t *testing.T) {
	for script, want := range map[string]string{
		"+a1 a1~a2 a2~a3":     "+a@3 false",
		"a1~a2 a2~a3":         "a@1~a@3",
		"a1~a2 -a2":           "-a@2 false",
		"+a1 -a1":             "",
		"+a1 a1~a2 -a2":       "",
		"+a1 -a1 +a2":         "+a@2 false",
		"-a1 +a2":             "a@1~a@2",
		"-a1 +a2 a2~a3":       "a@1~a@3",
		"-a1 +a2 -a2":         "-a@2 false",
		"+a1 +b1 a1~a2 b1~b2": "+a@2 false, +b@2 false",
		"+a1 +b1 -a1 +a2":     "+b@1 false, +a@2 false",
	} {
		q := newCoalescing[*thing]()
		all := history(script)
		q.push(all)
		n, folded := q.waiting()
		told := popAll(q)
		if got := words(told); got != want || n != len(told) || int(folded)+n != len(all) {
			t.Errorf("%s: want %s; got %s, %d waiting, %d folded", script, want, got, n, folded)
		}
	}
}

// testCoalescingIsBounded lets objects come and go before a handler that does not
// listen: nothing is kept of them.
func testCoalescingIsBounded(t *testing.T) {
	q := newCoalescing[*thing]()
	q.push(history("+x1"))
	q.push([]Change[*thing]{{Type: synced}})
	for i := range 100_000 {
		key := fmt.Sprint(i)
		obj := &thing{key, "1"}
		q.push([]Change[*thing]{
			{Type: ObjectUpdated, Key: "y", Before: obj, After: obj}, {Type: ObjectAdded, Key: key, After: obj}, {Type: ObjectDeleted, Key: key, Before: obj, Final: obj},
		})
		if n, _ := q.waiting(); n != 2 || len(q.order) > 16 {
			t.Fatal(n, len(q.order))
		}
	}
	if all := popAll(q); len(all) != 3 || all[1].Type != synced {
		t.Fatal("the end of the list moved: ", all)
	}
}

// TestQueues holds random histories, popped at random, against what a handler
// should come to know: all of it from a lossless queue, and the same in the end
// from one that coalesces, each change beginning where the last one ended.
func TestQueues(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		model := map[string]*thing{}
		all, some := new(lossless[*thing]), newCoalescing[*thing]()
		var pushed, told []Change[*thing]
		known := map[string]*thing{}
		pop := func() {
			if c, ok := all.pop(); ok {
				told = append(told, c)
			}
			if c, ok := some.pop(); ok {
				know(t, known, c)
			}
		}
		for step := range 80 {
			var batch []Change[*thing]
			for range 1 + r.IntN(3) {
				batch = append(batch, happen(r, model, step))
			}
			pushed = append(pushed, batch...)
			all.push(batch)
			some.push(batch)
			if n, _ := some.waiting(); n > 5 {
				t.Fatalf("seed %d: %d changes of 5 keys", seed, n)
			}
			for range r.IntN(3) {
				pop()
			}
		}
		for range len(pushed) {
			pop()
		}
		if !slices.Equal(pushed, told) {
			t.Fatalf("seed %d: something was lost", seed)
		}
		if fmt.Sprint(known) != fmt.Sprint(model) {
			t.Fatalf("seed %d: want %v, got %v", seed, model, known)
		}
	}
}

// happen changes a random object.
func happen(r *rand.Rand, model map[string]*thing, step int) Change[*thing] {
	key := string(rune('a' + r.IntN(5)))
	before, obj := model[key], &thing{key, fmt.Sprint(step)}
	c := Change[*thing]{Type: ObjectAdded, Key: key, After: obj}
	switch {
	case before == nil:
	case r.IntN(2) == 0:
		delete(model, key)
		return Change[*thing]{Type: ObjectDeleted, Key: key, Before: before, Final: before}
	default:
		c.Type, c.Before = ObjectUpdated, before
	}
	model[key] = obj
	return c
}

// know applies a change to what a handler knows.
func know(t *testing.T, known map[string]*thing, c Change[*thing]) {
	t.Helper()
	if known[c.Key] != c.Before {
		t.Fatalf("%s: was %v, and is told of %v", c.Key, known[c.Key], c.Before)
	}
	if known[c.Key] = c.After; c.Type == ObjectDeleted {
		delete(known, c.Key)
	}
}
