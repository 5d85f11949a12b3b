package words

import (
	"strconv"

	"watchglass/internal/detail/revision"
)

// RolloutTitle returns "Rollout: revision 13 → 14", as far as the numbers are known.
func RolloutTitle(r revision.Rollout) string {
	what := "Rollout"
	if r.Back {
		what = "Rollback"
	}
	from, to := strconv.FormatInt(r.From, 10), strconv.FormatInt(r.To, 10)
	switch {
	case r.To == 0 && r.From == 0:
		return what + " in progress"
	case r.To == 0:
		return what + ": revision " + from + " → new"
	case r.From == 0:
		return what + ": revision " + to
	}
	return what + ": revision " + from + " → " + to
}

// RolloutSides says how many new pods are ready, and how many old ones are left.
func RolloutSides(r revision.Rollout) string {
	text := "New: " + Count(r.Ready) + " of " + Count(r.Desired) + " ready"
	if !r.Counted {
		text = "New: " + Count(r.Updated) + " of " + Count(r.Desired) + " updated"
	}
	if r.From != 0 || r.Old > 0 {
		text += " · Old: " + Count(r.Old) + " left"
	}
	return text
}
