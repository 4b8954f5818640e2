// The jobs that the tests look at, and what rankscope writes about them.
"use strict";

const fs = require("fs");
const os = require("os");
const path = require("path");
const {execFileSync} = require("child_process");
const {limitMs} = require("./browser.js");
const {dataOf} = require("./page_data.js");

const binary = path.resolve(process.argv[2] || "build/bin/rankscope");

const cache = fs.mkdtempSync(path.join(os.tmpdir(), "rankscope_cache_"));
process.on("exit", () => fs.rmSync(cache, {recursive: true, force: true}));
const env = {...process.env, RANKSCOPE_CACHE_DIR: cache};
function rankscope(...args) {
  return execFileSync(binary, args, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
    timeout: limitMs,
  }).toString();
}

// The tables of a page that are in no report, as `rankscope table` gives them with the options that the page states.
function addDetails(file, folder, report) {
  const data = dataOf(fs.readFileSync(file, "utf8"));
  for (const [name, held] of Object.entries(data.tables)) {
    if (report.tables[name]) continue;
    const options = (held.options ? held.options.split(" ") : []).flatMap((option) => ["--set", option]);
    report.tables[name] = JSON.parse(rankscope("table", name, folder, "--no-cache", "--format", "json", ...options));
  }
}

// {file, report}: the page of the traces in `folder`, and the JSON report on them with the details that the page has.
function analyse(folder) {
  const file = `${folder}.html`;
  rankscope("analyze", folder, "--no-cache", "--format", "html", "-o", file);
  const json = path.join(path.dirname(folder), `${path.basename(folder)}.report.json`);
  rankscope("analyze", folder, "--no-cache", "--format", "json", "-o", json);
  const report = JSON.parse(fs.readFileSync(json, "utf8"));
  addDetails(file, folder, report);
  return {file, report};
}

// {file, report}: the page of two jobs, and the JSON that `diff` writes about them.
function compared(base, test, file) {
  rankscope("diff", base, test, "--no-cache", "--format", "html", "-o", file);
  return {file, report: JSON.parse(rankscope("diff", base, test, "--no-cache", "--format", "json"))};
}

// A pair of simulated jobs, one of which has a cause planted.
function simulatedPair(folder, options, plant) {
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  rankscope("simulate", `${folder}-before`, ...words);
  rankscope("simulate", `${folder}-after`, ...words, "--plant", plant);
  return compared(`${folder}-before`, `${folder}-after`, `${folder}.html`);
}

function simulated(folder, options) {
  rankscope(
    "simulate",
    folder,
    ...Object.entries(options).flatMap(([name, value]) =>
      value === true ? [`--${name}`] : [`--${name}`, String(value)],
    ),
  );
  return analyse(folder);
}

const hostile = [
  "</script><script>window.pwned = 1; alert(1)</script>",
  '<img src=x onerror="window.pwned = 1">',
  "<!-- \"quotes\" 'and' &amp; \\ backslash",
  "control \u0001\u007f\n\t bidi \u202e\u2066 zero \u200b width",
  "{{constructor.constructor('alert(1)')()}}",
  "__proto__",
  `long ${"x".repeat(10000)}`,
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
        events.push({
          ph: "X",
          cat: "python_function",
          name: i % 2 ? `nn.Module: ${name}` : `${name}(1): ${name}`,
          pid: 1,
          tid: 1,
          ts: ts - 4,
          dur: 58,
        });
        events.push({
          ph: "X",
          cat: "cpu_op",
          name,
          pid: 1,
          tid: 1,
          ts: ts - 3,
          dur: 56,
          args: {"Input Dims": [[2, 2]], "Input type": [name]},
        });
        events.push({
          ph: "X",
          cat: "cpu_op",
          name: "aten::add",
          pid: 1,
          tid: 1,
          ts: ts - 2,
          dur: 54,
          args: {
            "Input Dims": [
              [64 + i, 64],
              [64, 64],
            ],
            "Input type": ["float", name],
          },
        });
        events.push({
          ph: "i",
          s: "t",
          cat: "cpu_instant_event",
          name: "[memory]",
          pid: 1,
          tid: 1,
          ts: ts + 1,
          args: {
            "Device Type": 1,
            "Device Id": 0,
            Addr: 100 * step + i,
            Bytes: 64,
            "Total Allocated": 64 * (step * 10 + i),
            "Total Reserved": 9999,
          },
        });
        events.push({
          ph: "X",
          cat: "cuda_runtime",
          name: "cudaLaunchKernel",
          pid: 1,
          tid: 1,
          ts,
          dur: 4,
          args: {correlation},
        });
        events.push({
          ph: "X",
          cat: "kernel",
          name,
          pid: 0,
          tid: 7,
          ts: ts + 10,
          dur: 40 + i + rank * 7 + (step === 7 ? 30 : 0),
          args: {device: 0, stream: 7, correlation},
        });
      });
      at += 1000;
    }
    const trace = {
      deviceProperties: [{id: 0, name: hostile[0]}],
      distributedInfo: {backend: "nccl", rank, world_size: 2},
      traceEvents: events,
    };
    fs.writeFileSync(path.join(folder, `rank${rank}<img src=x>.json`), JSON.stringify(trace));
  }
  return analyse(folder);
}

// Two ranks recorded with everything: Python functions, modules, shapes, memory. Six steps, whose memory grows and which ask the
// driver for more; a matmul, an addition that is faster than memory allows, and a kernel without a model in each.
function deepJob(folder, device) {
  fs.mkdirSync(folder);
  for (const rank of [0, 1]) {
    const events = [];
    const host = (cat, name, ts, dur, args) => events.push({ph: "X", cat, name, pid: 1, tid: 1, ts, dur, args});
    let correlation = 0;
    const launch = (ts, kernel, at, dur) => {
      host("cuda_runtime", "cudaLaunchKernel", ts, 3, {correlation: ++correlation});
      events.push({
        ph: "X",
        cat: "kernel",
        name: kernel,
        pid: rank,
        tid: 7,
        ts: at,
        dur,
        args: {device: rank, stream: 7, correlation},
      });
    };
    const op = (name, ts, dur, dims, type) =>
      host("cpu_op", name, ts, dur, {"Input Dims": dims, "Input type": dims.map(() => type)});
    let level = 1e9 + rank * 3e8;
    const memory = (ts, bytes, address) => {
      level += bytes;
      events.push({
        ph: "i",
        s: "t",
        cat: "cpu_instant_event",
        name: "[memory]",
        pid: 1,
        tid: 1,
        ts,
        args: {
          "Device Type": 1,
          "Device Id": rank,
          Addr: address,
          Bytes: bytes,
          "Total Allocated": level,
          "Total Reserved": 4e9,
        },
      });
    };
    for (let step = 0; step < 6; ++step) {
      const at = 1000 + step * 2000;
      host("user_annotation", `ProfilerStep#${step}`, at, 1900);
      host("python_function", "/home/me/train.py(12): main", at + 5, 1800);
      for (const layer of [0, 1]) {
        const begin = at + 20 + layer * 600;
        host("python_function", `nn.Module: Block_${layer}`, begin, 500);
        host("python_function", "/usr/lib/torch/nn/linear.py(114): forward", begin + 10, 300);
        op(
          "aten::mm",
          begin + 20,
          100,
          [
            [4096, 4096],
            [4096, 4096],
          ],
          "c10::BFloat16",
        );
        launch(begin + 30, "sm90_xmma_gemm_bf16bf16_tensorop", begin + 40, 250 + rank * 20);
        memory(begin + 35, 33554432 + step * 64, 1000 + layer);
        op(
          "aten::add",
          begin + 150,
          40,
          [
            [8192, 4096],
            [8192, 4096],
          ],
          "float",
        );
        launch(begin + 160, "vectorized_elementwise_kernel<add>", begin + 300, layer === 0 ? 100 : 90);
        op("custom::fused", begin + 320, 60, [], "");
        launch(begin + 330, "my_fused_kernel", begin + 470, 30);
        memory(begin + 480, -33554432, 1000 + layer);
      }
      memory(at + 1700, 50e6, 5000 + step); // never freed
      host("cuda_runtime", "cudaMalloc", at + 1750, 40);
    }
    const trace = {
      deviceProperties: [{id: rank, name: device}],
      distributedInfo: {backend: "nccl", rank, world_size: 2},
      traceEvents: events,
    };
    fs.writeFileSync(path.join(folder, `rank${rank}.json`), JSON.stringify(trace));
  }
  return analyse(folder);
}

// Two ranks on one host whose links are known: three steps with an all-reduce of each of three sizes, to the second of which rank 1
// comes 40 us late. Transfers take 10 us and 5 us per MB; an all-gather of another kind of groups follows. The clock of rank 1 is ahead.
function linkedJob(folder) {
  fs.mkdirSync(folder);
  for (const rank of [0, 1]) {
    const events = [];
    const ahead = rank * 250;
    const collective = (name, elements, ts, dur) =>
      events.push({
        ph: "X",
        cat: "kernel",
        name: "ncclDevKernel",
        pid: rank,
        tid: 20,
        ts: ts + ahead,
        dur,
        args: {
          device: rank,
          stream: 20,
          "Collective name": name,
          "In msg nelems": elements,
          "Out msg nelems": elements,
          dtype: "Float",
          "Group size": 2,
          "Process Group Name": name === "allreduce" ? "0" : "1",
          "Process Group Description": name === "allreduce" ? "data" : "tensor",
          "Process Group Ranks": "[0, 1]",
        },
      });
    for (let step = 0; step < 3; ++step) {
      const at = 1000 + step * 2000;
      events.push({
        ph: "X",
        cat: "user_annotation",
        name: `ProfilerStep#${step}`,
        pid: 1,
        tid: 1,
        ts: at + ahead,
        dur: 1900,
      });
      [1e6, 4e6, 16e6].forEach((bytes, i) => {
        const late = i === 1 && rank === 1 ? 40 : 0;
        collective(
          "allreduce",
          bytes / 4,
          at + 100 + i * 300 + late,
          10 + (5 * bytes) / 1e6 + (i === 1 ? 40 - late : 0),
        );
      });
      collective("_allgather_base", 1000, at + 1400, 20);
    }
    const trace = {
      host_name: "node1",
      deviceProperties: [{id: rank, name: "NVIDIA A100-SXM4-40GB"}],
      distributedInfo: {backend: "nccl", rank, world_size: 2},
      traceEvents: events,
    };
    fs.writeFileSync(path.join(folder, `rank${rank}.json`), JSON.stringify(trace));
  }
  return analyse(folder);
}

// The golden job with a graph, with the trace of its capture or without.
function graphJob(folder, files) {
  fs.mkdirSync(folder);
  for (const file of files)
    fs.copyFileSync(path.join(__dirname, "..", "golden", "cuda_graph", file), path.join(folder, file));
  return analyse(folder);
}

// A rank without a device.
function hostOnlyJob(folder) {
  fs.mkdirSync(folder);
  const events = [
    {ph: "X", cat: "user_annotation", name: "ProfilerStep#1", pid: 1, tid: 1, ts: 0, dur: 900},
    {ph: "X", cat: "cpu_op", name: "aten::add", pid: 1, tid: 1, ts: 100, dur: 300},
    {ph: "X", cat: "cpu_op", name: "aten::mul", pid: 1, tid: 2, ts: 500, dur: 200},
  ];
  fs.writeFileSync(
    path.join(folder, "rank0.json"),
    JSON.stringify({distributedInfo: {rank: 0, world_size: 1}, traceEvents: events}),
  );
  return analyse(folder);
}

// The rows of a table with options, {"rows": "dp"}.
function tableOf(folder, name, options) {
  const {columns, rows} = JSON.parse(
    rankscope(
      "table",
      name,
      folder,
      "--no-cache",
      "--format",
      "json",
      ...Object.entries(options).flatMap(([option, value]) => ["--set", `${option}=${value}`]),
    ),
  );
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column.name, row[i]])));
}

module.exports = {
  binary,
  compared,
  simulatedPair,
  tableOf,
  simulated,
  hostileJob,
  deepJob,
  linkedJob,
  graphJob,
  hostOnlyJob,
  hostile,
};
