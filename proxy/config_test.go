//go:build !js

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func configFile(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "watchglass.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func noEnv(string) string { return "" }

// TestConfig checks the precedence: command line, environment, file, default.
func TestConfig(t *testing.T) {
	file := configFile(t, `# of the team
listen: "127.0.0.1:1"
context: file
user: 1234
host: [a.example, "b.example:8443"]
as-group:
  - x
demo-objects: 7
verbose: true
audit: on
drain: 3s
tls-min-version: 1.3
`)
	env := map[string]string{"WATCHGLASS_CONFIG": file, "WATCHGLASS_LISTEN": "127.0.0.1:2", "WATCHGLASS_CONTEXT": "env", "WATCHGLASS_AUDIT": "off"}
	o, err := parse([]string{"--context", "args", "--as-group", "y"}, func(n string) string { return env[n] })
	if err != nil {
		t.Fatal(err)
	}
	if o.cluster.Context != "args" || o.listen != "127.0.0.1:2" || o.cluster.User != "1234" || o.demos.Pods != 7 || !o.verbose || o.logJSON {
		t.Errorf("%+v", o)
	}
	if o.audits() || o.drains() != 3*time.Second || o.tlsLeast != "1.3" {
		t.Errorf("audit %v, drain %v, TLS %s", o.audits(), o.drains(), o.tlsLeast)
	}
	if !slices.Equal(o.hosts, []string{"a.example", "b.example:8443"}) || !slices.Equal(o.cluster.AsGroups, []string{"y"}) {
		t.Errorf("%v %v", o.hosts, o.cluster.AsGroups)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n", "~\n"} {
		if o, err := parse([]string{"--config", configFile(t, empty)}, noEnv); err != nil || o.listen != standardListen {
			t.Errorf("%q: %v", empty, err)
		}
	}
}

// TestConfigErrors checks that invalid files are refused, and the errors.
func TestConfigErrors(t *testing.T) {
	for text, want := range map[string]string{
		"listten: 127.0.0.1:1":                      `line 1: unknown flag "listten": did you mean "listen"?`,
		"tls_cert_file: x":                          `did you mean "tls-cert-file"?`,
		"--verbose: true":                           `did you mean "verbose"?`,
		"Listen: 127.0.0.1:1":                       `did you mean "listen"?`,
		"replicas: 3":                               `unknown flag "replicas": see --help`,
		"\nconfig: other.yaml":                      `line 2: "config" cannot be set in a file`,
		"version: true":                             "cannot be set in a file",
		"verbose: true\nopen: true\nverbose: false": "line 3: verbose is already set in line 1",
		"verbose: yes":                              "verbose must be true or false",
		`verbose: "true"`:                           "verbose must be true or false",
		"listen: [127.0.0.1:1]":                     "listen must be text",
		"listen:":                                   "listen must be text",
		"context: true":                             "context must be text; put the value in quotes",
		"host: a":                                   "host must be a list of text values, such as [a, b]",
		"host: [a, [b]]":                            "host must be a list",
		"demo-objects: many":                        "demo-objects must be a whole number",
		"demo-objects: 1.5":                         "demo-objects must be a whole number",
		"demo-seed: -1":                             "demo-seed must be a whole number, 0 or more",
		"drain: 10":                                 "drain must be a duration with its unit, such as 10s",
		"drain: soon":                               "drain must be a duration",
		"audit: maybe":                              "audit must be on or off",
		"user: {name: ana}":                         "user must be text",
		"user: !secret x":                           "user must be text",
		"verbose: true\n---\nverbose: false\n":      "must contain a single document",
		"- listen":                                  "expected flags by name",
		"listen":                                    "expected flags by name",
		"a: &a [1]\nhost: *a":                       `unknown flag "a"`,
		"{verbose: true":                            "did not find expected",
		"? [a]\n: b":                                "unknown flag",
		"front-cidr: [10.0.0.0/8]":                  "--front-cidr needs --auth token, oidc or proxy, but --auth is local",
		"listen: 0.0.0.0:1":                         "for this machine only",
		"context: \x00":                             "control characters",
	} {
		file := configFile(t, text)
		_, err := parse([]string{"--config", file}, noEnv)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n%v\nis not %s", text, err, want)
		} else if !strings.Contains(want, "needs --auth") && want != "for this machine only" && !strings.HasPrefix(err.Error(), "--config "+file) {
			t.Errorf("%q does not name the file: %v", text, err)
		}
	}
	if _, err := parse([]string{"--config", configFile(t, "#"+strings.Repeat("x", maxConfig))}, noEnv); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Error(err)
	}
	for _, file := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		if _, err := parse([]string{"--config", file}, noEnv); err == nil || !strings.Contains(err.Error(), file) {
			t.Error(err)
		}
	}
}

// TestConfigFlags checks that every flag can be set in a file.
func TestConfigFlags(t *testing.T) {
	right := map[string]string{"string": `"1.2"`, "stringArray": "[a]", "int": "1", "uint64": "1", "bool": "false", "on|off": "off", "duration": "1s"}
	for _, f := range new(options).flags() {
		if slices.Contains(unfiled, f.name) {
			continue
		}
		fs := flagSet(new(options))
		if err := configure(configFile(t, f.name+": "+right[fs.Lookup(f.name).Value.Type()]), fs); err != nil || !fs.Changed(f.name) {
			t.Errorf("%s: %v", f.name, err)
		}
	}
}

// FuzzConfig checks that no file causes a panic.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{"listen: a:1", "host: [a, &b c, *b]", "a: &a [*a]", "<<: {verbose: true}", "? {a: b}\n: c", "---\n...\n---\n", "!!binary x: y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := settings([]byte(text))
		if err != nil {
			return
		}
		fs := flagSet(new(options))
		for _, s := range all {
			if err := s.apply(fs); err == nil && fs.Lookup(s.key.Value) == nil {
				t.Errorf("%q is taken", s.key.Value)
			}
		}
	})
}
