package detail

import (
	"strings"
	"testing"

	"watchglass/internal/object"
	"watchglass/internal/object/schema"
)

// sheetPaths are the paths of a sheet, from the value that it is of. It holds the sheet's grammar, too.
func sheetPaths(t *testing.T, sheet string) (paths []string) {
	t.Helper()
	for line := range strings.Lines(sheet) {
		line = strings.TrimSuffix(line, "\n")
		prefix := ""
		switch {
		case line == "" || line[0] == '[':
			continue
		case line[0] == '!':
			name, path, _ := strings.Cut(line[1:], " ")
			if functionOf(name) == nil {
				t.Errorf("there is no function %q", name)
			}
			if path != "" {
				paths = append(paths, path)
			}
			continue
		case line[0] == '|', line[0] == '=':
			title, rest, _ := strings.Cut(line[1:], "|")
			_, prefix, _ = strings.Cut(title, "@")
			line = rest
		default:
			head, rest, ok := strings.Cut(line, ": ")
			if !ok {
				t.Errorf("%q has no text", line)
			}
			_, prefix, _ = strings.Cut(head, "@")
			line = rest
		}
		if prefix != "" {
			paths = append(paths, prefix)
			prefix += "[]."
		}
		for {
			_, rest, more := strings.Cut(line, "{")
			if !more {
				break
			}
			place, after, closed := strings.Cut(rest, "}")
			if !closed {
				t.Errorf("%q does not close", rest)
			}
			line = after
			place, _, _ = strings.Cut(place, "?")
			path, format, _ := strings.Cut(strings.TrimPrefix(place, "!"), ":")
			format, arg, _ := strings.Cut(format, " ")
			if formatOf(format).name != format {
				t.Errorf("there is no format %q", format)
			}
			if format == "span" {
				for a := range strings.FieldsSeq(arg) {
					paths = append(paths, path+"."+a)
				}
			}
			if path != "" && path != keyPath {
				paths = append(paths, prefix+path)
			}
		}
	}
	return paths
}

// inSchema reports whether a path leads to something, whichever lists and maps are on
// its way.
func inSchema(m *schema.Message, path []string) error {
	var err error
	for i, name := range path {
		for _, mark := range []string{"", "[]", "{}", "{}[]"} {
			path[i] = strings.TrimSuffix(name, "[]") + mark
			if _, err = object.NewPlan(m, strings.Join(path[:i+1], ".")); err == nil {
				break
			}
		}
		if err != nil {
			return err
		}
		if strings.HasSuffix(path[i], "{}") {
			return nil // what follows is a key
		}
	}
	return nil
}

// notInAll are the members that not all conditions have.
var notInAll = map[string]bool{"lastProbeTime": true, "lastHeartbeatTime": true, "lastUpdateTime": true, "lastTransitionTime": true, "message": true, "reason": true}

// TestSheets holds every path of every sheet to the schema of its kind.
func TestSheets(t *testing.T) {
	versions := map[string]string{"CustomResourceDefinition": "apiextensions.k8s.io/v1"}
	for _, k := range kinds {
		kind := k.kind
		for _, group := range []string{"", "apps", "batch", "networking.k8s.io", "discovery.k8s.io", "storage.k8s.io", "autoscaling", "policy", "scheduling.k8s.io", "rbac.authorization.k8s.io", "certificates.k8s.io", "coordination.k8s.io"} {
			if k, ok := object.BuiltinNamed(group, kind); ok {
				versions[kind] = k.APIVersion()
			}
		}
	}
	check := func(kind, under, sheet string) {
		m, ok := schema.Of(versions[kind], kind)
		if !ok {
			t.Fatalf("there is no %s", kind)
		}
		for _, path := range sheetPaths(t, sheet) {
			if path == "apiVersion" || path == "kind" {
				continue
			}
			if err := inSchema(m, strings.Split(under+path, ".")); err != nil && !notInAll[path[strings.LastIndex(path, ".")+1:]] {
				t.Errorf("%s: %s: %v", kind, path, err)
			}
		}
	}
	for _, s := range kinds {
		kind, sheet := s.kind, s.text
		check(kind, "", sheet)
		check(kind, "", common)
	}
	check("Deployment", "spec.template.", template)
	check("CronJob", "spec.jobTemplate.", job)
}
