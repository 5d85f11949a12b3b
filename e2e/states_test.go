package e2e

import (
	"context"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// designed is a state that the page was designed for.
type designed struct {
	name  string
	open  func(t *testing.T) eyes
	ready string
}

// at shows a path in the shared page.
func at(path string) func(t *testing.T) eyes {
	return func(t *testing.T) eyes { return eyes{page.Open(t, path)} }
}

func openDenied(t *testing.T) eyes { return open(t, stage.ServeTo(t, denied, "").At("/pods")) }

const (
	isLive  = `document.documentElement.dataset.state === "live"`
	isPanel = `document.querySelector(".panel:not([hidden]) h2")`
)

var states = []designed{
	{"loading", openLoading, `document.documentElement.dataset.state === "syncing" && document.querySelector(".row[data-key]")`},
	{"live", at("/pods?cols=wide"), isLive},
	{"chosen", at("/pods?n=checkout&sel=checkout/nothing&q=crash&sort=Status"), isLive},
	{"nothing", at("/pods?q=no-such-pod"), `document.querySelector(".panel").innerText.includes("No matches")`},
	{"empty", at("/replicationcontrollers"), `document.querySelector(".panel").innerText.includes("There are none")`},
	{"nodes", at("/nodes"), isLive + ` && document.querySelector(".fold[data-value=Other]")`},
	{"problem", at("/pods?l=a+in+("), `document.querySelector(".banner[data-tone=problem]")`},
	{"picked", at("/pods?q=status:Running,Pending+!ns:checkout"), `document.querySelector("[aria-checked=mixed], [aria-checked=true]")`},
	{"mistake", at("/pods?q=status:Running+colour:red"), `document.querySelector("#mistake .wrong")`},
	{"shelf", openShelf(""), isLive + ` && document.querySelector(".rail [data-action=rename]")`},
	{"keep", openShelf("v"), `document.activeElement.id === "view-name"`},
	{"columns", openShelf("c"), `document.activeElement.id === "add-column" && document.querySelector("#label-names option")`},
	{"share", openShelf("e"), `document.activeElement.id === "copy-link"`},
	{"denied", openDenied, isPanel},
	{"in part", openInPart, `document.querySelector(".banner .way")`},
	{"few", openFew, isLive + ` && document.querySelector(".forget") && document.querySelector("[data-action=add]")`},
	{"offers", openOffers, `document.querySelector(".panel .way")`},
	{"polled", openPolled, `document.querySelector("#badge").innerText.startsWith("Polled")`},
	{"gone", at("/gadgets.example.com"), isPanel},
	{"unreachable", openUnreachable, isPanel},
	{"stale", openStale, `document.documentElement.dataset.state === "stale"`},
	{"crashed", func(t *testing.T) eyes { return open(t, brokenPage(t), workerEnded) }, `document.querySelector(".crash")`},
}

// looksOf are the ways in which a state is looked at: light, and one of the others in turn. make
// screenshots looks in all of them.
func looksOf(state int) []stage.Look {
	if stage.Pictures() {
		return stage.Looks
	}
	others := stage.Looks[1:]
	return []stage.Look{stage.Looks[0], others[state%len(others)]}
}

// helpsEvery is how many states there are for each whose help is checked, too.
const helpsEvery = 4

// TestStates looks at every designed state in several ways, with axe's rules.
func TestStates(t *testing.T) {
	source := stage.AxeSource(t)
	for n, state := range states {
		t.Run(state.name, func(t *testing.T) {
			e := state.open(t)
			e.Await(state.ready)
			for _, look := range looksOf(n) {
				t.Run(look.Name, func(t *testing.T) {
					e := eyes{e.In(t)}
					e.At(look)
					e.Axe(source)
					e.Keep("page")
				})
			}
			if e.Await(state.ready); state.name == "crashed" {
				return // nothing runs that keys could reach
			}
			e.Press(kb.Escape) // out of a dialog
			e.Await(`document.activeElement.tagName !== "INPUT" && !document.querySelector("[aria-modal]")`)
			e.Press("?")
			e.Await(`document.querySelector("#help")`)
			if n%helpsEvery == 0 || stage.Pictures() {
				e.Axe(source)
			}
			e.Press(kb.Escape)
			e.Await(`!document.querySelector("#help")`)
		})
	}
}

// openInPart, openFew, openOffers and openPolled are what users with few rights see.
func openInPart(t *testing.T) eyes {
	nora := stage.Someone(t)
	stage.Grant(t, nora, "checkout", stage.Reads, "pods")
	return open(t, stage.ServeTo(t, nora, "default").At("/pods?n=checkout,payments"))
}

func openFew(t *testing.T) eyes {
	nick := stage.Someone(t)
	stage.Grant(t, nick, "checkout", stage.Reads, "pods")
	e := synced(t, stage.ServeTo(t, nick, "checkout").At("/pods"))
	e.Must(e.Type("#find", "orders"))
	e.Press("\r")
	e.Await(`document.querySelector('[aria-label="Remove orders"]') && document.querySelector(".banner .way")`) // which moves what is below
	e.Must(e.Click(`[aria-label="Remove orders"]`))
	e.Must(e.Type("#find", "ch"))
	return e
}

func openOffers(t *testing.T) eyes {
	olaf := stage.Someone(t)
	stage.Grant(t, olaf, "orders", stage.Reads, "pods", "services")
	return open(t, stage.ServeTo(t, olaf, "orders").At("/pods?n=payments"))
}

func openPolled(t *testing.T) eyes {
	lou := stage.Someone(t)
	stage.Grant(t, lou, "checkout", []string{"list"}, "pods")
	return open(t, stage.ServeTo(t, lou, "checkout").At("/pods"))
}

// openShelf opens a page that has kept views and favourites, and presses keys in it.
func openShelf(keys string) func(t *testing.T) eyes {
	const views = `{"watchglass": "views", "version": 1, "views": [
		{"name": "Crashing in checkout", "address": "/pods?n=checkout&q=crash&sort=-Restarts"},
		{"name": "Nodes, by age, with a name that is longer than the rail", "address": "/nodes?sort=-Age&cols=wide"}]}`
	return func(t *testing.T) eyes {
		e := open(t, "about:blank")
		e.Must(e.First(`if (location.protocol === "http:") { localStorage.setItem("watchglass:views", ` + strconv.Quote(views) + `); localStorage.setItem("watchglass:starred", "pods,nodes,secrets") }`))
		e.Must(e.Open(stage.Serve(t, proxy.Options{}).At("/pods?n=checkout&q=crash&sort=-Restarts")))
		e.AwaitState("live")
		e.Press(keys)
		return e
	}
}

func openUnreachable(t *testing.T) eyes {
	p := stage.Serve(t, proxy.Options{Kubeconfig: stage.Kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{Server: "https://" + stage.FreePort(t)})})
	return open(t, p.At("/pods"))
}

func openStale(t *testing.T) eyes {
	p := stage.Serve(t, proxy.Options{})
	e := synced(t, p.At("/pods"), lostSocket)
	e.Must(p.Kill())
	return e
}

// openLoading opens a list that comes so slowly that one can look at it coming.
func openLoading(t *testing.T) eyes {
	return open(t, stage.Serve(t, proxy.Options{Kubeconfig: slowly(t)}).At("/pods"))
}

const (
	// firstBytes of the list of pods come at once, and then some every now and then:
	// a list that stops altogether is an error.
	firstBytes = 2 << 20
	moreBytes  = 16 << 10
	moreEvery  = time.Second
)

// slowly is a kubeconfig for the shared apiserver, which serves its pods slowly.
func slowly(t *testing.T) string {
	t.Helper()
	return stage.Between(t, func(p *httputil.ReverseProxy) {
		p.ModifyResponse = func(r *http.Response) error {
			if strings.HasSuffix(r.Request.URL.Path, "/pods") {
				r.Body = &trickle{ReadCloser: r.Body, ctx: r.Request.Context(), left: firstBytes}
			}
			return nil
		}
	})
}

// trickle is a body that is read slowly from some point on.
type trickle struct {
	io.ReadCloser
	ctx  context.Context
	left int
}

func (s *trickle) Read(p []byte) (int, error) {
	if s.left <= 0 {
		select {
		case <-s.ctx.Done():
			return 0, s.ctx.Err()
		case <-time.After(moreEvery):
			s.left = moreBytes
		}
	}
	n, err := s.ReadCloser.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}
