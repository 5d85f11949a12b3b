package identity

import (
	"slices"
	"strings"
	"testing"

	"watchglass/e2e/stage"
)

// leaveBehind makes a file of history such as a worker that crashed leaves.
const leaveBehind = `(async () => {
	const root = await navigator.storage.getDirectory();
	const mine = await (await root.getDirectoryHandle("watchglass-history-", { create: true })).getDirectoryHandle("crashed", { create: true });
	const file = await (await mine.getFileHandle("1", { create: true })).createWritable();
	await file.write("noise");
	await file.close();
})()`

// TestDiskSignOut checks that history on disk goes with the session, and that the next session removes what a
// worker has left behind.
func TestDiskSignOut(t *testing.T) {
	p, e := serve(t, gate, "", "--auth", "token"), person(t)
	e.Must(e.Open(p.At("/configmaps")))
	e.SignIn(vera.Token)
	e.sees("of-green")
	e.ChooseDisk("true")
	stage.WaitFor(t, "a folder", func() bool { return len(e.DiskFiles()) > 0 })
	e.SignOut()
	e.Says("main", "You have signed out")
	if found := e.DiskFiles(); len(found) != 0 {
		t.Errorf("%v are left after the sign-out", found)
	}

	stage.Eval[any](e, leaveBehind)
	if found := e.DiskFiles(); !slices.Contains(found, "crashed/1") {
		t.Fatalf("there are %v", found)
	}
	e.Must(e.Open(p.At("/configmaps")))
	e.SignIn(vera.Token)
	e.sees("of-green")
	stage.WaitFor(t, "what was left behind to go", func() bool {
		return !slices.ContainsFunc(e.DiskFiles(), func(name string) bool { return strings.HasPrefix(name, "crashed") })
	})
}
