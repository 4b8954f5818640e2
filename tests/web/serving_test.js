// A serving program's recordings as a run of the server, in a real browser: node serving_test.js RANKSCOPE [FOLDER], which gets pictures of its page.
"use strict";

const assert = require("assert");
const {execFileSync} = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const {launch} = require("../html/browser.js");
const {isAccessible, open, runCases} = require("./pages.js");
const {Server} = require("./server.js");

const S = 1e9;
const MS = 1e6;
const BEGIN = 1764000000 * S;

const drawn = (page) => page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);

// Of spaces and signs that only look better there are others on the page.
const plain = (text) =>
  text
    .replace(/[\u00a0\u2009\u202f]/g, " ")
    .replace(/\u00b5/g, "u")
    .trim();

// Two levels of load of 30 requests each, ten a second and twenty; request 45 waits 2 s for its first token. The engine takes steps of 10 ms with a clock of
// microseconds.
function writeLoad(folder) {
  fs.mkdirSync(folder, {recursive: true});
  const lines = [];
  for (let level = 0; level < 2; ++level) {
    const begin = BEGIN + level * 10 * S;
    const gap = level === 0 ? 100 * MS : 50 * MS;
    for (let i = 0; i < 30; ++i) {
      const number = level * 30 + i;
      const first = number === 45 ? 2 * S : 30 * MS + i * MS;
      lines.push(
        `{"load_request":${i},"level":${level},"id":"r${number}","begin_ns":${begin + i * gap},"lag_ns":1000,"sent_ns":2000,"first_token_ns":${first},"end_ns":${first + 200 * MS},"prompt_tokens":100,"output_tokens":21,"outcome":"done"}`,
      );
    }
    lines.push(
      `{"load_level":${level},"kind":"open","arrivals":"constant","target_per_s":${S / gap},"end_per_s":null,"users":null,"begin_ns":${begin},"sending_ns":${30 * gap},"client_busy_pct":3,"stopped":false,"slo":{"ttft_ns":500000000}}`,
    );
  }
  fs.writeFileSync(path.join(folder, "load.jsonl"), `${lines.join("\n")}\n`);
  const steps = [];
  for (let i = 1; i <= 1600; ++i) {
    const at = new Date((BEGIN + i * 10 * MS) / 1e6).toISOString().replace("Z", "000Z");
    const context = i % 20 === 0 ? 1 : 0;
    const generating = 1 + (i % 3);
    steps.push(
      `${at} Iteration(${i}): ${context} context requests, ${context * 100} context tokens, ${generating} generation requests, ${generating} generation tokens, iteration elapsed time: ${context ? 9 : 6 + generating}.00 ms`,
    );
  }
  fs.writeFileSync(path.join(folder, "engine.log"), `${steps.join("\n")}\n`);
}

function rowsOf({columns, rows}) {
  return rows.map((row) => Object.fromEntries(columns.map(({name}, i) => [name, row[i]])));
}

const cellsOf = (page, selector) =>
  page
    .locator(selector)
    .evaluateAll((cells) => Object.fromEntries(cells.map((one) => [one.dataset.cell, one.dataset.value])));

async function cellsAreTables(page, told) {
  const shown = await cellsOf(page, "[data-cell]");
  let compared = 0;
  for (const [id, value] of Object.entries(shown)) {
    const [table, row, column] = id.split("/");
    const rows = told.tables[table] === undefined ? undefined : rowsOf(told.tables[table]);
    // The server's folder of a run is called otherwise.
    if (rows === undefined || ["path", "source"].includes(column)) continue;
    const expected = rows[Number(row)][column];
    assert.strictEqual(value, expected === null ? "" : String(expected), id);
    ++compared;
  }
  return compared;
}

const cases = {
  async "pages that it has not say so, and lead back to it"({browser, server, runs}) {
    const {page, problems, close} = await open(browser, server, `/runs/${runs.load}/timeline`);
    for (const [place, title] of [
      ["timeline", "This run has no timeline"],
      ["ranks/0", "This run has no ranks"],
      ["memory", "This run has no memory snapshot"],
    ]) {
      await page.goto(`${server.address}/runs/${runs.load}/${place}`);
      await page.locator("main h1", {hasText: title}).waitFor();
      assert.strictEqual(
        await page.locator("main a", {hasText: "Report of load"}).getAttribute("href"),
        `/runs/${runs.load}`,
      );
      assert.strictEqual(await page.locator("nav[aria-label='Pages of this run'] a.run-name").innerText(), "load");
    }
    await page.goto(`${server.address}/compare?base=${runs.load}&test=${runs.slots}`);
    await page.locator("main h1", {hasText: "The runs cannot be compared"}).waitFor();
    // What is not there at all.
    await page.goto(`${server.address}/runs/${"0".repeat(16)}/timeline`);
    await page.locator("main h1", {hasText: "There is no such run"}).waitFor();
    assert.deepStrictEqual(
      problems.filter((one) => !one.includes("404")),
      [],
    );
    await close();
  },

  async "its verdict stands in the list, and its page has the numbers of the command"({
    browser,
    server,
    runs,
    folders,
  }) {
    const told = JSON.parse(server.run("serving", folders.slots, "--format", "json"));
    const {page, problems, close} = await open(browser, server, "/");
    await page.waitForSelector(`tr[data-run="${runs.slots}"] .ready`);
    const listed = plain(await page.locator(`tr[data-run="${runs.slots}"] td.text`).innerText());
    assert(listed.startsWith(told.headline), listed);
    assert(/^[A-Z]/.test(listed), listed);
    await page.click(`tr[data-run="${runs.slots}"] td.name a`);
    await page.waitForURL(`**/runs/${runs.slots}`);
    await drawn(page);
    assert.strictEqual(plain(await page.locator("#verdict .lead").innerText()), `${told.headline}.`);
    assert.strictEqual(await page.locator("#verdict article").count(), told.findings.length);
    assert((await page.locator("#stages h2").innerText()).includes("89.3%"));
    const compared = await cellsAreTables(page, told);
    assert(compared > 60, `${compared} cells`);
    // Every heading answers with a number.
    for (const heading of await page.locator("main h2").allInnerTexts())
      assert(/\d/.test(heading) || ["Notes", "Optimise"].includes(heading), heading);
    assert.deepStrictEqual(await page.locator("nav.run-pages a").allInnerTexts(), [
      "slots",
      "Report",
      "SQL",
      "One file",
    ]);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "load: the curve has a point a level, the objective and what is known of it"({
    browser,
    server,
    runs,
    folders,
    pictures,
  }) {
    const told = JSON.parse(server.run("serving", folders.load, "--format", "json"));
    const levels = rowsOf(told.tables.serving_levels);
    const {page, problems, close} = await open(browser, server, `/runs/${runs.load}`);
    await drawn(page);
    const places = await page
      .locator("#load [data-series='whole request, p99'] circle")
      .evaluateAll((all) => all.map((one) => Number(one.dataset.value)));
    assert.deepStrictEqual(
      places,
      levels.map((level) => level.e2e_p99_ns),
    );
    assert((await page.locator("#load .xy svg").innerHTML()).includes("objective TTFT 500 ms"));
    assert((await cellsAreTables(page, told)) > 60);
    await isAccessible(page, "the page of a load run");
    await page.screenshot({path: path.join(pictures, "serving-load.png"), fullPage: true});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "a point of the latencies leads to its slowest request, with the steps meanwhile; Back undoes"({
    browser,
    server,
    runs,
    pictures,
  }) {
    const {page, problems, close} = await open(browser, server, `/runs/${runs.load}`);
    await drawn(page);
    const bins = await page
      .locator("#over-time [data-series='p99'] circle")
      .evaluateAll((all) => all.map((one) => Number(one.dataset.value)));
    // Of the requests of a bin, of which one takes 2.2 s.
    assert(Math.max(...bins) > S && Math.max(...bins) <= 2.2 * S, String(bins));
    const worst = bins.indexOf(Math.max(...bins));
    // By keyboard: to the worst bin, then Enter.
    await page.focus("#over-time .plot");
    await page.keyboard.press("Home");
    for (let i = 0; i < worst; ++i) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#request[data-request='45']");
    assert(page.url().endsWith("#requests&request=45"), page.url());
    assert(
      plain(await page.locator("#request h3").innerText()).startsWith("Request 45: 2.20 s, 90.9% of it first token"),
    );
    await page.waitForSelector("#request p[role=status]:has-text('overlap it')");
    // It came 750 ms behind the level's begin, 10.75 s behind that of all, and took 2.2 s: 220 steps of 10 ms, and what hangs over its ends.
    const said = await page.locator("#request p[role=status]").innerText();
    const steps = Number(/^([\d,]+) steps/.exec(said)[1]);
    assert(steps >= 219 && steps <= 221, said);
    const stretches = await page
      .locator("#request .waterfall rect[data-begin]")
      .evaluateAll((all) => all.slice(0, 2).map((one) => [Number(one.dataset.begin), Number(one.dataset.end)]));
    assert.deepStrictEqual(stretches, [
      [0, 2 * S],
      [2 * S, 2.2 * S],
    ]);
    await page.keyboard.press("Escape");
    await isAccessible(page, "a request's course");
    await page.locator("#requests").screenshot({path: path.join(pictures, "serving-request.png")});
    // One that the page has not comes from the server by its number.
    await page.fill("#requests input[name=request]", "3");
    await page.click("#requests form button");
    await page.waitForSelector("#request[data-request='3']");
    await page.goBack();
    await page.waitForSelector("#request[data-request='45']");
    await page.goBack();
    await page.waitForSelector("#request", {state: "detached"});
    // The address alone is enough.
    await page.goto(`${server.address}/runs/${runs.load}#requests&request=45`);
    await page.reload();
    await page.waitForSelector("#request[data-request='45']");
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "trials of a search: each is a point, those of now and the recommended ones apart"({
    browser,
    server,
    runs,
    folders,
    pictures,
  }) {
    const told = JSON.parse(server.run("serving", folders.tuned, "--format", "json"));
    const {page, problems, close} = await open(browser, server, `/runs/${runs.tuned}`);
    await drawn(page);
    assert.strictEqual(plain(await page.locator("#trials .lead").innerText()), `${told.headline}.`);
    assert.strictEqual(plain(await page.locator("#trials h2").innerText()), "Trials 5 trials, 50.0% more");
    const rates = await page
      .locator("#trials .xy [data-series] circle")
      .evaluateAll((all) => all.map((one) => Number(one.dataset.value)).sort((a, b) => a - b));
    assert.deepStrictEqual(rates, [9.5, 10, 12.25, 15]);
    assert((await page.locator("#trials tbody").innerText()).includes("out of memory"));
    // A search has none of its own.
    assert.strictEqual(await page.locator("#optimise").count(), 0);
    await isAccessible(page, "the page of a search");
    await page.screenshot({path: path.join(pictures, "serving-trials.png"), fullPage: true});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "Optimise says how a search begins, and what came of those there are"({browser, server, runs}) {
    const {page, problems, close} = await open(browser, server, `/runs/${runs.slots}`);
    await drawn(page);
    const command = await page.locator("#optimise .command code").innerText();
    assert.strictEqual(command, `rankscope tune ADAPTER --server ${server.address} --of ${runs.slots}`);
    // Nobody has set up what begins one.
    assert.strictEqual(await page.locator("#optimise button:text-is('Optimise')").count(), 0);
    const answer = await page.request.patch(`${server.address}/api/v1/runs/${runs.tuned}`, {
      data: {tags: {optimises: runs.slots, kind: "serving"}},
    });
    assert(answer.ok(), await answer.text());
    await page.reload();
    await drawn(page);
    const listed = page.locator(`#optimise li[data-run="${runs.tuned}"]`);
    await listed.waitFor();
    assert(plain(await listed.innerText()).includes("50.0% more"), await listed.innerText());
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "narrow and dark"({browser, server, runs, pictures}) {
    for (const name of ["load", "slots", "healthy", "tuned"]) {
      const {page, problems, close} = await open(browser, server, `/runs/${runs[name]}`, {
        viewport: {width: 390, height: 844},
        colorScheme: "dark",
      });
      await drawn(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert(wide <= 390, `the page of ${name} is ${wide} px wide`);
      await isAccessible(page, `the narrow, dark page of ${name}`);
      await page.screenshot({path: path.join(pictures, `serving-${name}-narrow.png`), fullPage: true});
      assert.deepStrictEqual(problems, []);
      await close();
    }
  },

  async "a healthy server has no finding, and says so"({browser, server, runs, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${runs.healthy}`);
    await drawn(page);
    assert((await page.locator("#verdict h2").innerText()).includes("0 findings"));
    // The space of the heading stands before the dash, which the style puts before the answer.
    assert.deepStrictEqual(
      await page
        .locator("#verdict h2 .answer")
        .evaluate((node) => [/\s$/.test(node.previousSibling.textContent), /^\s/.test(node.textContent)]),
      [true, false],
    );
    assert((await page.locator("#verdict .lead").innerText()).includes("nothing is wrong"));
    assert.strictEqual(await page.locator("#verdict article").count(), 0);
    await page.screenshot({path: path.join(pictures, "serving-healthy.png"), fullPage: true});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "SQL has its tables, and says what is none"({browser, server, runs, folders}) {
    const {page, problems, close} = await open(browser, server, `/runs/${runs.load}/sql`);
    await page.waitForSelector(".schema code:text-is('serving_requests')");
    assert.strictEqual(await page.locator(".schema code:text-is('kernels')").count(), 0);
    // Its examples ask tables that it has.
    const examples = page.locator(".queries button.link");
    assert.strictEqual(await examples.count(), 3);
    for (const example of await examples.all()) {
      await example.click();
      await page.waitForFunction(() => document.querySelector("textarea").value.includes("serving_"));
      server.run("query", folders.load, await page.inputValue("textarea"));
    }
    await close();
    const asked = "SELECT level, count(*) AS n FROM serving_requests GROUP BY level ORDER BY level";
    const answer = await fetch(`${server.address}/api/v1/runs/${runs.load}/query`, {
      method: "POST",
      headers: {"Content-Type": "application/json"},
      body: JSON.stringify({sql: asked}),
    });
    assert.deepStrictEqual((await answer.json()).rows, [
      [0, 30],
      [1, 30],
    ]);
    const told = JSON.parse(server.run("query", folders.load, asked, "--format", "json"));
    assert.deepStrictEqual(told.rows, [
      [0, 30],
      [1, 30],
    ]);
    for (const place of ["timeline", "tables/step_times"]) {
      const refused = await fetch(`${server.address}/api/v1/runs/${runs.load}/${place}`);
      assert((await refused.json()).error.message.includes("serving program"), place);
    }
    assert.deepStrictEqual(problems, []);
  },

  async "one file shows the same without a server, and steps of the slowest requests"({
    browser,
    server,
    folders,
    temporary,
  }) {
    const file = path.join(temporary, "serving.html");
    server.run("serving", folders.load, "--format", "html", "-o", file);
    const context = await browser.newContext({viewport: {width: 1400, height: 900}});
    const page = await context.newPage();
    const problems = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith("file:")) problems.push(request.url());
    });
    await page.goto(`file://${file}`);
    await drawn(page);
    const told = JSON.parse(server.run("serving", folders.load, "--format", "json"));
    assert((await cellsAreTables(page, told)) > 60);
    await page.click("#requests tbody tr:first-child button");
    await page.waitForSelector("#request[data-request='45'] p[role=status]:has-text('overlap it')");
    assert.deepStrictEqual(problems, []);
    await context.close();
    const empty = path.join(temporary, "empty");
    fs.mkdirSync(empty);
    fs.writeFileSync(
      path.join(empty, "engine.log"),
      "Iteration(1): 0 context requests, 0 context tokens, 1 generation requests, 1 generation tokens, iteration elapsed time: 10.00 ms\n",
    );
    server.run("serving", empty, "--format", "html", "-o", file);
    const {size} = fs.statSync(file);
    assert(size < 400_000, `${size} bytes`);
  },
};

async function main() {
  const program = path.resolve(process.argv[2]);
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "rankscope_serving_"));
  const pictures = process.argv[3] || temporary;
  fs.mkdirSync(pictures, {recursive: true});
  const server = new Server(program, path.join(temporary, "data"));
  const browser = await launch();
  try {
    const folders = {load: path.join(temporary, "load"), tuned: path.join(__dirname, "..", "golden", "tuning", "logs")};
    writeLoad(folders.load);
    for (const scene of ["slots", "healthy"]) {
      folders[scene] = path.join(temporary, scene);
      const words = `from write_serving import SCENES, Server; Server(**SCENES["${scene}"]).write_all("${folders[scene]}")`;
      execFileSync("python3", ["-c", words], {
        env: {...process.env, PYTHONPATH: path.join(__dirname, "..", "reference")},
      });
    }
    await server.start();
    const runs = {};
    for (const [name, folder] of Object.entries(folders)) runs[name] = server.push(folder, name).split("/").pop();
    await runCases(cases, {browser, server, runs, folders, pictures, temporary});
  } finally {
    await browser.close();
    if (server.process && server.process.exitCode === null) await server.end("SIGTERM");
    fs.rmSync(temporary, {recursive: true, force: true});
  }
}

void main();
