package detail

import (
	"strconv"
	"strings"

	"watchglass/internal/detail/revision"
	"watchglass/internal/document"
)

// Revisions are the stored pod templates of a workload.
type Revisions struct {
	revision.History
	Resource string   `json:"k"`           // that stores them, as addresses name it
	Pods     string   `json:"s,omitempty"` // the label selector of the workload's pods
	Loading  bool     `json:"l,omitempty"` // some lists have not come in
	Denied   []Denial `json:"d,omitempty"`
	// Compared is the difference between the two requested templates, or between one and the template
	// before it. From and To are their numbers.
	Compared *Comparison `json:"x,omitempty"`
}

// Rollout is a rollout in progress, as the summary shows it.
type Rollout struct {
	revision.Rollout
	Denied []Denial `json:"e,omitempty"` // lists that would say more
}

// mostRevisionBytes limits the texts of all revisions, which users write.
const mostRevisionBytes = 64 << 10

// Bound cuts the texts of revisions to what a page can show.
func (r *Revisions) Bound() {
	room := &room{bytes: mostRevisionBytes}
	for _, v := range r.Revisions {
		v.Cause = room.name(v.Cause)
		for j := range v.Images {
			v.Images[j].Image, v.Images[j].From = room.name(v.Images[j].Image), room.name(v.Images[j].From)
		}
	}
}

// Compare compares the templates of the revisions that are named by their numbers: "13,14", or "14"
// for that and the one before. Nothing is compared if one is not stored.
func (r *Revisions) Compare(numbers string) {
	one, other, two := strings.Cut(numbers, ",")
	from, to := r.numbered(other), r.numbered(one)
	if !two && to >= 0 {
		from = to + 1
	}
	if from < to { // newest first
		from, to = to, from
	}
	if to < 0 || from == to || from >= len(r.Revisions) {
		return
	}
	c := CompareTemplates(r.Revisions[from].Template(), r.Revisions[to].Template())
	c.From, c.To = strconv.FormatInt(r.Revisions[from].Number, 10), strconv.FormatInt(r.Revisions[to].Number, 10)
	r.Compared = &c
}

// numbered returns the revision of a number; -1 if there is none.
func (r *Revisions) numbered(number string) int {
	for i, v := range r.Revisions {
		if strconv.FormatInt(v.Number, 10) == number {
			return i
		}
	}
	return -1
}

// CompareTemplates returns the fields that differ between two pod templates.
func CompareTemplates(from, to document.Value) (out Comparison) {
	if from.Exists() && to.Exists() {
		out.compare(from, to)
	}
	return out
}
