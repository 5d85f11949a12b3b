package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// kubelet starts one that ends with the test.
func kubelet(t *testing.T, node string, logs Logs) *Kubelet {
	t.Helper()
	k, err := shared.StartKubelet(t.Context(), node, logs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Stop(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// podOf is a pod with some containers.
func podOf(name string, containers ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	for _, c := range containers {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: c, Image: "registry.example/app:1"})
	}
	return pod
}

func run(t *testing.T, k *Kubelet, pod *corev1.Pod) {
	t.Helper()
	if _, err := k.Run(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
}

func logOf(pod string, o wire.LogOptions) wire.Request {
	return wire.Request{Verb: wire.Log, Version: "v1", Resource: "pods", Namespace: "default", Name: pod, Log: &o}
}

func number(n int64) *int64 { return &n }

// TestLogs holds that a log is, byte for byte, what kubectl prints.
func TestLogs(t *testing.T) {
	noon := time.Now().Add(-3 * time.Hour).Truncate(time.Second).UTC()
	main := NewScript(noon, "first", "\x1b[31mred\x1b[0m", "", "gr\u00fc\u00dfe \xff\x00")
	main.Write(noon.Add(time.Hour+123456789), "an hour later")
	main.Write(noon.Add(2*time.Hour+1000), "two")
	before := NewScript(noon.Add(-time.Hour), "the one before", "panic: no")
	before.End()
	k := kubelet(t, "node-logs", func(_, _, container string, previous bool) Log {
		switch {
		case container == "side":
			return NewScript(noon)
		case previous:
			return before
		}
		return main
	})
	run(t, k, podOf("writes", "main", "side"))
	r := relayTo(t, Admin())
	hour := noon.Add(time.Hour)
	for args, o := range map[string]wire.LogOptions{
		"":                      {},
		"--timestamps":          {Timestamps: true},
		"--tail=2":              {TailLines: number(2)},
		"--tail=0":              {TailLines: number(0)},
		"--tail=2 --timestamps": {TailLines: number(2), Timestamps: true},
		"--limit-bytes=17":      {LimitBytes: 17},
		"--since=90m":           {SinceSeconds: 90 * 60},
		"--previous":            {Previous: true},
		"--previous --tail=1":   {Previous: true, TailLines: number(1)},
		"--previous --follow":   {Previous: true, Follow: true},
		"--since-time=" + hour.Format(time.RFC3339): {SinceTime: hour.Format(time.RFC3339Nano)},
	} {
		want, err := shared.Kubectl(t.Context(), append([]string{"logs", "-n", "default", "writes", "-c", "main"}, strings.Fields(args)...)...)
		if err != nil {
			t.Fatal(err)
		}
		o.Container = "main"
		have, err := r.log(t.Context(), logOf("writes", o), func([]byte) {})
		if err != nil || have != want || want == "" && args != "--tail=0" {
			t.Errorf("%s: %v\nhave %q\nwant %q", args, err, have, want)
		}
	}
	if have, err := r.log(t.Context(), logOf("writes", wire.LogOptions{Container: "side"}), func([]byte) {}); err != nil || have != "" {
		t.Errorf("who wrote nothing: %q, %v", have, err)
	}
}

// TestLogsFollowed follows a container from before its first line to its end.
func TestLogsFollowed(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	s := NewScript(time.Now())
	k := kubelet(t, "node-follow", func(string, string, string, bool) Log { return s })
	run(t, k, podOf("goes-on", "main"))
	r := relayTo(t, Admin())
	type printed struct {
		text string
		err  error
	}
	kubectl := make(chan printed, 1)
	go func() {
		text, err := shared.Kubectl(ctx, "logs", "-n", "default", "goes-on", "--follow", "--timestamps")
		kubectl <- printed{text, err}
	}()
	stream, err := r.Open(ctx, logOf("goes-on", wire.LogOptions{Follow: true, Timestamps: true})) // before there is anything
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var have strings.Builder
	for i := range 20 {
		s.Write(time.Now(), fmt.Sprintf("line %d \u4e16\u754c", i))
		for strings.Count(have.String(), "\n") <= i { // each comes before the next is written
			batch, err := stream.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range batch.Events {
				have.Write(e.Payload)
			}
			stream.Credit(batch.Bytes)
		}
	}
	s.End()
	if batch, err := stream.Next(ctx); err == nil || wire.StatusOf(err) != nil {
		t.Errorf("the end is %+v, %v", batch, err)
	}
	if want := <-kubectl; want.err != nil || want.text != have.String() {
		t.Errorf("%v\nhave %q\nwant %q", want.err, have.String(), want.text)
	}
}

// TestLogErrors holds that what is wrong is told in the apiserver's words, as kubectl
// tells it.
func TestLogErrors(t *testing.T) {
	k := kubelet(t, "node-errors", func(_, pod, _ string, previous bool) Log {
		if pod == "waits" || previous {
			return nil
		}
		return NewScript(time.Now(), "a line")
	})
	away, err := shared.StartKubelet(t.Context(), "node-away", func(string, string, string, bool) Log { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range []*corev1.Pod{podOf("one", "main"), podOf("two", "main", "side"), podOf("waits", "main")} {
		run(t, k, pod)
	}
	run(t, away, podOf("away", "main"))
	if err := away.Stop(); err != nil {
		t.Fatal(err)
	}
	admin, nobody := relayTo(t, Admin()), relayTo(t, ana)
	for name, c := range map[string]struct {
		as   *relayed
		pod  string
		o    wire.LogOptions
		code int
	}{
		"no such pod":       {admin, "none", wire.LogOptions{}, 404},
		"no such container": {admin, "one", wire.LogOptions{Container: "x"}, 400},
		"which container":   {admin, "two", wire.LogOptions{}, 400},
		"none before":       {admin, "one", wire.LogOptions{Container: "main", Previous: true}, 400},
		"waiting to start":  {admin, "waits", wire.LogOptions{Container: "main"}, 400},
		"a node is away":    {admin, "away", wire.LogOptions{Container: "main"}, 500},
		"not allowed":       {nobody, "one", wire.LogOptions{Container: "main"}, 403},
	} {
		for _, follows := range []bool{false, true} {
			c.o.Follow = follows
			_, err := c.as.log(t.Context(), logOf(c.pod, c.o), func([]byte) {})
			status := wire.StatusOf(err)
			if status == nil || status.Origin != wire.FromAPIServer || status.Code != c.code {
				t.Errorf("%s: %+v, %v", name, status, err)
				continue
			}
			// kubectl itself picks one of two containers, and asks for the pod first; the raw
			// answer is what the apiserver says.
			path := "/api/v1/namespaces/default/pods/" + c.pod + "/log?container=" + c.o.Container
			for option, set := range map[string]bool{"previous": c.o.Previous, "follow": follows} {
				if set {
					path += "&" + option + "=true"
				}
			}
			_, said := shared.Kubectl(t.Context(), "--kubeconfig", c.as.kubeconfig, "get", "--raw", path)
			if said == nil || !strings.Contains(said.Error(), status.Message) {
				t.Errorf("%s: %q, kubectl says %v", name, status.Message, said)
			}
		}
	}
	if have, err := admin.log(t.Context(), logOf("one", wire.LogOptions{}), func([]byte) {}); err != nil || have != "a line\n" {
		t.Errorf("the one that is fine: %q, %v", have, err)
	}
}

// TestLogNowhere follows a pod that is on no node.
func TestLogNowhere(t *testing.T) {
	if _, err := clientFor(t, shared.Config()).CoreV1().Pods("default").Create(t.Context(), podOf("nowhere", "main"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	have, err := relayTo(t, Admin()).log(t.Context(), logOf("nowhere", wire.LogOptions{Follow: true}), func([]byte) {})
	if err != nil || have != "" {
		t.Errorf("%q, %v", have, err)
	}
}

// letRead gives ana the right to the log of one pod, until it is taken back.
func letRead(t *testing.T, k *Kubelet, pod string) (takeBack func()) {
	t.Helper()
	rights := k.client.RbacV1()
	_, err := rights.Roles("default").Create(t.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "one-log"}, Rules: []rbacv1.PolicyRule{
		{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods/log"}, ResourceNames: []string{pod}},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = rights.RoleBindings("default").Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "one-log"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "one-log"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: ana.Name}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := rights.RoleBindings("default").Delete(t.Context(), "one-log", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLogRevoked takes the right to one log away from who follows it: until then it goes
// on, and then it ends in time.
func TestLogRevoked(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	s := NewScript(time.Now(), "a line")
	k := kubelet(t, "node-revoked", func(string, string, string, bool) Log { return s })
	run(t, k, podOf("revoked", "main"))
	takeBack := letRead(t, k, "revoked")
	r := relayTo(t, ana)
	var stream *socket.Stream
	err := waitFor(ctx, "the right to be known", func(ctx context.Context) (err error) {
		stream, err = r.Open(ctx, logOf("revoked", wire.LogOptions{Follow: true}))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	err = waitFor(ctx, "two rounds", func(context.Context) error {
		if n := r.reviews.Load(); n < 2 {
			return fmt.Errorf("%d reviews", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Write(time.Now(), "another line")
	var have strings.Builder
	for have.String() != "a line\nanother line\n" {
		batch, err := stream.Next(ctx)
		if err != nil {
			t.Fatalf("%q: %v", have.String(), err)
		}
		for _, e := range batch.Events {
			have.Write(e.Payload)
		}
	}
	takeBack()
	at := time.Now()
	_, err = stream.Next(ctx)
	if status := wire.StatusOf(err); status == nil || status.Origin != wire.FromProxy || !status.Transient() {
		t.Errorf("after %v: %v", time.Since(at), err)
	}
	_, err = r.log(ctx, logOf("revoked", wire.LogOptions{Follow: true}), func([]byte) {})
	if status := wire.StatusOf(err); status == nil || !status.Denied() {
		t.Errorf("asked again: %v", err)
	}
}

// TestLogGush has a container write 10 MB/s while the tab takes nothing at first: what
// is read of the apiserver and not taken stays in bounds, and every line is there at
// the end.
func TestLogGush(t *testing.T) {
	g := NewGush(10e6, 3*time.Second)
	k := kubelet(t, "node-gush", func(string, string, string, bool) Log { return g })
	run(t, k, podOf("gushes", "main"))
	r := relayTo(t, Admin())
	const mostHeld = wire.StreamWindow + 2*wire.BatchBytes
	most := int64(0)
	g.Begin()
	waited := false
	have, err := r.log(t.Context(), logOf("gushes", wire.LogOptions{Follow: true}), func(text []byte) {
		if !waited {
			waited = true
			err := waitFor(t.Context(), "the last line to be written", func(context.Context) error {
				if g.Written() < g.Lines() {
					return errors.New("it is not")
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		most = max(most, r.read.Load()-int64(len(text)))
	})
	if err != nil {
		t.Fatal(err)
	}
	if most < wire.StreamWindow/2 || most > mostHeld {
		t.Errorf("%d bytes were held, of %d that may be", most, mostHeld)
	}
	for n := range g.Lines() {
		line, rest, ok := strings.Cut(have, "\n")
		if !ok || line != g.Text(n) {
			t.Fatalf("line %d of %d is %q", n, g.Lines(), line)
		}
		have = rest
	}
	if have != "" {
		t.Errorf("behind the last line: %.200q", have)
	}
	t.Logf("%d lines, at most %d bytes held", g.Lines(), most)
}
