"use strict";
// The painters. They make elements and change them; what to paint, and where, is decided
// in Go (web/grid). One call carries out the steps of a whole frame, because a call between
// the two costs more than the work it does here.
{
  const put = (el, attributes) => { for (const key in attributes) el.setAttribute(key, attributes[key]); return el; };
  const make = (to, tag, name, attributes) => {
    const el = put(document.createElement(tag), attributes);
    el.className = name;
    return to.appendChild(el);
  };
  const set = (el, name, value) => (value === "" ? el.removeAttribute(name) : el.setAttribute(name, value));
  // A changed cell fades back while few do. Each frame of a fade costs the page's thread, and in a storm of changes that
  // would delay the changes themselves: then a cell is only lit, and one timer puts out all whose time is over.
  const few = 12, fading = new Map(), lit = new Map(); // the fades, and until when others are lit, the soonest first
  let timed = false; // the timer is set
  const putOut = (el) => {
    fading.get(el)?.cancel();
    fading.delete(el);
    if (lit.delete(el)) el.removeAttribute("data-lit");
  };
  const putOutDue = () => {
    for (const [el, until] of lit) {
      if (until > performance.now()) return void setTimeout(putOutDue, 100);
      putOut(el);
    }
    timed = false;
  };
  const fade = (el, ms) => {
    const one = el.animate([{ backgroundColor: "var(--change)" }, {}], ms);
    fading.set(el, one);
    one.onfinish = () => fading.get(el) === one && fading.delete(el);
  };
  const light = (el, ms) => {
    if (!timed) timed = true, setTimeout(putOutDue, ms);
    lit.set(el, performance.now() + ms), el.setAttribute("data-lit", "");
  };
  const changed = []; // cells that will glow; how depends on their number, which is known after all steps
  const glow = (el, ms) => ms && changed.push([el, +ms]);
  const shine = () => {
    for (const [el] of changed) putOut(el);
    const how = fading.size + changed.length <= few && !lit.size ? fade : light;
    for (const [el, ms] of changed) how(el, ms);
  };
  // What is folded from a text is in the page for screen readers, the browser's search and copying.
  const fill = (el, text) => text.split("\x1d").forEach((part, i) => (i === 1 ? (make(el, "span", "folded").textContent = part) : el.append(part)));
  // A text that replaces another one keeps its node: a new one costs the browser more than all else here.
  const say = (el, prefix, text) => {
    const only = el.firstChild;
    if (only instanceof Text && !only.nextSibling && !prefix && !text.includes("\x1d")) return void (only.data = text);
    el.replaceChildren();
    if (prefix) fill(make(el, "span", "dim"), prefix);
    fill(el, text);
  };
  const parts = (list) => list.map((text) => text.split("\x1d"));
  const carryOut = (does, steps) => {
    changed.length = 0;
    for (const step of steps.split("\x1e")) {
      const [what, ...args] = step.split("\x1f");
      does[what](args);
    }
    shine();
  };

  // The list. Rows are reused for other objects; their cells are recreated for other columns.
  globalThis.watchglassPaint = (grid, head, body, steps) => {
    const rows = (grid.rows ??= []);
    const does = {
      columns: (list) => (grid.columns = parts(list)),
      head: ([sizer, all, ...list]) => {
        head.textContent = "";
        const row = make(head, "div", "row", { role: "row", "aria-rowindex": 1 });
        parts(list).forEach(([name, look, at, sort, heading, title, more]) => {
          const cell = make(row, "div", look, { role: "columnheader", "aria-colindex": at, "data-column": name, "aria-sort": sort, title, ...(more && { "data-more": more }) });
          cell.textContent = heading;
          make(cell, "span", "sizer", { title: sizer });
        });
        grid.setAttribute("aria-colcount", all);
      },
      widths: ([widths, width]) => { grid.style.setProperty("--columns", widths); grid.style.setProperty("--width", width); },
      busy: ([busy]) => grid.setAttribute("aria-busy", busy),
      length: ([n]) => { body.style.height = `calc(${n} * var(--row))`; grid.setAttribute("aria-rowcount", +n + 1); },
      place: ([slot, index, key, uid]) => {
        const r = (rows[slot] ??= { row: make(body, "div", "row", { role: "row", id: `row-${slot}` }) });
        if (r.columns !== grid.columns) {
          r.columns = grid.columns;
          r.row.textContent = "";
          r.cells = r.columns.map(([name, look, at]) => make(r.row, "div", look, { role: "gridcell", "aria-colindex": at, "data-column": name }));
          r.texts = r.cells.map((cell, i) => (r.columns[i][3] ? (r.link = make(cell, "a", "", { tabindex: -1, draggable: false })) : cell));
        }
        if (r.row.dataset.key !== key) r.cells.forEach(putOut); // it was another object's
        r.row.style.transform = `translateY(calc(${index} * var(--row)))`;
        r.row.setAttribute("aria-rowindex", +index + 2);
        r.row.classList.toggle("odd", index % 2 === 1);
        Object.assign(r.row.dataset, { key, uid });
        r.row.hidden = false;
      },
      link: ([slot, address]) => rows[slot].link.setAttribute("href", address),
      cell: ([slot, column, text, title, tone, ms, prefix, bar = ""]) => {
        const cell = rows[slot].cells[column], to = rows[slot].texts[column];
        say(to, prefix, text);
        if (cell.title !== title) cell.title = title;
        if (bar || cell.style.length) cell.style.setProperty("--bar", bar);
        if ((cell.dataset.tone ?? "") !== tone) cell.dataset.tone = tone;
        glow(cell, ms);
      },
      mark: ([slot, active, selected]) => {
        const { row } = rows[slot];
        row.classList.toggle("active", active !== "");
        row.setAttribute("aria-selected", selected !== "");
        if (active) grid.setAttribute("aria-activedescendant", row.id);
        else if (grid.getAttribute("aria-activedescendant") === row.id) grid.removeAttribute("aria-activedescendant");
      },
      hide: ([slot]) => {
        const { row } = rows[slot];
        row.hidden = true, delete row.dataset.key, delete row.dataset.uid;
        does.mark([slot, "", ""]);
      },
    };
    carryOut(does, steps);
    if (rows.length) globalThis.watchglassGlimpse?.end(); // these are newer
  };

  // Long texts. A row has a gutter and spans, which are reused.
  globalThis.watchglassText = (root, body, height, steps) => {
    const rows = (root.rows ??= []);
    const row = (slot) => {
      if (rows[slot]) return rows[slot];
      const line = make(body, "div", "line", { role: "listitem" });
      return (rows[slot] = { line, gutter: make(line, "span", "gutter"), code: make(line, "span", "code"), spans: [] });
    };
    const does = {
      length: ([n]) => {
        body.style.height = `${n * height}px`;
        rows.forEach(({ line }) => line.setAttribute("aria-setsize", n));
      },
      place: ([slot, index, of]) => {
        const { line } = row(slot);
        line.style.transform = `translateY(${index * height}px)`;
        put(line, { "aria-posinset": +index + 1, "aria-setsize": of });
        line.hidden = false;
      },
      line: ([slot, look, text, action, value, click, of, open, ...list]) => {
        const { line, gutter, code, spans } = row(slot);
        line.className = `line ${look}`;
        gutter.textContent = text;
        for (const [el, does, to] of [[gutter, action, value], [code, click, of]]) set(el, "data-action", does), set(el, "data-value", to);
        set(code, "aria-expanded", open), set(code, "role", open && "button"), set(code, "tabindex", open && "0");
        list.forEach((part, i) => {
          const span = (spans[i] ??= make(code, "span", "")), at = part.indexOf("\x1d");
          span.className = part.slice(0, at);
          span.textContent = part.slice(at + 1);
        });
        for (const span of spans.splice(list.length)) span.remove();
      },
      hide: ([slot]) => (rows[slot].line.hidden = true),
    };
    carryOut(does, steps);
  };

  // Graphs and trees. A picture arrives whole; items are matched by key and updated if they differ.
  globalThis.watchglassGraph = (root, steps) => {
    const begin = () => {
      const room = make(root, "div", "room"), world = make(room, "div", "world");
      const svg = world.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
      svg.setAttribute("aria-hidden", "true");
      return { room, world, svg, items: new Map(), frames: [], strokes: [] };
    };
    const view = (root.view ??= begin());
    const seen = new Set();
    let frames = 0, strokes = 0;
    const does = {
      picture: ([label, shape, width, height]) => {
        root.dataset.shape = shape;
        put(view.world, { role: "tree", "aria-label": label });
        Object.assign(view.world.style, { width, height });
        put(view.svg, { width, height });
      },
      frame: ([x, y, width, height]) => {
        const el = (view.frames[frames++] ??= make(view.world, "div", "frame"));
        Object.assign(el.style, { transform: `translate(${x}px, ${y}px)`, width: `${width}px`, height: `${height}px` });
      },
      stroke: ([d, look]) => {
        const el = (view.strokes[strokes++] ??= view.svg.appendChild(document.createElementNS(view.svg.namespaceURI, "path")));
        put(el, { d, class: look });
      },
      item: ([key, ms, ...args]) => {
        const [x, y, width, look, tones, verb, kind, name, state, title, href, action, value, level, edge, tab, aside, expanded, current] = args;
        const id = `item-${seen.size}`, told = args.join("\x1f");
        seen.add(key);
        let it = view.items.get(key);
        if (!it || (it.el.tagName === "A") !== (href !== "")) {
          it?.el.remove();
          const el = make(view.world, href ? "a" : "span", "item", { role: "treeitem" });
          it = { el, verb: make(el, "span", "verb"), kind: make(el, "span", "kind"), name: make(el, "span", "name"), state: make(el, "span", "state"), aside: make(el, "span", "aside") };
          view.items.set(key, it);
          glow(el, ms);
        }
        const { el } = it;
        el.id = id;
        if (it.told === told) return;
        it.told = told;
        el.className = `item ${look}`;
        el.style.width = width;
        el.style.setProperty("--x", `${x}px`);
        el.style.setProperty("--y", `${y}px`);
        const texts = { verb, kind, aside }, tone = tones.split("\x1d");
        for (const part in texts) it[part].textContent = texts[part];
        it.name.replaceChildren(), it.state.replaceChildren();
        fill(it.name, name);
        state.split("\x1d").forEach((text, i) => (make(it.state, "span", "part", { "data-tone": tone[i] }).textContent = text));
        Object.assign(el, { title, tabIndex: tab });
        Object.assign(el.dataset, { key, edge });
        const rest = { href, "data-action": action, "data-value": value, "aria-level": level, "aria-expanded": expanded, "aria-current": current };
        for (const attribute in rest) set(el, attribute, rest[attribute]);
      },
      done: () => {
        for (const [key, { el }] of view.items) if (!seen.has(key)) el.remove(), view.items.delete(key);
        const held = document.activeElement, all = [...seen].map((key) => view.items.get(key).el);
        all.forEach((el, i) => i && all[i - 1].nextElementSibling !== el && all[i - 1].after(el)); // read in this order
        if (root.contains(held)) held.focus({ preventScroll: true });
        for (const el of view.frames.splice(frames)) el.remove();
        for (const el of view.strokes.splice(strokes)) el.remove();
      },
      place: ([scale, x, y, width, height, left, top]) => {
        Object.assign(view.room.style, { width, height });
        view.world.style.transform = `translate(${x}, ${y}) scale(${scale})`;
        view.world.style.setProperty("--scale", scale);
        if (left) root.scrollTo(+left, +top);
      },
    };
    carryOut(does, steps);
  };
}
