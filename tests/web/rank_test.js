// The page of one rank in a real browser: node rank_test.js RANKSCOPE [FOLDER], which gets pictures of it.
"use strict";

const assert = require("assert");
const path = require("path");
const {isAccessible, open, withRun} = require("./pages.js");

// Rows of a table as the command line has them.
function rowsOf(server, name, job) {
  const table = JSON.parse(server.run("table", name, job, "--format", "json"));
  return table.rows.map((row) => Object.fromEntries(table.columns.map((column, i) => [column.name, row[i]])));
}

const cases = {
  async "the slow rank, from the report"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}#ranks&ranks=2`);
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    // A dark row of ranks by steps, whose numbers are those of time_breakdown.
    await page.locator("#rank-steps .said", {hasText: "Rank 2 is above its peers in nearly every step"}).waitFor();
    await page.locator("#rank-steps summary:has-text('farthest off')").click();
    const cells = page.locator("#rank-steps tbody tr").first().locator("td");
    const [of, step] = [
      Number(await cells.nth(0).getAttribute("data-value")),
      Number(await cells.nth(1).getAttribute("data-value")),
    ];
    assert.strictEqual(of, 2);
    const computing = rowsOf(server, "time_breakdown", job).find((one) => one.rank === of && one.step === step);
    assert.strictEqual(Number(await cells.nth(2).getAttribute("data-value")), computing.compute_ns);
    await page.locator("#rank-steps").screenshot({path: path.join(pictures, "rank-steps.png")});
    await page.click("header a:text-is('Rank 2')");
    await page.waitForSelector("#rank-metrics");
    const finding = rowsOf(server, "findings", job).find((one) => one.ranks === "2");
    // It names the rank itself.
    assert.strictEqual((await page.locator("h1").innerText()).toLowerCase(), finding.title.toLowerCase());
    assert((await page.locator("section", {has: page.locator("#rank-findings")}).innerText()).includes(finding.title));
    for (const metric of rowsOf(server, "rank_metrics", job).filter((one) => one.rank === 2)) {
      const cells = page.locator(`tr[data-metric="${metric.metric}"] td`);
      assert.strictEqual(
        await cells.nth(1).getAttribute("data-value"),
        metric.value === null ? "" : String(metric.value),
        metric.metric,
      );
      assert.strictEqual((await cells.nth(4).innerText()).includes("outlier"), metric.outlier === true);
      if (metric.deviation !== null) assert((await cells.nth(3).innerText()).endsWith(" \u03c3"), metric.metric);
    }
    const waits = rowsOf(server, "collective_ranks", job).find((one) => one.rank === 2);
    assert.strictEqual(
      Number(await page.locator("[data-fact=caused]").getAttribute("data-value")),
      waits.caused_wait_ns,
    );
    await isAccessible(page, "the page of a rank");
    await page.screenshot({path: path.join(pictures, "rank.png"), fullPage: true});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "its kernels against its peers'"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/ranks/2`);
    await page.click("button:has-text('Compare with')");
    await page.locator("tr[data-kernel]").first().waitFor();
    const all = rowsOf(server, "kernels_by_rank", job).filter((one) => one.complete && one.step !== null);
    const perStep = (rank, name) => {
      const own = all.filter((one) => one.rank === rank);
      return (
        own.filter((one) => one.name === name).reduce((sum, one) => sum + one.total_ns, 0) /
        new Set(own.map((one) => one.step)).size
      );
    };
    const first = page.locator("tr[data-kernel]").first();
    const name = await first.getAttribute("data-kernel");
    assert(Math.abs(Number(await first.locator("td").nth(2).getAttribute("data-value")) - perStep(2, name)) < 1e-6);
    const peers = [0, 1, 3].map((rank) => perStep(rank, name)).sort((a, b) => a - b);
    assert(Math.abs(Number(await first.locator("td").nth(3).getAttribute("data-value")) - peers[1]) < 1e-6);
    // The device of rank 2 is slower: the kernel that differs most takes longer there.
    assert(perStep(2, name) > 1.2 * peers[1] || name.includes("nccl"), name);
    await page.screenshot({path: path.join(pictures, "rank-kernels.png"), fullPage: true});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "its neighbours, its timeline, its file, and ranks that are not there"({browser, server, run, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/ranks/0`, {
      viewport: {width: 390, height: 844},
      colorScheme: "dark",
    });
    await page.waitForSelector("#rank-files");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(wide <= 390, `the page is ${wide} px wide`);
    await isAccessible(page, "the narrow, dark page of a rank");
    await page.screenshot({path: path.join(pictures, "rank-narrow.png")});
    const file = await page
      .locator("section", {has: page.locator("#rank-files")})
      .locator("a")
      .getAttribute("href");
    const answer = await fetch(server.address + file);
    assert.strictEqual(answer.status, 200);
    assert((await answer.arrayBuffer()).byteLength > 1000);
    await page.click("a:has-text('timeline of it')");
    await page.waitForFunction(() => window.rankscopeTimeline !== undefined);
    assert.deepStrictEqual(await page.evaluate(() => [...window.rankscopeTimeline.state.ranks.open.value]), [0]);
    await page.goto(`${server.address}/runs/${run}/ranks/0`);
    await page.click("a:has-text('rank 1')");
    await page.waitForSelector("h1:has-text('Rank 1')");
    await page.goto(`${server.address}/runs/${run}/ranks/77`);
    await page.waitForSelector("text=Rank 77 was not recorded");
    assert.deepStrictEqual(problems, []);
    await close();
  },
};

void withRun(cases, "rankscope_rank_", [
  "--ranks",
  "4",
  "--steps",
  "4",
  "--events",
  "8000",
  "--slow-rank",
  "2",
  "--slow-factor",
  "1.5",
]);
