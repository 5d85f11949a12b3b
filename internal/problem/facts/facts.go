package facts

import (
	"time"

	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// ID identifies an object.
type ID struct{ Resource, Namespace, Name string }

// Facts are what others need to know of an object, and its cells do not say.
type Facts struct {
	Success      int64    // when a CronJob last succeeded
	Scheduled    int64    // when the last run was due that a CronJob started
	Progress     Progress // of a StatefulSet or DaemonSet
	References   []ID     // objects on which its causes depend
	Service      *Service
	Slice        *slice
	Backends     []backend
	Claim        *claim
	IngressClass string        // that an Ingress waits for
	Active       int64         // running pods of a Job
	Suspended    bool          // a CronJob
	Runs         object.Labels // of the pods of a workload
}

// None are those of most records. They must not be changed.
var None = new(Facts)

// own returns facts that may be changed.
func (f *Facts) own() *Facts {
	if f == None {
		return new(Facts)
	}
	return f
}

// Refer returns the facts with one more object on which the causes depend.
func (f *Facts) Refer(to ID) *Facts {
	f = f.own()
	f.References = append(f.References, to)
	return f
}

// Join returns the facts with those of the document for causes that depend on other objects.
func (f *Facts) Join(of ID, doc document.Value) *Facts {
	switch of.Resource {
	case kinds.CronJobs:
		f = f.own()
		f.Suspended = doc.Get("spec.suspend").Bool()
		f.Success, f.Scheduled = Instant(doc.Get("status.lastSuccessfulTime")), Instant(doc.Get("status.lastScheduleTime"))
	case kinds.Ingresses, kinds.Routes:
		f = f.own()
		f.Backends = readBackends(of.Resource, of.Namespace, doc)
		if of.Resource == kinds.Ingresses {
			f.IngressClass = readIngressClass(doc)
		}
		if f.IngressClass != "" {
			f.References = append(f.References, ID{Resource: kinds.IngressClasses, Name: f.IngressClass})
		}
	case kinds.ValidatingWebhooks, kinds.MutatingWebhooks:
		f = f.own()
		f.Backends = readHooks(doc)
	case kinds.Claims:
		f = f.own()
		if f.Claim = readClaim(doc); f.Claim != nil {
			f.References = []ID{{Resource: kinds.StorageClasses, Name: f.Claim.Class}}
		}
	default:
		return f
	}
	for _, b := range f.Backends {
		f.References = append(f.References, b.Service)
	}
	return f
}

// Instant returns a time in unix seconds; 0 if there is none.
func Instant(v document.Value) int64 {
	t, err := time.Parse(time.RFC3339, v.Text())
	if err != nil || t.IsZero() {
		return 0
	}
	return t.Unix()
}

// Progress is how many pods of the new template are ready, and desired.
type Progress struct{ Ready, Desired int64 }

// claim is what a pending claim waits for.
type claim struct {
	Class    string
	Volume   string
	Classed  bool // it names a class, perhaps none
	Selected bool // a node was chosen, so that it need not wait for a pod
}

// readClaim returns what a claim waits for; nil if it is not pending.
func readClaim(doc document.Value) *claim {
	if doc.TextAt("status.phase") != "Pending" || doc.Get("metadata.deletionTimestamp").Exists() {
		return nil
	}
	annotations := doc.Get("metadata.annotations")
	c := &claim{Class: doc.TextAt("spec.storageClassName"), Volume: text.Clean(doc.TextAt("spec.volumeName")), Classed: doc.Get("spec.storageClassName").Exists()}
	if old := annotations.At("volume.beta.kubernetes.io/storage-class"); old.Exists() {
		c.Class, c.Classed = old.Text(), true
	}
	c.Selected = annotations.At("volume.kubernetes.io/selected-node").Exists()
	return c
}
