package revision

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/document"
)

// Revision is a stored pod template of a workload.
type Revision struct {
	Number  int64   `json:"n"` // as kubectl rollout history has it
	Name    string  `json:"o"` // of the object that stores it
	State   State   `json:"s,omitempty"`
	Created int64   `json:"t,omitempty"` // unix seconds
	After   int64   `json:"a,omitempty"` // it was used again after this time; 0 if it was not, unix seconds
	Again   int64   `json:"u,omitempty"` // when it was seen to be used again; 0 if nobody saw that, unix seconds
	Was     []int64 `json:"b,omitempty"` // numbers that it had before a rollback
	Cause   string  `json:"w,omitempty"` // annotation kubernetes.io/change-cause
	Images  []Image `json:"i,omitempty"`
	Ready   int     `json:"r,omitempty"` // pods
	Total   int     `json:"p,omitempty"`
	Label   string  `json:"l,omitempty"` // selects them among the workload's pods

	template document.Value
	key      string // that its pods have in common
	minReady int    // pods that were ready for minReadySeconds, if the object says so
}

// Template returns the pod template, without what controllers add.
func (r *Revision) Template() document.Value { return r.template }

// State says which part a revision has.
type State string

// The states. A revision that is no longer used has none.
const (
	Live State = "live" // its pods run
	Next State = "next" // it is being rolled out
)

// Image is the image of a container. From is that of the revision before, if it was another; New says
// that the container was not there.
type Image struct {
	Image string `json:"i"`
	From  string `json:"f,omitempty"`
	New   bool   `json:"n,omitempty"`
}

// Pod is what counts of a pod.
type Pod struct {
	Name  string
	Owner string // the name of its controller
	Hash  string // label controller-revision-hash
	Ready bool
	Ended bool // its containers have ended for good
	// Deleting says that it is being deleted: it counts no more, but may be waited for.
	Deleting bool
}

// Annotations and labels.
const (
	numberNote = "deployment.kubernetes.io/revision"
	beforeNote = "deployment.kubernetes.io/revision-history"
	causeNote  = "kubernetes.io/change-cause"

	// PodHash is the label of a pod, and of a DaemonSet's revision, that names the revision.
	PodHash = "controller-revision-hash"
)

// Limits of what is shown.
const (
	mostRevisions = 100
	mostImages    = 8
	mostBefore    = 8

	// mostHistory is how many bytes are read of an annotation with earlier numbers. Its controller writes
	// 2000 at most, but anybody who may write the object may write more.
	mostHistory = 2000
)

// read reads a revision from the object that stores it.
func (r *reader) read(stored document.Value) *Revision {
	meta := stored.At("metadata")
	notes := meta.At("annotations")
	v := &Revision{Name: meta.TextAt("name"), Created: instant(meta.At("creationTimestamp")), Cause: notes.At(causeNote).Text(), template: Template(stored)}
	if r.kind != "Deployment" {
		v.Number, v.key = stored.At("revision").Int(), v.Name
		if r.kind == "DaemonSet" {
			v.key = meta.At("labels", PodHash).Text()
		}
		v.Label = PodHash + "=" + v.key
		return v
	}
	v.key, v.Label = v.Name, hashLabel+"="+meta.At("labels", hashLabel).Text()
	number, _ := strconv.ParseInt(notes.At(numberNote).Text(), 10, 64)
	v.Number = max(number, 0) // no controller writes less
	for n := range strings.SplitSeq(lastOf(notes.At(beforeNote).Text()), ",") {
		if before, err := strconv.ParseInt(n, 10, 64); err == nil {
			v.Was = append(v.Was, before)
		}
	}
	status := stored.At("status")
	v.Total, v.Ready, v.minReady = int(status.At("replicas").Int()), int(status.At("readyReplicas").Int()), int(status.At("availableReplicas").Int())
	return v
}

// lastOf returns the last numbers of an annotation with earlier ones.
func lastOf(numbers string) string {
	if len(numbers) <= mostHistory {
		return numbers
	}
	_, whole, _ := strings.Cut(numbers[len(numbers)-mostHistory:], ",") // the first may be cut
	return whole
}

// count adds the pods to their revisions. Deployments do not need it: each ReplicaSet counts its own.
func (r *reader) count() {
	if r.kind == "Deployment" {
		return
	}
	for _, p := range r.in.Pods {
		if p.Ended || p.Deleting {
			continue
		}
		for _, v := range r.all {
			if v.key != r.keyOf(p) {
				continue
			}
			v.Total++
			if p.Ready {
				v.Ready++
			}
			break
		}
	}
}

// keyOf returns what a pod has in common with the others of its revision.
func (r *reader) keyOf(p Pod) string {
	if r.kind == "Deployment" {
		return p.Owner
	}
	return p.Hash
}

// newestFirst orders revisions by their numbers. Numbers are equal only where somebody wrote them.
func newestFirst(a, b *Revision) int {
	return cmp.Or(-cmp.Compare(a.Number, b.Number), -cmp.Compare(a.Created, b.Created), cmp.Compare(a.Name, b.Name))
}

// setAgain notes which revisions were used again, as by a rollback: those that are older than one of a lower number. When
// that was, no object says.
func setAgain(all []*Revision) {
	last := int64(0)
	for _, v := range slices.Backward(all) {
		if v.Created < last {
			v.After = last
		}
		last = max(last, v.Created)
	}
}

// setImages notes the images of each revision, and which differ from those of the revision before. Of
// the oldest there is nothing to compare with.
func setImages(all []*Revision) {
	for i, v := range all {
		containers := v.template.ListAt("spec.containers")
		for _, c := range containers[:min(len(containers), mostImages)] {
			image := Image{Image: c.TextAt("image")}
			if i+1 < len(all) {
				before := all[i+1].template.Get("spec.containers").Find("name", c.TextAt("name"))
				image.New = !before.Exists()
				if from := before.TextAt("image"); from != image.Image {
					image.From = from
				}
			}
			v.Images = append(v.Images, image)
		}
	}
}

// cutOff returns the number of the oldest stored revision if older ones are no longer stored; else 0. A
// rollback takes a number away without a loss: a ReplicaSet says which ones it had. Of
// ControllerRevisions, one that is older than another of a lower number was used again.
func (r *reader) cutOff() int64 {
	if len(r.all) == 0 {
		return 0
	}
	oldest := r.all[len(r.all)-1]
	lost, again := oldest.Number-1, false
	for i, v := range r.all {
		before, _ := slices.BinarySearch(distinct(v.Was), oldest.Number)
		lost -= int64(before)
		again = again || i+1 < len(r.all) && v.Created < r.all[i+1].Created
	}
	full := int64(len(r.all)-1) >= r.limit()
	if lost <= 0 || again && r.kind != "Deployment" && !full {
		return 0
	}
	return oldest.Number
}

// distinct returns numbers in their order, each once.
func distinct(numbers []int64) []int64 { return slices.Compact(slices.Sorted(slices.Values(numbers))) }

// limit returns how many revisions are kept beside the live one.
func (r *reader) limit() int64 {
	if n := r.in.Workload.Get("spec.revisionHistoryLimit"); n.Exists() {
		return n.Int()
	}
	return 10
}

// instant returns a time in unix seconds; 0 if there is none.
func instant(v document.Value) int64 {
	t, err := time.Parse(time.RFC3339, v.Text())
	if err != nil || t.IsZero() {
		return 0
	}
	return t.Unix()
}
