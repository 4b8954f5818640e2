// Rows of the timeline as people arrange them: node timeline_rows_test.js RANKSCOPE [FOLDER], which gets pictures of it.
"use strict";

const assert = require("assert");
const path = require("path");
const {isAccessible, open, withRun} = require("./pages.js");
const {canvasBox, jobOfTimelines, model, ready, ruler} = require("./timeline_tools.js");

const labels = async (page) => (await model(page)).rows.map((row) => row.label);
const ranks = async (page) =>
  (await model(page)).rows.filter((row) => row.track === null && !row.isPinned).map((row) => row.rank);

const cases = {
  async "keys work wherever one does not type"({browser, server, run}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    const width = async () => {
      const {window} = await model(page);
      return window.to - window.from;
    };
    const focus = () => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
    // Fresh: nothing has the focus.
    const whole = await width();
    await page.keyboard.press("w");
    assert((await width()) < whole, "w zooms");
    await page.keyboard.press("?");
    assert(await page.locator("#timeline-keys").evaluate((node) => node.open), "? shows the keys");
    await page.keyboard.press("?");
    // A box that was ticked keeps the focus, and its own key.
    const box = page.locator("label", {hasText: "critical path"}).locator("input");
    await box.click();
    const before = await width();
    await page.keyboard.press("s");
    assert((await width()) > before, "s zooms out");
    await page.keyboard.press(" ");
    assert.strictEqual(await box.isChecked(), false);
    // In a field a letter is a letter.
    await page.keyboard.press("/");
    assert.strictEqual(await focus(), "timeline-search");
    const now = await width();
    await page.keyboard.type("w?");
    assert.strictEqual(await page.inputValue("#timeline-search"), "w?");
    assert.strictEqual(await width(), now);
    assert(!(await page.locator("#timeline-keys").evaluate((node) => node.open)), "? is typed");
    // Who wants it has them in the picture alone, also after the page was loaded anew.
    await page.locator("#timeline-keys summary").click();
    await page.uncheck("#timeline-keys-everywhere");
    for (const round of ["at once", "kept"]) {
      await page.evaluate(() => document.activeElement.blur());
      const still = await width();
      await page.keyboard.press("w");
      assert.strictEqual(await width(), still, `w does nothing elsewhere, ${round}`);
      await page.locator("canvas.timeline-canvas").press("w");
      assert((await width()) < still, `w zooms in the picture, ${round}`);
      await page.reload();
      await ready(page);
    }
    assert.deepStrictEqual(problems, []);
    await close();
  },

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
      window.rankscopeTimeline.state.viewport.wantedScroll.value = 200;
    });
    await ready(page);
    const seen = await page.evaluate(() => {
      const {state} = window.rankscopeTimeline;
      const row = state.rows.visible.value.find((one) => one.isPinned);
      return [row.top - state.viewport.scroll.value, state.viewport.scroll.value];
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
    await page.waitForFunction(() => window.rankscopeTimeline.state.ranks.all.value.length === 3);
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
      const {from, to} = state.viewport.window.value;
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

  async "colours say a class, a name or an op; Python frames have one a file"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline?open=1`);
    await ready(page);
    const [first] = await page.evaluate(() => window.rankscopeTimeline.state.facts.steps.value);
    await page.goto(`${server.address}/runs/${run}/timeline?open=1&from=${first.start}&to=${first.end}`);
    await ready(page);
    // [event, name, role, colour] of single events.
    const coloured = () =>
      page.evaluate(() => {
        const {state} = window.rankscopeTimeline;
        const spans = state.store.spansOf(1);
        const of = state.colours.colourOf;
        return Array.from(spans.track, (track, i) => [
          spans.event[i],
          spans.names[spans.name[i]],
          spans.tracks[track].role,
          of === null ? null : of(spans, i, track),
        ]);
      });
    assert((await coloured()).every(([, , , colour]) => colour === null));
    await page.selectOption("#timeline-colour", "name");
    await ready(page);
    assert(page.url().includes("colour=name"), page.url());
    const byKey = new Map();
    const files = new Set();
    for (const [, name, , colour] of await coloured()) {
      const key = /^(.*?)\(\d+\): /.exec(name)?.[1] ?? name;
      if (key !== name) files.add(key);
      assert.strictEqual(byKey.get(key) ?? colour, colour, key);
      byKey.set(key, colour);
    }
    assert(files.size > 1 && new Set(byKey.values()).size > 4);
    await page.screenshot({path: path.join(pictures, "colour-name.png")});
    await page.selectOption("#timeline-colour", "op");
    await ready(page);
    const ops = new Map(
      JSON.parse(
        server.run("query", job, "select event, op from kernels where rank = 1 and op is not null", "--format", "json"),
      ).rows,
    );
    const colours = new Map();
    let count = 0;
    for (const [event, , role, colour] of await coloured()) {
      if (role !== "stream" || !ops.has(event)) continue;
      ++count;
      assert.strictEqual(colours.get(ops.get(event)) ?? colour, colour);
      colours.set(ops.get(event), colour);
    }
    assert(count > 20 && new Set(colours.values()).size > 2, `${count} ${[...colours]}`);
    await isAccessible(page, "colours by op");
    await page.screenshot({path: path.join(pictures, "colour-op.png")});
    assert.deepStrictEqual(problems, []);
    await close();
    const dark = await open(browser, server, `/runs/${run}/timeline?open=1&colour=name`, {colorScheme: "dark"});
    await ready(dark.page);
    await dark.page.screenshot({path: path.join(pictures, "colour-dark.png")});
    await dark.close();
  },

  async "arrows lead from the forward op to its backward op, both ways"({browser, server, run, job, pictures}) {
    const number = `regexp_extract(args, '"Sequence number": ?"?(-?[0-9]+)', 1)`;
    const thread = `regexp_extract(args, '"Fwd thread id": ?"?([0-9]+)', 1)`;
    const [[backward, forward]] = JSON.parse(
      server.run(
        "query",
        job,
        `select b.event, f.event from events b join events f on f.rank = b.rank
         where b.rank = 1 and b.cat = 'cpu_op' and f.cat = 'cpu_op' and ${number.replace("args", "b.args")} != ''
           and ${number.replace("args", "b.args")} = ${number.replace("args", "f.args")}
           and ${thread.replace("args", "b.args")} not in ('', '0') and ${thread.replace("args", "f.args")} in ('', '0')
         order by b.ts_ns, b.event, f.event limit 1`,
        "--format",
        "json",
      ),
    ).rows;
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline?open=1`);
    await ready(page);
    const choose = async (event) => {
      await page.evaluate((one) => window.rankscopeTimeline.state.guide.toEvent(1, one), event);
      await page.waitForFunction((one) => window.rankscopeTimeline.state.lookup.details.value?.event === one, event);
    };
    const arrows = () =>
      page.evaluate(() =>
        window.rankscopeTimeline.state.lookup.arrows.value.map(({from, to}) => [
          from.event,
          to.event,
          from.start,
          to.start,
        ]),
      );
    await choose(backward);
    await page.waitForFunction(() => window.rankscopeTimeline.state.lookup.forward.value !== null);
    const [there] = await arrows();
    assert.deepStrictEqual(there.slice(0, 2), [forward, backward]);
    assert(there[2] < there[3], "forward comes first");
    await page.evaluate(([from, to]) => {
      const {state} = window.rankscopeTimeline;
      state.viewport.window.value = {from: from - (to - from) * 0.2, to: to + (to - from) * 0.2};
    }, there.slice(2));
    await ready(page);
    await page.screenshot({path: path.join(pictures, "forward-backward.png")});
    await choose(forward);
    await page.locator("[data-way=backward]").waitFor();
    assert.deepStrictEqual((await arrows())[0].slice(0, 2), [forward, backward]);
    // By keyboard along it.
    await page.locator("canvas.timeline-canvas").press("[");
    await page.waitForFunction((one) => window.rankscopeTimeline.state.lookup.details.value?.event === one, backward);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "commands by keyboard: pages, ranks, findings, what to do"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    await page.keyboard.press("Control+k");
    const box = page.locator("[role=combobox]");
    await box.waitFor();
    assert(await box.evaluate((one) => one === document.activeElement), "the text has the focus");
    const all = await page.locator("[role=option]").allInnerTexts();
    const [finding] = JSON.parse(server.run("analyze", job, "--format", "json")).findings;
    for (const wanted of ["Zoom in", "Show the critical path", "Colour by op", "Open rank 3", "SQL over this run"])
      assert(
        all.some((one) => one.startsWith(wanted)),
        wanted,
      );
    assert(
      all.some((one) => one.toLowerCase() === `finding: ${finding.title.toLowerCase()}`),
      all.join("; "),
    );
    await isAccessible(page, "the palette");
    await page.screenshot({path: path.join(pictures, "palette.png")});
    // Words in any order; the arrow keys move what is active, and say so.
    await page.keyboard.type("rank 3");
    await page.waitForFunction(() => document.querySelectorAll("[role=option]").length === 2);
    const active = () =>
      box.evaluate((one) => document.getElementById(one.getAttribute("aria-activedescendant")).innerText);
    assert.strictEqual(await active(), "Open rank 3");
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => document.querySelector("[aria-selected=true]").innerText === "Page of rank 3");
    assert.strictEqual(await active(), "Page of rank 3");
    await page.keyboard.press("ArrowUp");
    await page.waitForFunction(() => document.querySelector("[aria-selected=true]").innerText === "Open rank 3");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => window.rankscopeTimeline.state.ranks.open.value.includes(3));
    // From the picture by a colon; Escape gives the focus back.
    const canvas = page.locator("canvas.timeline-canvas");
    await canvas.press(":");
    await box.waitFor();
    await page.keyboard.press("Escape");
    await box.waitFor({state: "detached"});
    await page.waitForFunction(() => document.activeElement.tagName === "CANVAS");
    await canvas.press(":");
    await box.waitFor();
    await page.keyboard.type("report of");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/runs/${run}`);
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    // The report has it, too.
    await page.keyboard.press("Control+k");
    await box.waitFor();
    await page.keyboard.type("timeline");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/runs/${run}/timeline`);
    assert.deepStrictEqual(problems, []);
    await close();
    const small = await open(browser, server, `/runs/${run}/timeline`, {
      viewport: {width: 390, height: 844},
      colorScheme: "dark",
    });
    await ready(small.page);
    await small.page.click(".palette-button");
    await small.page.locator("[role=combobox]").waitFor();
    assert.strictEqual(await small.page.evaluate(() => document.documentElement.scrollWidth), 390);
    await isAccessible(small.page, "the palette on a phone");
    await small.page.screenshot({path: path.join(pictures, "palette-narrow.png")});
    await small.close();
  },

  async "details stand beside the picture, and below it on a phone"({browser, server, run, pictures}) {
    const places = (page) =>
      page.evaluate(() =>
        [".timeline-scroll", ".timeline-panels"].map((one) => {
          const box = document.querySelector(one).getBoundingClientRect();
          return {left: box.left, right: box.right, top: box.top, bottom: box.bottom};
        }),
      );
    const address = `/runs/${run}/timeline?area=20000000:50000000:0-3&open=1`;
    const wide = await open(browser, server, address, {colorScheme: "dark"});
    await ready(wide.page);
    await wide.page.locator("section[aria-label=Area] table").first().waitFor();
    const [picture, panels] = await places(wide.page);
    assert(panels.left >= picture.right && Math.abs(panels.top - picture.top) < 4, JSON.stringify([picture, panels]));
    assert(panels.bottom <= 900 + 2 + (await wide.page.evaluate(() => scrollY)) + 100);
    await isAccessible(wide.page, "details beside the picture");
    await wide.page.screenshot({path: path.join(pictures, "docked.png")});
    await wide.close();
    const narrow = await open(browser, server, address, {viewport: {width: 390, height: 844}});
    await ready(narrow.page);
    const [above, below] = await places(narrow.page);
    assert(below.top >= above.bottom);
    await narrow.close();
  },
};

void withRun(cases, "rankscope_rows_", jobOfTimelines);
