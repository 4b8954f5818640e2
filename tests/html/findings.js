// Findings on the page: pages of simulated jobs with tables of findings put into their data, as the program embeds them (src/report/html/html_data.h).
"use strict";

const assert = require("assert");
const fs = require("fs");
const browser = require("./browser.js");
const look = require("./look.js");
const numbers = require("./numbers.js");
const {dataOf, withData} = require("./page_data.js");

const units = {
  findings: {
    id: "",
    severity: "",
    confidence: "",
    gain_pct: "%",
    gain_ns: "ns",
    gain_unprofiled_pct: "%",
    gain_method: "",
    time_lost_ns: "ns",
    time_to_failure_ns: "ns",
    ranks: "",
    who: "",
    steps: "",
    title: "",
    why: "",
    recommendation: "",
    command: "",
    tables: "",
    places: "",
    evidence: "",
  },
  gains: {of: "", name: "", gain_pct: "%", gain_ns: "ns"},
  replay_fidelity: {
    steps: "",
    step_ns: "ns",
    error_pct: "%",
    prediction_error_pct: "%",
    spread_pct: "%",
    unexplained_pct: "%",
    refused_reason: "",
  },
};

// A table as the page holds it, and as the JSON report has it.
function tablesOf(name, rows) {
  const columns = Object.keys(units[name]);
  const typeOf = (column) =>
    column.endsWith("_pct") || column === "confidence"
      ? "double"
      : column.endsWith("_ns") || (column === "steps" && name === "replay_fidelity")
        ? "int64"
        : "string";
  const value = (row, column) => (row[column] === undefined ? null : row[column]);
  const specs = columns.map((column) => ({name: column, type: typeOf(column), unit: units[name][column]}));
  return {
    page: {
      rows: rows.length,
      columns: specs.map((spec) => ({...spec, doc: "", cells: rows.map((row) => value(row, spec.name))})),
    },
    report: {columns: specs, rows: rows.map((row) => columns.map((column) => value(row, column)))},
  };
}

const slowGpu = {
  id: "slow-gpu",
  severity: "high",
  confidence: 0.9,
  gain_pct: 18.25,
  gain_ns: 4345000,
  gain_method: "replay",
  time_lost_ns: 5100000,
  ranks: "3",
  who: "rank 3",
  steps: "2-5",
  title: "Rank 3's device takes 1.3 times as long for the same kernels as its peers do; 7 ranks wait for it.",
  why: "Kernels of equal name and shapes were compared with those of ranks 0-2 and 4-7.",
  recommendation:
    "Look at `clocks`, power and temperature of that device, then drain the host:\n    nvidia-smi -i 3 -q -d CLOCK,PERFORMANCE",
  command: "rankscope table kernels_by_rank TRACES --set metric=mean",
  tables: "no_such_table,kernels_by_rank",
  places: JSON.stringify([
    {op: "aten::mm", module: "Block_0.mlp", ns: 2100000},
    {op: "aten::addmm", ns: 900000},
    {file: "model.py", line: 31},
    {op: "aten::bmm"},
  ]),
  evidence: JSON.stringify([
    {
      table: "rank_breakdown",
      rows: [
        {rank: 1, duration_ns: 100000},
        {rank: 2, duration_ns: 101000},
        {rank: 3, duration_ns: 130000},
        {rank: 4, duration_ns: 99000},
      ],
    },
    {rank: 3, capture: 0, event: 1234},
  ]),
};
const leak = {
  id: "memory-leak",
  severity: "high",
  confidence: 0.8,
  time_to_failure_ns: 4680000000000,
  ranks: "0-7",
  who: "all ranks",
  title: "Memory grows by 50.0 MB per step.",
  why: "A line through the ends of the steps.",
  recommendation: "Detach what is kept.",
  command: "rankscope table memory_growth TRACES",
  tables: "memory_growth",
  places: "[]",
  evidence: JSON.stringify([
    {table: "memory_growth", rows: [{rank: 0, device: 0, bytes_per_step: 5e7, steps: 6, p_value: 0.001}]},
  ]),
};
const sync = {
  id: "host-sync",
  severity: "medium",
  confidence: 0.7,
  gain_pct: 4.5,
  gain_ns: 1070000,
  gain_unprofiled_pct: 12.5,
  gain_method: "bound",
  ranks: "0-7",
  who: "all ranks",
  steps: "2,4-5",
  title: "`aten::item` makes the host wait 12 times per step.",
  recommendation: "Call `loss.item()` every 100th step.",
  command: "rankscope table ops_by_name TRACES",
  places: JSON.stringify([{op: "aten::item", module: "Trainer.step", file: "train.py", line: 214, ns: 1100000}]),
};
const casts = {
  id: "redundant-copies",
  severity: "low",
  gain_pct: 1.5,
  gain_ns: 357000,
  gain_method: "estimate",
  who: "all ranks",
  title: "Casts take 357 \u00b5s per step.",
  recommendation: "Cast once.",
  command: "rankscope table copies TRACES",
};

const gains = [
  {of: "resource", name: "communication", gain_pct: 12, gain_ns: 2860000},
  {of: "resource", name: "gpu-compute", gain_pct: 61.25, gain_ns: 14600000},
  {of: "resource", name: "data", gain_pct: 0, gain_ns: 0},
  {of: "finding", name: "slow-gpu", gain_pct: 18.25, gain_ns: 4345000},
  {of: "findings", gain_pct: 22.5, gain_ns: 5360000},
];
const fidelity = {
  steps: 6,
  step_ns: 23812345,
  error_pct: 0.4,
  prediction_error_pct: 1.9,
  spread_pct: 2.1,
  unexplained_pct: 2.25,
};

// The page and report of a job, with these findings.
function put({file, report}, target, rows, sentences = {}) {
  const text = fs.readFileSync(file, "utf8");
  const data = dataOf(text);
  const tables = {
    findings: tablesOf("findings", rows),
    gains: tablesOf("gains", gains),
    replay_fidelity: tablesOf("replay_fidelity", [fidelity]),
  };
  for (const [name, one] of Object.entries(tables)) data.tables[name] = one.page;
  // What the program says once rules ran.
  data.headlines = data.headlines.filter((line) => !/stands? out/.test(line.text));
  data.sentences = {
    ...data.sentences,
    findings: "A step takes 23.8 ms; without the causes below it would take 18.5 ms (-22.5%).",
    refusal: "",
    ...sentences,
  };
  data.job.not_evaluated = [
    {id: "power-throttle", reason: "needs telemetry of devices"},
    {id: "queueing", reason: "needs serving data"},
  ];
  fs.writeFileSync(target, withData(text, data));
  return {
    file: target,
    report: {
      ...report,
      tables: {
        ...report.tables,
        ...Object.fromEntries(Object.entries(tables).map(([name, one]) => [name, one.report])),
      },
    },
  };
}

// Cards in their order, with what they are worth, who, where, the evidence, the change and the command.
async function cardsAreTrue(page, report, command) {
  const cards = await page.$$eval(".cards .finding", (nodes) =>
    nodes.map((node) => ({
      severity: node.querySelector(".severity").textContent.trim(),
      title: node.querySelector("h3").textContent,
      gain: node.querySelector(".gain").textContent,
      bar:
        node.querySelector(".gain-bar span") &&
        node.querySelector(".gain-bar span").getBoundingClientRect().width /
          node.querySelector(".gain-bar").getBoundingClientRect().width,
      who: node.querySelector(".who").textContent,
      places: Array.from(node.querySelectorAll(":scope > .places li"), (one) => one.textContent),
      change: node.querySelector(".change").textContent,
      code: Array.from(node.querySelectorAll("pre"), (one) => one.innerText.trim()),
      command: node.querySelector(".command code").textContent,
      rows: Array.from(node.querySelectorAll(".evidence-row"), (row) => [
        row.querySelector(".evidence-key").textContent,
        row.querySelector(".evidence-value").textContent,
        row.classList.contains("cause"),
        row.querySelector(".evidence-bar").getBoundingClientRect().width,
      ]),
      cells: Array.from(node.querySelectorAll(".evidence table td"), (one) => one.textContent),
      explain: node.querySelector(".about-cause code").textContent,
      link: node.querySelector(".about-cause a") && node.querySelector(".about-cause a").hash,
    })),
  );
  assert.deepStrictEqual(
    cards.map((card) => card.severity),
    ["\u25b2 High", "\u25b2 High", "\u25c6 Medium"],
  );
  const [slow, full, waits] = cards;
  // Tables of evidence fit into their cards.
  const beyond = await page.$$eval(".cards .evidence .scroll", (all) =>
    all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent),
  );
  assert.deepStrictEqual(beyond, []);
  assert.strictEqual(slow.title, slowGpu.title);
  assert.match(slow.gain, /^4\.3[45] ms per step18\.[23]%$/);
  assert(Math.abs(slow.bar - 0.1825) < 0.005, `the bar of 18.25% is ${slow.bar}`);
  assert.strictEqual(slow.who, "rank 3 \u00b7 steps 2-5");
  assert.deepStrictEqual(slow.places, ["aten::mm in Block_0.mlp 2.10 ms"]);
  assert.deepStrictEqual(slow.code, ["nvidia-smi -i 3 -q -d CLOCK,PERFORMANCE"]);
  assert.strictEqual(slow.command, command);
  assert.strictEqual(slow.explain, "rankscope explain slow-gpu");
  assert.strictEqual(slow.link, "#by-rank");
  // Bars are as long as their numbers, and the cause stands out.
  assert.deepStrictEqual(
    slow.rows.map(([key, value, cause]) => [key, value, cause]),
    [
      ["rank 1", "100 \u00b5s", false],
      ["rank 2", "101 \u00b5s", false],
      ["rank 3", "130 \u00b5s", true],
      ["rank 4", "99.0 \u00b5s", false],
    ],
  );
  for (const [i, size] of [100, 101, 130, 99].entries())
    assert(Math.abs(slow.rows[i][3] / slow.rows[2][3] - size / 130) < 0.01, `bar ${i}`);
  assert.strictEqual(full.gain, "full in 1.3 h");
  assert.strictEqual(full.bar, null);
  assert.deepStrictEqual(full.cells, ["0", "0", "50.0 MB", "6", "0.001"]);
  assert.match(waits.gain, /^at most 1\.07 ms per step4\.5%about 12\.5% without the profiler$/);
  assert.strictEqual(waits.who, "all ranks \u00b7 steps 2, 4-5");
  assert.deepStrictEqual(waits.places, ["aten::item in Trainer.step, train.py:214 1.10 mscopy"]);
  assert.match(await page.textContent(".smalls summary"), /Low.*about 357 \u00b5s per step.*1\.5%.*Casts take/);
  const shown = await numbers.cells(page, "#findings [data-cell]");
  assert(shown.length >= 8);
  for (const cell of shown) numbers.check(cell, report);
  assert.match(
    await page.textContent("#glance .lead"),
    /A step takes 23\.8 ms; without the causes below it would take 18\.5 ms/,
  );
  assert.match(await page.textContent("#findings"), /predicted from the others to 1\.9%/);
  // What limits the job: resources by gain, those without one left out.
  assert.deepStrictEqual(await page.$$eval(".limits td.word", (cells) => cells.map((cell) => cell.textContent)), [
    "computing",
    "communication",
  ]);
  assert.match(await page.textContent("#findings"), /needs telemetry of devices: power-throttle/);
  // No sentence on ranks that cost no time.
  assert.doesNotMatch(await page.textContent("#summary"), /stands out/);
}

async function commandIsCopied(page, command) {
  await page.evaluate(() => {
    window.copied = "";
    Object.defineProperty(navigator, "clipboard", {
      configurable: true,
      value: {
        writeText: async (text) => {
          window.copied = text;
        },
      },
    });
  });
  await browser.noteTexts(page, ".cards .finding .command button");
  await page.locator(".cards .finding .command button").first().click();
  await page.waitForFunction(() => window.copied !== "");
  assert.strictEqual(await page.evaluate(() => window.copied), command);
  await browser.waitForNoted(page, "Copied");
}

// Ranks that are marked, by plot.
function markedRanks(page) {
  return page.$$eval("[data-plot]", (plots) =>
    Object.fromEntries(
      plots.map((plot) => [
        plot.dataset.plot,
        Array.from(plot.querySelectorAll(".chosen[data-rank]"), (mark) => Number(mark.dataset.rank)),
      ]),
    ),
  );
}

// The steps of a chosen rank are a line of their own.
const plotsOfRanks = [
  "Step time over steps",
  "Device time by rank",
  "Idle time by cause",
  "Communication by rank",
  "Metrics by rank",
  "Waiting by rank",
  "Timeline of collectives",
  "Memory peak by rank",
  "Metric over the layout",
];

// A chosen rank stays marked in every plot and in the address.
async function choiceStays(page) {
  const hash = () => page.evaluate(() => location.hash);
  const check = async (ranks) => {
    const marked = await markedRanks(page);
    for (const name of plotsOfRanks) assert.deepStrictEqual(marked[name], ranks, `${name} marks ${marked[name]}`);
    assert.strictEqual(await page.isVisible(".choice"), ranks.length > 0);
    const rows = await page.$$eval("#across td[data-cell$='/rank']", (cells) =>
      cells.filter((cell) => cell.parentNode.classList.contains("chosen")).map((cell) => Number(cell.dataset.value)),
    );
    assert.deepStrictEqual([...new Set(rows)], ranks);
  };
  await check([]);
  await page.click(".cards .finding .who button");
  assert.strictEqual(await hash(), "#&ranks=3");
  await check([3]);
  assert.match(await page.textContent(".choice"), /Rank 3 marked/);
  // A link leads to its section and keeps the choice.
  await page.click(".contents a[href='#overlap']");
  assert.strictEqual(await hash(), "#overlap&ranks=3");
  await check([3]);
  // A bar chooses its rank; the same one again none; Back undoes.
  const plot = await page.$("[data-plot='Device time by rank']");
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.click(box.x + 52 + ((box.width - 56) * 5.5) / 8, box.y + 100);
  await check([5]);
  assert.strictEqual(await hash(), "#overlap&ranks=5");
  await page.goBack();
  await check([3]);
  await page.goForward();
  await check([5]);
  await page.mouse.move(5, 5);
  await page.keyboard.press("Escape");
  await check([]);
  assert.strictEqual(await hash(), "#overlap");
  // By keyboard.
  await page.focus("[data-plot='Metrics by rank']");
  for (const key of ["Home", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  await check([1]);
  await page.click(".choice button");
  await check([]);
}

async function addressChooses(chromium, file) {
  for (const [hash, ranks, chip] of [
    ["#across&ranks=1,3-4,bad", [1, 3, 4], "Ranks 1, 3-4 marked"],
    ["#rank=3", [3], "Rank 3 marked"],
    ["#ranks=0", [0], "Rank 0 marked"],
    ["#%&rank=3", [], ""],
  ]) {
    const {page, problems, close} = await browser.open(chromium, file, {hash});
    const marked = await markedRanks(page);
    assert.deepStrictEqual(marked["Device time by rank"], ranks, hash);
    assert.match(await page.textContent(".choice"), new RegExp(chip));
    assert.strictEqual(await page.isVisible(".choice"), ranks.length > 0);
    assert.deepStrictEqual(problems, []);
    await close();
  }
}

// "0-3,7" -> [0, 1, 2, 3, 7].
const numbersOf = (text) =>
  text
    .split(",")
    .filter(Boolean)
    .flatMap((range) => {
      const [first, last = first] = range.split("-").map(Number);
      return Array.from({length: last - first + 1}, (_, i) => first + i);
    });
const chosenByAddress = async (page) =>
  numbersOf((/ranks=([^&]*)/.exec(await page.evaluate(() => location.hash)) || ["", ""])[1]);

// In a plot that shows ranks one is chosen by Enter and by a click, and is marked in that plot; a drag chooses none.
async function choosesInPlot(page, name) {
  const plot = `[data-plot='${name}']`;
  const marks = async () =>
    (await page.$$eval(`${plot} .chosen[data-rank]`, (all) => all.map((one) => one.dataset.rank))).flatMap(numbersOf);
  const check = async (how) => {
    const ranks = await chosenByAddress(page);
    assert(ranks.length > 0, `${name}: ${how} chooses no rank`);
    const marked = await marks();
    assert(
      ranks.every((rank) => marked.includes(rank)),
      `${name}: ${ranks} are chosen by ${how}, ${marked} marked`,
    );
    await page.click(".choice button");
    assert.deepStrictEqual(await marks(), []);
  };
  await page.focus(plot);
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await check("Enter");
  await page.keyboard.press("Escape");
  // Where the pointer finds something.
  await (await page.$(plot)).scrollIntoViewIfNeeded();
  const box = await (await page.$(plot)).boundingBox();
  const places = [];
  for (let down = 0.05; down < 0.9; down += 0.06)
    for (const right of [0.3, 0.5, 0.7]) places.push([box.x + box.width * right, box.y + box.height * down]);
  let found = null;
  for (const [x, y] of places) {
    await page.mouse.click(x, y);
    if ((await chosenByAddress(page)).length) {
      found = [x, y];
      break;
    }
  }
  assert(found !== null, `${name}: no click chooses a rank`);
  await check("a click");
  await page.mouse.move(...found);
  await page.mouse.down();
  await page.mouse.move(found[0] + 40, found[1]);
  await page.mouse.up();
  assert.deepStrictEqual(await chosenByAddress(page), [], `${name}: a drag chooses`);
  await page.mouse.dblclick(...found);
  await page.mouse.move(2, 2);
  if ((await chosenByAddress(page)).length) await page.click(".choice button");
}

// Tables choose ranks as well: one stop of the Tab key each, arrow keys between the cells, and the row is marked.
async function choosesInTables(page) {
  const cells = page.locator("#across > .scroll").first().locator("td[data-cell$='/rank']");
  const rank = (i) => cells.nth(i).evaluate((node) => Number(node.dataset.value));
  await cells.nth(1).click();
  assert.deepStrictEqual(await chosenByAddress(page), [await rank(1)]);
  assert(await cells.nth(1).evaluate((node) => node.parentNode.classList.contains("chosen")));
  await cells.nth(1).click();
  assert.deepStrictEqual(await chosenByAddress(page), []);
  assert.strictEqual(
    await page.$eval("#across > .scroll", (table) => table.querySelectorAll("[tabindex='0']").length),
    1,
  );
  await cells.nth(0).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.deepStrictEqual(await chosenByAddress(page), [await rank(1)]);
  await page.keyboard.press(" ");
  assert.deepStrictEqual(await chosenByAddress(page), []);
  // A column that names a rank marks its cell alone.
  const most = page.locator("#critical-path td[data-cell$='/most_rank']").first();
  await most.click();
  assert.deepStrictEqual(await chosenByAddress(page), [await most.evaluate((node) => Number(node.dataset.value))]);
  assert.deepStrictEqual(
    await most.evaluate((node) => [node.classList.contains("chosen"), node.parentNode.classList.contains("chosen")]),
    [true, false],
  );
  await most.click();
  // The evidence of a card.
  await page.click(".finding .evidence-key:text-is('rank 2')");
  assert.deepStrictEqual(await chosenByAddress(page), [2]);
  assert.deepStrictEqual(
    await page.$$eval(".evidence-row.chosen .evidence-key", (all) => all.map((one) => one.textContent)),
    ["rank 2"],
  );
  await page.click(".choice button");
}

// The line of a chosen rank is where its steps are, and its numbers are in the tooltip.
async function lineOfARankIsTrue(page, report) {
  await page.evaluate(() => {
    location.hash = "#&ranks=3";
  });
  await page.waitForSelector("[data-plot='Step time over steps'] polyline.chosen[data-rank='3']", {state: "attached"});
  const points = (await page.getAttribute("[data-plot='Step time over steps'] polyline.chosen", "points"))
    .split(" ")
    .map((point) => point.split(",").map(Number));
  const at = (name) => report.tables.step_times.columns.findIndex((column) => column.name === name);
  const rows = report.tables.step_times.rows.filter((row) => row[at("rank")] === 3 && row[at("complete")]);
  assert.strictEqual(points.length, rows.length);
  // Higher on the picture is longer, and all at one scale.
  const longest = rows.reduce((best, row, i) => (row[at("duration_ns")] > rows[best][at("duration_ns")] ? i : best), 0);
  assert.strictEqual(
    points.reduce((best, [, y], i) => (y < points[best][1] ? i : best), 0),
    longest,
  );
  await page.focus("[data-plot='Step time over steps']");
  await page.keyboard.press("Home");
  const tip = await page.$$eval(".tip tr", (all) => all.map((row) => row.textContent));
  assert(
    tip.some((line) => line.startsWith("rank 3")),
    `${tip}`,
  );
  const cells = await numbers.cells(page, ".tip [data-cell^=step_times]");
  assert.strictEqual(cells.length, 1);
  numbers.check(cells[0], report);
  await page.keyboard.press("Escape");
  await page.click(".choice button");
}

// A line of code is copied whole, however short it is shown.
async function placesAreShort(chromium, job, path) {
  const place = {
    op: "aten::mul",
    module: "Qwen2ForCausalLM/Qwen2Model/Qwen2DecoderLayer/ModuleList/Qwen2SdpaAttention",
    file: "/opt/conda/lib/python3.11/site-packages/transformers/models/qwen2/modeling_qwen2.py",
    line: 68,
    function: "apply_rotary_pos_emb",
    ns: 2679732,
  };
  const {page, problems, close} = await browser.open(
    chromium,
    put(job, path, [{...slowGpu, places: JSON.stringify([place, {file: `${"x".repeat(300)}.py`, ns: 1}])}]).file,
  );
  assert.strictEqual(
    await page.textContent(".cards .places li"),
    "aten::mul in \u2026/ModuleList/Qwen2SdpaAttention, /\u2026/models/qwen2/modeling_qwen2.py:68 (apply_rotary_pos_emb) 2.68 mscopy",
  );
  assert.deepStrictEqual(
    await page.$$eval(".cards .places li [title]", (all) => all.slice(0, 2).map((one) => one.title)),
    [place.module, `${place.file}:68`],
  );
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", {
      configurable: true,
      value: {
        writeText: async (text) => {
          window.copied = text;
        },
      },
    });
  });
  await page.click(".cards .places button");
  await page.waitForFunction(() => window.copied !== undefined);
  assert.strictEqual(await page.evaluate(() => window.copied), `${place.file}:68`);
  assert.deepStrictEqual(await look.overhang(page), []);
  assert.deepStrictEqual(problems, []);
  await close();
}

// The page with other data in it.
function changed({file}, target, how) {
  const text = fs.readFileSync(file, "utf8");
  const data = dataOf(text);
  how(data);
  fs.writeFileSync(target, withData(text, data));
  return target;
}

// Of jobs with too many steps the page has no line of a rank: steps are marked in which it is the slowest or the fastest.
async function endsAreMarked(chromium, job, target) {
  const {columns, rows} = job.report.tables.step_spread;
  const at = (name) => columns.findIndex((column) => column.name === name);
  const steps = rows.filter((row) => row[at("step")] !== null);
  const rank = steps[0][at("slowest_rank")];
  const expected =
    steps.filter((row) => row[at("slowest_rank")] === rank).length +
    steps.filter((row) => row[at("fastest_rank")] === rank).length;
  const {page, problems, close} = await browser.open(
    chromium,
    changed(job, target, (data) => {
      delete data.tables.step_times;
    }),
    {hash: `#rank=${rank}`},
  );
  const points = await page.$$eval("[data-plot='Step time over steps'] .chosen", (marks) =>
    marks.map((mark) => (mark.tagName === "circle" ? 1 : mark.getAttribute("points").split(" ").length)),
  );
  assert.strictEqual(
    points.reduce((sum, count) => sum + count, 0),
    expected,
  );
  assert.deepStrictEqual(problems, []);
  await close();
}

// Who comes late: folded to a line where nobody does by a cause that costs something.
async function nobodyLate(chromium, job, target) {
  const change = async (how, line) => {
    changed(job, target, (data) => {
      how(data.tables.blame);
      data.sentences.blame = [];
    });
    const {page, problems, close} = await browser.open(chromium, target, {folded: true});
    assert.strictEqual(await page.$eval("#blame.folded details.fold", (node) => node.open), false);
    assert.strictEqual(await page.textContent("#blame summary"), line);
    assert.deepStrictEqual(problems, []);
    await close();
  };
  await change((blame) => {
    blame.rows = 0;
    for (const column of blame.columns) {
      delete column.index;
      column.cells = [];
    }
  }, "No rank comes later than the clocks leave open.");
  await change((blame) => {
    const share = blame.columns.find((column) => column.name === "step_pct");
    if (share.index) share.dictionary = share.dictionary.map(() => 0.9);
    else share.cells = share.cells.map(() => 0.9);
  }, "No rank holds the others up by 1% of a step for a cause of its own.");
}

// The page in groups, with a way to each; what says nothing is folded.
async function groupsAreThere(chromium, file) {
  const {page, problems, close} = await browser.open(chromium, file, {folded: true});
  assert.deepStrictEqual(await page.$$eval(".group-name", (names) => names.map((name) => name.textContent)), [
    "Overview",
    "Ranks",
    "Communication",
    "Compute",
    "Memory",
    "Host",
    "Data",
  ]);
  assert.deepStrictEqual(await page.$$eval(".group-link", (links) => links.map((link) => link.textContent)), [
    "Overview",
    "Ranks",
    "Communication",
    "Compute",
    "Memory",
    "Host",
    "Data",
  ]);
  // The way leads through the page from top to bottom, and reaches every section.
  assert.deepStrictEqual(
    await page.$$eval(".contents a:not(.group-link)", (links) => links.map((link) => link.hash.slice(1))),
    await page.$$eval("section", (all) => all.map((one) => one.id)),
  );
  const folds = await page.$$eval("section.folded", (all) =>
    Object.fromEntries(
      all.map((one) => [one.id, [one.querySelector("details.fold").open, one.querySelector("summary").textContent]]),
    ),
  );
  assert.deepStrictEqual(folds.copies, [false, "Exposed copies take less than 1% of device time."]);
  assert.strictEqual(folds["by-rank"], undefined);
  assert.strictEqual(folds.overlap, undefined, "a quarter of the time is exposed communication");
  // The way to the sections stays in sight.
  await page.evaluate(() => document.getElementById("kernels").scrollIntoView());
  assert((await (await page.$(".contents")).boundingBox()).y >= 0);
  await page.waitForFunction(() => document.querySelector(".group-link.here").textContent === "Compute");
  // What is opened is drawn.
  await page.evaluate(() => {
    document.querySelector("#copies details.fold").open = true;
  });
  await page.waitForFunction(() => document.querySelector("[data-plot='Copy bandwidth over time'] canvas"));
  assert.deepStrictEqual(problems, []);
  await close();
}

async function healthyJob(chromium, file) {
  const {page, problems, close} = await browser.open(chromium, file);
  assert.match(await page.textContent("#glance .lead"), /No cause was found.*computing/);
  assert.strictEqual(await page.$$eval(".finding", (all) => all.length), 0);
  // What the trace leaves open is said where it belongs, with its table and options as code.
  assert.strictEqual(
    await page.textContent("#job-time .said"),
    "Of 5.00 \u00b5s that devices idled, all in 2 gaps (table unknown_gaps).",
  );
  assert.strictEqual(await page.textContent("#job-time .said code"), "unknown_gaps");
  assert.strictEqual(
    await page.textContent("#kernels .said"),
    "50.0% is of no known class: --kernel-classes FILE says what they are (rankscope list kernel_classes).",
  );
  assert.deepStrictEqual(await page.$$eval("#kernels .said code", (all) => all.map((one) => one.textContent)), [
    "--kernel-classes FILE",
    "rankscope list kernel_classes",
  ]);
  assert.deepStrictEqual(problems, []);
  await close();
}

const evil = "</script><img src=x onerror=window.pwned=1>\u202e";
const hostile = {
  id: evil,
  severity: evil,
  gain_pct: 400,
  gain_ns: -5,
  gain_method: evil,
  ranks: `${evil},0-99999999999`,
  who: evil,
  steps: evil,
  title: evil,
  why: evil,
  recommendation: `${evil}\n    ${evil}`,
  command: evil,
  places: JSON.stringify([{op: evil, module: evil, file: evil, line: evil, ns: evil}, null, 7]),
  evidence: JSON.stringify([
    {
      table: evil,
      rows: [
        {rank: evil, [evil]: 1},
        {rank: 1, [evil]: 2},
      ],
    },
    {table: "x", rows: 5},
    {table: "__proto__", rows: [null, {constructor: 1}]},
    null,
    {event: evil},
  ]),
};

// Names of traces stand in findings, too; and a cell that is no JSON costs itself.
async function hostileFindings(chromium, file) {
  const {page, problems, close} = await browser.open(chromium, file);
  assert.strictEqual(await page.evaluate(() => window.pwned), undefined);
  assert.strictEqual(await page.$$eval("main img", (all) => all.length), 0);
  assert.match(await page.textContent("#findings"), /<\/script><img src=x/);
  assert.doesNotMatch(await page.textContent("#findings"), /\u202e/);
  assert.deepStrictEqual(await look.overhang(page), []);
  assert.deepStrictEqual(problems, []);
  await close();
}

// Everything on the pages of one job.
async function findingsWork(chromium, job, folder) {
  const path = (name) => `${folder}/${name}.html`;
  const some = put(job, path("findings"), [slowGpu, leak, sync, casts]);
  for (const colorScheme of ["light", "dark"]) {
    const {page, problems, close} = await browser.open(chromium, some.file, {colorScheme, hash: "#&ranks=3"});
    await look.checkContrast(page, colorScheme);
    assert.deepStrictEqual(problems, []);
    await close();
  }
  const {page, problems, close} = await browser.open(chromium, some.file);
  const {traces} = dataOf(fs.readFileSync(some.file, "utf8")).job;
  const command = slowGpu.command.replace("TRACES", traces);
  await cardsAreTrue(page, some.report, command);
  await commandIsCopied(page, command);
  await choiceStays(page);
  for (const name of [...plotsOfRanks, "FLOP utilisation over steps", "Memory over time"])
    await choosesInPlot(page, name);
  await choosesInTables(page);
  await lineOfARankIsTrue(page, some.report);
  assert.deepStrictEqual(problems, []);
  await close();
  await addressChooses(chromium, some.file);
  await placesAreShort(chromium, job, path("places"));
  await endsAreMarked(chromium, job, path("ends"));
  await nobodyLate(chromium, job, path("nobody-late"));
  await groupsAreThere(chromium, some.file);
  const narrow = await browser.open(chromium, some.file, {viewport: {width: 360, height: 740}, hash: "#&ranks=3"});
  assert.deepStrictEqual(await look.overhang(narrow.page), []);
  assert(await narrow.page.evaluate(() => document.documentElement.scrollWidth <= 360), "the page scrolls sideways");
  await narrow.close();
  await healthyJob(
    chromium,
    put(job, path("healthy"), [], {
      findings:
        "No cause was found that costs 1% of a step or more. The job is bound by computing: if that took no time at all, a step would be 61.2% shorter.",
      unknown_gaps: ["of 5.00 us that devices idled, all in 2 gaps (table unknown_gaps)"],
      unknown_kernels: [
        "50.0% is of no known class: --kernel-classes FILE says what they are (rankscope list kernel_classes)",
      ],
    }).file,
  );
  await hostileFindings(
    chromium,
    put(job, path("hostile-findings"), [hostile, {...hostile, places: "{", evidence: "nonsense"}]).file,
  );
}

module.exports = {put, choosesInPlot, findingsWork, slowGpu, leak, sync, casts};
