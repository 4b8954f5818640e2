// How the server's pages feel with a big job: first picture, frames, tiles, memory.
//
//   node bench/ui.js RANKSCOPE FOLDER [--ranks 1000] [--events 100000] [--layout tp=4,pp=5,dp=50] [--server ADDRESS --run ID --pid PID]
//
// A job is simulated into FOLDER, pushed to a server of its own on a new store, and looked at: a browser without a cache opens the run's
// timeline, pans and zooms it by keyboard while frames are counted (the stamps of requestAnimationFrame; the renderer is stated); eight
// viewers ask for tiles side by side, half of them finer than what is stored. With --server a run that is there is looked at.
"use strict";

const {execFileSync} = require("child_process");
const fs = require("fs");
const http = require("http");
const os = require("os");
const path = require("path");
const {launch} = require("../tests/html/browser.js");
const {Server} = require("../tests/web/server.js");

function parse(words) {
  const found = {ranks: "1000", events: "100000", layout: "tp=4,pp=5,dp=50"};
  for (let i = 0; i < words.length; i += 2) found[words[i].replace(/^--/, "")] = words[i + 1];
  return found;
}

const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];
const ms = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
function tell(what, value, limit = "") {
  console.log(`${what.padEnd(58)}${value.padStart(22)}  ${limit}`);
}

const agent = new http.Agent({keepAlive: true, maxSockets: 8});
function fetchBytes(address, place) {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    http
      .get(address + place, {agent, headers: {"Accept-Encoding": "gzip"}}, (answer) => {
        let bytes = 0;
        answer.on("data", (part) => {
          bytes += part.length;
        });
        answer.on("end", () => resolve({status: answer.statusCode, bytes, ms: performance.now() - begin}));
      })
      .on("error", reject);
  });
}

async function tiles(address, run, info) {
  const ranks = [...new Set(info.captures.map(([rank]) => rank))];
  const blocks = Math.ceil(ranks.length / info.tile_ranks);
  const end = Math.max(...info.captures.map((one) => one[3]));
  let seed = 1;
  const random = (below) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  const times = {stored: [], made: []};
  const viewer = async () => {
    for (let i = 0; i < 60; ++i) {
      const kind = i % 2 === 0 ? "stored" : "made";
      const shift =
        kind === "stored"
          ? info.base_shift + random(info.last_shift - info.base_shift + 1)
          : info.base_shift - 1 - random(5);
      const length = info.tile_bins * 2 ** shift;
      const from = info.begin_ns + random(Math.max(1, Math.floor((end - info.begin_ns) / length))) * length;
      const first = random(blocks) * info.tile_ranks;
      // Finer tiles are asked for where fewer ranks fill the screen.
      const asked = ranks.slice(first, first + (kind === "stored" ? info.tile_ranks : 40));
      const answer = await fetchBytes(
        address,
        `/api/v1/runs/${run}/timeline?version=${info.version}&from_ns=${from}&to_ns=${from + length}&width=${info.tile_bins}&ranks=${asked[0]}-${asked.at(-1)}`,
      );
      if (answer.status !== 200) throw new Error(`a tile answers ${answer.status}`);
      times[kind].push(answer.ms);
    }
  };
  await Promise.all(Array.from({length: 8}, viewer));
  return times;
}

// Frames while something moves: the time from each to the next.
const frames = (page, count, act) =>
  page.evaluate(
    async ([wanted, what]) => {
      const {state} = window.rankscopeTimeline;
      const stamps = [];
      const long = [];
      const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map((one) => one.duration)));
      observer.observe({entryTypes: ["longtask"]});
      await new Promise((resolve) => {
        const step = (stamp) => {
          stamps.push(stamp);
          if (stamps.length > wanted) return resolve();
          const span = state.viewport.window.value.to - state.viewport.window.value.from;
          if (what === "pan") state.viewport.pan(((Math.floor(stamps.length / 60) % 2 === 0 ? 1 : -1) * span) / 90);
          else if (what === "zoom")
            state.viewport.zoom(
              Math.floor(stamps.length / 60) % 2 === 0 ? 1.04 : 1 / 1.04,
              state.viewport.window.value.from + span * 0.4,
            );
          else
            document.querySelector(".timeline-scroll").scrollTop +=
              (Math.floor(stamps.length / 40) % 2 === 0 ? 1 : -1) * 25;
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      });
      observer.disconnect();
      return {frames: stamps.slice(1).map((stamp, i) => stamp - stamps[i]), long};
    },
    [count, act],
  );

async function look(address, run) {
  const browser = await launch();
  const context = await browser.newContext({viewport: {width: 1400, height: 900}});
  const page = await context.newPage();
  const sizes = [];
  page.on("response", async (answer) => {
    sizes.push({url: answer.url(), bytes: (await answer.request().sizes()).responseBodySize});
  });
  await page.goto(`${address}/`);
  await page.waitForSelector("tr[data-run]");
  const app = sizes.filter(({url}) => !url.includes("/api/")).reduce((sum, one) => sum + one.bytes, 0);
  const begin = Date.now();
  await page.goto(`${address}/runs/${run}/timeline`, {waitUntil: "commit"});
  await page.waitForFunction(
    () =>
      window.rankscopeTimeline &&
      window.rankscopeTimeline.state.tiles.ofBlock(0).length > 0 &&
      Number(document.querySelector("canvas").dataset.drawn) > 0,
    null,
    {timeout: 60000},
  );
  const first = Date.now() - begin;
  await page.evaluate(() => window.rankscopeTimeline.idle());
  const whole = Date.now() - begin;
  const renderer = await page.evaluate(() => {
    const gl = document.createElement("canvas").getContext("webgl");
    const about = gl && gl.getExtension("WEBGL_debug_renderer_info");
    return about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "no WebGL: the canvas is drawn by the processor";
  });
  const moves = {};
  for (const act of ["pan", "zoom", "scroll"]) {
    await page.evaluate(() => {
      const {state} = window.rankscopeTimeline;
      state.viewport.zoom(3, (state.viewport.whole.from + state.viewport.whole.to) / 2);
    });
    moves[act] = await frames(page, 240, act);
    await page.evaluate(() => {
      window.rankscopeTimeline.state.viewport.showAll();
      return window.rankscopeTimeline.idle();
    });
  }
  const rank = await page.evaluate(() => window.rankscopeTimeline.state.ranks.all.value[0]);
  const opening = Date.now();
  await page.evaluate((one) => {
    window.rankscopeTimeline.state.ranks.toggle(one, true);
    return window.rankscopeTimeline.idle();
  }, rank);
  const opened = Date.now() - opening;
  moves["zoom, a rank open"] = await frames(page, 240, "zoom");
  const heap = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? NaN);
  await browser.close();
  return {app, first, whole, renderer, moves, opened, heap};
}

function peakOf(pid) {
  const found = /VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"));
  return found ? Number(found[1]) * 1024 : NaN;
}

async function main() {
  const program = path.resolve(process.argv[2]);
  const folder = process.argv[3];
  const set = parse(process.argv.slice(4));
  let [address, run, pid] = [set.server, set.run, set.pid];
  let server = null;
  try {
    if (!address) {
      const job = path.join(folder, `job-${set.ranks}-${set.events}`);
      if (!fs.existsSync(job))
        execFileSync(
          program,
          [
            "simulate",
            job,
            "--job",
            "3d",
            "--ranks",
            set.ranks,
            "--layout",
            set.layout,
            "--steps",
            "3",
            "--events",
            set.events,
            "--plant",
            "slow-gpu:rank=7",
          ],
          {stdio: "ignore"},
        );
      const data = path.join(folder, "data");
      fs.rmSync(data, {recursive: true, force: true});
      server = new Server(program, data);
      await server.start();
      const begin = Date.now();
      run = server.push(job, "big").split("\n").pop().split("/").pop();
      tell("from push to report", `${((Date.now() - begin) / 1000).toFixed(0)} s`);
      [address, pid] = [server.address, server.process.pid];
    }
    const info = await (await fetch(`${address}/api/v1/runs/${run}/timeline`)).json();
    const events = info.captures.reduce((sum, one) => sum + one[4], 0);
    console.log(`${os.cpus()[0].model}, ${os.cpus().length} cores; ${info.captures.length} ranks, ${events} spans`);
    const shown = await look(address, run);
    console.log(`renderer: ${shown.renderer}; 1400 x 900, DPR 1`);
    tell("first load of the app, gzip", `${(shown.app / 1000).toFixed(0)} kB`, "<= 200 kB");
    tell("first picture after the click, cold", ms(shown.first), "<= 1000 ms");
    tell("the same with every tile at its finest", ms(shown.whole));
    for (const [act, {frames: all, long}] of Object.entries(shown.moves)) {
      tell(
        `frames, ${act}: median / p99`,
        `${ms(quantile(all, 0.5))} / ${ms(quantile(all, 0.99))}`,
        `<= 16.7 (60 Hz) / 50 ms; ${long.length} tasks over 50 ms`,
      );
    }
    tell("a rank opened, its events drawn", ms(shown.opened));
    tell("heap of the page", `${(shown.heap / 1e6).toFixed(0)} MB`, "<= 300 MB");
    const times = await tiles(address, run, info);
    tell(
      "tiles as stored, 8 viewers: p50 / p99",
      `${ms(quantile(times.stored, 0.5))} / ${ms(quantile(times.stored, 0.99))}`,
      "<= 20 / 100 ms",
    );
    tell(
      "tiles finer than stored, 40 ranks: p50 / p99",
      `${ms(quantile(times.made, 0.5))} / ${ms(quantile(times.made, 0.99))}`,
      "<= 20 / 100 ms",
    );
    if (pid) tell("server's memory at most", `${(peakOf(pid) / 1e6).toFixed(0)} MB`, "<= 1000 MB");
  } finally {
    if (server) await server.end("SIGTERM");
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
