package web

import (
	"strings"
	"testing"

	"watchglass/internal/quote"
	"watchglass/internal/wire"
	"watchglass/web/commands"
	"watchglass/web/share"
	"watchglass/web/ui"
)

// firstCommand returns the first command of the dialog, if that is open.
func firstCommand(t *testing.T, w *tab) (text string, open bool) {
	t.Helper()
	for _, e := range parts(t, w.page.dialogs.Draw()) {
		if open = open || e.attrs["id"] == "commands"; open && e.tag == "code" {
			return e.text, true
		}
	}
	return "", open
}

// currentContext is said of commands that name no context.
const currentContext = " Runs in your current context: check that it is this cluster."

// TestReach checks that every command names the cluster and the user as kubectl does, and that the page
// says so where it does not know their names.
func TestReach(t *testing.T) {
	for want, reach := range map[string][]string{
		"kubectl delete --kubeconfig=/lab.yaml --context=prod --cluster=staging --as=ana --namespace=a pods/p1": {"--kubeconfig=/lab.yaml", "--context=prod", "--cluster=staging", "--as=ana"},
		"kubectl delete --namespace=a pods/p1": nil,
	} {
		onPage(t, "/pods?n=a&sel=a/p1", func(t *testing.T, w *tab) {
			w.live()
			w.page.state.Proxy = &wire.Welcome{Context: "prod", Reach: reach}
			caution := ""
			if reach == nil {
				caution = currentContext
			}
			w.Act(ui.Commands, "")
			if got := content(parts(t, w.page.dialogs.Draw())); strings.Contains(got, currentContext) != (reach == nil) {
				t.Errorf("%q: the dialog says %s", reach, got)
			}
			w.press("X")
			if got := w.notice(); got != "Copied: "+want+caution {
				t.Errorf("%s\nwant %s", got, want+caution)
			}
			w.Act("copy-command", "")
			if got := w.notice(); got != "Command copied."+caution {
				t.Error(got)
			}
			w.Act(share.Open, "")
			if said := find(t, parts(t, w.page.dialogs.Draw()), "id", "caution"); content([]*element{said}) != strings.TrimSpace(caution) {
				t.Errorf("%q: %q", reach, content([]*element{said}))
			}
		})
	}
}

// TestShellOfCommands checks that commands are quoted for the shell stored in the browser, or by
// default for the platform's.
func TestShellOfCommands(t *testing.T) {
	onPage(t, "/pods?sel=a/p$1", func(t *testing.T, w *tab) {
		w.live()
		shown := func() string { return content(parts(t, w.page.dialogs.Draw())) }
		w.Act(ui.Commands, "")
		if got := shown(); !strings.Contains(got, "'pods/p$1'") {
			t.Errorf("for sh: %s", got)
		}
		w.Act(commands.PickShell, "cmd")
		if got := shown(); strings.Contains(got, "kubectl describe") || !strings.Contains(got, `No command is safe to paste: "pods/p$1" contains $`) {
			t.Errorf("for cmd: %s", got)
		}
		if got := w.screen.takeCalls(); !strings.HasSuffix(got, "remember shell cmd") {
			t.Error(got)
		}
		if w.press("d"); w.screen.takeCalls() != "" {
			t.Error("a key copies what is not safe")
		}
		w.Act(commands.PickShell, "powershell")
		w.screen.takeCalls()
		w.press("d")
		if got := w.screen.takeCalls(); !strings.HasSuffix(got, `copy kubectl describe "--namespace=a" 'pods/p$1'`) {
			t.Error(got)
		}
		w.Act(commands.PickShell, "csh")
		if got := w.page.commands.Shell(); got != quote.PowerShell {
			t.Error(got)
		}
	})
	for want, s := range map[quote.Shell]*screen{
		quote.Sh: {}, quote.PowerShell: {wins: true}, quote.Fish: {wins: true, kept: map[string]string{"shell": "fish"}},
	} {
		if got := commands.New(nil, s, nil).Shell(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
