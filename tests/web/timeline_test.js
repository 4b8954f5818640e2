// The timeline in a real browser: node timeline_test.js RANKSCOPE [FOLDER], which gets pictures of it.
"use strict";

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const {isAccessible, open, withRun} = require("./pages.js");
const {canvasBox, eventOf, jobOfTimelines, model, ready, ruler} = require("./timeline_tools.js");

const isFlat = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector("canvas.timeline-canvas");
    const data = canvas.getContext("2d").getImageData(200, 30, canvas.width - 210, 60).data;
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return colours.size < 4;
  });

const cases = {
  async "all ranks, and who makes the others wait"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}`);
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    await page.click("header a:text-is('Timeline')");
    await ready(page);
    const now = await model(page);
    assert.deepStrictEqual(now.ranks, [0, 1, 2, 3]);
    assert.strictEqual(now.rows.length, 4);
    assert.strictEqual(await isFlat(page), false);
    const title = await page.locator("h1").innerText();
    const finding = JSON.parse(server.run("analyze", job, "--format", "json")).findings[0];
    assert.deepStrictEqual(finding.ranks, [2]);
    assert.strictEqual(title.toLowerCase(), finding.title.toLowerCase());
    await isAccessible(page, "the timeline");
    await page.screenshot({path: path.join(pictures, "timeline.png")});
    await page.click("button:text-is('Show rank 2')");
    assert.deepStrictEqual((await model(page)).open, [2]);
    // The order by waiting has the culprit first.
    await page.selectOption("select", "waiting");
    await ready(page);
    assert.strictEqual((await model(page)).ranks[0], 2);
    assert.deepStrictEqual(await page.locator("select >> nth=0").locator("option").allInnerTexts(), [
      "rank",
      "who waits least",
      "who computes most",
      "who idles most",
      "data-parallel rank",
    ]);
    assert(page.url().includes("order=waiting"), page.url());
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "an area adds up to what SQL says"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    await page.click("#timeline-more > summary");
    await page.fill("input[name=from]", "-100");
    await page.fill("input[name=to]", "1000000");
    await page.click("button:text-is('Add up')");
    await page.locator("tr[data-name]").first().waitFor();
    const rows = JSON.parse(
      server.run(
        "query",
        job,
        "select name, count(*) as count, sum(dur_ns) as total from kernels group by name order by total desc limit 5",
        "--format",
        "json",
      ),
    ).rows;
    assert.strictEqual(rows.length, 5);
    for (const [name, count, total] of rows) {
      const cells = page.locator(`tr[data-name=${JSON.stringify(name)}] td`);
      assert.strictEqual(Number(await cells.nth(2).getAttribute("data-value")), Number(total), name);
      assert.strictEqual(Number(await cells.nth(3).innerText()), count, name);
    }
    // The parts of all devices' time add up to the devices' recordings.
    const parts = await page.evaluate(() =>
      Object.values(window.rankscopeTimeline.state.area.sums.value.parts).reduce((sum, one) => sum + one, 0),
    );
    const utilisation = JSON.parse(server.run("table", "utilisation", job, "--format", "json"));
    const column = utilisation.columns.findIndex(({name}) => name === "duration_ns");
    assert.strictEqual(
      parts,
      utilisation.rows.reduce((sum, one) => sum + one[column], 0),
    );
    // The same with the mouse: some of the time of two ranks.
    const box = await canvasBox(page);
    const {window, width} = await model(page);
    await page.mouse.move(box.x + 400, box.y + ruler + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 600, box.y + ruler + 30, {steps: 3});
    await page.mouse.up();
    await page.locator("section[aria-label=Area] h2", {hasText: "2 ranks"}).waitFor();
    await page.locator("tr[data-name]").first().waitFor();
    const {area} = await model(page);
    assert.deepStrictEqual(area.ranks, [0, 1]);
    const perPixel = (window.to - window.from) / (width - 190);
    assert(Math.abs(area.to - area.from - 200 * perPixel) < 3 * perPixel);
    await isAccessible(page, "the timeline with an area");
    await page.screenshot({path: path.join(pictures, "timeline-area.png"), fullPage: true});
    await page.locator("canvas.timeline-canvas").press("Escape");
    assert.strictEqual((await model(page)).area, null);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "from the job to a kernel, its launch and its arguments, and back by a link"({
    browser,
    server,
    run,
    job,
    pictures,
  }) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    const box = await canvasBox(page);
    await page.mouse.click(box.x + 40, box.y + ruler + 5); // the label of rank 0
    await ready(page);
    assert.deepStrictEqual((await model(page)).open, [0]);
    assert((await model(page)).rows.length > 4);
    // Closer by keyboard, around the middle.
    await page.mouse.move(box.x + 700, box.y + ruler + 60);
    for (let i = 0; i < 10; ++i) await page.locator("canvas.timeline-canvas").press("w");
    await ready(page);
    const close1 = await model(page);
    assert(close1.window.to - close1.window.from < (close1.whole.to - close1.whole.from) / 50);
    const [x, y, event] = await eventOf(page, 0, "");
    await page.mouse.click(box.x + x, box.y + y);
    const panel = page.locator("section[aria-label=Event]");
    await panel.locator("th:text-is('correlation')").waitFor();
    const told = JSON.parse(
      server.run(
        "query",
        job,
        `select name, dur_ns, correlation from events where rank = 0 and event = ${event.event}`,
        "--format",
        "json",
      ),
    ).rows[0];
    assert.strictEqual(await panel.locator("h2").innerText(), told[0]);
    assert.strictEqual(event.duration, told[1]);
    assert.strictEqual(
      await panel
        .locator("tr", {has: page.locator("th:text-is('correlation')")})
        .locator("td")
        .innerText(),
      String(told[2]),
    );
    // Where in the program it was launched.
    await page.locator("details.stack summary").click();
    const stack = await page.locator("details.stack li").allInnerTexts();
    assert(stack.length > 1 && /cuda(Launch|Memcpy|Memset)/.test(stack.at(-1)), stack.join(" > "));
    await page.screenshot({path: path.join(pictures, "timeline-event.png"), fullPage: true});
    // The address is all that another reader needs.
    assert(page.url().includes(`event=0:${event.start}:${event.duration}`), page.url());
    const other = await open(browser, server, new URL(page.url()).pathname + new URL(page.url()).search);
    await ready(other.page);
    await other.page.locator("section[aria-label=Event] th:text-is('correlation')").waitFor();
    const there = await model(other.page);
    assert.strictEqual(there.chosen.start, event.start);
    assert(Math.abs(there.window.from - close1.window.from) <= 1);
    // Back undoes what was selected.
    await other.close();
    await page.goBack();
    await page.waitForFunction(() => window.rankscopeTimeline.state.selection.chosen.value === null);
    assert.deepStrictEqual((await model(page)).open, [0]);
    await page.goForward();
    await page.waitForFunction(() => window.rankscopeTimeline.state.selection.chosen.value !== null);
    // F fits the event, Home shows all.
    await page.locator("canvas.timeline-canvas").press("f");
    const fitted = (await model(page)).window;
    assert(
      fitted.from <= event.start &&
        fitted.to >= event.start + event.duration &&
        fitted.to - fitted.from < 2 * event.duration + 1000,
    );
    await page.locator("canvas.timeline-canvas").press("Home");
    assert.deepStrictEqual((await model(page)).window, (await model(page)).whole);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "who came when to a collective, and the critical path through the ranks"({
    browser,
    server,
    run,
    job,
    pictures,
  }) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    await page.check("label:has-text('critical path') input");
    await ready(page);
    assert(page.url().includes("path=1"), page.url());
    const heading = await page.locator("section[aria-label='Critical path'] h2").innerText();
    assert(heading.startsWith("The critical path is on rank 2 for "), heading);
    // Joined stretches sum to all of them, which is what the command line has.
    const pieces = JSON.parse(server.run("table", "path_pieces", job, "--format", "json"));
    const column = (table, name) => table.columns.findIndex((one) => one.name === name);
    const whole = pieces.rows.reduce((sum, row) => sum + row[column(pieces, "duration_ns")], 0);
    assert(whole > 0);
    assert.strictEqual(
      await page.evaluate(() =>
        window.rankscopeTimeline.state.links.path.value.value.pieces.reduce((sum, one) => sum + one.duration_ns, 0),
      ),
      whole,
    );
    await page.check("label:has-text('collectives') input");
    await ready(page);
    await page.screenshot({path: path.join(pictures, "links.png")});
    await page.click("#timeline-more > summary");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("button:text-is('Picture')")]);
    assert(
      fs
        .readFileSync(await saved.path())
        .subarray(1, 4)
        .toString() === "PNG",
    );
    // One step close by, in which a kernel of the late rank is chosen.
    const {start, end} = await page.evaluate(() => window.rankscopeTimeline.state.facts.steps.value[1]);
    await page.goto(`${server.address}/runs/${run}/timeline?open=2&from=${start}&to=${end}`);
    await ready(page);
    const [x, y, event] = await eventOf(page, 2, "nccl");
    const box = await canvasBox(page);
    await page.mouse.click(box.x + x, box.y + y);
    await page.locator("section[aria-label=Collective]").waitFor();
    const members = JSON.parse(server.run("table", "collective_members", job, "--format", "json"));
    const of = (row, name) => row[column(members, name)];
    const own = members.rows.find((row) => of(row, "rank") === 2 && of(row, "event") === event.event);
    const others = members.rows.filter((row) => of(row, "collective") === of(own, "collective"));
    assert.strictEqual(others.length, 4);
    for (const row of others) {
      const cells = page.locator(`section[aria-label=Collective] tr[data-rank='${of(row, "rank")}'] td`);
      assert.strictEqual(Number(await cells.nth(2).getAttribute("data-value")), of(row, "wait_ns"));
      assert.strictEqual(Number(await cells.nth(3).getAttribute("data-value")), of(row, "duration_ns"));
    }
    const last = others.find((row) => of(row, "is_last"));
    const said = await page.locator("section[aria-label=Collective] h2").innerText();
    assert(said.includes(last ? `rank ${of(last, "rank")} came last` : "do not tell"), said);
    await isAccessible(page, "a collective");
    await page.screenshot({path: path.join(pictures, "collective.png")});
    await page.locator("canvas.timeline-canvas").press("Escape");
    await page.locator("section[aria-label=Collective]").waitFor({state: "detached"});
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "a note at an event, seen in the picture and on the run's page, and removed"({browser, server, run, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline?open=2`);
    await ready(page);
    const [x, y] = await eventOf(page, 2, "nccl");
    const box = await canvasBox(page);
    await page.mouse.click(box.x + x, box.y + y);
    await page.locator("section[aria-label=Note]").waitFor();
    const {chosen} = await model(page);
    await page.fill("section[aria-label=Note] input", "why so <b>long</b>?");
    await page.click("section[aria-label=Note] button");
    await page.waitForFunction(() => window.rankscopeTimeline.state.notes.all.value.length === 1);
    const [note] = (await (await fetch(`${server.address}/api/v1/runs/${run}/notes`)).json()).notes;
    assert.deepStrictEqual([note.text, note.rank, note.time_ns], ["why so <b>long</b>?", 2, chosen.start]);
    await page.screenshot({path: path.join(pictures, "note.png")});
    await page.goto(`${server.address}/runs/${run}#notes`);
    await page.locator("#notes li[data-note]").waitFor();
    assert((await page.locator("#notes li .text").innerText()) === "why so <b>long</b>?");
    assert((await page.locator("#notes li a").getAttribute("href")).includes("open=2"));
    await page.fill("#notes input[name=text]", "of all of it");
    await page.click("#notes button:text-is('Add')");
    await page.waitForFunction(() => document.querySelectorAll("#notes li[data-note]").length === 2);
    for (const left of [1, 0]) {
      await page.locator("#notes li button").first().click();
      await page.waitForFunction((count) => document.querySelectorAll("#notes li[data-note]").length === count, left);
    }
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "a finding, from its card to its ranks and steps"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}`);
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    const told = JSON.parse(server.run("analyze", job, "--format", "json")).findings[0];
    assert.deepStrictEqual(told.ranks, [2]);
    await page.locator("#finding-1 a.to-timeline").click();
    await ready(page);
    assert(page.url().includes(`finding=${told.id}`), page.url());
    const panel = page.locator("section[aria-label=Finding]");
    assert((await panel.locator("h2").innerText()).toLowerCase() === told.title.toLowerCase());
    const marks = await page.evaluate(() => ({
      ranks: window.rankscopeTimeline.state.findings.chosen.value.finding.ranks,
      steps: window.rankscopeTimeline.state.findings.chosen.value.finding.steps,
    }));
    assert.deepStrictEqual(marks, {ranks: told.ranks, steps: told.steps.length === 0 ? [] : told.steps});
    // Its rank stands first, high enough for its label, and the window is the first of its steps.
    const now = await model(page);
    assert.deepStrictEqual(now.ranks, [2, 0, 1, 3]);
    assert(now.rows[0].height >= 18 && now.rows[0].label.startsWith("rank 2"), JSON.stringify(now.rows[0]));
    const steps = JSON.parse(server.run("table", "job_steps", job, "--format", "json"));
    const place = (name) => steps.columns.findIndex((column) => column.name === name);
    const first = steps.rows.find((row) => told.steps.length === 0 || told.steps.includes(row[place("step")]));
    const [begin, length] = [first[place("start_ns")], first[place("duration_ns")]];
    assert(now.window.from < begin && now.window.to > begin + length, "the step is seen");
    assert(now.window.to - now.window.from < 1.4 * length, "and hardly more");
    await page.screenshot({path: path.join(pictures, "timeline-finding.png")});
    await isAccessible(page, "the timeline with a finding");
    await panel.locator("button", {hasText: "Open rank 2"}).click();
    await ready(page);
    assert.deepStrictEqual((await model(page)).open, [2]);
    await page.locator("canvas.timeline-canvas").press("Escape");
    await panel.waitFor({state: "detached"});
    await page.selectOption("select:has(option:text-is('none'))", told.id);
    await panel.waitFor();
    // Its card has a place to come back to.
    await panel.locator("a").click();
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    assert(page.url().endsWith("#finding-1"), page.url());
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "events that a finding rests on have flags at their times"({browser, server, run}) {
    const {page, close} = await open(browser, server, `/runs/${run}/timeline?open=1`);
    await ready(page);
    const wanted = await page.evaluate(() => {
      const {state} = window.rankscopeTimeline;
      const spans = state.store.spansOf(1);
      for (let i = 0; i < spans.count; ++i)
        if (spans.events[i] === 1 && spans.duration[i] > 1000)
          return {event: spans.event[i], start: spans.start[i], duration: spans.duration[i]};
      return null;
    });
    await page.evaluate(({event}) => {
      const {state} = window.rankscopeTimeline;
      state.findings.all.value = [
        {
          key: "made-up",
          row: 0,
          title: "made up",
          severity: "high",
          who: "",
          ranks: [1],
          steps: [],
          events: [{rank: 1, capture: 0, event}],
        },
      ];
      state.findings.key.value = "made-up";
    }, wanted);
    await page.locator("section[aria-label=Finding] table tbody tr").waitFor();
    const [found] = await page.evaluate(() =>
      window.rankscopeTimeline.state.findings.events.value.map(({start, duration}) => ({start, duration})),
    );
    assert.strictEqual(found.duration, wanted.duration);
    // By the rank's own clock, moved to the job's: drift within the recording is left.
    assert(Math.abs(found.start - wanted.start) < 100_000, `${found.start} ${wanted.start}`);
    await page.locator("section[aria-label=Finding] table button").click();
    await page.waitForFunction(() => window.rankscopeTimeline.state.selection.chosen.value !== null);
    const now = await model(page);
    assert(now.window.from < wanted.start && now.window.to > wanted.start);
    await close();
  },

  async "groups fold to one row, in which the extreme is seen"({browser, server, run, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    const before = (await model(page)).rows.length;
    await page.selectOption("label:has-text('Together by') select", "dp");
    await ready(page);
    const apart = await model(page);
    assert.strictEqual(apart.rows.length, 2 * before);
    assert(page.url().includes("group=dp"), page.url());
    // A click on the head of the second one folds it.
    const head = apart.rows.filter((row) => row.head === "group")[1];
    const box = await canvasBox(page);
    await page.mouse.click(box.x + 60, box.y + ruler + head.top + 8);
    await ready(page);
    const folded = await model(page);
    assert.strictEqual(folded.rows.length, apart.rows.length - 1);
    assert.deepStrictEqual(
      folded.rows.filter((row) => row.rank < 0 && row.head === undefined).map((row) => row.label.slice(2)),
      ["dp 1  (1)"],
    );
    assert(page.url().includes("fold=1"), page.url());
    // Of a group of one, its row is what the rank's is.
    const same = await page.evaluate(() => {
      const {state} = window.rankscopeTimeline;
      const row = state.rows.all.value.find((one) => one.rank < 0 && one.head === undefined);
      const tiles = (rank) => state.tiles.ofBlock(state.store.blockOf(rank));
      const [own] = state.tiles.ofRow(1, tiles);
      const [group] = state.tiles.ofRow(row.rank, tiles);
      const place = [...own.ranks].indexOf(1) * own.bins * 7;
      return own.data.subarray(place, place + own.bins * 7).every((value, i) => value === group.data[i]);
    });
    assert.strictEqual(same, true);
    await page.click("button:text-is('Fold all')");
    await ready(page);
    assert.strictEqual((await model(page)).rows.length, before);
    await page.screenshot({path: path.join(pictures, "timeline-folded.png")});
    await isAccessible(page, "the timeline with groups");
    // An area over a folded group is one of its ranks; what is revealed is unfolded.
    await page.mouse.move(box.x + 400, box.y + ruler + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 600, box.y + ruler + 30, {steps: 3});
    await page.mouse.up();
    assert.deepStrictEqual((await model(page)).area.ranks, [0, 1]);
    await page.reload();
    await ready(page);
    assert.strictEqual((await model(page)).rows.length, before);
    await page.evaluate(() => window.rankscopeTimeline.state.rows.reveal(3));
    assert((await model(page)).rows.some((row) => row.rank === 3));
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "a metric over the rows, on the same clock"({browser, server, run, pictures}) {
    const info = await (await fetch(`${server.address}/api/v1/runs/${run}/timeline`)).json();
    const [begin, end] = [
      Math.min(...info.captures.map((one) => one[2])),
      Math.max(...info.captures.map((one) => one[3])),
    ];
    const samples = [0, 1, 2, 3].flatMap((rank) =>
      Array.from({length: 21}, (_, i) => ({
        time: String(BigInt(info.origin_ns) + BigInt(Math.round(begin + ((end - begin) * i) / 20))),
        rank,
        name: "device_power",
        unit: "W",
        value: 400 + 10 * rank + (rank === 2 ? -10 * i : i),
      })),
    );
    const sent = await fetch(`${server.address}/api/v1/runs/${run}/metrics`, {
      method: "POST",
      body: JSON.stringify(samples),
    });
    assert.strictEqual(sent.status, 201);
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    await page.selectOption("label:has-text('Over it') select", "device_power");
    const panel = page.locator("section[aria-label=Metric]");
    await panel.waitFor();
    await ready(page);
    assert(page.url().includes("metric=device_power"), page.url());
    const said = await panel.locator("h2").innerText();
    assert(said.startsWith("device_power: highest on rank 3 (440 W), lowest on rank 2 (320 W)"), said);
    assert.strictEqual((await model(page)).rows[0].head, "metric");
    const line = await page.evaluate(() => [
      ...window.rankscopeTimeline.state.telemetry.metric.value.lines.get(1).times,
    ]);
    assert.strictEqual(line.length, 21);
    assert(Math.abs(line[0] - begin) <= 1 && Math.abs(line.at(-1) - end) <= 1);
    await page.screenshot({path: path.join(pictures, "timeline-metric.png")});
    await isAccessible(page, "the timeline with a metric");
    await page.mouse.move((await canvasBox(page)).x + 700, (await canvasBox(page)).y + ruler + 30);
    assert((await page.locator(".timeline-hover").innerText()).includes("device_power: "));
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "search finds events of all ranks, and goes there"({browser, server, run, job}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    await page.locator("canvas.timeline-canvas").press("/");
    await page.keyboard.type("ncclDevKernel");
    await page.keyboard.press("Enter");
    const count = JSON.parse(
      server.run("query", job, "select count(*) from events where name ilike '%ncclDevKernel%'", "--format", "json"),
    ).rows[0][0];
    await page.locator("section[aria-label=Found] h2", {hasText: `${count} events`}).waitFor();
    await page.locator("section[aria-label=Found] td button").first().click();
    await page.locator("section[aria-label=Event] th:text-is('correlation')").waitFor();
    const now = await model(page);
    assert.deepStrictEqual(now.open, [0]);
    assert(now.chosen.start >= now.window.from && now.chosen.start <= now.window.to);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "wheel and drag"({browser, server, run}) {
    const {page, close} = await open(browser, server, `/runs/${run}/timeline`);
    await ready(page);
    const box = await canvasBox(page);
    const before = await model(page);
    await page.mouse.move(box.x + 795, box.y + 60);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -400);
    await page.keyboard.up("Control");
    await ready(page);
    const near = await model(page);
    const at = (window) => window.from + ((795 - 190) / (before.width - 190)) * (window.to - window.from);
    assert(near.window.to - near.window.from < before.window.to - before.window.from);
    assert(Math.abs(at(near.window) - at(before.window)) < 1000);
    await page.keyboard.down("Shift");
    await page.mouse.down();
    await page.mouse.move(box.x + 695, box.y + 60, {steps: 3});
    await page.mouse.up();
    await page.keyboard.up("Shift");
    assert((await model(page)).window.from > near.window.from);
    await close();
  },

  async "dark, narrow, and addresses that are wrong"({browser, server, run, pictures}) {
    const dark = await open(
      browser,
      server,
      `/runs/${run}/timeline?open=0&from=junk&ranks=0-3,x&event=1:2&order=none`,
      {colorScheme: "dark"},
    );
    await ready(dark.page);
    assert.deepStrictEqual((await model(dark.page)).open, [0]);
    await isAccessible(dark.page, "the dark timeline");
    await dark.page.screenshot({path: path.join(pictures, "timeline-dark.png")});
    assert.deepStrictEqual(dark.problems, []);
    await dark.close();
    const narrow = await open(browser, server, `/runs/${run}/timeline`, {viewport: {width: 390, height: 844}});
    await ready(narrow.page);
    const wide = await narrow.page.evaluate(() => document.documentElement.scrollWidth);
    assert(wide <= 390, `the page is ${wide} px wide`);
    await narrow.page.screenshot({path: path.join(pictures, "timeline-narrow.png")});
    await narrow.close();
    const absent = await open(browser, server, "/runs/0123456789abcdef/timeline");
    await absent.page.waitForSelector("text=There is no such run");
    await absent.close();
  },

  async "the window of a rank as a trace"({browser, server, run}) {
    const {page, close} = await open(browser, server, `/runs/${run}/timeline?from=20000000&to=30000000&open=1`);
    await ready(page);
    const href = await page.locator("a:has-text('Trace of rank 1')").getAttribute("href");
    const answer = await fetch(server.address + href);
    assert.strictEqual(answer.status, 200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const text = bytes[0] === 0x1f ? require("zlib").gunzipSync(bytes).toString() : bytes.toString();
    const kernels = JSON.parse(text).traceEvents.filter((one) => one.cat === "kernel");
    assert(kernels.length > 0);
    const times = kernels.map((one) => one.ts);
    assert(Math.max(...times) - Math.min(...times) <= 12_000, "its kernels lie within 10 ms, or reach into it");
    await close();
  },
};

void withRun(cases, "rankscope_timeline_", jobOfTimelines);
