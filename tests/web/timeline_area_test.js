// What an area of the timeline says: node timeline_area_test.js RANKSCOPE [FOLDER], which gets pictures of it.
"use strict";

const assert = require("assert");
const path = require("path");
const {isAccessible, open, withRun} = require("./pages.js");
const {canvasBox, jobOfTimelines, model, ready, ruler} = require("./timeline_tools.js");

const narrow = {viewport: {width: 390, height: 844}};

// The whole of a rank as an area.
async function wholeOf(page, server, run, rank) {
  const {captures} = await (await fetch(`${server.address}/api/v1/runs/${run}/timeline`)).json();
  const [, , begin, end] = captures.find((one) => one[0] === rank);
  await page.goto(`${server.address}/runs/${run}/timeline?area=${begin - 10}:${end + 10}:${rank}&open=${rank}`);
  await ready(page);
}

const cases = {
  async "total and self time are those of SQL, and rows lead to their events"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await wholeOf(page, server, run, 1);
    const rows = JSON.parse(
      server.run(
        "query",
        job,
        `select e.name, sum(e.dur_ns) as total, sum(e.dur_ns - coalesce(inside.ns, 0)) as self, count(*) as count
         from events e left join (select parent, sum(dur_ns) as ns from events where rank = 1 and parent is not null
           group by parent) inside on inside.parent = e.event
         where e.rank = 1 and e.cat = 'cpu_op' group by e.name order by total desc limit 6`,
        "--format",
        "json",
      ),
    ).rows;
    assert.strictEqual(rows.length, 6);
    const host = page.locator("div[role=region][aria-label^='On hosts']");
    let isDifferent = false;
    for (const [name, total, self, count] of rows) {
      const cells = host.locator(`tr[data-name=${JSON.stringify(name)}] td`);
      if ((await cells.count()) === 0) continue;
      const said = await cells.evaluateAll((all) => all.map((one) => one.dataset.value ?? one.innerText));
      assert.deepStrictEqual([Number(said[2]), Number(said[3]), Number(said[4])], [total, self, count], name);
      isDifferent ||= total !== self;
    }
    assert(isDifferent, "some ops call others");
    // By self time, longest first.
    await host.locator("th button", {hasText: "self"}).click();
    const selfs = await host
      .locator("tbody tr td:nth-child(4)")
      .evaluateAll((all) => all.map((one) => Number(one.dataset.value)));
    assert.deepStrictEqual(
      selfs,
      [...selfs].sort((a, b) => b - a),
    );
    await isAccessible(page, "sums with self time");
    await page.screenshot({path: path.join(pictures, "area.png"), fullPage: true});
    // A row lights its events, and the area stays; "next" goes from one to the other.
    const device = page.locator("div[role=region][aria-label='On devices'] tbody tr").first();
    const name = await device.getAttribute("data-name");
    await device.locator("button").first().click();
    await page.locator("section[aria-label=Events] h2").waitFor();
    assert((await model(page)).area !== null);
    const starts = JSON.parse(
      server.run(
        "query",
        job,
        `select ts_ns, dur_ns from kernels where rank = 1 and name = '${name.replaceAll("'", "''")}' order by ts_ns limit 2`,
        "--format",
        "json",
      ),
    ).rows;
    const places = [];
    for (let i = 0; i < 2; ++i) {
      const before = (await model(page)).chosen;
      await device.locator("button", {hasText: "next"}).click();
      await page.waitForFunction((was) => {
        const now = window.rankscopeTimeline.state.selection.chosen.value;
        return now !== null && now.start !== was;
      }, before?.start ?? null);
      places.push((await model(page)).chosen);
    }
    assert.deepStrictEqual(
      places.map((one) => one.duration),
      starts.map((row) => row[1]),
    );
    assert(Math.abs(places[1].start - places[0].start - (starts[1][0] - starts[0][0])) < 2000, "as far apart");
    assert((await model(page)).area !== null, "the area stays");
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "the flame graph of an area has the calls of its threads"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await wholeOf(page, server, run, 1);
    const flames = page.locator(".area-flames");
    await flames.locator("[data-frames]").waitFor();
    const [[total]] = JSON.parse(
      server.run(
        "query",
        job,
        `select sum(dur_ns) from events where rank = 1 and parent is null
         and cat in ('cpu_op', 'user_annotation', 'python_function', 'cuda_runtime', 'cuda_driver', 'runtime')`,
        "--format",
        "json",
      ),
    ).rows;
    const calls = await page.evaluate(() => window.rankscopeTimeline.state.calls.found.value);
    const outermost = calls.frames.filter((one) => one.parent === null);
    assert.strictEqual(
      outermost.reduce((sum, one) => sum + one.total_ns, 0),
      total,
    );
    // What is not a frame's own is that of the frames in it.
    calls.frames.forEach((frame, i) => {
      const inside = calls.frames.filter((one) => one.parent === i).reduce((sum, one) => sum + one.total_ns, 0);
      if (frame.name !== "") assert.strictEqual(frame.self_ns + inside, frame.total_ns, frame.name);
    });
    // One thread alone has its own calls.
    const [thread] = calls.threads;
    await flames.locator("select").selectOption(thread.name);
    await ready(page);
    const own = await page.evaluate(() => window.rankscopeTimeline.state.calls.found.value);
    assert.strictEqual(
      own.frames.filter((one) => one.parent === null).reduce((sum, one) => sum + one.total_ns, 0),
      thread.total_ns,
    );
    await flames.scrollIntoViewIfNeeded();
    await flames.screenshot({path: path.join(pictures, "area-flames.png")});
    // By keyboard: the heaviest, and into it.
    await flames.locator(".flames").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    assert.notStrictEqual(await flames.locator("[data-zoom]").getAttribute("data-zoom"), "0");
    await isAccessible(page, "the flame graph of an area");
    assert.deepStrictEqual(problems, []);
    await close();
    const small = await open(browser, server, `/runs/${run}/timeline`, {...narrow, colorScheme: "dark"});
    await wholeOf(small.page, server, run, 1);
    await small.page.locator(".area-flames [data-frames]").waitFor();
    await ready(small.page);
    assert.strictEqual(await small.page.evaluate(() => document.documentElement.scrollWidth), 390);
    await small.page.screenshot({path: path.join(pictures, "area-narrow.png"), fullPage: true});
    await isAccessible(small.page, "a narrow, dark area");
    await small.close();
  },

  async "marks stay, are numbered, and have areas between them"({browser, server, run, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    const box = await canvasBox(page);
    const canvas = page.locator("canvas.timeline-canvas");
    for (const x of [700, 400, 900]) {
      await page.mouse.move(box.x + x, box.y + 60);
      await canvas.press("m");
    }
    const times = await page.evaluate(() => [...window.rankscopeTimeline.state.marks.times.value]);
    const {window: seen, width} = await model(page);
    const at = (x) => seen.from + ((x - 190) / (width - 190)) * (seen.to - seen.from);
    [400, 700, 900].forEach((x, i) => assert(Math.abs(times[i] - at(x)) < 2, `${times[i]} ${at(x)}`));
    assert(page.url().includes(`marks=${times.join(",")}`), page.url());
    const panel = page.locator("section[aria-label=Marks]");
    assert((await panel.locator("h2").innerText()).startsWith("3 marks; "));
    const gap = panel.locator("tr[data-mark='3'] td").nth(2);
    assert.strictEqual(Number(await gap.getAttribute("data-value")), times[2] - times[1]);
    await isAccessible(page, "marks");
    await page.screenshot({path: path.join(pictures, "marks.png")});
    // The area between the two that the pointer is between; by a button, too.
    await page.mouse.move(box.x + 500, box.y + 60);
    await canvas.press("Shift+M");
    assert.deepStrictEqual((await model(page)).area, {from: times[0], to: times[1], ranks: [0, 1, 2, 3]});
    await panel.locator("button[aria-label='Add up from mark 2 to 3']").click();
    assert.deepStrictEqual((await model(page)).area, {from: times[1], to: times[2], ranks: [0, 1, 2, 3]});
    // The address has them; a number leads to a mark that is not in the window; Back brings back what was removed.
    await page.goto(`${server.address}/runs/${run}/timeline?marks=x,${times[2]},${times[0]}&from=0&to=2000000`);
    await ready(page);
    assert.deepStrictEqual(await page.evaluate(() => [...window.rankscopeTimeline.state.marks.times.value]), [
      times[0],
      times[2],
    ]);
    await panel.locator("button[aria-label='Go to mark 2']").click();
    const there = (await model(page)).window;
    assert(there.from < times[2] && there.to > times[2]);
    await panel.locator("button[aria-label='Remove mark 1']").click();
    assert.strictEqual(await panel.locator("tr[data-mark]").count(), 1);
    await page.goBack();
    await page.waitForFunction(() => window.rankscopeTimeline.state.marks.times.value.length === 2);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "a note on an area is a span on the time axis, which leads there"({browser, server, run, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline?area=20000000:50000000:0-3`);
    await ready(page);
    await page.fill("section[aria-label=Note] input", "warm up <i>here</i>");
    await page.click("section[aria-label=Note] button");
    await page.waitForFunction(() => window.rankscopeTimeline.state.notes.all.value.length === 1);
    const [note] = (await (await fetch(`${server.address}/api/v1/runs/${run}/notes`)).json()).notes;
    assert.deepStrictEqual([note.rank, note.time_ns, note.end_ns], [null, 20_000_000, 50_000_000]);
    await page.locator("canvas.timeline-canvas").press("Escape");
    await ready(page);
    // The flag stands at its time.
    const box = await canvasBox(page);
    const {window: seen, width} = await model(page);
    const x = 190 + ((35_000_000 - seen.from) / (seen.to - seen.from)) * (width - 190);
    await page.mouse.move(box.x + x, box.y + 2);
    assert((await page.locator(".timeline-hover").innerText()).startsWith("warm up <i>here</i>"));
    await page.screenshot({path: path.join(pictures, "note-span.png")});
    await page.mouse.click(box.x + x, box.y + 2);
    const near = (await model(page)).window;
    assert(near.from < 20_000_000 && near.to > 50_000_000 && near.to - near.from < 50_000_000);
    // And in a list, from which it is removed.
    const list = page.locator("details.notes-here");
    await list.locator("summary").click();
    assert((await list.locator("li").innerText()).includes("30.0 ms from 20.0 ms"), await list.innerText());
    await isAccessible(page, "notes");
    await list.locator("button", {hasText: "remove"}).click();
    await list.waitFor({state: "detached"});
    assert.deepStrictEqual(problems, []);
    await close();
  },
};

void withRun(cases, "rankscope_area_", jobOfTimelines);
