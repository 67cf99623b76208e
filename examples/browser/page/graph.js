// SPDX-License-Identifier: BSL-1.0
// A network before and after rewriting as an SVG: a row holds the layers that became one, framed together, and that one
// beside them. The page's other scripts find `showGraphs` and `showFacts` here.
"use strict";

const { showGraphs, showFacts } = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LINE = 34, GAP = 16, TOP = 30, LANE = 6, MOST_LANES = 5;

  const make = (parent, name, attributes = {}, text) => {
    const e = parent.appendChild(document.createElementNS(SVG, name));
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const html = (parent, name, text) => {
    const e = parent.appendChild(document.createElement(name));
    if (text !== undefined) e.textContent = text;
    return e;
  };
  /// A text that is too long loses its middle.
  const shortened = (text, width, letter) => {
    const fits = Math.max(3, Math.floor(width / letter));
    if (text.length <= fits) return text;
    const tail = Math.floor(fits / 2);
    return text.slice(0, fits - tail - 1) + "…" + text.slice(text.length - tail);
  };
  /// Of a layer that is no more.
  const whereTo = ({ into, rule }) => (into ? `part of ${into}` : "gone") + (rule ? ` (${rule})` : "");
  const shapeOf = (layer) => layer.shapes.map((s) => s.replaceAll(" x ", "×")).join(", ");

  /// [{members: [numbers of layers before], after: number or -1}...] from top to bottom.
  function rowsOf({ before, after }) {
    const place = new Map(after.layers.map((l, i) => [l.name, i])), groups = new Map();
    before.layers.forEach((layer, i) => {
      const key = layer.into ?? "\0" + i;
      const row = groups.get(key) ?? { members: [], after: place.get(layer.into) ?? -1 };
      row.members.push(i);
      row.order = 2 * i;
      groups.set(key, row);
    });
    const rows = [...groups.values()], order = [];
    for (const row of rows) if (row.after >= 0) order[row.after] = row.order;
    // What rewriting added stands behind the layer before it.
    after.layers.forEach((_, i) => {
      if (order[i] !== undefined) return;
      order[i] = i === 0 ? -1 : order[i - 1] | 1;
      rows.push({ members: [], after: i, order: order[i] });
    });
    return rows.sort((a, b) => a.order - b.order);
  }

  /// [from, to] for each pair of rows of which one reads the other.
  function edgesOf(layers, rowOf) {
    const all = new Map();
    layers.forEach((layer, i) => {
      for (const from of layer.reads)
        if (rowOf[from] !== rowOf[i]) all.set(rowOf[from] + ">" + rowOf[i], [rowOf[from], rowOf[i]]);
    });
    return [...all.values()];
  }

  function side(svg, layers, rows, has, x, width, lanesLeft) {
    const rowOf = [], used = [];
    rows.forEach((row, r) => {
      for (const n of has(row)) rowOf[n] = r;
      if (has(row).length) used.push(r);
    });
    const next = new Map(used.map((r, i) => [r, used[i + 1]]));
    const edges = edgesOf(layers, rowOf), lanes = [];
    const edgeOf = lanesLeft ? x : x + width, way = lanesLeft ? -1 : 1;
    // Short ones run nearest to the boxes; two may share a lane if one ends before the other begins.
    edges.sort(([a, b], [c, d]) => Math.abs(b - a) - Math.abs(d - c));
    const layer = make(svg, "g");
    const boxOf = (row) => ({ y: row.y + (row.height - has(row).length * LINE) / 2, height: has(row).length * LINE });
    for (const [from, to] of edges) {
      const a = boxOf(rows[from]), b = boxOf(rows[to]);
      if (next.get(from) === to) {
        const middle = x + width / 2;
        make(layer, "path", { class: "edge", d: `M${middle} ${a.y + a.height}V${b.y - 4}` });
        make(layer, "path", { class: "head", d: `M${middle - 4} ${b.y - 6}h8l-4 6z` });
        continue;
      }
      const low = Math.min(from, to), high = Math.max(from, to);
      let lane = 0;
      while (lanes[lane]?.some(([l, h, start]) => start !== from && l < high && low < h)) ++lane;
      (lanes[lane] ??= []).push([low, high, from]);
      const out = edgeOf + way * (7 + (lane % MOST_LANES) * LANE);
      const y = a.y + a.height / 2 + 5, end = b.y + b.height / 2 - 5;
      make(layer, "path", { class: "edge", d: `M${edgeOf} ${y}H${out}V${end}H${edgeOf + way * 4}` });
      make(layer, "path", { class: "head", d: `M${edgeOf + way * 6} ${end - 4}v8l${-way * 6} -4z` });
    }
    rows.forEach((row) => {
      const members = has(row), { y: top, height } = boxOf(row);
      if (!members.length) return;
      members.forEach((n, k) => {
        const it = layers[n], stays = it.into === undefined || it.into === it.name;
        const g = make(svg, "g", { class: stays ? "" : "leaves" });
        make(g, "title", {}, `${it.name}: ${it.does}, ${shapeOf(it)}${stays ? "" : `: ${whereTo(it)}`}`);
        make(g, "rect", { class: "f" + it.family, x, y: top + k * LINE, width, height: LINE,
                          rx: members.length === 1 ? 7 : 0 });
        const shape = shortened(shapeOf(it), width * 0.5, 6);
        make(g, "text", { class: "name", x: x + 8, y: top + k * LINE + 14 },
             shortened(it.name, width - 24 - shape.length * 6, 7.2));
        make(g, "text", { class: "shape", x: x + width - 8, y: top + k * LINE + 14 }, shape);
        const says = it.outputs.length ? `${it.does}, output ${it.outputs.join(", ")}` : it.does;
        make(g, "text", { class: "does", x: x + 8, y: top + k * LINE + 28 }, shortened(says, width - 16, 5.9));
      });
      make(svg, "rect", { class: members.length > 1 ? "frame several" : "frame", x, y: top, width, height, rx: 7 });
    });
  }

  function drawn(graphs, rows, width, titles) {
    const svg = document.createElementNS(SVG, "svg");
    const heads = [graphs.before, graphs.after].map((g, i) => `${titles[i]}: ${g.layers.length} layers`);
    make(svg, "title", {}, heads.join("; "));
    svg.setAttribute("role", "img");
    const margin = width < 520 ? 14 : 10 + LANE * MOST_LANES, middle = width < 520 ? 26 : 72;
    const box = Math.floor((width - 2 * margin - middle) / 2), right = margin + box + middle;
    let y = TOP;
    for (const row of rows) {
      row.height = Math.max(1, row.members.length) * LINE;
      row.y = y;
      y += row.height + GAP;
    }
    svg.setAttribute("viewBox", `0 0 ${width} ${y}`);
    svg.setAttribute("height", y);
    heads.forEach((head, i) => {
      const fits = box >= head.length * 7.5;
      make(svg, "text", { class: "title", x: i ? right : margin, y: 16 }, fits ? head : head.replace(" layers", ""));
    });
    for (const row of rows) {
      if (!row.members.length || row.after < 0) continue;
      const a = margin + box, b = right, half = (b - a) / 2, top = row.y + (row.height - LINE) / 2;
      const there = `C${a + half} ${row.y} ${b - half} ${top} ${b} ${top}V${top + LINE}`;
      const back = `C${b - half} ${top + LINE} ${a + half} ${row.y + row.height} ${a} ${row.y + row.height}Z`;
      make(svg, "path", { class: "ribbon", d: `M${a} ${row.y}${there}${back}` });
    }
    side(svg, graphs.before.layers, rows, (row) => row.members, margin, box, true);
    side(svg, graphs.after.layers, rows, (row) => (row.after < 0 ? [] : [row.after]), right, box, false);
    return svg;
  }

  function asTable(graphs) {
    const details = document.createElement("details");
    html(details, "summary", "The same as text");
    const scroll = html(details, "div");
    scroll.className = "scroll";
    const table = html(scroll, "table"), head = html(html(table, "thead"), "tr"), body = html(table, "tbody");
    for (const title of ["layer", "does", "output", "after rewriting"]) html(head, "th", title).scope = "col";
    for (const layer of graphs.before.layers) {
      const row = html(body, "tr"), now = graphs.after.layers.find((l) => l.name === layer.into);
      for (const text of [layer.name, layer.does, shapeOf(layer)]) html(row, "td", text);
      html(row, "td", layer.into === layer.name ? (now.does === layer.does ? "as it was" : now.does)
                                                : whereTo(layer));
    }
    return details;
  }

  return {
    showGraphs(card, graphs, titles) {
      const rows = rowsOf(graphs), table = asTable(graphs);
      let width = 0;
      const draw = () => {
        const style = getComputedStyle(card);
        const now = Math.floor(card.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
        if (now === width || now <= 0) return;
        width = now;
        card.replaceChildren(drawn(graphs, rows, width, titles), table);
      };
      card.classList.toggle("long", rows.length > 40);
      card.tabIndex = rows.length > 40 ? 0 : -1;  // to scroll by the keyboard
      card.resized?.disconnect();
      card.replaceChildren(table);
      draw();
      card.resized = new ResizeObserver(draw);
      card.resized.observe(card);
    },
    /// Pairs of words and what they are.
    showFacts(list, facts) {
      list.replaceChildren();
      for (const [term, value] of facts) {
        const box = html(list, "div");
        html(box, "dt", term);
        html(box, "dd", value);
      }
    },
  };
})();
