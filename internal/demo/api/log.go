//go:build !js

package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"watchglass/internal/demo/store"
)

// Log is what a container writes: one line per interval while it runs. Line n is always the same,
// so nothing needs to be stored.
type Log struct {
	Every time.Duration
	Line  func(n int) string
}

// timestamp is the kubelet's time format, which has a fixed width.
const timestamp = "2006-01-02T15:04:05.000000000Z07:00"

// logLines is how many lines of a container a node keeps.
const logLines = 20_000

// logOptions are the query parameters of a log request.
type logOptions struct {
	container                           string
	follow, previous, timestamps        bool
	tailLines, sinceSeconds, limitBytes *int64
	sinceTime                           time.Time
}

func parseLog(pod string, query url.Values) (o logOptions, status *metav1.Status) {
	o.container = query.Get("container")
	for name, into := range map[string]*bool{"follow": &o.follow, "previous": &o.previous, "timestamps": &o.timestamps} {
		text := query.Get(name)
		*into = query.Has(name) && text != "false" && text != "0"
	}
	var invalid field.ErrorList
	for _, number := range []struct {
		name string
		into **int64
		min  int64
	}{{"tailLines", &o.tailLines, 0}, {"sinceSeconds", &o.sinceSeconds, 1}, {"limitBytes", &o.limitBytes, 1}} {
		if !query.Has(number.name) {
			continue
		}
		n, err := strconv.ParseInt(query.Get(number.name), 10, 64)
		if err != nil {
			return o, badRequest("%s", err)
		}
		if n < number.min {
			atLeast := map[int64]string{0: "must be greater than or equal to 0", 1: "must be greater than 0"}[number.min]
			invalid = append(invalid, field.Invalid(field.NewPath(number.name), n, atLeast))
		}
		*number.into = &n
	}
	if query.Has("sinceTime") {
		at, err := time.Parse(time.RFC3339, query.Get("sinceTime"))
		if err != nil {
			return o, badRequest("%s", err)
		}
		if o.sinceTime = at.Truncate(time.Second); o.sinceSeconds != nil {
			invalid = append(invalid, field.Forbidden(field.NewPath(""), "at most one of `sinceTime` or `sinceSeconds` may be specified"))
		}
	}
	if len(invalid) > 0 {
		return o, statusOf(apierrors.NewInvalid(schema.GroupKind{Kind: "PodLogOptions"}, pod, invalid))
	}
	return o, nil
}

// log answers with a container's log, and follows it on request.
func (s *Server) log(w http.ResponseWriter, r *http.Request, p route) *metav1.Status {
	options, status := parseLog(p.name, r.URL.Query())
	if status != nil {
		return status
	}
	o := s.Store.Resource(p.kind.ID()).State().Get(store.Key{Namespace: p.namespace, Name: p.name})
	if o == nil {
		return statusOf(apierrors.NewNotFound(p.kind.GroupResource(), p.name))
	}
	pod := new(corev1.Pod)
	if err := pod.Unmarshal(o.Raw); err != nil {
		return statusOf(apierrors.NewInternalError(err))
	}
	if status := chooseContainer(pod, &options); status != nil {
		return status
	}
	from, to, status := containerTimes(pod, options)
	if status != nil {
		return status
	}
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusOK)
	ended := func() time.Time {
		return s.endOf(s.Store.Resource(p.kind.ID()).State().Get(o.Key), pod.UID, options, from)
	}
	l := &logResponse{logOptions: options, Log: s.Log(pod, options.container), out: w, from: from, to: to, now: s.Now, ended: ended}
	l.run(r.Context())
	return nil
}

// endOf returns when a container's run that began at some time ended, by what its pod is now; zero
// while it goes on. It is over by now if the pod is gone, or another has its name.
func (s *Server) endOf(o *store.Object, uid types.UID, options logOptions, began time.Time) time.Time {
	pod := new(corev1.Pod)
	if o == nil || pod.Unmarshal(o.Raw) != nil || pod.UID != uid {
		return s.Now()
	}
	for _, options.previous = range []bool{false, true} {
		if from, to, status := containerTimes(pod, options); status == nil && from.Equal(began) {
			return to
		}
	}
	return s.Now()
}

// chooseContainer defaults to the pod's only container.
func chooseContainer(pod *corev1.Pod, o *logOptions) *metav1.Status {
	var names, inits []string
	for _, c := range pod.Spec.Containers {
		names = append(names, c.Name)
	}
	for _, c := range pod.Spec.InitContainers {
		inits = append(inits, c.Name)
	}
	switch {
	case o.container == "" && len(names) == 1 && len(inits) == 0:
		o.container = names[0]
	case o.container == "":
		message := fmt.Sprintf("a container name must be specified for pod %s, choose one of: %v", pod.Name, names)
		if len(inits) > 0 {
			message += fmt.Sprintf(" or one of the init containers: %v", inits)
		}
		return badRequest("%s", message)
	case !slices.Contains(append(names, inits...), o.container):
		return badRequest("container %s is not valid for pod %s", o.container, pod.Name)
	}
	return nil
}

// containerTimes returns when a container started and ended. The end is zero while it runs.
func containerTimes(pod *corev1.Pod, o logOptions) (from, to time.Time, status *metav1.Status) {
	all := append(slices.Clip(pod.Status.ContainerStatuses), pod.Status.InitContainerStatuses...)
	i := slices.IndexFunc(all, func(c corev1.ContainerStatus) bool { return c.Name == o.container })
	if i < 0 {
		return from, to, badRequest("container %q in pod %q is waiting to start: %s", o.container, pod.Name, "ContainerCreating")
	}
	c := all[i]
	ended := c.State.Terminated
	switch {
	case o.previous && c.LastTerminationState.Terminated == nil:
		return from, to, badRequest("previous terminated container %q in pod %q not found", o.container, pod.Name)
	case !o.previous && c.State.Running != nil:
		return c.State.Running.StartedAt.Time, to, nil
	case o.previous || ended == nil:
		ended = c.LastTerminationState.Terminated // of a container that waits to be restarted
	}
	if ended != nil {
		return ended.StartedAt.Time, ended.FinishedAt.Time, nil
	}
	why := "ContainerCreating"
	if c.State.Waiting != nil {
		why = c.State.Waiting.Reason
	}
	if strings.HasPrefix(why, "ErrImage") || why == "ImagePullBackOff" {
		why = "trying and failing to pull image"
	}
	return from, to, badRequest("container %q in pod %q is waiting to start: %s", o.container, pod.Name, why)
}

// logResponse is a log response in progress.
type logResponse struct {
	logOptions
	Log
	out      http.ResponseWriter
	from, to time.Time
	now      func() time.Time
	ended    func() time.Time // returns when the run ended; zero while it goes on
	sent     int64
}

func (l *logResponse) at(n int) time.Time { return l.from.Add(time.Duration(n) * l.Every) }

// lines returns how many lines were written up to a time.
func (l *logResponse) lines(t time.Time) int {
	if !l.to.IsZero() && t.After(l.to) {
		t = l.to
	}
	if t.Before(l.from) {
		return 0
	}
	return int(t.Sub(l.from)/l.Every) + 1
}

// first returns the first line to send: one that was asked for and is still kept.
func (l *logResponse) first(lines int) int {
	first := max(0, lines-logLines)
	if l.tailLines != nil {
		first = max(first, lines-int(min(*l.tailLines, logLines)))
	}
	since := l.sinceTime
	if l.sinceSeconds != nil {
		since = l.now().Add(-time.Duration(min(*l.sinceSeconds, 1<<31)) * time.Second)
	}
	if since.After(l.from) {
		first = max(first, int((since.Sub(l.from)+l.Every-1)/l.Every))
	}
	return first
}

// run writes the existing lines. If the client follows, it then writes each line when it is due, until
// the container ends, as a kubelet does.
func (l *logResponse) run(ctx context.Context) {
	lines := l.lines(l.now())
	n := l.first(lines)
	for {
		for ; n < lines; n++ {
			if !l.write(n) {
				return
			}
		}
		if f, ok := l.out.(http.Flusher); ok {
			f.Flush()
		}
		if !l.follow || !l.to.IsZero() {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(l.at(n).Sub(l.now()), time.Millisecond)):
		}
		l.to = l.ended()
		lines = max(n, l.lines(l.now()))
	}
}

// write writes a line and reports whether to go on.
func (l *logResponse) write(n int) bool {
	line := l.Line(n) + "\n"
	if l.timestamps {
		line = l.at(n).UTC().Format(timestamp) + " " + line
	}
	if l.limitBytes != nil {
		line = line[:min(int64(len(line)), *l.limitBytes-l.sent)]
	}
	l.sent += int64(len(line))
	_, err := l.out.Write([]byte(line))
	return err == nil && (l.limitBytes == nil || l.sent < *l.limitBytes)
}
