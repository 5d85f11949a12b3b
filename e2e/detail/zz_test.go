package detail

import (
	"testing"
	"time"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

func TestZZ(t *testing.T) {
	ns := stage.Namespace(t)
	makeMap(t, ns, "blue", "one")
	makeMap(t, ns, "green", "two")
	nina := stage.Someone(t)
	first := stage.Kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{})
	second := stage.Kubeconfig(t, nina, cluster.KubeconfigOptions{Context: "other"})
	p := stage.Serve(t, proxy.Options{Kubeconfig: first + ":" + second})
	e := synced(t, p.At("/configmaps?n="+ns+"&sel="+ns+"/blue&tab=compare&with=configmaps:"+ns+"/blue&wc=other"), "403")
	time.Sleep(2 * time.Second)
	t.Log(e.Text(".compare"))
	e.Must(e.Click(".compare.choice .way"))
	time.Sleep(3 * time.Second)
	t.Log(e.Text(".compare"))
	e.Keep("zz")
	t.Log(stage.Eval[string](e, `watchglass.inspect().then(i => JSON.stringify(i.clusters))`))
	e.Must(e.Open(p.At("/configmaps?n=" + ns + "&sel=" + ns + "/blue&tab=compare&with=configmaps:" + ns + "/green")))
	time.Sleep(2 * time.Second)
	t.Log(e.Text(".compare"))
	e.Must(e.Click("#compare-fold"))
	time.Sleep(2 * time.Second)
	t.Log(e.Text(".compare"))
	e.Keep("zz2")
}
