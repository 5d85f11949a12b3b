//go:build !js

package web

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestShell has a real shell read the commands back.
func TestCommandsInShell(t *testing.T) {
	hostile := []string{"prod", "it's", `a"b`, "$(touch x)", "`id`", "a b", "a;b", "a&&b", "*", "~", "-x", "--all", "!!", `a\b`, "é", "#a", "a=b", "{a,b}", "<x>", "a|b"}
	for _, context := range hostile {
		for _, name := range []string{"web", context} {
			for _, s := range subjects(context, "shop", name) {
				for _, c := range commandsFor(s) {
					line := "kubectl() { printf '%s\\n' \"$@\"; }; " + c.text()
					out, err := exec.CommandContext(t.Context(), "sh", "-c", line).Output()
					if err != nil {
						t.Fatalf("%s: %v", c.text(), err)
					}
					words := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
					named := slices.ContainsFunc(words, func(w string) bool { return w == s.Resource+"/"+name || w == name || w == "--from=cronjob/"+name })
					if !slices.Contains(words, "--context="+context) || !named {
						t.Fatalf("%s is read as %q", c.text(), words)
					}
					for i, w := range words { // nothing that was chosen by others can be a flag
						if w == name && strings.HasPrefix(name, "-") && !slices.Contains(words[:i], "--") {
							t.Fatalf("%s has the flag %s", c.text(), w)
						}
					}
				}
			}
		}
	}
}
