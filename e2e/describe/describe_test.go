// Package describe holds the summary in the browser to what the real kubectl describes,
// for objects of which nearly every field is set.
package describe

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

func TestMain(m *testing.M) { os.Exit(stage.Main(m, stage.Options{})) }

// within is how soon all values have to be there: some are of other objects.
const within = 20 * time.Second

// frames are some of the page's: nothing is there before the next.
const frames = `new Promise(done => { let n = 10; const next = () => n-- ? requestAnimationFrame(next) : done(true); next() })`

// unfold opens what is folded, and shows long texts as a whole.
const unfold = `document.querySelectorAll('.summary [aria-expanded="false"], .summary dd > [data-action="fold-facts"], .summary [data-action="whole-fact"]').forEach(b => /^(Hide|Show less)$/.test(b.textContent) || b.click())`

// read is what stands on the page: rows and cells, with the titles and names above them;
// of a cell, all of its row, as describe names a port by what stands beside it.
const read = `[...document.querySelectorAll('.summary .trait, .summary td, .summary .badge-of')].map(e => {
	const path = [];
	for (let s = e.closest('[data-section]'); s; s = s.parentElement.closest('[data-section]')) path.unshift(s.dataset.section);
	const table = e.closest('table');
	if (table) path.push(table.dataset.name);
	if (e.dataset.name) path.push(e.dataset.name);
	const lines = table ? [...e.closest('tr').children].map(c => c.dataset.name + " " + c.textContent) : [...e.querySelectorAll('.line')].map(l => l.textContent);
	return {Path: path, Text: lines.length ? lines.join("\n") : e.textContent};
})`

// TestDescribe holds that each value that kubectl describe prints, of each object, stands
// on the summary under its name.
func TestDescribe(t *testing.T) {
	objects := createAll(t, stage.Cluster)
	e := stage.Synced(t, stage.Serve(t, proxy.Options{}).At("/pods"))
	kinds := make(map[string]bool)
	for _, d := range objects {
		kinds[d.object.GetKind()] = true
		t.Run(d.object.GetKind()+"/"+d.object.GetName(), func(t *testing.T) { compare(e.In(t), d) })
	}
	if len(kinds) < 20 {
		t.Errorf("%d kinds", len(kinds))
	}
}

func compare(e stage.Eyes, d described) {
	t := e.T
	args := []string{"describe", d.resource, d.object.GetName()}
	if d.object.GetNamespace() != "" {
		args = append(args, "-n", d.object.GetNamespace())
	}
	text, err := stage.Cluster.Kubectl(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	items := parse(text)
	if d.object.GetKind() == "Secret" { // sizes do not leave the proxy
		items = slices.DeleteFunc(items, func(i item) bool { return strings.HasSuffix(i.text, " bytes") })
	}
	if d.object.GetKind() == "CertificateSigningRequest" { // whose names the summary does not read: describe has them last
		items = slices.DeleteFunc(items, func(i item) bool {
			return slices.Contains(i.labels, "Subject") || slices.Contains(i.labels, "Subject Alternative Names")
		})
	}
	e.GoTo("/" + d.resource + "?sel=" + d.key())
	e.Await(fmt.Sprintf(`document.querySelector(".drawer").getAttribute("aria-label") === %q`, d.object.GetKind()+" "+d.object.GetName()))
	var facts []fact
	var wrong []string
	for end := time.Now().Add(within); ; {
		e.Await(frames)
		stage.Eval[any](e, unfold)
		facts = stage.Eval[[]fact](e, read)
		if wrong = absent(items, facts); len(wrong) == 0 || time.Now().After(end) {
			break
		}
	}
	values := 0
	for _, i := range items {
		values += len(words(i.text))
	}
	if values < 3 {
		t.Errorf("describe printed %d values:\n%s", values, text)
	}
	for _, w := range wrong {
		t.Error(w)
	}
	if t.Failed() {
		t.Logf("%s\n%+v", text, facts)
	}
	vacuous(t, items, facts)
}

// absent says what of the items is not on the page.
func absent(items []item, facts []fact) (out []string) {
	for _, i := range items {
		if m := i.missing(facts); len(m) > 0 {
			out = append(out, fmt.Sprintf("%s: %s: there is no %q", strings.Join(i.labels, "/"), i.text, m))
		}
	}
	return out
}

// vacuous holds that the comparison would see it if a row were left out: without the
// facts that stand under its names, an item is not found there.
func vacuous(t *testing.T, items []item, facts []fact) {
	t.Helper()
	noticed := 0
	for _, i := range items {
		about := i.about(facts)
		if len(about) == 0 || len(words(i.text)) == 0 {
			continue
		}
		var none []fact
		for _, f := range about {
			none = append(none, fact{Path: f.Path})
		}
		if len(i.missing(none)) > 0 {
			noticed++
		}
	}
	if noticed == 0 {
		t.Error("if all were left out, nobody would notice")
	}
}
