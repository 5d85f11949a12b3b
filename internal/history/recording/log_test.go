package recording

import (
	"strings"
	"testing"
)

// TestLineValues holds which values are found in lines, and that a time before a line stays.
func TestLineValues(t *testing.T) {
	const stamp = "2026-11-23T14:02:00.5Z"
	for line, want := range map[string]string{
		"token=s3cr3t!":                       "token=value-*",
		"x1234567890y":                        "xvalue-*y",
		"port 8080, not 18080":                "port value-*, not 18080",
		"INFO level info, 12":                 "INFO level info, 12",
		`{"text":"two \"parts\""}`:            `{"text":"value-*"}`,
		"read password correct-horse from it": "read password value-* from it",
		"dial postgres as pw0: refused":       "dial postgres as value-*: refused",
		"in 2026":                             "in value-*",
	} {
		r := newRedactor(Choices{HideValues: true, Logs: []string{"any"}})
		r.collect = true
		for _, value := range []string{"s3cr3t!", "1234567890", "8080", "info", "12", `two "parts"`, "user: me\npassword: correct-horse\n", "postgres://app:pw0@db/x", "2026"} {
			r.noteValue(value, true)
		}
		r.collect = false
		got := r.logText([]byte(stamp + " " + line + "\n"))
		for word := range r.used {
			got = strings.ReplaceAll(got, word, "*")
		}
		if got != stamp+" "+want+"\n" {
			t.Errorf("%q became %q, want %q", line, got, want)
		}
	}
}
