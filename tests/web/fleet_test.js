// All runs together, in a real browser: node fleet_test.js RANKSCOPE [FOLDER], which gets pictures of the page.
"use strict";

const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const {launch} = require("../html/browser.js");
const {isAccessible, open, runCases} = require("./pages.js");
const {Server} = require("./server.js");

const ready = (page) => page.waitForFunction(() => window.rankscopeFleet && window.rankscopeFleet.idle());
const rowsOf = ({columns, rows}) => rows.map((row) => Object.fromEntries(columns.map(({name}, i) => [name, row[i]])));

const cases = {
  async "its numbers are those of the command line"({browser, server, pictures}) {
    const {page, problems, close} = await open(browser, server, "/fleet?by=model");
    await ready(page);
    const told = JSON.parse(server.run("fleet", "overview", server.data, "--by", "model", "--format", "json"));
    const [first] = rowsOf(told.tables.fleet_shares);
    assert((await page.locator("h1").innerText()).includes(first.value));
    let cells = 0;
    for (const name of ["fleet_shares", "fleet_findings", "fleet_classes", "fleet_kernels", "fleet_frequent"]) {
      const rows = rowsOf(told.tables[name]);
      for (const cell of await page.locator(`td[data-cell^="${name}/"]`).all()) {
        const [, row, column] = (await cell.getAttribute("data-cell")).split("/");
        const value = rows[Number(row)][column];
        const shown = await cell.getAttribute("data-value");
        // Sums of fractions are added up in another order each time.
        if (typeof value === "number" && !Number.isInteger(value))
          assert(Math.abs(Number(shown) - value) <= 1e-9 * Math.abs(value), `${name} ${column}: ${shown}, ${value}`);
        else assert.strictEqual(shown, value === null ? "" : String(value), `${name} ${column}`);
        ++cells;
      }
    }
    assert(cells > 100, `${cells} cells`);
    // Areas are the hours: each as large as its share of those that are drawn.
    const drawn = await page
      .locator(".hours-map .area")
      .evaluateAll((areas) =>
        areas.map((area) => ({name: area.querySelector("b").innerText, size: area.offsetWidth * area.offsetHeight})),
      );
    const all = drawn.reduce((sum, {size}) => sum + size, 0);
    for (const {value, share_pct: share} of rowsOf(told.tables.fleet_shares).slice(0, 3)) {
      const area = drawn.find(({name}) => name === value);
      assert(Math.abs((100 * area.size) / all - share) < 2, `${value}: ${(100 * area.size) / all}, ${share}`);
    }
    // A finding leads to what it means.
    const [finding] = rowsOf(told.tables.fleet_findings);
    assert.strictEqual(
      await page.locator("#findings td a").first().getAttribute("href"),
      `/explain/${finding.finding}`,
    );
    await isAccessible(page, "the page of the fleet");
    await page.screenshot({path: path.join(pictures, "fleet.png"), fullPage: true});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "a planted regression is told once, with its cause and runs of both sides"({browser, server}) {
    const {page, problems, close} = await open(browser, server, "/fleet");
    await ready(page);
    const told = rowsOf(
      JSON.parse(server.run("fleet", "regressions", server.data, "--format", "json")).tables.fleet_regressions,
    ).filter((row) => row.kind === "regression");
    assert(told.length > 0);
    const cards = page.locator(".change.slower");
    const kinds = new Set(told.map((row) => `${row.kernel_key} ${row.cause}`));
    assert.strictEqual(await cards.count(), kinds.size);
    const card = cards.first();
    const text = await card.innerText();
    assert(text.includes(told[0].kernel_key) && text.includes("driver"), text);
    const address = await card.locator("a:text-is('compare')").first().getAttribute("href");
    assert(/^\/compare\?base=[0-9a-f]{16}&test=[0-9a-f]{16}$/.test(address), address);
    assert(told.some((row) => row.before_runs.includes(address.slice(14, 30))));
    assert((await page.locator("#changes h2").innerText()).includes("got slower"));
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "what is asked stands in the address, and comes back with it"({browser, server}) {
    const {page, problems, close} = await open(browser, server, "/fleet");
    await ready(page);
    await page.selectOption("label:has-text('Hours by') select", "device");
    await page.waitForFunction(() => location.search === "?by=device");
    await page.waitForFunction(() => document.querySelector("#shares h2").textContent.includes("device"));
    await ready(page);
    await page.fill("label:has-text('Since') input", "2026-07-20");
    await page.waitForFunction(() => location.search === "?since=2026-07-20&by=device");
    await ready(page);
    const told = JSON.parse(
      server.run("fleet", "overview", server.data, "--by", "device", "--since", "2026-07-20", "--format", "json"),
    );
    const runs = await page.locator('#shares td[data-cell="fleet_shares/0/runs"]').getAttribute("data-value");
    assert.strictEqual(Number(runs), rowsOf(told.tables.fleet_shares)[0].runs);
    await page.goBack();
    await page.goBack();
    await page.waitForFunction(() => location.search === "");
    await ready(page);
    assert((await page.locator("#shares h2").innerText()).includes("team"));
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "a narrow, dark page scrolls in its tables alone"({browser, server, pictures}) {
    const {page, problems, close} = await open(browser, server, "/fleet", {
      viewport: {width: 390, height: 844},
      colorScheme: "dark",
    });
    await ready(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(wide <= 390, `the page is ${wide} px wide`);
    await isAccessible(page, "the narrow, dark page of the fleet");
    await page.screenshot({path: path.join(pictures, "fleet-narrow.png"), fullPage: true});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "what cannot be answered is said"({browser, server}) {
    for (const [query, words] of [
      ["by=colour", "there is no 'colour' (team,"],
      ["since=yesterday", "YYYY-MM-DD"],
      ["by=-o", "there is no '-o' (team,"],
      ["since=2026-13-45", "2026-13-45"],
      ["top=many", "many"],
    ]) {
      const answer = await fetch(`${server.address}/api/v1/fleet/overview?${query}`);
      assert.strictEqual(answer.status, 400, query);
      const {message} = (await answer.json()).error;
      assert(message.includes(words) && !message.includes(server.data), message);
    }
    // Of a day without runs there is nothing to add up.
    const {page, problems, close} = await open(browser, server, "/fleet?since=2031-01-01");
    await ready(page);
    assert((await page.locator("h1").innerText()).includes("No run of this time"));
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "who sees one team is not told of the others"({program, temporary}) {
    const tokens = path.join(temporary, "tokens");
    const made = (team) =>
      new Server(program, "").run("token", "read", "--team", team, "--name", "reader", "--file", tokens).trim();
    const [one, all] = [made("search"), made("*")];
    const server = new Server(program, path.join(temporary, "closed"), ["--token-file", tokens]);
    await server.start();
    try {
      const ask = (token) =>
        fetch(`${server.address}/api/v1/fleet/overview`, {headers: {Authorization: `Bearer ${token}`}});
      const refused = await ask(one);
      assert.strictEqual(refused.status, 403);
      assert((await refused.json()).error.message.includes("every team"));
      assert.strictEqual((await ask(all)).status, 200);
      assert.strictEqual((await ask("rs_none")).status, 401);
    } finally {
      await server.end("SIGTERM");
    }
  },
};

async function main() {
  const program = path.resolve(process.argv[2]);
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "rankscope_fleet_"));
  const pictures = process.argv[3] || temporary;
  fs.mkdirSync(pictures, {recursive: true});
  const server = new Server(program, path.join(temporary, "data"));
  const browser = await launch();
  try {
    await server.start();
    // Rows of a fleet whose truth is known, in place of those of the store's runs, of which there are none.
    const simulated = path.join(temporary, "simulated");
    server.run("simulate-fleet", simulated, "--days", "40", "--plant", "regression:driver", "--plant", "mix-shift");
    fs.rmSync(path.join(server.data, "fleet"), {recursive: true, force: true});
    fs.renameSync(path.join(simulated, "fleet"), path.join(server.data, "fleet"));
    await runCases(cases, {browser, server, program, pictures, temporary});
  } finally {
    await browser.close();
    if (server.process && server.process.exitCode === null) await server.end("SIGTERM");
    fs.rmSync(temporary, {recursive: true, force: true});
  }
}

void main();
