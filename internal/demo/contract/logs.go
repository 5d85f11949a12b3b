//go:build !js

package contract

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"
)

// logs checks how a log request is refused.
func logs(t *testing.T, s Server) {
	s.get(t, "/api/v1/namespaces/default/pods/nope/log").status(t, 404, "NotFound", `pods "nope" not found`)
	var o object
	for _, o = range s.get(t, pods).ok(t).Items {
		if len(o.Spec.Containers) > 1 {
			break
		}
	}
	name := o.Metadata.Name
	path := "/api/v1/namespaces/" + o.Metadata.Namespace + "/pods/" + name + "/log"
	if len(o.Spec.Containers) > 1 {
		a := s.get(t, path).status(t, 400, "BadRequest", "")
		if want := "a container name must be specified for pod " + name + ", choose one of: [" + o.Spec.Containers[0].Name + " "; !strings.HasPrefix(a.Message, want) {
			t.Errorf("%s\nwant %s", a.Message, want)
		}
	}
	s.get(t, path, "container", "nope").status(t, 400, "BadRequest", "container nope is not valid for pod "+name)
	s.get(t, path, "tailLines", "abc").status(t, 400, "BadRequest", `strconv.ParseInt: parsing "abc": invalid syntax`)
	if a := s.get(t, path, "sinceTime", "yesterday"); a.code != http.StatusBadRequest {
		t.Errorf("%d %s", a.code, a.body)
	}
	s.get(t, path, "sinceTime", "2026-11-22T03:04:05Z", "sinceSeconds", "7").status(t, 422, "Invalid", `PodLogOptions "`+name+"\" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified")
	for option, message := range map[string]string{
		"tailLines=-1":   "tailLines: Invalid value: -1: must be greater than or equal to 0",
		"sinceSeconds=0": "sinceSeconds: Invalid value: 0: must be greater than 0",
		"limitBytes=0":   "limitBytes: Invalid value: 0: must be greater than 0",
	} {
		key, value, _ := strings.Cut(option, "=")
		s.get(t, path, key, value).status(t, 422, "Invalid", `PodLogOptions "`+name+`" is invalid: `+message)
	}
}

// stamped is the format of the timestamp before a line; a space follows it.
const stamped = "2006-01-02T15:04:05.000000000Z07:00"

// lineOf splits a line into its timestamp and its text.
func lineOf(t *testing.T, line string) (at time.Time, text string) {
	t.Helper()
	stamp, text, _ := strings.Cut(line, " ")
	at, err := time.Parse(stamped, stamp)
	if err != nil || at.Format(stamped) != stamp {
		t.Fatalf("%q: %v", line, err)
	}
	return at, text
}

// read reads a log to its end.
func (s Server) read(t *testing.T, query ...string) (lines []string, text string) {
	t.Helper()
	a := s.accept(t, "text/plain,application/json", s.Log, query...)
	if a.code != http.StatusOK || a.contentType != "text/plain" {
		t.Fatalf("%d %s %.200q", a.code, a.contentType, a.body)
	}
	return strings.Split(strings.TrimSuffix(string(a.body), "\n"), "\n"), string(a.body)
}

// log checks the options of a log request.
func log(t *testing.T, s Server) {
	all, text := s.read(t)
	if len(all) < 10 || !strings.HasSuffix(text, "\n") {
		t.Fatalf("%d lines: %.200q", len(all), text)
	}
	if _, text := s.read(t, "tailLines", "0"); text != "" {
		t.Errorf("no line: %.200q", text)
	}
	tail, _ := s.read(t, "tailLines", "3", "timestamps", "true")
	if len(tail) != 3 {
		t.Fatalf("three lines: %q", tail)
	}
	from, first := lineOf(t, tail[0])
	since, _ := s.read(t, "sinceTime", from.UTC().Format(time.RFC3339Nano), "timestamps", "true")
	if at, _ := lineOf(t, since[0]); at.Before(from.Truncate(time.Second)) || !strings.Contains(strings.Join(since, "\n"), first) {
		t.Errorf("since %v: %.400s", from, strings.Join(since, "\n"))
	}
	if _, text := s.read(t, "tailLines", "3", "limitBytes", "10"); len(text) != 10 {
		t.Errorf("ten bytes: %q", text)
	}
	follow := bufio.NewScanner(s.open(t, http.MethodGet, s.Log, values([]string{"follow", "true", "timestamps", "true", "tailLines", "1"}), nil, "").Body)
	var last time.Time
	for range 5 {
		if !follow.Scan() {
			t.Fatalf("the log ends: %v", follow.Err())
		}
		at, _ := lineOf(t, follow.Text())
		if !at.After(last) || at.Before(from) {
			t.Errorf("%v after %v", at, last)
		}
		last = at
	}
}
