// Names that want to be more than names, in every column of a trace, on every page: node hostile_test.js RANKSCOPE.
"use strict";

const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const {launch} = require("../html/browser.js");
const {open} = require("./pages.js");
const {Server} = require("./server.js");

const names = [
  "<img src=x onerror=alert(1)>",
  "</script><script>alert(2)</script>",
  "\u202egnirts desrever",
  "x".repeat(10_000),
  "nul\u0000 and \u001b[31m",
  "lone \ud800 surrogate",
  "'); drop table events; --",
  "javascript:alert(3)",
  "{{constructor.constructor('alert(4)')()}}",
  "=cmd|' /C calc'!A0",
];

// A rank with ops, kernels and annotations of those names, two steps, and hostile metadata.
function trace(rank) {
  const events = [];
  let id = 1;
  for (const [step, begin] of [
    [1, 0],
    [2, 50_000],
  ]) {
    events.push({
      ph: "X",
      cat: "user_annotation",
      name: `ProfilerStep#${step}`,
      pid: 1,
      tid: 1,
      ts: begin,
      dur: 49_000,
    });
    names.forEach((name, i) => {
      const ts = begin + 1000 + i * 4000;
      events.push({
        ph: "X",
        cat: "cpu_op",
        name,
        pid: 1,
        tid: 1,
        ts,
        dur: 3000,
        args: {"External id": id, "Input Dims": [[1]], "Input type": [name], "Concrete Inputs": [name], [name]: name},
      });
      events.push({
        ph: "X",
        cat: "cuda_runtime",
        name: "cudaLaunchKernel",
        pid: 1,
        tid: 1,
        ts: ts + 100,
        dur: 50,
        args: {correlation: id, "External id": id},
      });
      events.push({
        ph: "X",
        cat: "kernel",
        name,
        pid: 0,
        tid: 7,
        ts: ts + 200,
        dur: 2500,
        args: {correlation: id, device: 0, stream: 7, grid: [1, 1, 1], block: [32, 1, 1], [name]: name},
      });
      events.push({ph: "X", cat: "user_annotation", name, pid: 1, tid: 2, ts, dur: 500});
      events.push({
        ph: "X",
        cat: "python_function",
        name: `${name}(1): ${name}`,
        pid: 1,
        tid: 1,
        ts: ts + 1,
        dur: 2900,
        args: {"Python id": id, "Python parent id": null},
      });
      ++id;
    });
  }
  events.push(
    {ph: "M", name: "thread_name", pid: 1, tid: 1, args: {name: names[0]}},
    {ph: "M", name: "process_name", pid: 1, args: {name: names[1]}},
  );
  return JSON.stringify({
    schemaVersion: 1,
    hostname: names[0],
    deviceProperties: [{id: 0, name: names[0], totalGlobalMem: 1}],
    distributedInfo: {
      backend: names[0],
      rank,
      world_size: 2,
      pg_config: [{pg_name: names[0], pg_desc: names[1], backend_config: names[0], pg_size: 2, ranks: [0, 1]}],
    },
    traceEvents: events,
  });
}

// What a page asks for, but events, which never end.
function requestsOf(page) {
  const underway = new Set();
  page.on("request", (request) => request.resourceType() !== "eventsource" && underway.add(request));
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => underway.delete(request));
  return underway;
}

// All that the page asked for has come, and was drawn: two frames later it asks for nothing more.
async function isDrawn(page, underway) {
  for (let calm = 0; calm < 2; calm = underway.size === 0 ? calm + 1 : 0) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }
}

async function isHarmless(page, underway, problems, what) {
  await isDrawn(page, underway);
  const found = await page.evaluate(() => ({
    images: document.querySelectorAll("img, iframe, object").length,
    scripts: [...document.scripts].filter((one) => !one.src).length,
    wide: document.documentElement.scrollWidth - innerWidth,
  }));
  assert.strictEqual(found.images, 0, `${what}: a name became an element`);
  assert.strictEqual(found.scripts, 0, `${what}: a name became a script`);
  assert(found.wide <= 0, `${what}: a name makes the page ${found.wide} px too wide`);
  assert.deepStrictEqual(problems, [], what);
}

async function main() {
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "rankscope_hostile_"));
  const job = path.join(temporary, "<b>job");
  fs.mkdirSync(job);
  for (const rank of [0, 1]) fs.writeFileSync(path.join(job, `<img src=x>${rank}.json`), trace(rank));
  const server = new Server(path.resolve(process.argv[2]), path.join(temporary, "data"));
  const browser = await launch();
  try {
    await server.start();
    const run = server
      .push(job, names[0], "--user", names[1].slice(0, 60), "--tag", "t=<i>x</i>")
      .split("\n")
      .pop()
      .split("/")
      .pop();
    const {page, problems} = await open(browser, server, "/");
    const underway = requestsOf(page);
    page.on("dialog", (dialog) => {
      problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.waitForSelector("tr[data-run]");
    await isHarmless(page, underway, problems, "the list of runs");

    await page.goto(`${server.address}/runs/${run}`);
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll("details")) fold.open = true;
    });
    await isHarmless(page, underway, problems, "the report");

    await page.goto(`${server.address}/runs/${run}/timeline?open=0-1`);
    await page.waitForFunction(() => window.rankscopeTimeline !== undefined);
    await page.evaluate(() => window.rankscopeTimeline.idle());
    await page.click("#timeline-more > summary");
    await page.fill("input[name=from]", "-1000");
    await page.fill("input[name=to]", "1000000");
    await page.click("button:text-is('Add up')");
    await page.locator("tr[data-name]").first().waitFor();
    await page.fill("#timeline-search", "<img src=x");
    await page.keyboard.press("Enter");
    await page.locator("section[aria-label=Found] td button").first().click();
    await page.locator("section[aria-label=Event] caption:text-is('What is known of it')").waitFor();
    assert((await page.locator("section[aria-label=Event] h2").innerText()).includes("<img src=x onerror=alert(1)>"));
    const box = await page.locator("canvas.timeline-canvas").boundingBox();
    for (let y = 40; y < 300; y += 20) await page.mouse.move(box.x + 400, box.y + y);
    await isHarmless(page, underway, problems, "the timeline");

    await page.goto(`${server.address}/runs/${run}/ranks/0`);
    await page.waitForSelector("#rank-files");
    await isHarmless(page, underway, problems, "the page of a rank");

    await page.goto(`${server.address}/runs/${run}/sql?q=${encodeURIComponent("select * from events order by event")}`);
    await page.click("button:text-is('Run')");
    await page.locator("[aria-label=Result] tbody tr").first().waitFor();
    await isHarmless(page, underway, problems, "the SQL page");
    await page.goto(`${server.address}/compare?base=${run}&test=${run}`);
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    await isHarmless(page, underway, problems, "a comparison");
    console.log("ok      names stay names");
  } catch (error) {
    console.log(`FAILED  ${error.stack}`);
    process.exitCode = 1;
  } finally {
    await browser.close();
    if (server.process && server.process.exitCode === null) await server.end("SIGTERM");
    fs.rmSync(temporary, {recursive: true, force: true});
  }
}

void main();
