//go:build !js

package recording

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
)

var deploymentStream = history.Stream{Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespaced: true}

// withSecret is the template of a pod with a variable.
func withSecret(value string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Env: []corev1.EnvVar{{Name: "PASSWORD", Value: value}}}}}}
}

// wantGone checks that none of the words is in a file, and that the file has its log.
func wantGone(t *testing.T, file []byte, words ...string) {
	t.Helper()
	got, err := read(file, 1<<20)
	if err != nil || got.Damage != "" || len(got.Logs()) != 1 || !strings.HasSuffix(string(got.Logs()[0].Text), " said\n") {
		t.Fatal(err, got)
	}
	text := textOf(t, file)
	for _, word := range words {
		if strings.Contains(text, word) || strings.Contains(string(file), word) {
			t.Errorf("%q is in the file: %s", word, text)
		}
	}
}

// TestCollectsAllOfHistory holds that a value is replaced in lines and messages if it is anywhere in history, though
// the file covers a part of that: a variable had it before, or its list was closed before or opened later.
func TestCollectsAllOfHistory(t *testing.T) {
	at := func(seconds int) time.Time { return begun.Add(time.Duration(seconds) * time.Second) }
	record := historytest.New(begun)
	n := record.Open(deploymentStream)
	for i, value := range []string{"hunter2-BEFORE", "hunter2-SINCE"} {
		record.Put(n, at(10*i), "ns/d", "u", encode(t, &appsv1.Deployment{ObjectMeta: named("ns", "d"), Spec: appsv1.DeploymentSpec{Template: withSecret(value)}}))
	}
	for name, opened := range map[string]int{"CLOSED": 0, "LATER": 80} {
		stream := podStream
		stream.Namespace = strings.ToLower(name)
		n := record.Open(stream)
		gap := history.Gap{From: at(20), To: at(100), Why: history.Closed}
		if opened > 0 {
			gap.From, gap.To = begun, at(opened)
		}
		record.Miss(n, gap)
		record.Put(n, at(opened), stream.Namespace+"/p", "u", encode(t, &corev1.Pod{ObjectMeta: named(stream.Namespace, "p"), Spec: withSecret("hunter2-" + name).Spec}))
	}
	values := []string{"hunter2-BEFORE", "hunter2-SINCE", "hunter2-CLOSED", "hunter2-LATER"}
	record.Put(record.Open(eventStream), at(40), "ns/e.1", "u", encode(t, said("login with "+strings.Join(values, ", ")+" failed")))
	record.Put(n, at(100), "ns/d", "u", nil)
	log := history.Log{Pod: "a", Text: []byte("2026-11-23T14:02:40Z with " + strings.Join(values, " and ") + " said\n")}
	h := Header{From: at(30), To: at(60)}
	wantGone(t, write(t, loggedRecord{record, []history.Log{log}}, h, Choices{HideValues: true, Logs: anyLog}), values...)
	whole, err := read(write(t, loggedRecord{record, []history.Log{log}}, Header{From: begun, To: at(100)}, Choices{Logs: anyLog}), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	wantGone(t, write(t, whole, h, Choices{HideValues: true, Logs: anyLog}), values...)
}

// TestCollectsOfLogs holds that the names of a log, and the values of its pod, are replaced in its lines, though the pod is
// in no stream: those of an owner are not.
func TestCollectsOfLogs(t *testing.T) {
	record := historytest.New(begun)
	put(t, record, eventStream, said("nothing"))
	pod := &corev1.Pod{ObjectMeta: named("payments", "billing-7d9f-abcde"), Spec: withSecret("hunter2-CANARY").Spec}
	log := history.Log{Namespace: "payments", Pod: "billing-7d9f-abcde", Container: "ledger", Object: encode(t, pod)}
	log.Text = []byte("2026-11-23T14:02:01Z payments/billing-7d9f-abcde ledger: hunter2-CANARY said\n")
	c := Choices{HideNamespaces: true, HideObjects: true, HideValues: true, Logs: anyLog}
	wantGone(t, write(t, loggedRecord{record, []history.Log{log}}, header0(), c), "payments", "billing", "7d9f", "abcde", "ledger", "CANARY")
	c.HideNamespaces, c.HideObjects = false, false
	wantGone(t, write(t, loggedRecord{record, []history.Log{log}}, header0(), c), "CANARY")
}
