// SPDX-License-Identifier: BSL-1.0
// The paper, and the answers of the digits' module, which the build puts into `digitsModule` (base64).
"use strict";

const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const grouped = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");
const asBytes = (n) => (n < 1e4   ? `${grouped(n)} bytes`
                        : n < 1e6 ? `${Math.round(n / 1e3)} KB`
                                  : `${(n / 1e6).toFixed(1)} MB`);
const asTime = (ms) => (ms < 0.1   ? `${(ms * 1000).toFixed(1)} µs`
                        : ms < 1   ? `${Math.round(ms * 1000)} µs`
                        : ms < 100 ? `${ms.toFixed(1)} ms`
                                   : `${Math.round(ms)} ms`);
const fromTo = (a, b, say = grouped) => (a === b ? say(b) : `${say(a)} → ${say(b)}`);

(async () => {
  const bytes = fromBase64("{{digits.wasm}}");
  const wasm = (await WebAssembly.instantiate(bytes)).instance.exports;
  wasm._initialize?.();
  const floats = (at, count) => new Float32Array(wasm.memory.buffer, at, count);
  const letters = new Uint8Array(wasm.memory.buffer, wasm.about(), wasm.about_size());
  const about = JSON.parse(new TextDecoder().decode(letters));
  const most = wasm.strokes_capacity();

  const $ = (id) => document.getElementById(id);
  const pad = $("pad"), seen = $("seen").getContext("2d");
  /// Of strokes, each [[x, y]...] in shares of the paper's width.
  let strokes = [], pen = null, nanoseconds = 0;

  const bars = Array.from({ length: 10 }, (_, digit) => {
    const bar = $("bars").appendChild(document.createElement("li"));
    bar.append(String(digit), document.createElement("span"));
    return bar;
  });

  function paint() {
    const scale = pad.clientWidth * devicePixelRatio, style = getComputedStyle(pad);
    if (pad.width !== Math.round(scale)) pad.width = pad.height = Math.round(scale);
    const c = pad.getContext("2d");
    c.clearRect(0, 0, scale, scale);
    c.lineWidth = scale * 0.055;
    c.lineCap = c.lineJoin = "round";
    c.strokeStyle = style.color;
    for (const stroke of strokes) {
      c.beginPath();
      // Through the middles between points, so that curves are curves.
      stroke.forEach(([x, y], i) => {
        const [a, b] = stroke[i + 1] ?? [x, y];
        if (i === 0) c.moveTo(x * scale, y * scale);
        c.quadraticCurveTo(x * scale, y * scale, (x + a) / 2 * scale, (y + b) / 2 * scale);
      });
      c.stroke();
    }
  }
  function show(found) {
    const scores = floats(wasm.scores(), 10), digit = found ? scores.indexOf(Math.max(...scores)) : -1;
    $("digit").textContent = found ? String(digit) : "?";
    $("digit").classList.toggle("unsure", !found || scores[digit] < 0.6);
    bars.forEach((bar, k) => {
      const share = found ? 100 * scores[k] : 0;
      bar.style.setProperty("--share", `${share.toFixed(1)}%`);
      bar.classList.toggle("best", k === digit);
      bar.lastChild.textContent = found ? `${share < 1 && share > 0.05 ? share.toFixed(1) : Math.round(share)} %` : "";
    });
    const pixels = floats(wasm.pixels(), 64), picture = seen.createImageData(8, 8);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    for (let i = 0; i < 64; ++i) {
      const light = found ? 255 * pixels[i] : 0;
      picture.data.set(Array(3).fill(dark ? light : 255 - light).concat(found ? 255 : 0), 4 * i);
    }
    seen.putImageData(picture, 0, 0);
  }
  function recognize() {
    let n = 0;
    const room = floats(wasm.strokes(), 3 * most);
    for (const stroke of strokes)
      stroke.forEach(([x, y], i) => {
        if (n < most) room.set([x, y, i === 0 ? 1 : 0], 3 * n++);
      });
    return wasm.recognize(n, 0.1) === 1;
  }
  function changed() {
    paint();
    show(recognize());
    $("hint").hidden = strokes.length > 0;
    $("undo").disabled = $("clear").disabled = strokes.length === 0;
  }

  const place = (event) => {
    const box = pad.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  pad.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    pad.setPointerCapture(event.pointerId);
    pen = event.pointerId;
    strokes.push([place(event)]);
    changed();
  });
  pad.addEventListener("pointermove", (event) => {
    if (event.pointerId !== pen) return;
    const stroke = strokes.at(-1);
    for (const e of event.getCoalescedEvents?.() ?? [event]) {
      const [x, y] = place(e), [a, b] = stroke.at(-1);
      if (Math.hypot(x - a, y - b) > 0.008) stroke.push([x, y]);
    }
    changed();
  });
  const lifted = (event) => {
    if (event.pointerId !== pen) return;
    pen = null;
    measure();
  };
  pad.addEventListener("pointerup", lifted);
  pad.addEventListener("pointercancel", lifted);
  const clear = () => { strokes = []; changed(); };
  const undo = () => { strokes.pop(); changed(); };
  $("clear").addEventListener("click", clear);
  $("undo").addEventListener("click", undo);
  pad.addEventListener("keydown", (event) => {
    if (event.key === "Escape" || event.key === "Delete") clear();
    else if (event.key === "Backspace" || (event.key === "z" && (event.ctrlKey || event.metaKey))) undo();
    else return;
    event.preventDefault();
  });

  // A digit each, for those without a pen: arcs (middle, radii, from and to which angle) and corners.
  const arc = (x, y, rx, ry, from, to) => Array.from({ length: 25 }, (_, i) => {
    const angle = (from + (to - from) * i / 24) * Math.PI / 180;
    return [x + rx * Math.cos(angle), y + ry * Math.sin(angle)];
  });
  const examples = [
    [arc(5, 5, 3, 4.5, -80, 285)],
    [[[3.6, 2.2], [5.2, 0.5], [5.2, 9.5]]],
    [[...arc(5, 3.2, 2.8, 2.7, -170, 40), [2.2, 9.5], [8, 9.5]]],
    [[...arc(5, 2.8, 2.5, 2.3, -150, 80), ...arc(5, 7.2, 2.9, 2.3, -90, 140)]],
    [[[5.8, 0.5], [2, 6.4], [8.2, 6.4]], [[6.4, 4], [6.2, 9.5]]],
    [[[3.1, 0.6], [2.9, 4.4], ...arc(4.9, 6.6, 2.8, 2.9, -120, 135)], [[3.1, 0.6], [7.6, 0.5]]],
    [[...arc(7, 5.7, 4.4, 5.2, -100, -180), ...arc(5, 7, 2.5, 2.5, 180, -150)]],
    [[[2.2, 0.6], [7.8, 0.5], [4.6, 9.5]]],
    [[...arc(5, 2.8, 2.2, 2.2, 90, 450), ...arc(5, 7.2, 2.7, 2.3, -90, 270)]],
    [[...arc(5, 3, 2.5, 2.5, -10, -375), [7.4, 4], [6.8, 9.5]]],
  ];
  examples.forEach((example, digit) => {
    const button = document.querySelector(".examples").appendChild(document.createElement("button"));
    button.textContent = String(digit);
    button.setAttribute("aria-label", `Draw an example of ${digit}`);
    button.addEventListener("click", () => {
      strokes = example.map((stroke) => stroke.flatMap(([x, y], i) => {
        const [a, b] = stroke[i - 1] ?? [x, y], parts = Math.ceil(Math.hypot(x - a, y - b) / 0.5) || 1;
        return Array.from({ length: parts }, (_, k) => [a + (x - a) * (k + 1) / parts, b + (y - b) * (k + 1) / parts]);
      }).map(([x, y]) => [0.1 + 0.08 * x, 0.1 + 0.08 * y]));
      changed();
      measure();
    });
  });

  const facts = () => [
    ["layers", fromTo(about.before.layers.length, about.after.layers.length)],
    ["weights", fromTo(about.before.weights, about.after.weights)],
    ["multiply-adds", grouped(about.after.macs)],
    ["arena", asBytes(about.arena)],
    ["WebAssembly module", asBytes(bytes.length)],
    ["an inference, here", nanoseconds ? asTime(nanoseconds / 1e6) : "draw a digit"],
  ];
  /// Browsers' clocks are coarse: as many inferences as take 20 ms, three times, and the shortest counts.
  function measure() {
    if (!recognize()) return;
    let times = 16, took = 0;
    const run = () => { const begin = performance.now(); wasm.repeat(times); return performance.now() - begin; };
    while ((took = run()) < 20) times *= 2;
    nanoseconds = Math.min(took, run(), run()) / times * 1e6;
    showFacts($("digit-facts"), facts());
  }

  new ResizeObserver(paint).observe(pad);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  changed();
  showFacts($("digit-facts"), facts());
  showGraphs($("digit-graph"), about, ["As declared", "As compiled"]);
})();
