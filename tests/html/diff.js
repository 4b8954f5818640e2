// The page of `rankscope diff`: side by side, and one flame graph of both.
"use strict";

const assert = require("assert");
const path = require("path");
const browser = require("./browser.js");
const jobs = require("./jobs.js");
const numbers = require("./numbers.js");

async function showsItsNumbers(page, report, least) {
  const cells = await numbers.cells(page);
  for (const cell of cells) numbers.check(cell, report);
  assert(cells.length >= least, `only ${cells.length} cells are shown`);
}

// Columns of a table's rows, by name.
function columnsOf(report, name) {
  const {columns, rows} = report.tables[name];
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column.name, row[i]])));
}

// Bars of both sides on one scale: as wide as their parts.
async function barsHaveTheirWidths(page, report) {
  const widths = await page.$$eval("[data-plot^='Parts of '] rect:not(.cursor)", (nodes) =>
    nodes.map((node) => Number(node.getAttribute("width"))),
  );
  const job = columnsOf(report, "diff_job")[0];
  const half = widths.length / 2;
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  const ratio = sum(widths.slice(half)) / sum(widths.slice(0, half));
  assert(Math.abs(ratio - job.test_ns / job.base_ns) < 0.03, `TEST's bar is ${ratio} of BASE's`);
}

// What is slower is red, and nothing of this pair is much faster.
async function flamesHaveTheirColours(page) {
  const kinds = await page.$$eval("[data-plot='Difference flame graph'] path", (nodes) =>
    nodes.map((node) => node.dataset.kind),
  );
  assert(kinds.includes("longer-much") && kinds.includes("alike"), `kinds are ${kinds}`);
  const plot = await page.$("[data-plot='Difference flame graph']");
  await plot.scrollIntoViewIfNeeded();
  await plot.focus();
  await page.keyboard.press("Home");
  assert.strictEqual(await page.textContent(".tip b"), "(all)");
  await page.keyboard.press("ArrowDown");
  assert.notStrictEqual(await page.textContent(".tip b"), "(all)");
  const zoomed = await page.getAttribute("[data-plot='Difference flame graph']", "data-zoom");
  await page.keyboard.press("Enter");
  assert.notStrictEqual(await page.getAttribute("[data-plot='Difference flame graph']", "data-zoom"), zoomed);
  await page.keyboard.press("Escape");
}

async function pairOfJobs(chromium, folder) {
  const {file, report} = jobs.simulatedPair(
    path.join(folder, "pair"),
    {job: "single", ranks: 1, steps: 4, events: 8000},
    "low-roofline:severity=1",
  );
  const {page, problems, close} = await browser.open(chromium, file);
  const inNames = report.job.headline.replaceAll("BASE", "pair-before").replaceAll("TEST", "pair-after");
  assert.strictEqual((await page.textContent(".lead")).replace(/\u00b5s/g, "us"), inNames);
  const headings = await page.locator("#parts thead").first().innerText();
  assert(headings.includes("pair-before") && !headings.includes("BASE"), headings);
  await showsItsNumbers(page, report, 200);
  await barsHaveTheirWidths(page, report);
  await flamesHaveTheirColours(page);
  assert.deepStrictEqual(problems, []);
  await close();
}

async function hostilePair(chromium, folder) {
  const job = path.join(folder, "hostile-diff");
  jobs.hostileJob(job);
  const {file, report} = jobs.compared(job, job, `${job}.diff.html`);
  const {page, problems, close} = await browser.open(chromium, file);
  await showsItsNumbers(page, report, 100);
  const found = await page.evaluate(() => ({
    pwned: window.pwned,
    scripts: document.scripts.length,
    strange: document.querySelectorAll("img, iframe, object").length,
    // eslint-disable-next-line no-control-regex
    hidden: /[\u0000-\u0008\u000b-\u001f\u007f\u200b\u202e\u2066]/.test(document.body.innerText),
  }));
  assert.deepStrictEqual(found, {pwned: undefined, scripts: 2, strange: 0, hidden: false});
  assert.deepStrictEqual(problems, []);
  await close();
}

module.exports = {pairOfJobs, hostilePair};
