package revision

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/document"
)

// kept is a template as a naive model of the Deployment controller has it.
type kept struct {
	image   string
	created int
	numbers []int // that it had; the last one is its own
}

func (k kept) number() int { return k.numbers[len(k.numbers)-1] }

// grown returns the templates that are stored after some uses, in the order of their numbers, and the
// numbers of those that were dropped.
func grown(rng *rand.Rand, limit int) (all []*kept, lost []int) {
	used := 0
	for range 1 + rng.IntN(14) {
		image := fmt.Sprint("i", rng.IntN(6))
		switch at := slices.IndexFunc(all, func(k *kept) bool { return k.image == image }); {
		case at < 0:
			used++
			all = append(all, &kept{image, used, []int{used}})
		case at < len(all)-1: // else it is live
			used++
			k := all[at]
			k.numbers = append(k.numbers, used)
			all = append(slices.Delete(all, at, at+1), k)
		}
		for len(all) > limit+1 {
			lost = append(lost, all[0].numbers...)
			all = all[1:]
		}
	}
	return all, lost
}

// was returns the former numbers of a template.
func (k kept) was() (all []string) {
	for _, n := range k.numbers[:len(k.numbers)-1] {
		all = append(all, fmt.Sprint(n))
	}
	return all
}

// line returns what is to be read of a template.
func (k kept) line(state string, pods int, before *kept) string {
	text := fmt.Sprint(k.number()) + state
	if pods > 0 {
		text += fmt.Sprintf(" 0/%d", pods)
	}
	if text += " " + k.image; before != nil {
		text += "←" + before.image
	}
	if was := k.was(); len(was) > 0 {
		text += fmt.Sprint(" was ", was[max(0, len(was)-mostBefore):])
	}
	return text
}

// TestModel compares what is read with a model, while templates are used, used again, and dropped beyond
// a limit, and while pods move from one to the other.
func TestModel(t *testing.T) {
	cut, back := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(7, seed))
		limit := 1 + rng.IntN(4)
		all, lost := grown(rng, limit)
		rolling := len(all) > 1 && rng.IntN(2) == 0
		var docs []document.Value
		pods := make([]int, len(all))
		last, total := len(all)-1, 0
		for i, k := range all {
			if rolling || i == last {
				pods[i] = rng.IntN(3)
			}
			total += pods[i]
			notes := ""
			if was := k.was(); was != nil {
				notes = `,"deployment.kubernetes.io/revision-history":"` + strings.Join(was, ",") + `"`
				back++
			}
			docs = append(docs, set(t, fmt.Sprint(k.number()), k.created, k.image, 0, pods[i], notes))
		}
		var want []string
		for i, k := range slices.Backward(all) {
			// If none of the others has pods, the newest is the one that is replaced.
			none := !slices.ContainsFunc(pods[:last], func(n int) bool { return n > 0 })
			state, before := "", (*kept)(nil)
			switch {
			case i == last && rolling:
				state = " next"
			case i == last, rolling && (pods[i] > 0 || none && i == last-1):
				state = " live"
			}
			if i > 0 {
				before = all[i-1]
			}
			want = append(want, k.line(state, pods[i], before))
		}
		rng.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		d := deployment{image: all[last].image, want: total, total: total, updated: total, progress: "True", reason: "NewReplicaSetAvailable", spec: fmt.Sprint(`,"revisionHistoryLimit":`, limit)}
		if rolling {
			d.reason = "ReplicaSetUpdated"
		}
		h := Read(Input{Workload: d.value(t), Stored: docs, HasStored: true})
		if got := line(h); got != strings.Join(want, " | ") {
			t.Fatalf("seed %d:\nhave %s\nwant %s", seed, got, strings.Join(want, " | "))
		}
		oldest := 0
		if slices.ContainsFunc(lost, func(n int) bool { return n < all[0].number() }) {
			oldest = all[0].number()
			cut++
		}
		if h.Oldest != int64(oldest) || (h.Rollout != nil) != rolling {
			t.Fatalf("seed %d: oldest %d, want %d; rolls out: %v, want %t", seed, h.Oldest, oldest, h.Rollout != nil, rolling)
		}
	}
	if cut < 50 || back < 50 {
		t.Errorf("%d were cut off, %d used again", cut, back)
	}
}
