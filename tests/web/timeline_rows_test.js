// Rows of the timeline as people arrange them: node timeline_rows_test.js RANKSCOPE [FOLDER], which gets pictures of it.
"use strict";

const assert = require("assert");
const path = require("path");
const {isAccessible, open, withRun} = require("./pages.js");
const {canvasBox, model, ready, ruler} = require("./timeline_tools.js");

const labels = async (page) => (await model(page)).rows.map((row) => row.label);
const ranks = async (page) =>
  (await model(page)).rows.filter((row) => row.track === null && !row.isPinned).map((row) => row.rank);

const cases = {
  async "rows are pinned, hidden and moved, by keyboard and by menu"({browser, server, run, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline?open=1`);
    await ready(page);
    const canvas = page.locator("canvas.timeline-canvas");
    assert.deepStrictEqual(await ranks(page), [0, 1, 2, 3]);
    // By keyboard: rank 0 goes down by one, and is hidden.
    await canvas.press("ArrowDown");
    await canvas.press("Shift+ArrowDown");
    assert.deepStrictEqual(await ranks(page), [1, 0, 2, 3]);
    await canvas.press("h");
    assert.deepStrictEqual(await ranks(page), [1, 2, 3]);
    await ready(page);
    // By menu: a stream of rank 1 is pinned.
    await page.evaluate(() => {
      document.querySelector(".timeline-scroll").scrollTop = 0;
    });
    await ready(page);
    const box = await canvasBox(page);
    const stream = (await model(page)).rows.find((row) => row.label.includes("stream"));
    await page.mouse.click(box.x + 60, box.y + ruler + stream.top + 8, {button: "right"});
    const menu = page.locator("[role=menu]");
    assert.deepStrictEqual(
      (await menu.locator("[role=menuitem]").allInnerTexts()).map((one) => one.split(/[ \n]/)[0]),
      ["Pin", "Hide", "Move", "Move"],
    );
    await isAccessible(page, "the menu of a row");
    await page.screenshot({path: path.join(pictures, "row-menu.png")});
    await page.keyboard.press("Enter");
    await ready(page);
    const pinned = (await model(page)).rows[0];
    assert.deepStrictEqual([pinned.isPinned, pinned.rank, pinned.track], [true, 1, stream.track]);
    assert(await page.evaluate(() => document.activeElement.tagName === "CANVAS"), "the picture has the focus again");
    // What is pinned stays in the picture, and can be clicked, wherever the others are scrolled to.
    await page.evaluate(() => {
      window.rankscopeTimeline.state.wantedScroll.value = 200;
    });
    await ready(page);
    const seen = await page.evaluate(() => {
      const {state} = window.rankscopeTimeline;
      const row = state.visible.value.find((one) => one.isPinned);
      return [row.top - state.scroll.value, state.scroll.value];
    });
    assert.strictEqual(seen[0], 0);
    await page.screenshot({path: path.join(pictures, "pinned.png")});
    await page.mouse.click(box.x + 60, box.y + ruler + 6, {button: "right"});
    assert((await menu.innerText()).startsWith("Unpin"));
    await page.keyboard.press("Escape");
    await menu.waitFor({state: "detached"});
    // The address has all of it; closed, the rank's pinned stream is still there.
    assert(/pin=1\/stream:[^&]*stream/.test(decodeURIComponent(page.url())), page.url());
    await page.goto(page.url().replace("open=1&", ""));
    await ready(page);
    const [first] = await labels(page);
    assert(first.includes("1: ") && first.includes("stream"), first);
    assert.deepStrictEqual(await ranks(page), [1, 2, 3]);
    await page.click("button:text-is('Show 1 hidden row')");
    await ready(page);
    assert.deepStrictEqual(await ranks(page), [1, 0, 2, 3]);
    await page.goBack();
    await page.waitForFunction(() => window.rankscopeTimeline.state.ranks.value.length === 3);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "rows without events in the window are one row"({browser, server, run, pictures}) {
    // Before the first event of any thread nothing is in any row but what spans all.
    const {captures} = await (await fetch(`${server.address}/api/v1/runs/${run}/timeline`)).json();
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline?open=1`);
    await ready(page);
    const all = (await model(page)).rows;
    const begin = captures.find((one) => one[0] === 1)[2];
    await page.goto(`${server.address}/runs/${run}/timeline?open=1&from=${begin + 10}&to=${begin + 60010}`);
    await ready(page);
    const now = (await model(page)).rows;
    const tracks = (rows) => rows.filter((row) => row.track !== null && row.track >= 0);
    const told = now.find((row) => row.head === "empty");
    const hidden = tracks(all).length - tracks(now).length;
    assert(hidden > 0, "some are empty");
    assert(told.label.endsWith(hidden === 1 ? "1 empty row" : `${hidden} empty rows`), told.label);
    // What is left has events there.
    const busy = await page.evaluate(() => {
      const {state} = window.rankscopeTimeline;
      const spans = state.store.spansOf(1);
      const {from, to} = state.window.value;
      return spans.tracks.map((_, track) => {
        for (let i = spans.first[track]; i < spans.first[track + 1]; ++i)
          if (spans.start[i] <= to && spans.start[i] + spans.duration[i] >= from) return true;
        return false;
      });
    });
    assert.deepStrictEqual(
      tracks(now)
        .map((row) => row.track)
        .sort(),
      busy.flatMap((one, i) => (one ? [i] : [])).sort(),
    );
    await page.screenshot({path: path.join(pictures, "empty-rows.png")});
    const box = await canvasBox(page);
    await page.mouse.click(box.x + 60, box.y + ruler + told.top + 8);
    await ready(page);
    assert.strictEqual(tracks((await model(page)).rows).length, tracks(all).length);
    assert(page.url().includes("empty=1"), page.url());
    // By keyboard, too: the row of the cursor folds them again.
    const canvas = page.locator("canvas.timeline-canvas");
    const place = (await model(page)).rows.findIndex((row) => row.head === "empty");
    for (let i = 0; i <= place; ++i) await canvas.press("ArrowDown");
    await canvas.press("Enter");
    await ready(page);
    assert.strictEqual(tracks((await model(page)).rows).length, tracks(now).length);
    assert.deepStrictEqual(problems, []);
    await close();
  },
};

void withRun(cases, "rankscope_rows_", [
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
  "--clock-offset-us",
  "300",
  "--stacks",
]);
