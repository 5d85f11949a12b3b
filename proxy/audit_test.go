//go:build !js

package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"watchglass/internal/edge/session"
	"watchglass/internal/relay"
	"watchglass/internal/wire"
)

// TestAudit checks the content of an audit line in text and in JSON, and that no request of a tab
// can break it into two lines.
func TestAudit(t *testing.T) {
	const canary = "hunter2"
	evil := "x\r\nlevel=INFO msg=audit user=root\u2028\u0085\u202e\x1b[31m\x00\xff\"" + strings.Repeat("y", 1<<16)
	records := []relay.Record{
		{
			Request: wire.Request{Verb: wire.List, Group: "apps", Version: "v1", Resource: "deployments", Namespace: "a", ListOptions: wire.ListOptions{
				LabelSelector: "password=" + canary, FieldSelector: "metadata.name=" + canary, Continue: canary}},
			Code: 200, Bytes: 1234, Began: time.Now(), Took: 1500 * time.Millisecond, End: relay.EndDone,
		},
		{Request: wire.Request{Verb: wire.Verb(evil), Group: evil, Version: evil, Resource: evil, Namespace: evil, Name: evil, Subresource: evil}, End: relay.EndRefused},
		{Request: wire.Request{Verb: wire.Log, Version: "v1", Resource: "pods", Namespace: "a", Name: "b", Log: &wire.LogOptions{SinceTime: canary}}, Code: 200, End: relay.EndLetGo},
	}
	on := true
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		o := &options{operating: operating{audit: &on}, logJSON: asJSON}
		s := &server{options: o, operation: newOperation(), log: o.logger(&out)}
		observe := s.observe(slog.String("user", evil[:40]), slog.String("session", session.Session{ID: canary}.Name()))
		for _, r := range records {
			observe(r)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != len(records) || strings.ContainsAny(out.String(), "\r\x00\x1b\u2028\u0085\u202e") || strings.Contains(out.String(), canary) {
			t.Fatalf("%d lines: %q", len(lines), out.String())
		}
		if n := len(lines[1]); n > 10*maxAudited*6 {
			t.Errorf("a line of %d bytes", n)
		}
		if !asJSON {
			if want := `verb=list group=apps version=v1 resource=deployments subresource="" namespace=a name="" labelSelectorBytes=16 fieldSelectorBytes=21 code=200 bytes=1234 seconds=1.5 end=done`; !strings.HasSuffix(lines[0], want) {
				t.Errorf("%s", lines[0])
			}
			if want := `verb=get group="" version=v1 resource=pods subresource=log namespace=a name=b `; !strings.Contains(lines[2], want) {
				t.Errorf("%s", lines[2])
			}
			continue
		}
		for i, line := range lines {
			var got map[string]any
			if err := json.Unmarshal([]byte(line), &got); err != nil || got["msg"] != "audit" || got["end"] != string(records[i].End) || got["session"] == "" {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

// TestAuditOff checks that auditing is off by default in local mode.
func TestAuditOff(t *testing.T) {
	for _, c := range []struct {
		args  string
		lines int
	}{{"", 0}, {"--audit", 1}, {"--audit=on", 1}, {"--audit=off", 0}, {"--audit=true", 1}} {
		o, err := parse(strings.Fields(c.args), noEnv)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		s := &server{options: o, operation: newOperation(), log: o.logger(&out)}
		s.observe()(relay.Record{})
		if n := strings.Count(out.String(), "\n"); n != c.lines {
			t.Errorf("%q: %d lines", c.args, n)
		}
	}
}

// TestAuditServed checks that each request of a tab, including reviews and discovery, is logged
// once, with its user.
func TestAuditServed(t *testing.T) {
	on, log := true, new(lockedBuffer)
	r := newRig(t, func(s *server) {
		s.options.audit = &on
		s.log = s.options.logger(log)
	})
	tb := r.tab(t)
	for i, q := range []wire.Request{{Verb: wire.Discover}, {Verb: wire.Review, Resource: "selfsubjectreviews"}, {Verb: "update", Resource: "pods"}} {
		tb.send(wire.JSONFrame(wire.KindOpen, uint32(i+5), q))
		tb.until(wire.KindEnd, uint32(i+5))
	}
	tb.watch("pods")
	tb.close()
	r.eventually(t, func() bool { return strings.Count(log.String(), "msg=audit") == 4 })
	for _, want := range []string{"user=ana mode=local session=", "verb=discover", "verb=review group=\"\" version=\"\" resource=selfsubjectreviews", "verb=update", "code=0 bytes=0", "end=refused", "verb=watch", "end=gone"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("there is no %s in\n%s", want, log.String())
		}
	}
	if cookie := tb.cookie; cookie == "" || strings.Contains(log.String(), cookie) || strings.Contains(log.String(), r.token) {
		t.Errorf("the log has the cookie or the token:\n%s", log.String())
	}
}
