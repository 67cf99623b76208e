// SPDX-License-Identifier: BSL-1.0
// Runs a program for wasm32-wasi: node wasi.mjs PROGRAM.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";
const wasi = new WASI({ version: "preview1", args: process.argv.slice(2), returnOnExit: true });
const program = await WebAssembly.compile(await readFile(process.argv[2]));
const instance = await WebAssembly.instantiate(program, { wasi_snapshot_preview1: wasi.wasiImport });
process.exit(wasi.start(instance));
