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
