(() => {
	const all = (selector, of = document) => [...of.querySelectorAll(selector)].filter((el) => el.checkVisibility());
	const words = (text) => (text ?? "").split("\n").map((line) => line.trim()).filter(Boolean).join(" ");
	const lines = [];
	const say = (what, text) => text && lines.push(`${what}: ${text}`);
	const texts = (what, selector) => all(selector).forEach((el) => say(what, words(el.innerText)));
	// Where strokes stand for what is not known, in percent of the width.
	const strokes = (what, path, width) => {
		const at = [...(path?.getAttribute("d") ?? "").matchAll(/M\s*([\d.]+)/g)].map((m) => Math.round(+m[1] / width * 100));
		if (at.length) say(what, `from ${Math.min(...at)} % to ${Math.max(...at)} %`);
	};
	const ordered = (selector) => all(selector).sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
	say("state", document.documentElement.dataset.state);
	texts("badge", "#badge");
	texts("moment", ".past .moment");
	const slider = document.querySelector(".past svg");
	if (slider) strokes("strokes over the slider", slider.querySelector("path"), slider.viewBox.baseVal.width);
	texts("said", ".past .said");
	texts("banner", ".banner");
	texts("panel", ".list .panel");
	say("histogram", document.querySelector("#timeline-histogram")?.getAttribute("aria-valuetext"));
	all(".list .lanes .names > *").forEach((el) => say("lane", el.title));
	all(".facets .values").forEach((of) => say("facet " + of.getAttribute("aria-label"), all(".value", of).map((v) => words(v.innerText)).join(", ")));
	texts("total", ".totals .total");
	const cells = (row) => [...row.querySelectorAll("[role=columnheader], [role=gridcell], [role=rowheader]")].map((cell) => words(cell.textContent)).join(" | ");
	if (!all(".list .panel").length) ordered(".grid [role=row]").forEach((row) => lines.push(cells(row)));
	const drawer = document.querySelector(".drawer");
	if (drawer?.checkVisibility()) {
		say("open", `${drawer.getAttribute("aria-label")}, ${drawer.dataset.tab}, ${drawer.dataset.state}`);
		texts("standing", ".drawer .standing");
		say("timeline", drawer.querySelector("#object-histogram")?.getAttribute("aria-valuetext"));
		const text = ordered("#text .line"), entries = all(".drawer .entries li");
		if (text.length) text.forEach((line) => lines.push(line.textContent.trimEnd()));
		else if (entries.length) entries.forEach((entry) => lines.push(words(entry.innerText)));
		else all("#pane").forEach((pane) => pane.innerText.split("\n").map((line) => line.trim()).filter(Boolean).forEach((line) => lines.push(line)));
	}
	return lines.join("\n") + "\n";
})()
