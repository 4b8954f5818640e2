// The HTML report in a real browser: node report_test.js RANKSCOPE
"use strict";

const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const browser = require("./browser.js");
const collectives = require("./collectives.js");
const diff = require("./diff.js");
const memory = require("./memory.js");
const findings = require("./findings.js");
const flames = require("./flames.js");
const jobs = require("./jobs.js");
const layouts = require("./layouts.js");
const look = require("./look.js");
const numbers = require("./numbers.js");
const roofs = require("./roofs.js");

const linePlots = [
  "Step time over steps",
  "Kernel time over steps",
  "Copy bandwidth over time",
  "FLOP utilisation over steps",
  "Memory over time",
];
const trainingPlots = [
  ...linePlots,
  "Flame graph",
  "Roofline",
  "Memory peak by rank",
  "Device time of the job",
  "Critical path of the job",
  "Device time by rank",
  "Idle time by cause",
  "Communication by rank",
  "Metrics by rank",
  "Metric over the layout",
  "Kernel change by step",
  "Waiting by rank",
  "Timeline of collectives",
  "Bandwidth by size",
];

async function openDetails(page) {
  // What is opened may hold more that is folded.
  await page.waitForFunction(() => {
    const all = Array.from(document.querySelectorAll("details"));
    for (const node of all) node.open = true;
    return all.every((node) => node.children.length > 1);
  });
}

async function showsTheReportsNumbers(page, report, least) {
  await openDetails(page);
  const cells = await numbers.cells(page);
  for (const cell of cells) numbers.check(cell, report);
  assert(cells.length >= least, `only ${cells.length} cells are shown`);
  return new Set(cells.map((cell) => cell.id.split("/")[0]));
}

// Every plot by keyboard: it takes the focus, arrow keys walk through it, and what the tooltip says is in the report.
async function readsByKeyboard(page, report) {
  const plots = await page.$$("[data-plot]");
  // The browser shows the focus to those who use the keyboard.
  await page.keyboard.press("Tab");
  // Plots that scroll below a resting pointer would see it come and go.
  await page.mouse.move(2, 2);
  for (const plot of plots) {
    const name = await plot.getAttribute("data-plot");
    await plot.focus();
    assert(
      await plot.evaluate((node) => document.activeElement === node && getComputedStyle(node).outlineStyle !== "none"),
      `${name} does not show that it has the focus`,
    );
    const titles = new Set();
    for (const key of ["Home", "ArrowRight", "End"]) {
      await page.keyboard.press(key);
      assert(await page.isVisible(".tip"), `${name}: no tooltip after ${key}`);
      titles.add(await page.textContent(".tip b"));
      const cells = await numbers.cells(page, ".tip [data-cell]");
      assert(cells.length > 0, `${name}: an empty tooltip after ${key}`);
      for (const cell of cells) numbers.check(cell, report);
    }
    assert(titles.size >= 2, `${name}: arrow keys stay where they are`);
    assert((await page.textContent(".spoken")).length > 10, `${name}: nothing is said to screen readers`);
    await page.keyboard.press("Escape");
    assert(!(await page.isVisible(".tip")), `${name}: Escape leaves the tooltip`);
  }
  return plots.length;
}

// The tab key alone reaches every plot.
async function tabReachesPlots(page) {
  await page.evaluate(() => {
    document.activeElement.blur();
    scrollTo(0, 0);
  });
  const reached = new Set();
  for (let i = 0; i < 800; ++i) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => document.activeElement.dataset.plot);
    if (name) reached.add(name);
  }
  assert.deepStrictEqual([...reached].sort(), [...trainingPlots].sort());
}

// Bars are as high as their shares, and the pointer finds them.
async function barsHaveTheirHeights(page, report) {
  const columnsOf = (table, ...names) =>
    table.rows.map((row) => names.map((name) => row[table.columns.findIndex((column) => column.name === name)]));
  const breakdown = columnsOf(report.tables.rank_breakdown, "part", "rank", "share_pct");
  // Exposed communication stands in the bars as what it consists of.
  const exposed = (name) => columnsOf(report.tables.exposed_by_rank, "rank", name).filter(([rank]) => rank !== null);
  const divided = {wait: exposed("wait_share_pct"), transfer: exposed("transfer_share_pct")};
  const base = new Map();
  let scale = 0; // pixels per percent
  for (const part of ["compute", "wait", "transfer", "exposed_copy", "idle_host", "idle_data"]) {
    const d = await page.getAttribute(`[data-plot='Device time by rank'] path[data-part=${part}]`, "d");
    const boxes = [...d.matchAll(/M[\d.]+ ([\d.]+)V([\d.]+)/g)].map((match) => [Number(match[1]), Number(match[2])]);
    const all = divided[part] ?? breakdown.filter(([of]) => of === part).map(([, rank, share]) => [rank, share]);
    const shares = all.filter(([, share]) => share > 0);
    assert.strictEqual(boxes.length, shares.length);
    shares.forEach(([rank, share], i) => {
      const [from, to] = boxes[i];
      scale = scale || (from - to) / share;
      assert(
        Math.abs(from - to - share * scale) < 0.05,
        `${part} of rank ${rank} has height ${from - to} for ${share}%`,
      );
      assert(
        Math.abs(from - (base.get(rank) ?? boxes[0][0])) < 0.05,
        `${part} of rank ${rank} does not stand on the part below it`,
      );
      base.set(rank, to);
    });
  }
  const plot = await page.$("[data-plot='Device time by rank']");
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
  assert.match(await page.textContent(".tip b"), /^Rank \d+, device \d+$/);
  await page.mouse.move(5, 5);
  // Ordered by computing, the slow rank stands first.
  await page.click(
    "[data-plot='Device time by rank'] >> xpath=preceding-sibling::div[@class='tools'][1]/button[text()='computing']",
  );
  await plot.focus();
  await page.keyboard.press("Home");
  assert.strictEqual(await page.textContent(".tip b"), "Rank 3, device 3");
  await page.keyboard.press("Escape");
}

// Headings sort, both ways.
async function tablesSort(page) {
  const means = () =>
    page.$$eval("#kernels .scroll:first-of-type table tr td:nth-child(7)", (nodes) =>
      nodes.map((node) => Number(node.dataset.value)),
    );
  const heading = page.locator("#kernels table th button", {hasText: /^mean$/}).first();
  await heading.click();
  const down = await means();
  assert.deepStrictEqual(
    down,
    [...down].sort((a, b) => b - a),
  );
  await heading.click();
  const up = await means();
  assert.deepStrictEqual(
    up,
    [...up].sort((a, b) => a - b),
  );
  assert(up[0] <= down.at(-1));
  // A filter looks at all rows, not only at those that are seen; columns go and come.
  const tools = page.locator("#kernels .table-tools").first();
  const all = Number(/([\d,]+) rows/.exec(await tools.innerText())[1].replace(",", ""));
  await tools.locator("input[type=search]").fill("GEMM nt");
  const names = await page.$$eval("#kernels .scroll:first-of-type tbody td.name", (cells) =>
    cells.map((one) => one.dataset.value),
  );
  assert(
    names.length > 0 && names.length < all && names.every((name) => /gemm/i.test(name) && /nt/i.test(name)),
    names.join(),
  );
  assert.match(await tools.innerText(), new RegExp(`${names.length} found in`));
  const [saved] = await Promise.all([page.waitForEvent("download"), tools.locator("button:text-is('CSV')").click()]);
  const lines = fs
    .readFileSync(await saved.path(), "utf8")
    .trim()
    .split("\r\n");
  assert.strictEqual(lines.length, 1 + names.length);
  assert(lines[0].startsWith("name,class,share (%),total (ns),count,mean (ns)"), lines[0]);
  assert.strictEqual(saved.suggestedFilename(), "kernels_by_name.csv");
  await tools.locator("summary").click();
  await tools.locator("label:has-text('class') input").uncheck();
  assert(!(await page.locator("#kernels thead").first().innerText()).includes("class"));
  await tools.locator("label:has-text('class') input").check();
  await tools.locator("input[type=search]").fill("");
  assert.strictEqual((await means()).length, Math.min(20, all));
}

// The whole page of a job of a few ranks, as one sends it to somebody.
function isSmall(file) {
  const bytes = fs.statSync(file).size;
  assert(bytes < 400_000, `the page takes ${bytes} bytes`);
}

async function trainingJob(chromium, folder) {
  const {file, report} = jobs.simulated(path.join(folder, "training"), {
    ranks: 8,
    steps: 6,
    events: 12000,
    "slow-rank": 3,
    "slow-factor": 1.3,
  });
  isSmall(file);
  const {page, problems, close} = await browser.open(chromium, file);
  await look.checkPlots(page, trainingPlots);
  // Where no rule ran, the sentences name the rank.
  assert.match(await page.textContent(report.tables.findings ? "#findings" : ".headlines"), /[Rr]ank 3\b/);
  await barsHaveTheirHeights(page, report);
  await tablesSort(page);
  await flames.flameGraphWorks(page, report, ["backward", "ALLREDUCE"]);
  assert((await roofs.rooflineIsTrue(page, report)).roofs >= 3);
  await collectives.causedWaitingIsTrue(page, report);
  assert.match(await page.textContent("#blame .said"), /of all lateness is due to rank 3: slower kernels/);
  const timeline = await collectives.timelineIsTrue(page, report);
  assert(timeline.waits > 0 && timeline.arrivals > 0, "nobody waits for the slow rank");
  await collectives.timelineWorks(page, report);
  await collectives.bandwidthIsTrue(page, report);
  assert.strictEqual(await readsByKeyboard(page, report), trainingPlots.length);
  await tabReachesPlots(page);
  const tables = await showsTheReportsNumbers(page, report, 1500);
  for (const name of [
    "step_spread",
    "job_breakdown",
    "job_critical_path",
    "critical_path_ops",
    "rank_breakdown",
    "rank_metrics",
    "over_ranks",
    "kernels_by_name",
    "kernel_steps",
    "copy_bandwidth",
    "flame_graph",
    "ops_by_name",
    "roofline",
    "flop_utilisation",
    "memory_peaks",
    "memory_over_time",
    "memory_at_peak",
    "memory_growth",
  ]) {
    assert(tables.has(name), `no number of ${name} is shown`);
  }
  // Links lead somewhere, and every section says how to read it.
  assert.deepStrictEqual(
    await page.$$eval("a", (links) =>
      links.filter((link) => !document.querySelector(link.hash)).map((link) => link.hash),
    ),
    [],
  );
  assert.deepStrictEqual(problems, []);
  // The policy holds: a script that was not in the file does not run.
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.pwned = 1";
    document.body.append(script);
  });
  assert.strictEqual(await page.evaluate(() => window.pwned), undefined);
  assert(
    problems.some((problem) => problem.includes("Content Security Policy")),
    "no policy is in force",
  );
  await close();
  return {file, report};
}

async function themes(chromium, file) {
  const grounds = [];
  for (const colorScheme of ["light", "dark"]) {
    const {page, problems, close} = await browser.open(chromium, file, {colorScheme});
    await look.checkContrast(page, colorScheme);
    await look.checkColours(page, colorScheme);
    await look.checkPlots(page, trainingPlots);
    grounds.push(await look.ground(page));
    await page.click("button.theme");
    grounds.push(await look.ground(page));
    await look.checkPlots(page, trainingPlots);
    assert.deepStrictEqual(problems, []);
    await close();
  }
  const [light, darkened, dark, lightened] = grounds;
  assert.notStrictEqual(light, dark);
  assert.deepStrictEqual([darkened, lightened], [dark, light], "the button does not change the theme");
}

async function narrowWindow(chromium, file, names) {
  const {page, problems, close} = await browser.open(chromium, file, {viewport: {width: 360, height: 740}});
  await openDetails(page);
  if (names) await look.checkPlots(page, names);
  assert.deepStrictEqual(await look.overhang(page), []);
  assert(await page.evaluate(() => document.documentElement.scrollWidth <= 360), "the page scrolls sideways");
  // And back to a wide one.
  await page.setViewportSize({width: 1280, height: 900});
  await page.waitForFunction(() =>
    Array.from(document.querySelectorAll("[data-plot] canvas")).every((canvas) => canvas.clientWidth > 600),
  );
  assert.deepStrictEqual(problems, []);
  await close();
}

async function paper(chromium, file, folder) {
  const {page, problems, close} = await browser.open(chromium, file, {
    colorScheme: "dark",
    viewport: {width: 704, height: 1000},
  });
  await page.emulateMedia({media: "print"});
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
  assert.strictEqual(await look.ground(page), "rgb(255, 255, 255)");
  assert(!(await page.isVisible(".contents")) && !(await page.isVisible("button.theme")));
  assert.deepStrictEqual(await look.overhang(page), [], "cut on paper");
  await look.checkPlots(page, trainingPlots);
  await page.emulateMedia({media: "screen"});
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  assert.notStrictEqual(await look.ground(page), "rgb(255, 255, 255)", "the dark theme does not come back");
  const pdf = await page.pdf({format: "A4", printBackground: true, path: path.join(folder, "report.pdf")});
  const pages = pdf.toString("latin1").match(/\/Type ?\/Page\b/g) || [];
  assert(pages.length >= 4 && pages.length <= 24, `${pages.length} pages`);
  assert.deepStrictEqual(problems, []);
  await close();
}

async function hostileNames(chromium, folder) {
  const {file, report} = jobs.hostileJob(path.join(folder, "hostile"));
  const {page, problems, close} = await browser.open(chromium, file);
  await showsTheReportsNumbers(page, report, 200);
  await readsByKeyboard(page, report);
  const found = await page.evaluate(() => ({
    pwned: window.pwned,
    scripts: document.scripts.length,
    strange: document.querySelectorAll("img, iframe, body b:not(.tip b, .finding b, .gain b), object").length,
    // eslint-disable-next-line no-control-regex
    hidden: /[\u0000-\u0008\u000b-\u001f\u007f\u200b\u202e\u2066]/.test(document.body.innerText),
    text: document.body.innerText,
    longest: Math.max(...Array.from(document.querySelectorAll("td"), (node) => node.textContent.length)),
  }));
  assert.strictEqual(found.pwned, undefined);
  assert.strictEqual(found.scripts, 2);
  assert.strictEqual(found.strange, 0);
  assert(!found.hidden, "control characters are on the page");
  assert(found.longest < 400, `a cell of ${found.longest} characters`);
  for (const text of ["</script><script>window.pwned", "<img src=x onerror=", "\\u202e"])
    assert(found.text.includes(text), `${text} is not shown`);
  assert.deepStrictEqual(problems, []);
  await close();
  await narrowWindow(chromium, file);
}

// What was recorded with everything: lines of code, modules, memory that grows, calls of the driver.
async function everythingRecorded(chromium, folder) {
  const {file, report} = jobs.deepJob(path.join(folder, "deep"), "NVIDIA H100 80GB HBM3");
  const {page, problems, close} = await browser.open(chromium, file);
  if (!report.tables.findings)
    assert.match(
      await page.textContent(".headlines"),
      /Memory of rank \d \(cuda \d\) grows by 50\.0 MB per step: from 1\.10 GB to 1\.30 GB over 5 steps\. 1 device more grows\./,
    );
  await flames.flameGraphWorks(page, report, ["train.py", "Block", "mm"]);
  const {points} = await roofs.rooflineIsTrue(page, report);
  assert.strictEqual(points, 2);
  // The addition is faster than the memory can be.
  assert.strictEqual((await page.$$(".roofline .marked")).length, 1);
  assert.match(await page.textContent("#roofline"), /7\.\d% of computing time \(720 \u00b5s\) has no model/);
  assert.match(await page.textContent("#modules tbody tr"), /^Block_0/);
  assert.match(await page.textContent("#call-stacks"), /main \(train\.py:12\)/);
  // Another device: its own curve, and what holds its peak.
  assert.match(await page.textContent("#memory"), /What holds the peak of rank 1, cuda 1/);
  const before = await page.$eval("[data-plot='Memory over time'] canvas", (canvas) => canvas.toDataURL());
  await page.click("#memory button:text('rank 0, cuda 0')");
  assert.match(await page.textContent("#memory"), /What holds the peak of rank 0, cuda 0/);
  assert.notStrictEqual(
    await page.$eval("[data-plot='Memory over time'] canvas", (canvas) => canvas.toDataURL()),
    before,
    "the curve stays",
  );
  await page.focus("[data-plot='Memory over time']");
  await page.keyboard.press("Home");
  assert.match(await page.textContent(".tip b"), /^rank 0, cuda 0 at /);
  await page.keyboard.press("Escape");
  await readsByKeyboard(page, report);
  const tables = await showsTheReportsNumbers(page, report, 400);
  for (const name of [
    "flame_graph",
    "ops_by_name",
    "modules",
    "roofline",
    "flop_utilisation",
    "memory_peaks",
    "memory_growth",
    "memory_over_time",
    "memory_at_peak",
    "allocator_calls",
  ]) {
    assert(tables.has(name), `no number of ${name} is shown`);
  }
  assert.match(await page.textContent("#memory"), /cudaMalloc/);
  // Headings of ops choose the top.
  await page.click("#ops th button:text-is('host self')");
  const selves = await page.$$eval("#ops > .scroll tbody tr", (rows) =>
    rows.map((row) => Number(row.querySelector("[data-cell$='host_self_ns']").dataset.value || -1)),
  );
  assert.deepStrictEqual(
    selves,
    [...selves].sort((a, b) => b - a),
  );
  assert.deepStrictEqual(problems, []);
  await close();
  await narrowWindow(chromium, file);
}

// A device whose peaks are not known has no roof, and the page says so; what was not recorded is said in a line.
async function littleKnown(chromium, folder) {
  const {file, report} = jobs.deepJob(path.join(folder, "odd"), "Some Accelerator 9000");
  const {page, problems, close} = await browser.open(chromium, file);
  assert.match(await page.textContent("#roofline"), /The peaks of Some Accelerator 9000 are not known/);
  assert.match(await page.textContent("#roofline"), /FLOPs of a step/);
  assert.strictEqual((await page.$$(".roofline .roof")).length, 0);
  assert.strictEqual((await page.$$(".roofline circle:not(.cursor)")).length, 2);
  await showsTheReportsNumbers(page, report, 300);
  assert.deepStrictEqual(problems, []);
  await close();
}

// Two ranks on a host whose links are known, with two kinds of groups.
async function knownLinks(chromium, folder) {
  const {file, report} = jobs.linkedJob(path.join(folder, "linked"));
  const {page, problems, close} = await browser.open(chromium, file);
  await collectives.timelineIsTrue(page, report);
  await collectives.timelineIsFiltered(page, report);
  assert.deepStrictEqual(await collectives.bandwidthIsTrue(page, report), {points: 4, roofs: 1, curves: 1});
  assert.match(await page.textContent("#across"), /link 300 GB\/s/);
  await readsByKeyboard(page, report);
  const tables = await showsTheReportsNumbers(page, report, 100);
  assert(tables.has("collective_timeline") && tables.has("collective_sizes"));
  assert.deepStrictEqual(problems, []);
  await close();
  await narrowWindow(chromium, file);
}

// Work inside of graphs belongs to ops when the trace of the capture is given; without, the page says how.
async function insideGraphs(chromium, folder) {
  for (const isCaptured of [true, false]) {
    const files = isCaptured ? ["capture.json", "replay.json"] : ["replay.json"];
    const {file, report} = jobs.graphJob(path.join(folder, isCaptured ? "graph" : "graph-alone"), files);
    const {page, problems, close} = await browser.open(chromium, file);
    const tables = await showsTheReportsNumbers(page, report, 100);
    assert(tables.has("graphs") && tables.has("graph_ops"));
    const text = await page.textContent("#graphs");
    assert.match(
      await page.textContent("#graphs tbody tr"),
      isCaptured ? /^aten::addmmLinear \(in Net\)/ : /^\(no capture\)/,
    );
    assert.strictEqual(/record the capture under the profiler/.test(text), !isCaptured);
    assert.deepStrictEqual(problems, []);
    await close();
  }
}

// The host is through with its steps long before its device.
async function hostFarAhead(chromium, folder) {
  const {file} = jobs.simulated(path.join(folder, "ahead"), {
    ranks: 1,
    job: "single",
    steps: 4,
    events: 4000,
    "run-ahead": true,
  });
  const {page, problems, close} = await browser.open(chromium, file);
  assert.match(
    await page.textContent("#step-time .said"),
    /^The host runs up to [\d.]+ ms ahead of its device: steps end where the devices .*marks\.$/,
  );
  assert.deepStrictEqual(problems, []);
  await close();
}

async function withoutDevice(chromium, folder) {
  const {file, report} = jobs.hostOnlyJob(path.join(folder, "host"));
  const {page, problems, close} = await browser.open(chromium, file);
  await look.checkPlots(page, ["Flame graph", "Host threads"]);
  assert.match(await page.textContent("#summary"), /No device time is known/);
  await findings.choosesInPlot(page, "Host threads");
  assert.match(await page.textContent("#memory"), /No allocations were recorded/);
  assert.match(await page.textContent("#modules"), /No modules were recorded/);
  assert.match(await page.textContent("#call-stacks"), /No Python functions were recorded/);
  assert.strictEqual(await page.$("#call-stacks button:text('device time')"), null);
  flames.sumsAreExact(flames.framesOf(report));
  assert((await showsTheReportsNumbers(page, report, 10)).has("host_breakdown"));
  assert.deepStrictEqual(problems, []);
  await close();
}

// Two pipelines of four stages, one of which has more layers; 2 ranks of each stage share its matrices.
async function pipelineJob(chromium, folder) {
  const {file, report} = jobs.simulated(path.join(folder, "pipeline"), {
    job: "3d",
    ranks: 16,
    layout: "tp=2,pp=4,dp=2",
    steps: 3,
    events: 8000,
    plant: "pipeline-stage-imbalance:severity=1",
  });
  const {page, problems, close} = await browser.open(chromium, file);
  const drawn = await layouts.scheduleIsTrue(page, report);
  assert(drawn.stages === 4 && drawn.numbers === drawn.passes, `${JSON.stringify(drawn)}: boxes without numbers`);
  await layouts.scheduleWorks(page, report);
  await layouts.stagesAreTrue(page, report);
  for (const name of ["Schedule of the pipeline", "Time of stages", "Lateness by rank"])
    await findings.choosesInPlot(page, name);
  await collectives.latenessIsTrue(page, report);
  assert.match(
    await page.textContent("#pipeline .said"),
    /^Stage 2 is the fullest: .* is beyond the ideal: stages are uneven/,
  );
  assert.match(await page.textContent("#layout .said"), /^tp 2 x pp 4 x dp 2, from names of process groups$/);
  // To begin with the data parallel ranks are rows, the stages columns, and the metric differs over them.
  assert.deepStrictEqual(await page.$$eval("#layout select", (all) => all.slice(1).map((one) => one.value)), [
    "dp",
    "pp",
  ]);
  for (const [metric, rows, columns, cells] of [
    ["compute", "dp", "pp", 8],
    ["step_time", "pp", "tp", 8],
    ["wait_ns", "", "pp", 4],
    ["bubble_pct", "tp", "dp", 4],
    ["bubble_pct", "dp", "pp", 8],
    ["lead_ns", "tp", "pp", 8],
  ]) {
    assert.strictEqual((await layouts.metricIsTrue(page, report, metric, rows, columns)).cells, cells);
  }
  assert(
    (await layouts.metricIsTrue(page, report, "compute", "dp", "pp")).shades >= 2,
    "the full stage has no shade of its own",
  );
  for (const metric of ["compute", "wait_ns"]) {
    const rows = jobs.tableOf(path.join(folder, "pipeline"), "by_layout", {
      rows: "dp",
      columns: "pp",
      metric: metric === "wait_ns" ? "collective_ranks.wait_ns" : metric,
    });
    assert.strictEqual(rows.length, 8);
    await layouts.metricIsThatOfTheTable(page, rows, metric);
  }
  assert.match(
    await page.textContent("#layout"),
    /rankscope table by_layout PATH --set rows=dp --set columns=pp --set metric=collective_ranks.wait_ns/,
  );
  // The same dimension twice: the other one gives way.
  await page.selectOption("#layout select[aria-label=Rows]", "pp");
  assert.deepStrictEqual(await page.$$eval("#layout select", (all) => all.slice(1).map((one) => one.value)), [
    "pp",
    "dp",
  ]);
  await readsByKeyboard(page, report);
  const tables = await showsTheReportsNumbers(page, report, 400);
  for (const name of ["blame", "layout", "layout_ranks", "pipeline", "pipeline_schedule"])
    assert(tables.has(name), `no number of ${name} is shown`);
  assert.deepStrictEqual(problems, []);
  await close();
  await narrowWindow(chromium, file);
}

// Experts over four ranks, twice; the router of a layer prefers one rank.
async function expertsJob(chromium, folder) {
  const {file, report} = jobs.simulated(path.join(folder, "experts"), {
    job: "moe",
    ranks: 8,
    layout: "ep=4,dp=8",
    steps: 3,
    events: 8000,
    plant: "expert-imbalance",
  });
  for (const colorScheme of ["light", "dark"]) {
    const {page, problems, close} = await browser.open(chromium, file, {colorScheme});
    await look.checkContrast(page, colorScheme);
    await look.checkColours(page, colorScheme);
    assert.deepStrictEqual(problems, []);
    await close();
  }
  const {page, problems, close} = await browser.open(chromium, file);
  assert((await layouts.expertsAreTrue(page, report)) >= 4);
  assert.strictEqual(await layouts.matrixIsTrue(page, report), 2);
  for (const name of ["Load of experts by rank", "Fullest ranks of experts", "All-to-all matrix"])
    await findings.choosesInPlot(page, name);
  assert.match(await page.textContent("#experts .said"), /one rank has at least 1\.10 times the mean load/);
  assert.strictEqual((await layouts.metricIsTrue(page, report, "load", "", "dp")).cells, 8);
  await readsByKeyboard(page, report);
  const tables = await showsTheReportsNumbers(page, report, 300);
  for (const name of ["expert_load", "expert_ranks", "all_to_all"])
    assert(tables.has(name), `no number of ${name} is shown`);
  assert.deepStrictEqual(problems, []);
  await close();
  await narrowWindow(chromium, file);
}

async function manyRanks(chromium, folder) {
  const {file, report} = jobs.simulated(path.join(folder, "many"), {
    ranks: 128,
    steps: 2,
    events: 1600,
    "slow-rank": 77,
    "slow-factor": 1.5,
  });
  const {page, problems, close} = await browser.open(chromium, file);
  assert.match(await page.textContent(report.tables.findings ? "#findings" : ".headlines"), /[Rr]ank 77\b/);
  assert.match(await page.textContent("#across tbody tr"), /^77/, "the rank that the others wait for comes first");
  // Of many ranks some are drawn, the slow one among them.
  const {rows, columns} = report.tables.collective_timeline;
  const drawn = new Set(rows.map((row) => row[columns.findIndex((column) => column.name === "rank")]));
  assert(drawn.size === 32 && drawn.has(77));
  assert.match(await page.textContent("#across"), /Of 128 ranks 32 are shown/);
  // Bars that are all the same are a sentence.
  assert.match(
    await page.textContent("#memory .said"),
    /^The 128 devices hardly differ: ([\d.]+ GB) to \1 at their peaks\.$/,
  );
  assert.strictEqual(await page.$("[data-plot='Memory peak by rank']"), null);
  // Of many bars those that differ most come first; all are a click away.
  const bars = (name) =>
    page.$eval(`[data-plot='${name}'] path[data-part=compute]`, (node) => node.getAttribute("d").split("M").length - 1);
  assert.strictEqual(await bars("Device time by rank"), 64);
  await page.focus("[data-plot='Device time by rank']");
  await page.keyboard.press("Home");
  assert.match(await page.textContent(".tip b"), /^Rank 77,/);
  await page.keyboard.press("Escape");
  // A chosen rank that is not among them stands behind them.
  const few = await page.$$eval("[data-plot='Device time by rank'], [data-plot='Metrics by rank']", (plots) =>
    plots.map((plot) => Number(plot.dataset.bars || plot.dataset.cells)),
  );
  for (const rank of [77, 0, 5]) {
    await page.evaluate((one) => {
      location.hash = `#by-rank&ranks=${one}`;
    }, rank);
    for (const name of ["Device time by rank", "Idle time by cause", "Metrics by rank"]) {
      await page.waitForFunction(
        ([plot, one]) => document.querySelectorAll(`[data-plot='${plot}'] .chosen[data-rank='${one}']`).length === 1,
        [name, rank],
      );
    }
  }
  await page.keyboard.press("Escape");
  assert.deepStrictEqual(
    await page.$$eval("[data-plot='Device time by rank'], [data-plot='Metrics by rank']", (plots) =>
      plots.map((plot) => Number(plot.dataset.bars || plot.dataset.cells)),
    ),
    few,
  );
  assert.strictEqual(await bars("Device time by rank"), 64);
  await page.click(
    "[data-plot='Device time by rank'] >> xpath=preceding-sibling::div[@class='tools'][1]/button[text()='rank']",
  );
  // The slow one has a path of its own where bars are thin.
  assert((await bars("Device time by rank")) >= 127);
  assert.strictEqual(
    await page.getAttribute("[data-plot='Metrics by rank']", "data-cells"),
    String(
      64 *
        new Set(
          report.tables.rank_metrics.rows.map(
            (row) => row[report.tables.rank_metrics.columns.findIndex((column) => column.name === "metric")],
          ),
        ).size,
    ),
  );
  await page.click("#ranks .tools button:text-is('all 128')");
  await collectives.timelineIsTrue(page, report);
  await page.click(
    "[data-plot='Waiting by rank'] >> xpath=preceding-sibling::div[@class='tools'][1]/button[text()='rank']",
  );
  await collectives.causedWaitingIsTrue(page, report);
  await showsTheReportsNumbers(page, report, 1000);
  // Bounded tables say where the rest is.
  assert.match(await page.textContent("#by-rank details"), /The first 100 of 128 rows.*rankscope table rank_breakdown/);
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  assert(nodes < 60000, `the page of 128 ranks has ${nodes} nodes`);
  assert.deepStrictEqual(problems, []);
  await close();
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "rankscope-html-"));
  const chromium = await browser.launch();
  let failed = 0;
  const run = async (name, test) => {
    const begin = Date.now();
    try {
      const result = await test();
      console.log(`ok      ${name} (${Date.now() - begin} ms)`);
      return result;
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}: ${error.stack}`);
      return null;
    }
  };
  try {
    const job = await run("a training job", () => trainingJob(chromium, folder));
    if (job) {
      const {file} = job;
      await run("findings", () => findings.findingsWork(chromium, job, folder));
      await run("light and dark", () => themes(chromium, file));
      await run("a narrow window", () => narrowWindow(chromium, file, trainingPlots));
      await run("paper", () => paper(chromium, file, folder));
    }
    await run("everything recorded", () => everythingRecorded(chromium, folder));
    await run("known links", () => knownLinks(chromium, folder));
    await run("little known", () => littleKnown(chromium, folder));
    await run("hostile names", () => hostileNames(chromium, folder));
    await run("graphs", () => insideGraphs(chromium, folder));
    await run("a host far ahead", () => hostFarAhead(chromium, folder));
    await run("no device", () => withoutDevice(chromium, folder));
    await run("a pipeline", () => pipelineJob(chromium, folder));
    await run("experts", () => expertsJob(chromium, folder));
    await run("two jobs", () => diff.pairOfJobs(chromium, folder));
    await run("two jobs with hostile names", () => diff.hostilePair(chromium, folder));
    await run("a memory snapshot", () => memory.stackUnderThePointer(chromium, folder));
    await run("a memory snapshot with hostile names", () => memory.hostileSnapshot(chromium, folder));
    await run("a large memory snapshot", () => memory.largeSnapshot(chromium, folder));
    await run("a memory timeline", () => memory.timelineOfTheProfiler(chromium, folder));
    await run("many ranks", () => manyRanks(chromium, folder));
  } finally {
    await chromium.close();
    fs.rmSync(folder, {recursive: true});
  }
  return failed === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.log(error.stack);
    process.exit(1);
  },
);
