// Two runs on one clock: node timeline_pair_test.js RANKSCOPE [FOLDER], which gets pictures of it.
"use strict";

const assert = require("assert");
const path = require("path");
const {isAccessible, open, withRun} = require("./pages.js");
const {canvasBox, jobOfTimelines, model, ready, ruler} = require("./timeline_tools.js");

const panel = "[aria-label='The other run']";

// The same job with a healthy rank 2 and fewer steps, whose clocks begin elsewhere.
const jobBeside = "--ranks 4 --steps 3 --events 8000 --clock-offset-us 100".split(" ");

const steps = (server, job) => {
  const table = JSON.parse(server.run("table", "job_steps", job, "--format", "json"));
  const at = (name) => table.columns.findIndex((column) => column.name === name);
  return table.rows.map((row) => [row[at("step")], row[at("start_ns")], row[at("duration_ns")]]);
};

const cases = {
  async "steps are laid over each other, and what differs is told and marked"({browser, server, run, job, pictures}) {
    const otherJob = `${job}-beside`;
    server.run("simulate", otherJob, ...jobBeside);
    const other = server.push(otherJob, "healthy").split("\n").pop().split("/").pop();
    const {page, problems, close} = await open(browser, server, `/compare?base=${other}&test=${run}`);
    await page.click("a:text-is('Both on one clock')");
    await ready(page);
    const [here, there] = [steps(server, job), steps(server, otherJob)];
    const told = await page.evaluate(() => {
      const {state} = window.rankscopeTimeline;
      return state.other.pairs.value.map(({here, there}) => [
        here.step,
        here.start,
        here.end - here.start,
        there.start,
        there.end - there.start,
      ]);
    });
    assert.deepStrictEqual(
      told,
      here
        .filter(([step]) => there.some((one) => one[0] === step))
        .map(([step, start, length]) => {
          const pair = there.find((one) => one[0] === step);
          return [step, start, length, pair[1], pair[2]];
        }),
    );
    assert(told.length >= 2);
    // Each rank has a row of the other run under its own.
    const {rows} = await model(page);
    assert.deepStrictEqual(
      rows.filter((row) => row.track === null).map((row) => [row.rank < 0 ? -1 : row.rank, row.head]),
      [
        [-1, "changes"],
        ...[0, 1, 2, 3].flatMap((rank) => [
          [rank, undefined],
          [rank, "other"],
        ]),
      ].map(([rank, head]) => [rank, head]),
    );
    await page.screenshot({path: path.join(pictures, "pair-all.png")});
    // The step that is asked for stands over the same step of the other run.
    const wanted = told.at(-1);
    await page.locator(`${panel} tr[data-step='${wanted[0]}'] button`).click();
    await ready(page);
    assert.strictEqual(
      await page.evaluate(() => window.rankscopeTimeline.state.other.shift.value),
      wanted[1] - wanted[3],
    );
    const title = await page.locator(`${panel} h2`).innerText();
    assert(title.startsWith(`Step ${wanted[0]} takes `) && title.includes("in healthy: +"), title);
    assert(title.includes(`(${(wanted[2] / wanted[4]).toFixed(2)}x)`), title);
    // Where its time goes, as the command line's table has it.
    const mean = (of, name) =>
      Math.round(
        JSON.parse(
          server.run(
            "query",
            of,
            `select avg(${name}) from time_breakdown where step = ${wanted[0]}`,
            "--format",
            "json",
          ),
        ).rows[0][0],
      );
    const parts = await page
      .locator(`${panel} tr[data-part]`)
      .evaluateAll((all) =>
        all.map((row) => [row.dataset.part, ...[...row.cells].slice(1).map((cell) => Number(cell.dataset.value))]),
      );
    const computing = parts.find(([words]) => words === "computing");
    assert.deepStrictEqual(computing.slice(1, 3), [mean(job, "compute_ns"), mean(otherJob, "compute_ns")]);
    const changes = parts.map((part) => Math.abs(part[3]));
    assert.deepStrictEqual(
      changes,
      [...changes].sort((a, b) => b - a),
    );
    await isAccessible(page, "two runs on one clock");
    await page.screenshot({path: path.join(pictures, "pair.png")});
    await page.evaluate(() => document.documentElement.setAttribute("data-theme", "dark"));
    await ready(page);
    await page.screenshot({path: path.join(pictures, "pair-dark.png")});
    // A step's length, clicked, is framed; its words are below the pointer.
    await page.keyboard.press("Home");
    await page.locator("canvas.timeline-canvas").press("Home");
    await ready(page);
    const now = await model(page);
    const box = await canvasBox(page);
    const row = now.rows.find((one) => one.head === "changes");
    const x =
      190 + ((told[0][1] + told[0][2] / 2 - now.window.from) / (now.window.to - now.window.from)) * (now.width - 190);
    await page.mouse.move(box.x + x, box.y + ruler + row.top + 8);
    assert((await page.locator(".timeline-hover").innerText()).startsWith(`step ${told[0][0]}: `));
    await page.mouse.click(box.x + x, box.y + ruler + row.top + 8);
    await ready(page);
    assert.strictEqual(
      await page.evaluate(() => window.rankscopeTimeline.state.other.aligned.value.here.step),
      told[0][0],
    );
    // The address has the other run; without it its rows go, and Back brings them again.
    assert(page.url().includes(`with=${other}`));
    await page.click(`${panel} button:text-is('Remove')`);
    await ready(page);
    assert((await model(page)).rows.every((one) => one.head === undefined));
    await page.goBack();
    await page.waitForSelector(panel);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "one rank of each run, whose numbers differ; and runs without a number in common"({browser, server, job}) {
    const pushed = (name, ...words) => {
      const folder = `${job}-${name}`;
      server.run("simulate", folder, "--ranks", "4", "--steps", "2", "--events", "3000", ...words);
      return server.push(folder, name).split("\n").pop().split("/").pop();
    };
    const first = pushed("first", "--missing-ranks", "1-3");
    const last = pushed("last", "--missing-ranks", "0-2");
    const {page, problems, close} = await open(browser, server, `/runs/${last}/timeline?with=${first}`);
    await ready(page);
    const text = page.locator(`${panel} p.muted`);
    assert(
      (await text.innerText()).includes("Each run has one rank: rank 0 of first lies under rank 3 of this one."),
      await text.innerText(),
    );
    const row = (await model(page)).rows.find((one) => one.head === "other");
    assert.deepStrictEqual([row.rank, row.label], [3, "\u2514 first, rank 0"]);
    // Its picture is there: tiles of its rank 0.
    const tiles = await page.evaluate(() => {
      const {other, viewport} = window.rankscopeTimeline.state;
      return other.tilesOf(other.rankBeside(3), viewport.size.value.width).length;
    });
    assert(tiles > 0);
    const others = pushed("others", "--missing-ranks", "0+3");
    await page.goto(`${server.address}/runs/${others}/timeline?with=${first}`);
    await ready(page);
    assert(
      (await text.innerText()).includes("so first has no rows: here are ranks 1-2, there rank 0."),
      await text.innerText(),
    );
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "a run without a rank or a step in common, and one that is not there"({browser, server, run}) {
    const {page, close} = await open(browser, server, `/runs/${run}/timeline?with=${"0".repeat(16)}`);
    await page.locator(`${panel} [role=alert]`).waitFor();
    assert.strictEqual(await page.locator(`${panel} h2`).innerText(), "The other run cannot be shown");
    await page.goto(`${server.address}/runs/${run}/timeline?with=${run}`);
    await ready(page);
    // With itself nothing differs.
    const rows = await page.locator(`${panel} tr[data-step] td:last-child`).allInnerTexts();
    assert(rows.length >= 3 && rows.every((text) => text === "alike"), rows.join());
    await close();
  },
};

void withRun(cases, "rankscope_pair_", jobOfTimelines);
