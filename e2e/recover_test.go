package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// flashes counts how often the page had no rows, or lost some, from now on. It
// looks at every change of the list.
const flashes = `(() => {
	window.emptied = 0; window.least = 1e9;
	const grid = document.querySelector("[role=grid]");
	const look = () => {
		const rows = +grid.getAttribute("aria-rowcount") - 1;
		window.least = Math.min(window.least, rows);
		if (!grid.querySelector(".row[data-key]")) window.emptied++;
	};
	look();
	new MutationObserver(look).observe(grid, {childList: true, subtree: true, attributes: true});
	return true;
})()`

// checkSteady fails the test if rows were lost or flashed since flashes.
func (e eyes) checkSteady(rows int) {
	e.T.Helper()
	if n := stage.Now[int](e, "emptied"); n != 0 {
		e.T.Errorf("the list stood empty %d times", n)
	}
	if least := stage.Now[int](e, "least"); least < rows {
		e.T.Errorf("of %d rows only %d were left for a while", rows, least)
	}
}

// TestProxyRestarts kills the proxy and starts it again: the page says so, and goes
// on from the version it had.
func TestProxyRestarts(t *testing.T) {
	p := stage.Serve(t, proxy.Options{})
	e := synced(t, p.At("/pods"), lostSocket)
	stage.Eval[bool](e, flashes)
	before := e.Source()
	e.Must(p.Kill())
	e.AwaitState("stale")
	e.Await(`document.querySelector("#badge").innerText.startsWith("Stale")`)
	e.Await(`document.querySelector(".banner").innerText.includes("Check that the proxy is still running")`)
	e.Keep("stale")
	ns := stage.Namespace(t)
	pod := stage.Create(t, ns, "meanwhile")
	e.Must(p.Start(t.Context()))
	e.AwaitState("live")
	e.Await(`watchglass.list("pods", {namespace: "` + ns + `"}).then(l => l.length === 1)`)
	e.AwaitSource(func(s stage.Source) bool { return s.Resumes == before.Resumes+1 && s.Relists == before.Relists })
	stage.Remove(t, pod)
	e.Await(`watchglass.list("pods", {namespace: "` + ns + `"}).then(l => l.length === 0)`)
	e.checkSteady(before.Objects)
	s, err := e.Snapshot("pods")
	e.Must(err)
	stage.Compare(t, s)
}

// TestKubeconfigChanges changes the kubeconfig while its page is open: the server moves, as a local cluster does that
// starts again, and the user's credentials are replaced, as a login does. The page is live each time without a reload
// by the user, and shows the same rows after new credentials of the same user without one at all.
func TestKubeconfigChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	user := operator
	write := func(token, server string) {
		user.Token = token
		stage.Kubeconfig(t, user, cluster.KubeconfigOptions{Path: path, Server: server})
	}
	write(operator.Token, "https://"+stage.FreePort(t))
	p := stage.Serve(t, proxy.Options{Kubeconfig: path})
	e := open(t, p.At("/pods"), lostSocket)
	e.Await(`document.querySelector(".panel")?.innerText.includes("kubectl can reach it")`)
	write(operator.Token, "")
	e.AwaitState("live")

	stage.Eval[bool](e, `window.unreloaded = true`)
	write("expired", "")
	e.AwaitState("denied")
	e.Says(".banner", "Sign in again", "Watchglass notices when it changes")
	write(operator.Token, "")
	e.AwaitState("live")
	if !stage.Now[bool](e, `window.unreloaded ?? false`) {
		t.Error("the page was loaded anew")
	}
	s, err := e.Snapshot("pods")
	e.Must(err)
	stage.Compare(t, s)
}

// TestProxyForAnother starts the proxy again as another user, at the same place: an
// open tab does not go on with what it has, but begins anew.
func TestProxyForAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	p := stage.Serve(t, proxy.Options{Kubeconfig: stage.Kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{Path: path})})
	e := synced(t, p.At("/pods?q=crash"), lostSocket)
	stage.Eval[bool](e, `window.unreloaded = true`)
	e.Must(p.Kill())
	e.AwaitState("stale")
	stage.Kubeconfig(t, operator, cluster.KubeconfigOptions{Path: path, Context: "prod"})
	e.Must(p.Start(t.Context()))
	e.Await(`document.querySelector(".who strong")?.innerText === "prod" && document.documentElement.dataset.state === "live"`)
	if stage.Now[bool](e, `window.unreloaded === true`) {
		t.Error("the page went on")
	}
	e.Await(`document.querySelector(".who").innerText.includes("as olga")`)
	e.AwaitQuery("q", "crash")
}

// TestAPIServerRestarts kills the apiserver and starts it again, first as it was and
// then with its history gone, so that it cannot resume.
func TestAPIServerRestarts(t *testing.T) {
	e := synced(t, stage.Serve(t, proxy.Options{}).At("/pods"), lostSocket)
	stage.Eval[bool](e, flashes)
	for _, expire := range []bool{false, true} {
		before := e.Source()
		e.Must(stage.Cluster.KillAPIServer())
		e.AwaitState("stale")
		if expire {
			e.Must(stage.Cluster.Expire(t.Context())) // which starts it as well
			e.Await(fmt.Sprintf(`watchglass.inspect().then(i => i.sources[0].relists === %d)`, before.Relists+1))
		} else {
			e.Must(stage.Cluster.StartAPIServer(t.Context()))
		}
		e.AwaitState("live")
		e.AwaitSource(func(s stage.Source) bool { return s.Relists <= before.Relists+1 && s.Objects == before.Objects })
		s, err := e.Snapshot("pods")
		e.Must(err)
		stage.Compare(t, s)
		e.checkSteady(before.Objects)
	}
}

// TestExpiredVersion cuts the proxy off until the version it had is gone: it lists
// once more, and no row flashes.
func TestExpiredVersion(t *testing.T) {
	p := stage.Serve(t, proxy.Options{})
	e := synced(t, p.At("/pods"), lostSocket)
	stage.Eval[bool](e, flashes)
	before := e.Source()
	e.Must(p.Kill())
	e.AwaitState("stale")
	ns := stage.Namespace(t)
	pod := stage.Create(t, ns, "unseen")
	e.Must(stage.Cluster.Expire(t.Context()))
	e.Must(p.Start(t.Context()))
	e.Await(`watchglass.list("pods", {namespace: "` + ns + `"}).then(l => l.length === 1)`)
	e.Await(fmt.Sprintf(`watchglass.inspect().then(i => i.sources.some(s => s.resource === "pods" && s.relists === %d))`, before.Relists+1))
	e.AwaitState("live")
	e.AwaitSource(func(s stage.Source) bool { return s.Relists == before.Relists+1 }) // the version was gone
	stage.Remove(t, pod)
	e.checkSteady(before.Objects)
}

// TestPausedAPIServer stops the apiserver without closing a connection: only the
// silence tells.
func TestPausedAPIServer(t *testing.T) {
	e := synced(t, stage.Serve(t, proxy.Options{}).At("/pods"), lostSocket)
	before := e.Source()
	e.Must(stage.Cluster.PauseAPIServer())
	err := e.Tab.AwaitState("stale", stage.Soon)
	e.Must(stage.Cluster.ResumeAPIServer())
	e.Must(err)
	e.AwaitState("live")
	e.AwaitSource(func(s stage.Source) bool { return s.Relists == before.Relists })
}

// TestChurnOverRestarts writes while the proxy and the apiserver come and go: in the
// end the tab holds what is there.
func TestChurnOverRestarts(t *testing.T) {
	p := stage.Serve(t, proxy.Options{})
	e := synced(t, p.At("/pods"), lostSocket)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	churn, err := stage.Cluster.Churn(ctx, cluster.ChurnOptions{PerSecond: 50, Seed: 7})
	e.Must(err)
	for range 2 {
		e.Must(p.Kill())
		e.AwaitState("stale")
		e.Must(p.Start(t.Context()))
		e.AwaitState("live")
		e.Must(stage.Cluster.KillAPIServer())
		e.AwaitState("stale")
		e.Must(stage.Cluster.StartAPIServer(t.Context()))
		e.AwaitState("live")
		s, err := e.Snapshot("pods")
		e.Must(err)
		stage.Compare(t, s)
	}
	before := churn.Counts()
	stage.WaitFor(t, "writes that only the last watch can deliver", func() bool {
		now := churn.Counts()
		return now.Status >= before.Status+writesInFlight && now.Create > before.Create && now.Delete > before.Delete
	})
	stop()
	_ = churn.Wait() // some failed while there was no apiserver
	t.Logf("%+v", churn.Counts())
	e.AwaitPods()
	s, err := e.Snapshot("pods")
	e.Must(err)
	stage.Compare(t, s)
	e.AwaitSource(func(s stage.Source) bool { return s.Relists <= 2 }) // for two restarts of the apiserver
}

// writesInFlight is more than the writes that a churn makes at the same time: so many later, some have begun since.
const writesInFlight = 20
