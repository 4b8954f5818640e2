// The jobs that the tests look at, and what rankscope writes about them.
"use strict";

const fs = require("fs");
const path = require("path");
const {execFileSync} = require("child_process");

const binary = path.resolve(process.argv[2] || "build/bin/rankscope");

function rankscope(...args) { return execFileSync(binary, args, {stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28, timeout: 120000}).toString(); }

// {file, report}: the page of the traces in `folder`, and the JSON report on them.
function analyse(folder) {
  const file = `${folder}.html`;
  rankscope("analyze", folder, "--no-cache", "--format", "html", "-o", file);
  const json = path.join(path.dirname(folder), `${path.basename(folder)}.report.json`);
  rankscope("analyze", folder, "--no-cache", "--format", "json", "-o", json);
  return {file, report: JSON.parse(fs.readFileSync(json, "utf8"))};
}

function simulated(folder, options) {
  rankscope("simulate", folder, ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]));
  return analyse(folder);
}

const hostile = [
  "</script><script>window.pwned = 1; alert(1)</script>", "<img src=x onerror=\"window.pwned = 1\">", "<!-- \"quotes\" 'and' &amp; \\ backslash",
  "control \u0001\u007f\n\t bidi \u202e\u2066 zero \u200b width", "{{constructor.constructor('alert(1)')()}}", "__proto__", `long ${"x".repeat(10000)}`,
];

// Two ranks whose names are all hostile: kernels, devices, annotations, files.
function hostileJob(folder) {
  fs.mkdirSync(folder);
  for (const rank of [0, 1]) {
    const events = [];
    let at = 1000;
    for (const step of [5, 6, 7]) {
      events.push({ph: "X", cat: "user_annotation", name: `ProfilerStep#${step}`, pid: 1, tid: 1, ts: at, dur: 900});
      hostile.forEach((name, i) => {
        const correlation = step * 100 + i;
        const ts = at + 20 + i * 100;
        events.push({ph: "X", cat: "user_annotation", name, pid: 1, tid: 1, ts: ts - 5, dur: 60});
        events.push({ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts, dur: 4, args: {correlation}});
        events.push({ph: "X", cat: "kernel", name, pid: 0, tid: 7, ts: ts + 10, dur: 40 + i + rank * 7 + (step === 7 ? 30 : 0), args: {device: 0, stream: 7, correlation}});
      });
      at += 1000;
    }
    const trace = {deviceProperties: [{id: 0, name: hostile[0]}], distributedInfo: {backend: "nccl", rank, world_size: 2}, traceEvents: events};
    fs.writeFileSync(path.join(folder, `rank${rank}<img src=x>.json`), JSON.stringify(trace));
  }
  return analyse(folder);
}

// A rank without a device.
function hostOnlyJob(folder) {
  fs.mkdirSync(folder);
  const events = [{ph: "X", cat: "user_annotation", name: "ProfilerStep#1", pid: 1, tid: 1, ts: 0, dur: 900},
    {ph: "X", cat: "cpu_op", name: "aten::add", pid: 1, tid: 1, ts: 100, dur: 300}, {ph: "X", cat: "cpu_op", name: "aten::mul", pid: 1, tid: 2, ts: 500, dur: 200}];
  fs.writeFileSync(path.join(folder, "rank0.json"), JSON.stringify({distributedInfo: {rank: 0, world_size: 1}, traceEvents: events}));
  return analyse(folder);
}

module.exports = {simulated, hostileJob, hostOnlyJob, hostile};
