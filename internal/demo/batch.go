//go:build !js

package demo

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/internal/demo/store"
)

// cron is a CronJob: an app whose pods run to completion.
type cron struct {
	*app
	minutes  int // between runs
	last     *metav1.Time
	finished []*job // oldest first
	active   *job
}

// job is one run of a CronJob.
type job struct {
	name    string
	uid     types.UID
	started metav1.Time
	pod     *pod
}

var chores = []string{"backup", "report", "cleanup", "rotate", "digest", "reindex", "billing-run", "export"}

// keepJobs is how many finished jobs a CronJob keeps.
const keepJobs = 3

func (w *world) addCron(namespace, team, chore string) {
	c := &cron{app: w.newApp("CronJob", namespace, team, chore), minutes: pick(w.rng, []int{1, 2, 5, 5, 10, 15, 30, 60})}
	c.sidecar, c.migrates = false, false
	w.revise(c.app, c.created)
	c.revision.spec.RestartPolicy = corev1.RestartPolicyNever
	c.revision.spec.Containers[0].LivenessProbe, c.revision.spec.Containers[0].ReadinessProbe = nil, nil
	if due := w.now.Truncate(time.Duration(c.minutes) * time.Minute); due.After(c.created.Time) { // it has run before
		c.last = &metav1.Time{Time: due}
	}
	w.crons = append(w.crons, c)
	w.writeCron(c)
	w.scheduleNextJob(c)
}

// scheduleNextJob schedules the next run at a minute that matches the CronJob's schedule.
func (w *world) scheduleNextJob(c *cron) {
	every := time.Duration(c.minutes) * time.Minute
	w.after(w.now.Truncate(every).Add(every).Sub(w.now), func() {
		w.startJob(c)
		w.scheduleNextJob(c)
	})
}

func (c *cron) schedule() string {
	if c.minutes == 60 {
		return "0 * * * *"
	}
	return fmt.Sprintf("*/%d * * * *", c.minutes)
}

func (w *world) writeCron(c *cron) {
	o := &batchv1.CronJob{
		ObjectMeta: c.meta(),
		Spec: batchv1.CronJobSpec{
			Schedule: c.schedule(), ConcurrencyPolicy: batchv1.ForbidConcurrent, Suspend: ptr(false), SuccessfulJobsHistoryLimit: ptr(int32(keepJobs)), FailedJobsHistoryLimit: ptr(int32(1)),
			JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{BackoffLimit: ptr(int32(0)), Template: c.podTemplate(c.revision)}},
		},
		Status: batchv1.CronJobStatus{LastScheduleTime: c.last},
	}
	if c.active != nil {
		o.Status.Active = []corev1.ObjectReference{{Kind: "Job", Namespace: c.namespace, Name: c.active.name, UID: c.active.uid, APIVersion: "batch/v1"}}
	}
	if n := len(c.finished); n > 0 {
		o.Status.LastSuccessfulTime = c.last
	}
	w.put(o)
}

func (c *cron) cronReference() corev1.ObjectReference {
	return corev1.ObjectReference{Kind: "CronJob", Namespace: c.namespace, Name: c.name, UID: c.uid, APIVersion: "batch/v1"}
}

// startJob starts a job, unless the previous one is still running.
func (w *world) startJob(c *cron) {
	if c.active != nil {
		return
	}
	j := &job{name: fmt.Sprintf("%s-%d", c.name, w.now.Unix()/60), uid: newUID(w.rng), started: w.stamp()}
	c.active, c.last = j, &j.started
	w.writeJob(c, j, "")
	w.writeCron(c)
	w.normal(cronCtl, c.cronReference(), "SuccessfulCreate", "Created job %s", j.name)
	p, o := w.newPod(c.app, w.stamp())
	j.pod = p
	p.name = j.name + "-" + suffix(w.rng, 5)
	o.Name, o.GenerateName = p.name, generateName(p.name)
	o.OwnerReferences = owner("batch/v1", "Job", &metav1.ObjectMeta{Name: j.name, UID: j.uid})
	o.Labels = map[string]string{batchv1.JobNameLabel: j.name, batchv1.ControllerUidLabel: string(j.uid), "team": c.team, "app.kubernetes.io/name": c.role}
	w.put(o)
	w.normal(jobCtl, c.jobReference(j), "SuccessfulCreate", "Created pod: %s", p.name)
	p.node = w.free()
	w.change(p, func(o *corev1.Pod) { setScheduled(o, p.node, w.stamp()) })
	w.normal(scheduler, p.reference(), "Scheduled", "Successfully assigned %s/%s to %s", c.namespace, p.name, p.node.name)
	w.after(w.about(time.Second), func() {
		w.change(p, func(o *corev1.Pod) { setCreating(o, p.node, w.stamp()) })
		w.after(w.about(2*time.Second), func() { w.work(c, j) })
	})
}

func (c *cron) jobReference(j *job) corev1.ObjectReference {
	return corev1.ObjectReference{Kind: "Job", Namespace: c.namespace, Name: j.name, UID: j.uid, APIVersion: "batch/v1"}
}

// work runs the job's pod to completion or failure.
func (w *world) work(c *cron, j *job) {
	p := j.pod
	p.ip, p.ready = w.address(p), true
	w.change(p, func(o *corev1.Pod) {
		setStarted(o, p.ip, w.stamp())
		setReady(o, w.stamp())
	})
	w.normal(kubelet, p.inContainer(), "Started", "Started container %s", c.role)
	w.writeJob(c, j, "")
	w.after(w.about(20*time.Second), func() {
		code, how := int32(0), batchv1.JobComplete
		if w.chance(8) {
			code, how = 1, batchv1.JobFailed
		}
		p.ready = false
		w.change(p, func(o *corev1.Pod) { setFinished(o, code, w.stamp()) })
		w.writeJob(c, j, how)
		if how == batchv1.JobFailed {
			w.warn(jobCtl, c.jobReference(j), "BackoffLimitExceeded", "Job has reached the specified backoff limit")
		} else {
			w.normal(jobCtl, c.jobReference(j), "Completed", "Job completed")
		}
		c.active, c.finished = nil, append(c.finished, j)
		w.normal(cronCtl, c.cronReference(), "SawCompletedJob", "Saw completed job: %s, condition: %s", j.name, how)
		for len(c.finished) > keepJobs {
			w.deleteJob(c, c.finished[0])
			c.finished = c.finished[1:]
		}
		w.writeCron(c)
	})
}

// deleteJob deletes a finished job and its pod.
func (w *world) deleteJob(c *cron, j *job) {
	w.normal(cronCtl, c.cronReference(), "SuccessfulDelete", "Deleted job %s", j.name)
	remove[batchv1.Job](w, store.Key{Namespace: c.namespace, Name: j.name})
	j.pod.drop()
	remove[corev1.Pod](w, j.pod.key())
}

// writeJob writes a job; how is the condition it ended with, or empty while it runs.
func (w *world) writeJob(c *cron, j *job, how batchv1.JobConditionType) {
	o := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: c.namespace, Name: j.name, UID: j.uid, CreationTimestamp: j.started, Labels: c.labels(),
			OwnerReferences: owner("batch/v1", "CronJob", &metav1.ObjectMeta{Name: c.name, UID: c.uid}),
		},
		Spec: batchv1.JobSpec{
			Parallelism: ptr(int32(1)), Completions: ptr(int32(1)), BackoffLimit: ptr(int32(0)), CompletionMode: ptr(batchv1.NonIndexedCompletion), Suspend: ptr(false),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{batchv1.ControllerUidLabel: string(j.uid)}}, Template: c.podTemplate(c.revision),
		},
		Status: batchv1.JobStatus{StartTime: &j.started},
	}
	done := batchv1.JobCondition{Type: how, Status: corev1.ConditionTrue, LastProbeTime: w.stamp(), LastTransitionTime: w.stamp()}
	switch how {
	case "":
		o.Status.Active, o.Status.Ready = 1, ptr(int32(0))
		if j.pod != nil && j.pod.ready {
			o.Status.Ready = ptr(int32(1))
		}
	case batchv1.JobComplete:
		o.Status.Succeeded, o.Status.CompletionTime = 1, w.stampp()
		done.Reason, done.Message = batchv1.JobReasonCompletionsReached, "Reached expected number of succeeded pods"
		o.Status.Conditions = []batchv1.JobCondition{done}
	case batchv1.JobFailed:
		o.Status.Failed = 1
		done.Reason, done.Message = batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit"
		o.Status.Conditions = []batchv1.JobCondition{done}
	}
	w.put(o)
}
