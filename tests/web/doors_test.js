// Every number is a door: rows of tables open the events that they are made of, and events lead upwards. node doors_test.js RANKSCOPE [FOLDER]
"use strict";

const assert = require("assert");
const path = require("path");
const {isAccessible, open, withRun} = require("./pages.js");

const drawn = (page) => page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
async function still(page) {
  await page.waitForFunction(() => window.rankscopeTimeline !== undefined);
  await page.evaluate(() => window.rankscopeTimeline.idle());
}
// Rows of SQL by the command line.
function asked(server, job, sql) {
  const told = JSON.parse(server.run("query", job, sql, "--format", "json"));
  return told.rows.map((row) => Object.fromEntries(told.columns.map((column, i) => [column.name, row[i]])));
}
// What the timeline lists: by rank [rank, events, total], and its title.
async function listed(page) {
  await page.locator("section[aria-label=Events] tr[data-rank]").first().waitFor();
  const rows = await page.$$eval("section[aria-label=Events] tr[data-rank]", (all) =>
    all.map((row) => [
      Number(row.dataset.rank),
      Number(row.querySelectorAll("td")[1].dataset.value),
      Number(row.querySelectorAll("td")[2].dataset.value),
    ]),
  );
  return rows.sort((a, b) => a[0] - b[0]);
}
const model = (page) =>
  page.evaluate(() => {
    const {state} = window.rankscopeTimeline;
    return {
      window: state.viewport.window.value,
      whole: state.viewport.whole,
      open: [...state.ranks.open.value],
      chosen: state.selection.chosen.value,
    };
  });

const cases = {
  async "a kernel's row opens its events"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}`);
    await drawn(page);
    const row = page.locator("#kernels tbody tr", {has: page.locator("td:text-is('gemm')")}).first();
    const name = await row.locator("td.name").getAttribute("data-value");
    await row.locator("a.door").scrollIntoViewIfNeeded();
    const door = await row.locator("a.door").getAttribute("href");
    await row.locator("a.door").click();
    await still(page);
    const told = asked(
      server,
      job,
      `select rank, count(*) as n, sum(dur_ns) as ns, max(dur_ns) as most from kernels where name = '${name.replaceAll("'", "''")}' group by rank order by rank`,
    );
    assert.deepStrictEqual(
      await listed(page),
      told.map((one) => [one.rank, Number(one.n), Number(one.ns)]),
    );
    const total = told.reduce((sum, one) => sum + Number(one.n), 0);
    assert((await page.locator("section[aria-label=Events] h2").innerText()).startsWith(`${total} events`));
    // Framed: the longest of the rank that is open is chosen and in the picture.
    const now = await model(page);
    assert(now.window.to - now.window.from < now.whole.to - now.whole.from);
    const most = told.find((one) => one.rank === now.chosen.rank).most;
    assert.strictEqual(now.chosen.duration, Number(most));
    assert(now.open.includes(now.chosen.rank));
    assert(now.chosen.start >= now.window.from && now.chosen.start + now.chosen.duration <= now.window.to);
    await isAccessible(page, "the events of a kernel");
    await page.screenshot({path: path.join(pictures, "events.png")});
    // Walks along them.
    await page.click("section[aria-label=Events] button[aria-label='Next event']");
    await still(page);
    assert.notStrictEqual((await model(page)).chosen.start, now.chosen.start);
    await page.goto(page.url()); // The address says it all.
    await still(page);
    assert.strictEqual((await listed(page)).length, told.length);
    // Back to where one was.
    for (let i = 0; i < 12 && !/\/runs\/[0-9a-f]{16}(#.*)?$/.test(page.url()); ++i) await page.goBack();
    await drawn(page);
    await page.waitForFunction((href) => {
      const link = [...document.querySelectorAll("#kernels a.door")].find((one) => one.getAttribute("href") === href);
      const box = link?.getBoundingClientRect();
      return box !== undefined && box.top >= 0 && box.bottom <= innerHeight;
    }, door);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "rows of every kind lead somewhere"({browser, server, run, job}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}`);
    await drawn(page);
    await page.evaluate(() => {
      for (const node of document.querySelectorAll("details")) node.open = true;
    });
    await page.waitForFunction(() => document.querySelectorAll("#copies table.data").length > 0);
    const doors = (section) =>
      page.$$eval(`#${section} a.door`, (all) => all.map((one) => decodeURIComponent(new URL(one.href).search)));
    const expected = {
      kernels: /^\?of=name:/,
      ops: /^\?of=name:aten::/,
      modules: /^\?of=name:nn\.Module:/,
      roofline: /^\?of=op:aten::/,
      across: /ranks=/,
      blame: /ranks=/,
      copies: /of=text:Memcpy.[HDP]to/,
      ranks: /ranks=/,
    };
    for (const [section, query] of Object.entries(expected)) {
      const all = await doors(section);
      assert(all.length > 0 && all.some((one) => query.test(one)), `${section}: ${all.slice(0, 3).join(" ")}`);
    }
    const href = await page.$$eval("#across a.door", (all) =>
      all.map((one) => one.href).find((one) => one.includes("sql=")),
    );
    // A module: its calls.
    const row = page.locator("#modules tbody tr", {has: page.locator("a.door")}).nth(1);
    const instance = (await row.locator("td.name").getAttribute("data-value")).split("/").at(-1);
    await row.locator("a.door").click();
    await still(page);
    assert.deepStrictEqual(
      await listed(page),
      asked(
        server,
        job,
        `select rank, count(*) as n, sum(dur_ns) as ns from events where name = 'nn.Module: ${instance}' group by rank order by rank`,
      ).map((one) => [one.rank, Number(one.n), Number(one.ns)]),
    );
    // Collectives of one op and size: every rank's part in each, and no other.
    const sql = "select op, bytes, count from collective_sizes order by device_ns desc limit 1";
    const [size] = asked(server, job, sql);
    assert(new URL(href).searchParams.get("sql").includes(`c.bytes = ${size.bytes}`), href);
    await page.goto(href);
    await still(page);
    const spans = await page.evaluate(() =>
      window.rankscopeTimeline.state.result.track.value.spans.map((span) => [span.name, span.rank]),
    );
    const ranks = new Set(spans.map((span) => span[1]));
    assert.strictEqual(spans.length, Number(size.count) * ranks.size);
    assert(ranks.size > 1 && spans.every((span) => span[0] === size.op));
    // From an event up to all the work of the classes around it.
    const [work] = asked(
      server,
      job,
      "select module, event, count(*) over (partition by module) as n, sum(dur_ns) over (partition by module) as ns from kernels where rank = 1 and module like '%/Linear' limit 1",
    );
    await page.goto(`${server.address}/runs/${run}/timeline?of=event:1/0/${work.event}&open=1`);
    await still(page);
    await page.locator("section[aria-label=Event] [data-way=module] button").click();
    await page.locator("section[aria-label=Events] tr[data-rank]").first().waitFor();
    assert.deepStrictEqual(await listed(page), [[1, Number(work.n), Number(work.ns)]]);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "the one-file report has no doors that lead nowhere"({browser, server, run}) {
    const page = await (await fetch(`${server.address}/api/v1/runs/${run}/page`)).text();
    const {context, page: shown} = await (async () => {
      const made = await browser.newContext();
      return {context: made, page: await made.newPage()};
    })();
    await shown.setContent(page);
    await shown.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);
    assert.strictEqual(await shown.locator("a.door").count(), 0);
    await context.close();
  },

  async "an event leads to its op, module, line, forward op and launch"({browser, server, run, job, pictures}) {
    const [kernel] = asked(
      server,
      job,
      `select k.rank, k.event, k.op, k.module, k.line, k.launch_event, k.ts_ns - (l.ts_ns + l.dur_ns) as delay, k.dur_ns
       from kernels k join events l on l.rank = k.rank and l.event = k.launch_event
       where k.phase = 'backward' and k.class = 'gemm' and k.rank = 1 order by k.dur_ns desc limit 1`,
    );
    const {page, problems, close} = await open(
      browser,
      server,
      `/runs/${run}/timeline?of=event:${kernel.rank}/0/${kernel.event}&open=${kernel.rank}`,
    );
    await still(page);
    const panel = page.locator("section[aria-label=Event]");
    await panel.locator("[data-way=forward]").waitFor();
    const way = (name) => panel.locator(`[data-way=${name}] dd`).innerText();
    assert.strictEqual(await way("op"), kernel.op);
    if (kernel.module !== null) assert.strictEqual(await way("module"), kernel.module);
    if (kernel.line !== null) assert.strictEqual(await way("line"), kernel.line);
    const delay = panel.locator("tr", {has: page.locator("th:text-is('launch delay')")}).locator("td");
    assert.strictEqual(Number(await delay.getAttribute("data-value")), Number(kernel.delay));
    // The raw arguments are there, folded.
    assert.strictEqual(await panel.locator("details:has(pre)").getAttribute("open"), null);
    await page.screenshot({path: path.join(pictures, "event.png"), fullPage: true});
    // The forward op has the sequence number of the backward frame.
    const forward = await way("forward");
    await panel.locator("[data-way=forward] button").click();
    await page.waitForFunction(
      (name) => document.querySelector("section[aria-label=Event] h2")?.textContent === name,
      forward,
    );
    await still(page);
    await panel.locator("tr[data-input]").first().waitFor();
    const chosen = await page.evaluate(() => window.rankscopeTimeline.state.lookup.details.value.event);
    const [op] = asked(server, job, `select name, args from events where rank = 1 and event = ${chosen}`);
    assert.strictEqual(op.name, forward);
    const shapes = JSON.parse(JSON.parse(op.args)["Input Dims"]);
    assert.strictEqual(
      (await panel.locator("tr[data-input='0'] td").nth(1).innerText()).replaceAll(" ", ""),
      shapes[0].join("\u00d7"),
    );
    // All the work of an op.
    await page.goBack();
    await still(page);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "others like it, and the rank that stands apart"({browser, server, run, job}) {
    const [kernel] = asked(
      server,
      job,
      "select name, rank, event from kernels where class = 'gemm' and rank = 2 order by dur_ns desc limit 1",
    );
    const {page, close} = await open(browser, server, `/runs/${run}/timeline?of=event:2/0/${kernel.event}&open=2`);
    await still(page);
    await page.locator("section[aria-label=Event] button:text-is('Others like it')").click();
    await still(page);
    const rows = await listed(page);
    assert.deepStrictEqual(
      rows.map(([rank, count]) => [rank, count]),
      asked(
        server,
        job,
        `select rank, count(*) as n from kernels where name = '${kernel.name.replaceAll("'", "''")}' group by rank order by rank`,
      ).map((one) => [one.rank, Number(one.n)]),
    );
    // The planted one.
    assert.strictEqual(
      await page.locator("section[aria-label=Events] tr[data-rank='2'] td").last().innerText(),
      "\u25c6 outlier",
    );
    assert((await page.locator("section[aria-label=Events]").innerText()).includes("Rank 2 stands apart"));
    await close();
  },

  async "rows of SQL, and steps of a rank"({browser, server, run}) {
    const sql = "select rank, event, dur_ns from kernels where rank = 3 order by dur_ns desc limit 5";
    const {page, close} = await open(browser, server, `/runs/${run}/sql?q=${encodeURIComponent(sql)}`);
    await page.click("button:text-is('Run')");
    await page.locator("[aria-label=Result] tbody tr").first().waitFor();
    const length = Number(
      await page.locator("[aria-label=Result] tbody tr").first().locator("td").nth(2).getAttribute("data-value"),
    );
    await page.locator("[aria-label=Result] a.door").first().click();
    await still(page);
    const {chosen} = await model(page);
    assert.deepStrictEqual([chosen.rank, chosen.duration], [3, length]);
    await page.goto(`${server.address}/runs/${run}/ranks/2`);
    await page.locator("table.steps a").nth(1).click();
    await still(page);
    const now = await page.evaluate(() => {
      const {state} = window.rankscopeTimeline;
      return {steps: state.facts.steps.value, window: state.viewport.window.value, open: [...state.ranks.open.value]};
    });
    const step = now.steps[1];
    assert(now.window.from < step.start && step.end < now.window.to);
    assert(now.window.to - now.window.from < 1.2 * (step.end - step.start));
    assert.deepStrictEqual(now.open, [2]);
    await close();
  },

  async "an area stays in the address, its rows are doors"({browser, server, run}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline?open=1`);
    await still(page);
    const box = await page.locator("canvas.timeline-canvas").boundingBox();
    await page.mouse.move(box.x + 400, box.y + 34);
    await page.mouse.down();
    await page.mouse.move(box.x + 700, box.y + 60, {steps: 4});
    await page.mouse.up();
    await page.locator("section[aria-label=Area] tr[data-name]").first().waitFor();
    assert.match(page.url(), /area=\d+:\d+:0/);
    const sums = () =>
      page.$$eval("section[aria-label=Area] tr[data-name]", (all) =>
        all.map((one) => [one.dataset.name, one.innerText]),
      );
    const before = await sums();
    await page.reload();
    await page.locator("section[aria-label=Area] tr[data-name]").first().waitFor();
    assert.deepStrictEqual(await sums(), before);
    // Back undoes it, Forward has it again.
    await page.locator("section[aria-label=Area] tr[data-name] button").first().click();
    await still(page);
    assert.strictEqual(await page.evaluate(() => window.rankscopeTimeline.state.events.of.value.value), before[0][0]);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "events by keyboard: along a row, to the launch and back"({browser, server, run, job}) {
    const {page, close} = await open(browser, server, `/runs/${run}/timeline?open=1`);
    await still(page);
    await page.locator("canvas.timeline-canvas").focus();
    const chosen = () => page.evaluate(() => window.rankscopeTimeline.state.lookup.details.value);
    const settle = async () => {
      await still(page);
      await page.waitForFunction(() => (window.rankscopeTimeline.state.lookup.details.value?.detail ?? null) !== null);
    };
    await page.keyboard.press(".");
    await settle();
    const first = await chosen();
    await page.keyboard.press(".");
    await page.waitForFunction(
      (event) => window.rankscopeTimeline.state.lookup.details.value.event !== event,
      first.event,
    );
    await settle();
    const second = await chosen();
    assert(second.about.start > first.about.start && second.about.track === first.about.track);
    const [told] = asked(server, job, `select launch_event from kernels where rank = 1 and event = ${second.event}`);
    await page.keyboard.press("[");
    await page.waitForFunction(
      (event) => window.rankscopeTimeline.state.lookup.details.value?.event === event,
      told.launch_event,
    );
    await settle();
    await page.keyboard.press("]");
    await page.waitForFunction(
      (event) => window.rankscopeTimeline.state.lookup.details.value?.event === event,
      second.event,
    );
    await settle();
    // Closer up the events between are events of their own.
    await page.keyboard.press(",");
    await page.waitForFunction(
      (event) => window.rankscopeTimeline.state.lookup.details.value?.event !== event,
      second.event,
    );
    const before = await chosen();
    assert(before.about.start < second.about.start && before.about.track === second.about.track);
    await close();
  },

  async "rows by keyboard: to a rank, its streams, an event"({browser, server, run}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/timeline`);
    await still(page);
    await page.locator("canvas.timeline-canvas").focus();
    const said = page.locator(".timeline-hold [role=status]");
    for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowDown");
    assert((await said.innerText()).startsWith("rank 2"), await said.innerText());
    await page.keyboard.press("Enter");
    await still(page);
    assert.deepStrictEqual((await model(page)).open, [2]);
    assert((await said.innerText()).endsWith("open"));
    await page.keyboard.press("ArrowDown");
    assert((await said.innerText()).includes("stream"), await said.innerText());
    await page.keyboard.press("Enter");
    await still(page);
    const {chosen} = await model(page);
    assert.strictEqual(chosen.rank, 2);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await still(page);
    assert.deepStrictEqual((await model(page)).open, []);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "a pattern is searched, and walked along"({browser, server, run, job}) {
    const {page, close} = await open(browser, server, `/runs/${run}/timeline?open=1`);
    await still(page);
    await page.locator("label:has-text('pattern') input").check();
    await page.fill("#timeline-search", "^aten::(mm|addmm)$");
    await page.keyboard.press("Enter");
    const [{n}] = asked(
      server,
      job,
      "select count(*) as n from events where rank = 1 and name in ('aten::mm', 'aten::addmm')",
    );
    await page.locator("section[aria-label=Found] h2", {hasText: `${n} events`}).waitFor();
    assert(page.url().includes("match=pattern"), page.url());
    await page.keyboard.press("Enter");
    await still(page);
    const first = (await model(page)).chosen;
    await page.keyboard.press("Enter");
    await still(page);
    const second = (await model(page)).chosen;
    assert(second.start > first.start);
    await page.keyboard.press("Shift+Enter");
    await still(page);
    assert.strictEqual((await model(page)).chosen.start, first.start);
    await page.fill("#timeline-search", "a(b");
    await page.keyboard.press("Enter");
    await page.locator("[role=alert]", {hasText: "regular expression"}).waitFor();
    await close();
  },
};

void withRun(cases, "rankscope_doors_", [
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
  "--stacks",
]);
