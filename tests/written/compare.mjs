// SPDX-License-Identifier: BSL-1.0
// compare.mjs FOLDER: opens what ctnn has written in ONNX Runtime, and runs it beside its source. FOLDER has
// node_modules/onnxruntime-node. Standard input has a job a line, standard output gets an answer a line (run tells what
// both are).
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

const { InferenceSession, Tensor, env } = createRequire(join(process.argv[2], 'x.js'))('onnxruntime-node');
env.logLevel = 'error';

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array,
  int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, bool: Uint8Array, float16: Uint16Array,
};
const count = shape => shape.reduce((n, d) => n * d, 1);

/// A number of [0, 1) for a place of an input: the same in every run.
function chance(seed) {
  let x = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b) >>> 0;
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35) >>> 0;
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
}
/// Made-up numbers: reals about 0, all that a byte can be, and few whole ones, which may be places in something.
function made(type, shape, which) {
  const numbers = new ARRAYS[type](count(shape));
  for (let i = 0; i < numbers.length; ++i) {
    const at = chance(which * 7919 + i);
    if (type === 'float32' || type === 'float64') numbers[i] = 2 * at - 1;
    else if (type === 'float16') numbers[i] = 0x3000 + Math.floor(at * 0x0c00) + (i % 2 ? 0x8000 : 0);
    else if (type === 'uint8') numbers[i] = Math.floor(at * 256);
    else if (type === 'int8') numbers[i] = Math.floor(at * 256) - 128;
    else if (type === 'int64' || type === 'uint64') numbers[i] = BigInt(Math.floor(at * 2));
    else numbers[i] = Math.floor(at * 2);
  }
  return new Tensor(type, numbers, shape);
}
/// A file's numbers; what it does not say, the network does.
function fromFile({ file, type, shape }, about) {
  type ??= about.type;
  shape ??= about.shape;
  const bytes = readFileSync(file);
  const numbers = new ARRAYS[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return new Tensor(type, numbers, shape);
}

const half = bits => {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, rest = bits & 1023;
  if (exponent === 31) return rest ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + rest / 1024) * 2 ** (exponent - 15) : rest * 2 ** -24);
};
const numbersOf = t => t.type === 'float16' ? Array.from(t.data, half) : Array.from(t.data, Number);

const KINDS = { float32: 'real', float64: 'real', float16: 'half' };
/// How far two values are from each other: in steps for integers, for reals relative to the largest number.
function distance(got, want) {
  if (got.type !== want.type) return { why: `${got.type}, expected ${want.type}` };
  if (`${got.dims}` !== `${want.dims}` && count(got.dims) !== count(want.dims)) return { why: `[${got.dims}], expected [${want.dims}]` };
  if (got.type === 'string') return { far: got.data.every((s, i) => s === want.data[i]) ? 0 : Infinity, kind: 'whole' };
  const a = numbersOf(got), b = numbersOf(want), kind = KINDS[got.type] ?? 'whole';
  let far = 0, size = 0;
  for (let i = 0; i < a.length; ++i) {
    if (Number.isFinite(b[i])) size = Math.max(size, Math.abs(b[i]));
    if (a[i] === b[i] || (Number.isNaN(a[i]) && Number.isNaN(b[i]))) continue;
    const off = Math.abs(a[i] - b[i]);
    far = Math.max(far, Number.isNaN(off) ? Infinity : off);
  }
  return { far: String(kind === 'whole' || far === 0 ? far : far / Math.max(size, 1e-3)), kind };
}

const first = e => String(e.message ?? e).split('\n')[0];
/// As files say it: then both sides compute the same operators.
const plainly = file => InferenceSession.create(file, { graphOptimizationLevel: 'disabled', logSeverityLevel: 4 });
/// As users open it: ONNX Runtime's own rewriting takes the file as well.
const optimized = file => InferenceSession.create(file, { graphOptimizationLevel: 'all', logSeverityLevel: 4 });

function inputsOf(session, job) {
  const feeds = {};
  session.inputMetadata.forEach((about, which) => {
    const given = job.inputs?.find(v => v.name === about.name) ?? job.inputs?.[which];
    const shape = about.shape.map(d => typeof d === 'number' && d >= 0 ? d : job.sizes?.[d] ?? 1);
    const fits = !given?.shape || count(given.shape) === count(shape);
    if (given) feeds[about.name] = fromFile(fits ? { ...given, shape } : given, about);
    else feeds[about.name] = made(about.type, shape, which);
  });
  return feeds;
}
/// Only those that the session has: a file need not name an input that nothing reads.
const only = (feeds, session) => Object.fromEntries(Object.entries(feeds).filter(([name]) => session.inputNames.includes(name)));

/// What happens to a file: it opens as it is and optimized, and runs as it is, or as users run it. `note` gets the step
/// that fails, and why.
async function outputsOf(file, feed, note, asUsers) {
  let step = 'open';
  try {
    const plain = await plainly(file);
    step = 'optimize';
    const whole = await optimized(file);
    const [session, other] = asUsers ? [whole, plain] : [plain, whole];
    await other.release();
    step = 'run';
    const result = await session.run(feed(session));
    const all = session.outputNames.map((name, at) => [name, result[name], session.outputMetadata[at]]);
    await session.release();
    return all;
  } catch (e) {
    note.step = step;
    note.why = first(e);
  }
}

async function answer(job) {
  const result = { name: job.name, source: {}, written: {} };
  let feeds;
  let want = job.outputs?.map(v => [v.name, v]);
  if (job.source) {
    const feed = session => (feeds = inputsOf(session, job));
    want = await outputsOf(job.source, feed, result.source);
  }
  for (const [how, file] of Object.entries(job.written)) {
    const said = result.written[how] = {};
    const got = await outputsOf(file, session => feeds ? only(feeds, session) : inputsOf(session, job), said, job.asUsers);
    for (const [at, [name, value]] of (got ? want ?? [] : []).entries()) {
      const mine = name === undefined ? got[at] : got.find(g => g[0] === name);
      const d = mine ? distance(mine[1], value.file ? fromFile(value, { ...mine[2], shape: mine[1].dims }) : value) : { why: 'missing' };
      (said.outputs ??= []).push([name ?? at, d.why ?? d.far, d.kind]);
    }
  }
  return result;
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line) console.log(JSON.stringify(await answer(JSON.parse(line))));
}
