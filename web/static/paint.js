"use strict";
// The list's painter: it does what the program has decided, many steps a call,
// since each call between the two costs more than what it does here.
globalThis.watchglassPaint = (grid, head, body, height, steps) => {
  const rows = (grid.rows ??= []), add = (to, tag, attributes) => {
    const el = document.createElement(tag);
    for (const name in attributes) el.setAttribute(name, attributes[name]);
    return to.appendChild(el);
  };
  const place = ([slot, index, key, uid]) => {
    const r = (rows[slot] ??= { row: add(body, "div", { class: "row", role: "row", id: `row-${slot}` }), cells: [] });
    if (r.columns !== grid.columns) {
      r.columns = grid.columns;
      r.row.textContent = "";
      r.cells = r.columns.map(([name, look], i) => add(r.row, "div", { class: look, role: "gridcell", "aria-colindex": i + 1, "data-column": name }));
    }
    r.row.style.transform = `translateY(${index * height}px)`;
    r.row.setAttribute("aria-rowindex", +index + 2);
    r.row.classList.toggle("odd", index % 2 === 1);
    Object.assign(r.row.dataset, { key, uid });
    r.row.hidden = false;
  };
  const does = {
    columns: (list) => (grid.columns = list.map((c) => c.split("\x1d"))),
    head: (list) => {
      head.textContent = "";
      const row = add(head, "div", { class: "row", role: "row", "aria-rowindex": 1 });
      list.map((c) => c.split("\x1d")).forEach(([name, look, sort, title], i) => {
        const cell = add(row, "div", { class: look, role: "columnheader", "aria-colindex": i + 1, "data-column": name, "aria-sort": sort, title: `Sort by ${name}` });
        cell.textContent = title.toUpperCase();
        add(cell, "span", { class: "sizer", title: "Drag to size; twice to undo" });
      });
      grid.setAttribute("aria-colcount", list.length);
    },
    widths: ([widths, width]) => { grid.style.setProperty("--columns", widths); grid.style.setProperty("--width", width); },
    busy: ([busy]) => grid.setAttribute("aria-busy", busy),
    length: ([n]) => { body.style.height = `${n * height}px`; grid.setAttribute("aria-rowcount", +n + 1); },
    place,
    cell: ([slot, column, text, title, tone, glow]) => {
      const cell = rows[slot].cells[column];
      cell.textContent = text;
      if (title || cell.title) cell.title = title;
      if ((cell.dataset.tone ?? "") !== tone) cell.dataset.tone = tone;
      if (glow) cell.animate([{ backgroundColor: "var(--glow)" }, { backgroundColor: "transparent" }], 900);
    },
    mark: ([slot, active, selected]) => {
      rows[slot].row.classList.toggle("active", active !== "");
      rows[slot].row.setAttribute("aria-selected", selected !== "");
      if (active) grid.setAttribute("aria-activedescendant", `row-${slot}`);
    },
    hide: ([slot]) => {
      const { row } = rows[slot];
      row.hidden = true;
      delete row.dataset.key, delete row.dataset.uid;
      does.mark([slot, "", ""]);
    },
  };
  for (const step of steps.split("\x1e")) {
    const [what, ...args] = step.split("\x1f");
    does[what](args);
  }
};

// The painter of long texts. A row is a gutter and spans, which are used again.
globalThis.watchglassText = (root, body, height, steps) => {
  const rows = (root.rows ??= []), add = (to, tag, name) => {
    const el = document.createElement(tag);
    el.className = name;
    return to.appendChild(el);
  };
  const row = (slot) => {
    if (rows[slot]) return rows[slot];
    const line = add(body, "div", "line");
    line.setAttribute("role", "listitem");
    return (rows[slot] = { line, gutter: add(line, "span", "gutter"), code: add(line, "span", "code"), spans: [] });
  };
  const does = {
    length: ([n]) => { body.style.height = `${n * height}px`; root.length = n; },
    place: ([slot, index]) => {
      const { line } = row(slot);
      line.style.transform = `translateY(${index * height}px)`;
      line.setAttribute("aria-posinset", +index + 1);
      line.setAttribute("aria-setsize", root.length);
      line.dataset.index = index;
      line.hidden = false;
    },
    line: ([slot, look, text, action, value, ...parts]) => {
      const { line, gutter, code, spans } = row(slot);
      line.className = `line ${look}`;
      gutter.textContent = text;
      if (action) Object.assign(gutter.dataset, { action, value });
      else delete gutter.dataset.action, delete gutter.dataset.value;
      parts.forEach((part, i) => {
        const span = (spans[i] ??= add(code, "span", "")), at = part.indexOf("\x1d");
        span.className = part.slice(0, at);
        span.textContent = part.slice(at + 1);
      });
      for (const span of spans.splice(parts.length)) span.remove();
    },
    hide: ([slot]) => (rows[slot].line.hidden = true),
  };
  for (const step of steps.split("\x1e")) {
    const [what, ...args] = step.split("\x1f");
    does[what](args);
  }
};

// The painter of graphs and trees. A picture is told whole; an item is kept by its key,
// and is touched where it differs.
globalThis.watchglassGraph = (root, steps) => {
  const make = (to, tag, name) => {
    const el = document.createElement(tag);
    el.className = name;
    return to.appendChild(el);
  };
  const begin = () => {
    const room = make(root, "div", "room"), world = make(room, "div", "world");
    const svg = world.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    svg.setAttribute("aria-hidden", "true");
    let held;
    root.addEventListener("pointerdown", (e) => { if (e.button === 0 && !root.view.tree && !e.target.closest("a")) held = [e.clientX, e.clientY]; });
    root.addEventListener("pointermove", (e) => {
      if (!held) return;
      root.scrollBy(held[0] - e.clientX, held[1] - e.clientY);
      held = [e.clientX, e.clientY];
    });
    for (const end of ["pointerup", "pointerleave", "pointercancel"]) root.addEventListener(end, () => (held = undefined));
    root.addEventListener("wheel", (e) => { if (e.ctrlKey && !root.view.tree) { e.preventDefault(); zoom(e.deltaY < 0 ? 1.1 : 0.9); } }, { passive: false });
    root.addEventListener("scroll", () => moved());
    new ResizeObserver(() => settle()).observe(root);
    return { room, world, svg, items: new Map(), frames: [], strokes: [], z: 1, at: [0, 0], pad: [0, 0] };
  };
  const view = (root.view ??= begin());
  const focus = () => view.items.get(view.focus)?.at ?? [0, 0];
  const scrolled = () => [root.scrollLeft, root.scrollTop];
  const room = () => [root.clientWidth, root.clientHeight];
  // The focus stays where it is, as a share of the room, when the picture changes or the
  // room does: what is kept is how far the middle of the room is from it.
  const keep = () => {
    const [at, size, to] = [focus(), room(), (view.at = scrolled())];
    view.off = at.map((v, i) => ((to[i] + size[i] / 2 - view.pad[i]) / view.z - v) / size[i]);
  };
  // moved notes that somebody has scrolled. The browser does so too, where a larger room
  // leaves less to scroll.
  const moved = () => {
    const [w, h] = room(), most = [root.scrollWidth - w, root.scrollHeight - h];
    if (scrolled().some((v, i) => Math.abs(v - Math.min(view.at[i], most[i])) > 1)) (view.least = 0), keep();
  };
  // Until somebody zooms or moves the picture, it fits, as far as it may shrink for that.
  const settle = () => {
    const { tree, size, least, off, pad } = view, has = room(), style = view.room.style;
    if (!has[0] || !has[1]) return;
    const fit = Math.max(Math.min(has[0] / size[0], has[1] / size[1], 1), least);
    const z = (view.z = tree ? 1 : least ? fit : Math.min(Math.max(view.z, 0.1), 2));
    const [x, y] = focus().map((at, i) => {
      const free = has[i] - size[i] * z, over = free < -0.5;
      style[["width", "height"][i]] = over ? `${size[i] * z}px` : "100%";
      const left = has[i] / 2 - z * (!least ? at + off[i] * has[i] : over ? at : size[i] / 2);
      pad[i] = tree ? 0 : Math.min(Math.max(left, 0), Math.max(free, 0));
      return pad[i] - left;
    });
    view.world.style.transform = `translate(${pad[0]}px, ${pad[1]}px) scale(${z})`;
    if (!tree) root.scrollTo(x, y), keep();
  };
  const zoom = (by) => {
    view.least = by ? 0 : 0.1;
    view.z *= by;
    settle();
  };
  let seen, anew, frames = 0, strokes = 0, place = 0;
  const does = {
    picture: ([label, tree, width, height, focus, least]) => {
      anew = view.focus !== focus || view.tree !== tree;
      moved();
      Object.assign(view, { tree, focus, size: [+width, +height] }, anew && { least: (+least || 100) / 100 });
      seen = new Set();
      root.setAttribute("aria-label", label);
      root.dataset.shape = tree ? "tree" : "graph";
      view.world.setAttribute("role", tree ? "tree" : "group");
      view.world.style.width = tree ? "100%" : `${width}px`;
      view.world.style.height = `${height}px`;
      view.svg.setAttribute("width", width);
      view.svg.setAttribute("height", height);
    },
    frame: ([x, y, w, h]) => {
      const el = (view.frames[frames++] ??= make(view.world, "div", "frame"));
      el.style.transform = `translate(${x - 6}px, ${y - 6}px)`;
      el.style.width = `${+w + 12}px`;
      el.style.height = `${+h + 12}px`;
    },
    stroke: ([d, look]) => {
      const el = (view.strokes[strokes++] ??= view.svg.appendChild(document.createElementNS(view.svg.namespaceURI, "path")));
      el.setAttribute("d", d);
      el.setAttribute("class", look);
    },
    item: (args) => {
      const [key, x, y, width, look, tone, verb, kind, name, state, title, href, action, value, level, edge, reached] = args;
      seen.add(key);
      let it = view.items.get(key);
      if (!it || (it.el.tagName === "A") !== (href !== "")) {
        it?.el.remove();
        const el = make(view.world, href ? "a" : "span", "item");
        it = { el, verb: make(el, "span", "verb"), kind: make(el, "span", "kind"), name: make(el, "span", "name"), state: make(el, "span", "state") };
        view.items.set(key, it);
        if (!anew) el.animate([{ backgroundColor: "var(--glow)" }, {}], 900);
      }
      it.at = [+x + 94, +y + 19];
      it.el.id = `item-${place++}`;
      const told = args.join("\x1f");
      if (it.told === told) return;
      it.told = told;
      const { el } = it;
      el.className = `item ${look}`;
      el.style.transform = `translate(${x}px, ${y}px)`;
      el.style.width = +width ? `${width}px` : "";
      el.style.maxWidth = view.tree ? `calc(100% - ${+x + 20}px)` : "";
      it.verb.textContent = verb;
      it.kind.textContent = kind;
      it.name.textContent = name;
      it.state.textContent = state;
      it.state.dataset.tone = tone;
      el.title = title;
      if (href) el.setAttribute("href", href);
      if (action) Object.assign(el.dataset, { action, value });
      Object.assign(el.dataset, { key, edge });
      el.tabIndex = reached ? 0 : -1;
      if (view.tree) el.setAttribute("role", "treeitem"), el.setAttribute("aria-level", level);
      else el.removeAttribute("role"), el.removeAttribute("aria-level");
    },
    done: () => {
      for (const [key, { el }] of view.items) if (!seen.has(key)) el.remove(), view.items.delete(key);
      for (const el of view.frames.splice(frames)) el.remove();
      for (const el of view.strokes.splice(strokes)) el.remove();
      settle();
      if (anew && view.tree) root.scrollTo(0, 0);
    },
    zoom: ([percent]) => zoom(percent / 100),
  };
  for (const step of steps.split("\x1e")) {
    const [what, ...args] = step.split("\x1f");
    does[what](args);
  }
};
