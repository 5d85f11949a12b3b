//go:build !js

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"watchglass/web/static"
)

// threeContexts is a kubeconfig whose contexts have characters that shells treat specially.
const threeContexts = `
apiVersion: v1
kind: Config
clusters: [{name: c1, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u1, user: {token: t}}, {name: u2, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: [ran], interactiveMode: Never}}}]
contexts:
- {name: prod, context: {cluster: c1, user: u2}}
- {name: "arn:aws:eks:one", context: {cluster: c1, user: u1}}
- {name: "arn:aws:eks:two", context: {cluster: c1, user: u1}}
`

func writeContexts(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(threeContexts), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCompletion(t *testing.T) {
	file := writeContexts(t)
	env := func(name string) string {
		return map[string]string{"WATCHGLASS_KUBECONFIG": file}[name]
	}
	for line, want := range map[string]string{
		"":                           "completion page version help :4",
		"page ":                      ":0",
		"page site ":                 ":4",
		"comp":                       "completion :4",
		"--replay ":                  ":0",
		"completion ":                "bash zsh fish powershell :4",
		"completion bash ":           ":4",
		"--auth ":                    "local token oidc proxy :4",
		"--auth=o":                   "oidc :4",
		"--as":                       "--as --as-uid --as-group :4",
		"--as a --as-group b --as":   "--as-uid --as-group :4",
		"--audit=":                   "on off :4",
		"--audit --aud":              ":4",
		"--context ":                 "arn:aws:eks:one arn:aws:eks:two prod :4",
		"--nonsense --context=p":     "prod :4",
		"--cluster ":                 "c1 :4",
		"--user ":                    "u1 u2 :4",
		"--kubeconfig ":              ":0",
		"--kubeconfig=/":             ":0",
		"--kubeconfig none --user ":  ":4",
		"--tls-min-version ":         "1.2 1.3 :4",
		"-n ":                        ":4",
		"-v --versio":                "--version :4",
		"--what=":                    ":4",
		"--tls-min-version 1.3 comp": "completion :4",
	} {
		var out bytes.Buffer
		printCompletion(strings.Split(line, " "), env, &out)
		var got []string
		for l := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(strings.TrimSpace(l), "\t")
			got = append(got, word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	var out bytes.Buffer
	printCompletion([]string{"-"}, env, &out)
	for _, f := range new(options).flags() {
		if !strings.Contains(out.String(), "--"+f.name+"\t") {
			t.Errorf("--%s is not completed", f.name)
		}
	}
	if strings.Contains(out.String(), ". ") {
		t.Errorf("a description of more than a sentence:\n%s", &out)
	}
}

// shellTests load the script $1 in its shell, and print what each further argument is completed
// to, a word to a line, and then a line END. zsh completes only at a terminal, which its zpty
// module provides; compadd is what its completions call with the words that fit.
var shellTests = map[string]string{
	"bash": `source "$1"; shift
for line; do COMP_LINE=$line; COMP_POINT=${#line}; _watchglass 2>/dev/null; printf '%s\n' "${COMPREPLY[@]}" END; done`,
	"fish": `source $argv[1]; for line in $argv[2..]; complete -C "$line"; echo END; end`,
	"zsh": `zmodload zsh/zpty; zpty z zsh -f -i
zpty -w z "PS1=; autoload -U compinit; compinit -D -u; source $1; bindkey '^I' complete-word
finished() { print EN\D }
compadd() {
	[[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd \"\$@\"; return \$? }
	local -a hits; builtin compadd -A hits \"\$@\"; print -rl -- '' \$hits
}
echo REA\DY"
shift
while zpty -r z line; [[ $line != *READY* ]]; do done
for words; do
	zpty -n -w z $'\x15'"comppostfuncs=(finished)"$'\n'$'\x15'"$words"$'\t'
	while zpty -r z line; do print -r -- "$line"; [[ $line == *END* ]] && break; done
done
zpty -d z`,
}

// TestCompletionScripts runs the scripts in their shells.
func TestCompletionScripts(t *testing.T) {
	dir, file := t.TempDir(), writeContexts(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "watchglass")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "settings.yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		line string
		want []string
	}{
		{"watchglass --auth ", []string{"local", "token", "oidc", "proxy"}},
		{"watchglass --auth=t", []string{"token"}},
		{"watchglass --oidc-c", []string{"--oidc-client-id", "--oidc-client-secret-file", "--oidc-ca-file"}},
		{"watchglass --context arn:aws:", []string{"eks:one", "eks:two"}},
		{"watchglass --config " + dir + "/se", []string{"settings.yaml"}},
		{"watchglass --config=" + dir + "/se", []string{"settings.yaml"}},
		{"watchglass completion ", []string{"powershell"}},
	}
	for shell, program := range shellTests {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(shell); err != nil {
				t.Fatal("make deps installs it: ", err)
			}
			script := filepath.Join(dir, "completion."+shell)
			if err := os.WriteFile(script, []byte(completions[shell]), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"-c", program, shell, script}
			if shell == "fish" {
				args = []string{"-c", program, script}
			}
			for _, c := range cases {
				args = append(args, c.line)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c := exec.CommandContext(ctx, shell, args...)
			c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "KUBECONFIG="+file, "HOME="+dir, "TERM=dumb")
			c.Dir = dir
			out, err := c.CombinedOutput()
			answers := strings.Split(string(out), "END")
			if err != nil || len(answers) != len(cases)+1 {
				t.Fatalf("%v\n%s", err, out)
			}
			for i, c := range cases {
				for _, w := range c.want {
					if !strings.Contains(answers[i], w) {
						t.Errorf("%q is completed to %q, want %q", c.line, answers[i], w)
					}
				}
				if strings.Contains(answers[i], "--demo") {
					t.Errorf("%q is completed to %q", c.line, answers[i])
				}
			}
		})
	}
}

func TestCommands(t *testing.T) {
	page := func() (*static.Site, error) {
		return static.Open(fstest.MapFS{"index.html": {}, "licenses.txt.gz": {Data: gzipped("the licenses\n")}})
	}
	for args, want := range map[string]string{
		"version": "watchglass ", "--version": "watchglass ", "help": "--kubeconfig FILE", "--licenses": "the licenses\n",
		"completion bash": "complete -F", "completion zsh": "#compdef", "completion fish": "complete -c", "completion powershell": "Register-ArgumentCompleter",
		"__complete comp": "completion\t", "completion --help": "Usage:",
	} {
		var out bytes.Buffer
		if err := run(t.Context(), strings.Fields(args), noEnv, page, &out, io.Discard); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v\n%s", args, err, &out)
		}
	}
	for args, want := range map[string]string{
		"completion": "name one shell: bash, zsh, fish, powershell", "completion tcsh": "name one shell", "version now": "unexpected argument", "--licenses": "make build",
	} {
		if err := run(t.Context(), strings.Fields(args), noEnv, testPage, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestCommandName(t *testing.T) {
	for program, want := range map[string]string{
		"watchglass": "watchglass", "/usr/bin/watchglass": "watchglass", "watchglass.exe": "watchglass",
		"/home/ana/.krew/bin/kubectl-watchglass": "kubectl watchglass", "kubectl-watchglass.exe": "kubectl watchglass",
	} {
		if got := commandName(program); got != want {
			t.Errorf("%s: %s", program, got)
		}
	}
	if got := arguments([]string{"/bin/" + completerName, "--au"}); !slices.Equal(got, []string{completeCommand, "--au"}) {
		t.Errorf("kubectl completes with %q", got)
	}
	var out bytes.Buffer
	usage(&out, "kubectl watchglass")
	if !strings.Contains(out.String(), "\n  kubectl watchglass [flags]\n") || strings.Contains(out.String(), "  watchglass ") {
		t.Errorf("the plugin's help is\n%s", &out)
	}
}

// TestReleaseVersion checks that a release has the version of its tag.
func TestReleaseVersion(t *testing.T) {
	releaseVersion, releaseCommit = "v1.2.3", "abc"
	defer func() { releaseVersion, releaseCommit = "", "" }()
	if got := built().String(); !strings.HasPrefix(got, "watchglass v1.2.3 (commit abc, go") {
		t.Error(got)
	}
}
