// Pages of a pipeline, whose ranks wait at sends and receives: node pipeline_test.js RANKSCOPE [FOLDER], which gets pictures of them.
"use strict";

const assert = require("assert");
const path = require("path");
const {open, withRun} = require("./pages.js");

async function ready(page) {
  await page.waitForFunction(() => window.rankscopeTimeline !== undefined);
  await page.evaluate(() => window.rankscopeTimeline.idle());
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

// Rows as objects.
function table(server, name, job) {
  const {columns, rows} = JSON.parse(server.run("table", name, job, "--format", "json"));
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column.name, row[i]])));
}
const sum = (rows, column) => rows.reduce((all, row) => all + row[column], 0);

// The exact sums of the timeline over all of the job.
async function partsOf(page) {
  await page.locator("#timeline-more").evaluate((more) => (more.open = true));
  await page.fill("input[name=from]", "-100");
  await page.fill("input[name=to]", "1000000");
  await page.click("button:text-is('Add up')");
  await page.locator("tr[data-part]").first().waitFor();
  return page.evaluate(() => window.rankscopeTimeline.state.area.sums.value.parts);
}

// Times of the job's clock are rounded to nanoseconds, each begin and end.
const near = (a, b) => Math.abs(a - b) <= 1e-4 * Math.max(a, b);

const cases = {
  async "waits at messages are waiting in the timeline, as in the tables"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    const findings = table(server, "findings", job);
    const title = await page.locator("h1").innerText();
    assert.strictEqual(title.toLowerCase(), findings[0].title.toLowerCase());
    const said = await page.locator("p.said").innerText();
    assert(/wait for other ranks [4-7]\d\.\d%/.test(said), said);
    await page.screenshot({path: path.join(pictures, "timeline-pipeline.png")});
    const parts = await partsOf(page);
    const exposed = table(server, "exposed_communication", job);
    assert(sum(exposed, "wait_ns") > 0.9 * sum(exposed, "exposed_ns"), "nearly all of it is waiting");
    for (const [part, column] of [
      ["wait_ns", "wait_ns"],
      ["transfer_ns", "transfer_ns"],
    ])
      assert(near(parts[part], sum(exposed, column)), `${part}: ${parts[part]}, ${sum(exposed, column)}`);
    assert.strictEqual(parts.communication_unknown_ns, 0);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "with a finding chosen its rank comes first, whoever waits least"({browser, server, run, job}) {
    const {page, close} = await open(browser, server, `/runs/${run}/timeline?finding=slow-gpu`);
    await ready(page);
    assert.deepStrictEqual(table(server, "findings", job).find(({id}) => id === "slow-gpu").ranks, "5");
    assert((await page.locator("h1").innerText()).includes("rank 5"));
    const ranks = await page.evaluate(() => [...window.rankscopeTimeline.state.ranks.all.value]);
    assert.strictEqual(ranks[0], 5);
    await close();
  },

  async "device time by rank divides communication"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}`);
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    await page.locator("#by-rank details summary").last().click();
    const shares = table(server, "exposed_by_rank", job);
    for (const [i, {rank, wait_share_pct: share}] of shares.entries()) {
      // The row of all ranks is in the job's own section.
      const cell = page.locator(`[data-cell="exposed_by_rank/${i}/wait_share_pct"]`).first();
      assert.strictEqual(Number(await cell.getAttribute("data-value")), share, `rank ${rank}`);
    }
    await page.locator("#by-rank").screenshot({path: path.join(pictures, "by-rank-pipeline.png")});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "where sends state no peer, it is not known which"({browser, server, job, pictures}) {
    const folder = path.join(path.dirname(job), "coalesced");
    server.run("simulate", folder, ...layout, "--coalesced-sends");
    const run = server.push(folder, "coalesced").split("\n").pop().split("/").pop();
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    await page.screenshot({path: path.join(pictures, "timeline-unknown.png")});
    const parts = await partsOf(page);
    const unknown = sum(table(server, "exposed_communication", folder), "unknown_ns");
    assert(unknown > 0);
    assert(near(parts.communication_unknown_ns, unknown), `${parts.communication_unknown_ns}, ${unknown}`);
    await page.locator("td:text-is('communication, waiting or transfer unknown')").waitFor();
    assert.deepStrictEqual(problems, []);
    await close();
  },
};

const layout = ["--job", "3d", "--ranks", "16", "--layout", "tp=1,pp=4,dp=4", "--steps", "4", "--events", "8000"];

void withRun(cases, "rankscope_pipeline_", [...layout, "--plant", "pipeline-bubble", "--plant", "slow-gpu:rank=5"]);
