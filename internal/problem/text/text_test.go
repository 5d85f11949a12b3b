package text

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for _, c := range [][2]string{{"a\nb\tc", "a b c"}, {" a ", "a"}, {"\x00\u202ea", "\ufffda"}, {"\xff", "\ufffd"}, {"a\u2028b\u200bc\u00add\ufeff", "a bcd"}, {strings.Repeat("a", 300), strings.Repeat("a", 300)}, {strings.Repeat("a", 301), strings.Repeat("a", 297) + "…"}, {strings.Repeat("\xff", 300), strings.Repeat("\ufffd", 99) + "…"}} {
		if got := Clean(c[0]); got != c[1] || len(got) > Most {
			t.Errorf("%q: %q, %d bytes", c[0], got, len(got))
		}
	}
}

func TestLastLine(t *testing.T) {
	for text, want := range map[string]string{
		"":               "",
		"out of disk\n":  "out of disk",
		"a\nb: failed\n": "b: failed",
		"2026-11-23 INFO starting\nException in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n\tat com.example.Main.main(Main.java:10)\n\tat java.base/java.lang.Thread.run(Thread.java:1583)\n": `Exception in thread "main" java.lang.OutOfMemoryError: Java heap space`,
		"panic: runtime error: nil\n[signal SIGSEGV: segmentation violation]\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:42 +0x1d\nexit status 2\n":                                                  "panic: runtime error: nil",
		"Traceback (most recent call last):\n  File \"main.py\", line 3\n    os.environ[\"DB\"]\nKeyError: 'DB'\n":                                                                                              "KeyError: 'DB'",
		"FATAL CONFIG FILE ERROR\nBad directive\n":                                                       "Bad directive",
		"{\"level\":\"info\"}\n{\"level\":\"fatal\",\"msg\":\"cannot connect\",\"error\":\"refused\"}\n": "cannot connect: refused",
		"{\"level\":\"fatal\"}": `{"level":"fatal"}`,
		"{broken":               "{broken",
		"starting\n\tat a\n":    "starting",
		"\tat a\n\tat b\n":      "",
	} {
		if got := LastLine(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestSpecific(t *testing.T) {
	for message, want := range map[string]string{
		"":                    "",
		"rpc error: code = 5": "code = 5",
		"secret not found":    "secret not found",
		`failed to do request: Head "https://r/x": dial tcp: i/o timeout`:                                                                  `failed to do request: Head "https://r/x": dial tcp: i/o timeout`,
		`rpc error: code = NotFound desc = failed to pull and unpack image "r/x:1": failed to resolve reference "r/x:1": r/x:1: not found`: "not found",
		`Failed to inspect image "r/x:1": rpc error: code = Unknown desc = short-name "x" did not resolve to an alias`:                     `Failed to inspect image "r/x:1": short-name "x" did not resolve to an alias`,
		`failed to generate container "ab" spec: failed to generate spec: path "/etc" is mounted on "/" but it is not a shared mount`:      `path "/etc" is mounted on "/" but it is not a shared mount`,
	} {
		if got := Specific(message, "r/x:1"); got != want {
			t.Errorf("%q: %q", message, got)
		}
	}
}
