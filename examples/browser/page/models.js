// SPDX-License-Identifier: BSL-1.0
// Models from files: a worker runs the loader's module, which loader.js beside the page brings when it is first needed.
"use strict";

(() => {
  const $ = (id) => document.getElementById(id);
  const tiny = { name: "tiny.onnx", bytes: "{{tiny.onnx}}" };
  /// The worker and the promise that it is ready; how many files were asked for, and whether the last is under way.
  let current = null, asked = 0, busy = false;

  /// What the worker does: it has the module's memory and answers in the order of questions.
  function serve() {
    let wasm = null;
    const text = (at) => {
      const all = new Uint8Array(wasm.memory.buffer);
      return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
    };
    const put = (bytes) => {
      const at = wasm.room(bytes.length);
      if (at === 0) throw new Error("the file is larger than the memory that a page has");
      new Uint8Array(wasm.memory.buffer).set(bytes, at);
      return at;
    };
    const open = ({ kind, file, bin, shapes }) => {
      const taken = [put(file), bin ? put(bin) : 0];
      wasm.begin_shape();
      for (const [name, axes] of shapes) {
        const at = put(new TextEncoder().encode(name + "\0"));
        for (const extent of axes) wasm.give_axis(at, extent);
        wasm.forget(at);
      }
      try {
        return JSON.parse(text(wasm.open_model(kind, taken[0], file.length, taken[1], bin ? bin.length : 0)));
      } finally {
        taken.forEach((at) => wasm.forget(at));
      }
    };
    /// The shortest of what half a second, and two runs at least, allow.
    const run = () => {
      const first = JSON.parse(text(wasm.run_model()));
      if (first.error) return first;
      let best = Infinity, times = 1;
      for (const begin = performance.now(); best === Infinity || performance.now() - begin < 500;) {
        const start = performance.now();
        for (let i = 0; i < times; ++i) wasm.run_model();
        const took = performance.now() - start;
        if (took < 5) times *= 2;  // browsers' clocks are coarse
        else best = Math.min(best, took / times);
      }
      return { ...first, milliseconds: best };
    };
    onmessage = async ({ data }) => {
      let answer;
      try {
        if (data.module) {
          const module = await WebAssembly.compile(data.module), imports = {};
          // There are no files here: whatever asks for one gets the error that says so.
          for (const { module: from, name } of WebAssembly.Module.imports(module))
            (imports[from] ??= {})[name] = () => 52;
          wasm = (await WebAssembly.instantiate(module, imports)).exports;
          wasm._initialize?.();
          answer = {};
        } else {
          answer = data.file ? open(data) : run();
        }
      } catch (problem) {
        answer = { error: String(problem.message ?? problem), broken: true };
      }
      postMessage(answer);
    };
  }

  const brought = () => globalThis.ctnnLoader ? Promise.resolve() : new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "loader.js";
    script.onload = resolve;
    script.onerror = () => reject(new Error("loader.js is not beside this page: examples/browser/build makes it"));
    document.head.append(script);
  });
  const ask = (question) => new Promise((resolve) => {
    const { worker } = current;
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => resolve({ error: event.message, broken: true });
    worker.postMessage(question);
  });
  async function start(mine) {
    await brought();
    if (current !== mine) return;
    const code = URL.createObjectURL(new Blob([`"use strict";(${serve})()`], { type: "text/javascript" }));
    mine.worker = new Worker(code);
    URL.revokeObjectURL(code);
    const answer = await ask({ module: fromBase64(globalThis.ctnnLoader) });
    if (answer.error) throw new Error(answer.error);
  }
  function started() {
    if (!current) {
      current = {};
      current.ready = start(current);
    }
    return current.ready;
  }
  const stop = () => { current?.worker?.terminate(); current = null; };

  function say(text, wrong = false) {
    $("status").textContent = text;
    $("status").classList.toggle("wrong", wrong);
  }
  function reset() {
    $("model-facts").replaceChildren();
    $("model-outputs").replaceChildren();
    $("model-graph").hidden = $("model-memory").hidden = $("shapes").hidden = true;
  }

  /// A field for each open axis; those that the file calls the same are one.
  function askShapes(model, inputs) {
    const form = $("shapes"), fields = new Map();
    form.replaceChildren();
    const field = (key, says, value) => {
      const label = form.appendChild(document.createElement("label"));
      label.append(says);
      const input = label.appendChild(document.createElement("input"));
      Object.assign(input, { type: "text", inputMode: "numeric", value, required: true, pattern: "[0-9x ]+" });
      fields.set(key, input);
    };
    for (const input of inputs) {
      if (!input.axes) field(input.name, `shape of ${input.name}`, model.kind === 0 ? "3x224x224" : "1x3x224x224");
      input.axes?.forEach((axis, k) => {
        const key = typeof axis === "string" ? axis || `${input.name}[${k}]` : null;
        if (key === null || fields.has(key)) return;
        field(key, axis ? `axis ${axis}` : `axis ${k} of ${input.name}`, k === 0 ? "1" : "16");
      });
    }
    const button = form.appendChild(document.createElement("button"));
    button.className = "main";
    button.textContent = "Open with these sizes";
    form.onsubmit = (event) => {
      event.preventDefault();
      const sizes = (key) => fields.get(key).value.split(/[^0-9]+/).filter((t) => t).map(Number);
      const shapes = inputs.map((input) => [input.name, input.axes
        ? input.axes.flatMap((axis, k) => (typeof axis === "string" ? sizes(axis || `${input.name}[${k}]`) : axis))
        : sizes(input.name)]);
      open({ ...model, shapes });
    };
    form.hidden = false;
  }

  function showOutputs(outputs) {
    for (const { name, shape, values } of outputs.slice(0, 8)) {
      const line = $("model-outputs").appendChild(document.createElement("div")), code = document.createElement("code");
      const first = values.slice(0, 6).map((v) => (v === null ? "nan" : Number(v.toPrecision(5))));
      code.textContent = first.join(", ") + (values.length > 6 ? ", …" : "");
      line.append(`output ${name}, ${shape.replaceAll(" x ", " × ")}: `, code);
    }
  }

  async function open(model) {
    if (busy) stop();  // whatever it is at
    const mine = ++asked;
    busy = true;
    reset();
    say(`Reading ${model.name} …`);
    try {
      await started();
      if (mine !== asked) return;
      const begin = performance.now(), answer = await ask({ ...model, shapes: model.shapes ?? [] });
      if (mine !== asked) return;
      if (answer.broken) stop();
      if (answer.error) return say(answer.error, true);
      if (!answer.graphs) {
        say(`${model.name} leaves sizes open:`);
        return askShapes(model, answer.inputs);
      }
      const took = performance.now() - begin, { before, after, arena } = answer.graphs;
      const facts = [
        ["layers", fromTo(before.layers.length, after.layers.length)],
        ["weights", fromTo(before.weights, after.weights)],
        ["multiply-adds", fromTo(before.macs, after.macs)],
        ["arena", asBytes(arena)],
        ["read and rewritten in", asTime(took)],
      ];
      showFacts($("model-facts"), [...facts, ["an inference, here", "…"]]);
      $("model-graph").hidden = false;
      showGraphs($("model-graph"), answer.graphs, ["As read", "As it runs"]);
      const picture = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(answer.memory);
      $("model-memory").querySelector("img").src = picture;
      $("model-memory").hidden = false;
      say(`${model.name}: running it on made-up numbers …`);
      const run = await ask({});
      if (mine !== asked) return;
      if (run.broken) stop();
      if (run.error) return say(run.error, true);
      showFacts($("model-facts"), [...facts, ["an inference, here", asTime(run.milliseconds)]]);
      say(`${model.name}, run on made-up numbers:`);
      showOutputs(run.outputs);
    } catch (problem) {
      if (mine !== asked) return;
      stop();
      say(problem.message, true);
    } finally {
      if (mine === asked) busy = false;
    }
  }

  async function choose(list) {
    const files = [...list], ending = (e) => files.find((f) => f.name.toLowerCase().endsWith(e));
    const bytes = async (f) => new Uint8Array(await f.arrayBuffer());
    const whole = ending(".onnx") ?? ending(".tflite"), param = ending(".param"), bin = ending(".bin");
    if (whole) return open({ name: whole.name, kind: 1, file: await bytes(whole) });
    if (param) return open({ name: param.name + (bin ? "" : " (weights are zeros: choose its .bin as well)"), kind: 0,
                             file: await bytes(param), bin: bin && await bytes(bin) });
    reset();
    if (files.length) say(`${files[0].name}: expected an .onnx, a .tflite, or a .param with its .bin`, true);
  }

  const drop = $("drop");
  $("files").addEventListener("change", (event) => { choose(event.target.files); event.target.value = ""; });
  for (const kind of ["dragenter", "dragover"])
    addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.classList.remove("over"); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    choose(event.dataTransfer.files);
  });
  $("tiny").addEventListener("click", () => open({ name: tiny.name, kind: 1, file: fromBase64(tiny.bytes) }));
})();
