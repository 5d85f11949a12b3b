package identity

import (
	"slices"
	"strings"
	"testing"

	"watchglass/e2e/stage"
)

// notesGreen has a page note that it ever shows what only the user before may see, also as a glimpse,
// and count how often it is loaded: a page that joined the cluster of the user before loads again.
const notesGreen = `sessionStorage.loads = 1 + Number(sessionStorage.loads ?? 0);
new MutationObserver(() => {
	const shows = document.body?.innerText + document.querySelector(".glimpse")?.shadowRoot.textContent;
	if (shows.includes("of-green")) globalThis.showedGreen = true;
}).observe(document, {subtree: true, childList: true, characterData: true})`

// loginWaits has a page log in only once its worker has sent a glimpse: it is of the user before.
const loginWaits = `{
	let came;
	const sent = new Promise(done => came = done), Kind = SharedWorker, ask = fetch;
	globalThis.SharedWorker = class extends Kind {
		constructor(...a) { super(...a); this.port.addEventListener("message", ({ data }) => data.glimpse && came()); }
	};
	globalThis.fetch = async (to, ...how) => (String(to).includes("/-/login") && await sent, ask(to, ...how));
}`

// TestFrontNamesAnother shows that a tab is served nothing of the user before if the front
// names another user by then, though a tab of that user is open in the same browser, and
// though the browser's storage still names that user.
func TestFrontNamesAnother(t *testing.T) {
	public, before, _ := front(t)
	p := serve(t, gate, public, "--auth", "proxy", "--front-cidr", "127.0.0.9/32", "--front-group-header", "X-Forwarded-Groups")
	before(p.Origin())
	ana := person(t)
	ana.Must(ana.Open(public + "/front/sign-in?as=ana:oidc:dev"))
	ana.sees("of-green")
	ana.AwaitState("live")
	stage.WaitFor(t, "a glimpse of her list is saved", func() bool {
		return slices.ContainsFunc(ana.VisitFiles(), func(name string) bool { return strings.HasSuffix(name, ",glimpse,configmaps") })
	})
	other := ana.beside()
	other.Must(other.First(notesGreen))
	other.Must(other.First(loginWaits))
	other.Must(other.Open(public + "/front/sign-in?as=nobody-knows:"))
	other.AwaitState("denied")
	other.Says("#who", "as nobody-knows")
	if stage.Now[bool](other, `globalThis.showedGreen === true`) || other.shows("of-green") {
		t.Error("the tab shows what the user before may see")
	}
	if loads := stage.Now[string](other, `sessionStorage.loads`); loads != "1" {
		t.Errorf("the tab was loaded %s times", loads)
	}
}
