package detail

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"watchglass/e2e/stage"
)

// faint are the texts and glyphs in an element that stand out from what is behind them by
// less than 4.5 : 1.
const faint = `(selector => {
	const parse = c => c.match(/[\d.]+/g).map(Number);
	const light = c => parse(c).slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = el => { // what shows through what is see-through is taken into account
		const layers = [];
		for (; el; el = el.parentElement) layers.push(parse(getComputedStyle(el).backgroundColor));
		const all = layers.reverse().reduce((under, [r, g, b, a = 1]) => [r, g, b].map((v, i) => v * a + under[i] * (1 - a)), [255, 255, 255]);
		return "rgb(" + all.map(Math.round).join(", ") + ")";
	};
	const root = document.querySelector(selector), out = [];
	for (const el of [root, ...root.querySelectorAll("*")]) {
		for (const part of [null, "::before"]) {
			const style = getComputedStyle(el, part), text = part ? style.content.replace(/^none$|^normal$|"/g, "") : [...el.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join("").trim();
			const a = light(style.color), b = light(behind(el));
			if (text && (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) out.push(el.className + " " + (part ?? "") + text + ": " + style.color + " on " + behind(el));
		}
	}
	return out.join("\n");
})`

// TestForcedColors holds that what is highlighted can be read where the system says the
// colours: the row that is selected with its status, the kind on screen, an offer.
func TestForcedColors(t *testing.T) {
	ns := stage.Namespace(t)
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	for name, status := range map[string]corev1.PodStatus{
		"crashes": {Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: waiting}}},
		"failed":  {Phase: corev1.PodFailed}, "runs": stage.Running(0), "pending": {Phase: corev1.PodPending},
	} {
		stage.SetStatus(t, stage.Create(t, ns, name), status)
	}
	e := show(t, "/pods?n="+ns)
	forced := slices.DeleteFunc(slices.Clone(stage.Looks), func(l stage.Look) bool { return l.Name != "forced" })
	if len(forced) == 0 {
		t.Fatal("no look has forced colors")
	}
	for _, look := range forced {
		e.At(look)
		for _, name := range []string{"crashes", "failed", "runs", "pending"} {
			e.Must(e.Click(`.grid .row[data-key="` + ns + "/" + name + `"]`))
			selected := `.grid .row[data-key="` + ns + "/" + name + `"][aria-selected="true"]`
			e.Await(`document.querySelector('` + selected + `') && document.getAnimations().every(a => a.timeline !== document.timeline)`)
			if said := stage.Eval[string](e, faint+"('"+selected+"')"); said != "" {
				t.Errorf("%s: %s", name, said)
			}
		}
		e.Keep("forced")
		if said := stage.Eval[string](e, faint+`('.rail .item[aria-current="page"]')`); said != "" {
			t.Error(said)
		}
		e.Press(":")
		e.Await(`document.querySelector(".offer[aria-selected=true]")`)
		if said := stage.Eval[string](e, faint+`('.offer[aria-selected="true"]')`); said != "" {
			t.Error(said)
		}
	}
}
