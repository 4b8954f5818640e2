// A result of SQL as a row of the timeline: node timeline_result_test.js RANKSCOPE [FOLDER], which gets pictures of it.
"use strict";

const assert = require("assert");
const path = require("path");
const {isAccessible, open, withRun} = require("./pages.js");
const {canvasBox, jobOfTimelines, model, ready, ruler} = require("./timeline_tools.js");

const longest =
  "select name, rank, capture, event, ts_ns, dur_ns from kernels where step = (select min(step) + 1 from job_steps) and rank > 0 order by dur_ns desc, event, rank limit 12";
const panel = "[aria-label='Result of SQL']";
const timelineOf = (run, sql) => `/runs/${run}/timeline?${new URLSearchParams({sql})}`;

const spansOf = (page) =>
  page.evaluate(() => window.rankscopeTimeline.state.result.track.value.spans.map((span) => ({...span})));

const cases = {
  async "from the page of SQL: bars stand where their events do, by the job's clock"({
    browser,
    server,
    run,
    job,
    pictures,
  }) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/sql`);
    await page.fill("textarea", longest);
    await page.keyboard.press("Control+Enter");
    await page.click("a:text-is('Over the timeline')");
    await ready(page);
    const told = JSON.parse(server.run("query", job, longest, "--format", "json")).rows;
    const clocks = JSON.parse(server.run("table", "clocks", job, "--format", "json"));
    const offsets = new Map(clocks.rows.map((row) => [row[0], row[5]]));
    assert.strictEqual(clocks.columns[5].name, "offset_ns");
    assert(
      [...offsets.values()].some((offset) => Math.abs(offset) > 10000),
      "clocks differ",
    );
    const spans = await spansOf(page);
    assert.deepStrictEqual(
      spans.map((span) => [span.name, span.rank, span.start, span.duration]).sort(),
      told.map(([name, rank, , , ts, dur]) => [name, rank, ts - offsets.get(rank), dur]).sort(),
    );
    assert.strictEqual(await page.locator(`${panel} tbody tr`).count(), told.length);
    assert((await page.locator(`${panel} h2`).innerText()).startsWith("12 rows of SQL"));
    // A row of the list, and a bar, lead to the event, which stands where its bar does.
    const first = spans[0];
    await page.locator(`${panel} tbody tr[data-row='${first.row}'] button`).click();
    await page.waitForFunction(() => window.rankscopeTimeline.state.selection.chosen.value !== null);
    await ready(page);
    const {chosen, open: opened, rows, window: seen, width} = await model(page);
    assert.strictEqual(chosen.rank, first.rank);
    assert(opened.includes(first.rank));
    assert.strictEqual(chosen.duration, first.duration);
    // Drift of clocks, which the bar leaves out, is a few nanoseconds here.
    assert(Math.abs(chosen.start - first.start) < 2000, `${chosen.start} and ${first.start}`);
    const row = rows.find((one) => one.head === "result");
    assert.strictEqual(rows[0], row);
    await isAccessible(page, "the timeline with a result of SQL");
    await page.screenshot({path: path.join(pictures, "result-row.png")});
    await page.keyboard.press("Escape");
    await page.evaluate(() => {
      window.rankscopeTimeline.state.clear();
      document.querySelector(".timeline-scroll").scrollTop = 0;
    });
    await ready(page);
    const box = await canvasBox(page);
    const middle = first.start + first.duration / 2;
    const x = box.x + 190 + ((middle - seen.from) / (seen.to - seen.from)) * (width - 190);
    await page.mouse.move(x, box.y + ruler + row.top + first.lane * 16 + 8);
    assert((await page.locator(".timeline-hover").innerText()).includes(`rank ${first.rank}`));
    await page.mouse.click(x, box.y + ruler + row.top + first.lane * 16 + 8);
    await page.waitForFunction(() => window.rankscopeTimeline.state.selection.chosen.value !== null);
    assert.strictEqual((await model(page)).chosen.start, chosen.start);
    // The address has it; without it the row goes, and Back brings it again.
    assert(new URL(page.url()).searchParams.get("sql") === longest);
    await page.click(`${panel} button:text-is('Remove')`);
    await ready(page);
    assert((await model(page)).rows.every((one) => one.head !== "result"));
    await page.goBack();
    await page.waitForSelector(panel);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "steps as a row, typed under More; what cannot be drawn is said"({browser, server, run}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    await page.click("#timeline-more summary");
    await page.fill(".result-form textarea", "select 'step ' || step as name, start_ns, duration_ns from job_steps");
    await page.click(".result-form button:text-is('Draw')");
    await page.waitForFunction(() => window.rankscopeTimeline.state.result.track.value !== null);
    await ready(page);
    const steps = await page.evaluate(() =>
      window.rankscopeTimeline.state.facts.steps.value.map(({step, start, end}) => [
        `step ${step}`,
        start,
        end - start,
      ]),
    );
    assert(steps.length >= 3);
    assert.deepStrictEqual(
      (await spansOf(page)).map((span) => [span.name, span.start, span.duration]),
      steps,
    );
    // One without an event frames its time.
    await page.locator(`${panel} tbody button`).nth(1).click();
    const {window: seen} = await model(page);
    assert(seen.from < steps[1][1] && seen.to > steps[1][1] + steps[1][2] && seen.to - seen.from < 2.1 * steps[1][2]);
    for (const [sql, words] of [
      ["select rank, total_ns from (select 1 as rank, 2 as total_ns)", "No column says when"],
      ["select null::bigint as ts_ns", "No row has a time"],
      ["select nothing from nowhere", "nowhere"],
    ]) {
      await page.fill(`${panel} textarea`, sql);
      await page.click(`${panel} button:text-is('Draw')`);
      await page.locator(`${panel} [role=alert]`, {hasText: words}).waitFor();
      await ready(page);
      assert((await model(page)).rows.every((one) => one.head !== "result" || sql.startsWith("select null")));
    }
    assert(
      problems.every((problem) => problem.includes("400")),
      problems.join("\n"),
    );
    await close();
  },

  async "many rows are drawn without a long task, and an address of anybody is harmless"({browser, server, run}) {
    const sql = "select name, rank, event, ts_ns, dur_ns from kernels";
    const {page, problems, close} = await open(browser, server, timelineOf(run, sql));
    await ready(page);
    assert((await spansOf(page)).length > 1000);
    assert((await page.locator(`${panel} tbody tr`).count()) === 24);
    await page.goto(
      server.address +
        timelineOf(run, "select '<img src=x onerror=alert(1)>' as name, min(start_ns) as ts_ns from job_steps"),
    );
    await ready(page);
    assert.strictEqual(await page.locator(`${panel} img`).count(), 0);
    assert((await page.locator(`${panel} tbody`).innerText()).includes("<img"));
    assert.deepStrictEqual(problems, []);
    await close();
  },
};

void withRun(cases, "rankscope_result_", jobOfTimelines);
