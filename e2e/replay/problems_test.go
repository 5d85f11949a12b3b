package replay

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"watchglass/e2e/problems"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/hub/problems/recorded"
)

// answerAsRecorded answers as the apiserver did of which a recording was made.
func answerAsRecorded(player *recorded.Player) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		resp, err := player.RoundTrip(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		out, part := http.NewResponseController(w), make([]byte, 32<<10)
		for {
			n, err := resp.Body.Read(part)
			if _, failed := w.Write(part[:n]); err == io.EOF || err != nil || failed != nil {
				return
			}
			_ = out.Flush() // the next Write fails as well
		}
	}
}

// kubeconfig writes one that leads to a server.
func kubeconfig(t *testing.T, server *httptest.Server) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.CurrentContext = "recorded"
	config.Contexts["recorded"] = &clientcmdapi.Context{Cluster: "recorded", AuthInfo: "recorded"}
	config.AuthInfos["recorded"] = &clientcmdapi.AuthInfo{Token: "recorded"}
	config.Clusters["recorded"] = &clientcmdapi.Cluster{
		Server: server.URL, CertificateAuthorityData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestProblems shows the problems of a cluster with real controllers as it was recorded. The page has exactly their rows,
// and has them again after other lists and after a reload.
func TestProblems(t *testing.T) {
	const testdata = "../../internal/hub/problems/recorded/testdata/"
	record, err := recorded.Read(testdata + "raised.gz")
	if err != nil {
		t.Fatal(err)
	}
	faults, err := recorded.ReadTable(recorded.Faults)
	if err != nil {
		t.Fatal(err)
	}
	player := new(recorded.Player)
	player.Play(record)
	server := httptest.NewUnstartedServer(answerAsRecorded(player))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	site := stage.Serve(t, proxy.Options{Kubeconfig: kubeconfig(t, server)})
	e := stage.Open(t, "about:blank")
	e.Must(e.First(`if (location.protocol === "http:") localStorage["watchglass:starred"] = "engines.problems.example.com"`))
	e.Must(e.Open(site.At("/pods")))
	e.AwaitState("live")
	clock, err := e.Clock()
	e.Must(err)
	e.Must(clock.SetAhead(time.Until(record.Now()))) // the worker's, before it looks for problems
	check := func(after string) {
		t.Helper()
		e.AwaitState("live")
		var all []string
		if !stage.Within(stage.Soon, func() bool {
			all = recorded.Differences(faults, record.Names, problems.Rows(e.Rows()))
			return len(all) == 0
		}) {
			t.Errorf("after %s: %d differences:\n%s", after, len(all), strings.Join(all, "\n"))
		}
	}
	e.GoTo("/problems")
	check("the pods")
	for i := range faults { // time goes on: what has lasted longer may be worse
		for j, row := range faults[i].Rows {
			faults[i].Rows[j] = strings.Replace(row, "Warning ", "Warning|Error ", 1)
		}
	}
	e.GoTo("/nodes")
	e.AwaitState("live")
	e.GoTo("/services?n=" + record.Names["no endpoints"])
	e.AwaitState("live")
	e.GoTo("/")
	check("other lists")
	beside, err := e.Beside()
	e.Must(err)
	defer beside.Close()
	e.Must(beside.Open(site.At("/pods"))) // it keeps the worker, and its clock
	e.Must(beside.AwaitState("live", stage.Soon))
	e.Must(e.Open(site.At("/problems")))
	check("a reload")
}
