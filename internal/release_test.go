//go:build !js

package internal_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// workflow is what these tests read of a GitHub workflow.
type workflow struct {
	Name        string            `json:"name"`
	Permissions map[string]string `json:"permissions"`
	Jobs        map[string]struct {
		Permissions map[string]string `json:"permissions"`
		Env         map[string]string `json:"env"`
		Timeout     int               `json:"timeout-minutes"`
		Steps       []struct {
			Uses string         `json:"uses"`
			Run  string         `json:"run"`
			With map[string]any `json:"with"`
		} `json:"steps"`
	} `json:"jobs"`
}

var (
	// pinned is a use of an action by the digest of a commit, with the version that this is. Tags can be moved.
	pinned = regexp.MustCompile(`uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+(: .+)?$`)

	// untrusted are expressions that others choose the text of. In a script they could run commands.
	untrusted = regexp.MustCompile(`\$\{\{\s*(github\.(event|head_ref|ref)|steps\.|inputs\.)`)
)

// TestWorkflows checks that each workflow can only read by default, that only the release can
// write, and that no script contains an expression that others can choose the text of.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w workflow
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "uses:") && !pinned.MatchString(strings.TrimSpace(line)) {
				t.Errorf("%s: no digest and version: %s", file, line)
			}
		}
		if w.Name == "" || w.Permissions == nil || len(w.Jobs) == 0 {
			t.Errorf("%s: no name, no permissions, or no jobs", file)
		}
		for what, right := range w.Permissions {
			if right != "read" {
				t.Errorf("%s: all jobs have %s: %s", file, what, right)
			}
		}
		for name, job := range w.Jobs {
			for what, right := range job.Permissions {
				if right != "read" && what != "security-events" && name != "release" {
					t.Errorf("%s: job %s has %s: %s", file, name, what, right)
				}
			}
			for variable := range job.Env {
				if strings.Contains(variable, "TOKEN") {
					t.Errorf("%s: all steps of job %s have %s", file, name, variable)
				}
			}
			if job.Timeout == 0 {
				t.Errorf("%s: job %s has no timeout", file, name)
			}
			for _, s := range job.Steps {
				if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != false {
					t.Errorf("%s: job %s leaves its token in the checkout", file, name)
				}
				if untrusted.MatchString(s.Run) {
					t.Errorf("%s: job %s: a script contains %s", file, name, untrusted.FindString(s.Run))
				}
			}
		}
	}
}

// TestImages checks that the images of others in what is deployed are named by their digests. Tags can be moved.
func TestImages(t *testing.T) {
	image := regexp.MustCompile(`[\w.-]+\.io/[\w./-]+:[\w.-]+(@sha256:[0-9a-f]{64}\b)?`)
	found := 0
	err := filepath.WalkDir("../proxy/deploy", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range image.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(m[0], "ghcr.io/watchglass/") {
				continue // set at a release
			}
			if found++; m[1] == "" {
				t.Errorf("%s: %s has no digest", name, m[0])
			}
		}
		return err
	})
	if err != nil || found < 4 {
		t.Error(err, found)
	}
}

// TestForms checks that GitHub can read the issue forms and the other settings.
func TestForms(t *testing.T) {
	files, err := filepath.Glob("../.github/ISSUE_TEMPLATE/*.yml")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range append(files, "../.github/dependabot.yml", "../.goreleaser.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var form struct {
			Name string `json:"name"`
			Body []struct {
				Type, ID   string
				Attributes struct{ Label string }
			} `json:"body"`
		}
		if err := yaml.Unmarshal(text, &form); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if strings.Contains(file, "ISSUE_TEMPLATE") && !strings.HasSuffix(file, "config.yml") && (form.Name == "" || len(form.Body) == 0) {
			t.Errorf("%s is no form", file)
		}
		for _, field := range form.Body {
			if field.Type == "" || field.ID == "" || field.Attributes.Label == "" {
				t.Errorf("%s: incomplete field %+v", file, field)
			}
		}
	}
}

var (
	changelogVersion = regexp.MustCompile(`^## (Unreleased|\d+\.\d+\.\d+(-[\w.]+)? / \d{4}-\d{2}-\d{2})$`)
	changelogLine    = regexp.MustCompile(`^\* \[(CHANGE|FEATURE|ENHANCEMENT|PERF|BUGFIX|SECURITY)\] [A-Z][\w ]*: \S.*[.#\d]$`)
)

// TestChangelog checks the form of the changelog, and that the part about a version can be
// printed.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile("../.github/CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, versions, ok := strings.Cut(string(text), "\n## ")
	if !ok {
		t.Fatal("no version")
	}
	for part := range strings.SplitSeq(versions, "\n## ") {
		heading, changes, _ := strings.Cut(part, "\n")
		if !changelogVersion.MatchString("## " + heading) {
			t.Errorf("not a version: %q", heading)
			continue
		}
		changes = strings.TrimSpace(changes)
		for line := range strings.SplitSeq(changes, "\n") {
			if line != "" && !changelogLine.MatchString(line) {
				t.Errorf("%s: not a change: %q", heading, line)
			}
		}
		if changes == "" && heading == "Unreleased" {
			continue
		}
		out, err := exec.Command("../.ci/notes", strings.Fields(heading)[0]).Output()
		if err != nil || strings.TrimSpace(string(out)) != changes {
			t.Errorf(".ci/notes %s: %v\n%s", heading, err, out)
		}
	}
	if err := exec.Command("../.ci/notes", "0.0.0").Run(); err == nil {
		t.Error(".ci/notes prints a version that there is not")
	}
}
