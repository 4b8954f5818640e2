// What a run's overview says before its findings, and its tiles: node overview_test.js RANKSCOPE [FOLDER].
"use strict";

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const onFile = require("../html/browser.js");
const {dataOf, withData} = require("../html/page_data.js");
const {isAccessible, open, withRun} = require("./pages.js");

const isDrawn = (page) => page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);

// Texts in their order, down to the first finding or the sentence on them.
const beforeFindings = (page) =>
  page.$$eval("#glance > *", (all) =>
    all
      .slice(
        0,
        all.findIndex((one) => one.matches(".lead")),
      )
      .map((one) => [one.className, one.textContent]),
  );

const cases = {
  async "verdicts on the recording stand before the findings"({browser, server, run, job, pictures}) {
    const [verdict] = JSON.parse(server.run("analyze", job, "--format", "json")).recording;
    assert.strictEqual(verdict.code, "single-step");
    const {page, problems, close} = await open(browser, server, `/runs/${run}`);
    await isDrawn(page);
    const said = await beforeFindings(page);
    assert.deepStrictEqual(said.at(-1), ["recording-verdict muted", verdict.message]);
    assert.deepStrictEqual(problems, []);
    await close();
    // In one file, too; several are a line that opens, behind the grave ones.
    const file = path.join(path.dirname(job), "report.html");
    server.run("analyze", job, "--format", "html", "-o", file);
    const one = await onFile.open(browser, file);
    assert.deepStrictEqual((await beforeFindings(one.page)).at(-1), ["recording-verdict muted", verdict.message]);
    await one.close();
    const text = fs.readFileSync(file, "utf8");
    const data = dataOf(text);
    data.sentences.recording = ["Two files cannot be read."];
    data.sentences.recording_others = ["The profiler may take 7.05 ms.", "One step was recorded: <b>more</b>."];
    fs.writeFileSync(file, withData(text, data));
    const many = await onFile.open(browser, file);
    const texts = await beforeFindings(many.page);
    assert.deepStrictEqual(texts.at(-2), ["warnings recording-verdict", "Two files cannot be read."]);
    const fold = many.page.locator("#glance details.recording-verdicts");
    assert.strictEqual(await fold.locator("summary").innerText(), "2 more verdicts on the recording");
    await fold.locator("summary").click();
    assert.deepStrictEqual(await fold.locator("p:visible").allInnerTexts(), data.sentences.recording_others);
    await isAccessible(many.page, "verdicts on the recording");
    await many.page.screenshot({path: path.join(pictures, "recording-verdicts.png")});
    assert.deepStrictEqual(many.problems, []);
    await many.close();
  },

  async "the list of runs says how many of how many ranks were recorded"({browser, server, run}) {
    for (const width of [1400, 390]) {
      const {page, close} = await open(browser, server, "/", {viewport: {width, height: 844}});
      const cell = page.locator(`tr[data-run="${run}"] td[data-unit]`);
      assert.strictEqual(await cell.innerText(), "3 of 4");
      const unit = await cell.evaluate((node) => getComputedStyle(node, "::after").content);
      // Narrow rows have no heads: the unit stands behind the number.
      assert.strictEqual(unit, width === 390 ? '" ranks"' : "none");
      await close();
    }
  },

  async "how many steps there are, and of how many ranks"({browser, server, run, job}) {
    const {page, close} = await open(browser, server, `/runs/${run}`);
    await isDrawn(page);
    const {columns, rows} = JSON.parse(server.run("table", "step_spread", job, "--format", "json"));
    const [step] = rows[0];
    assert.strictEqual(columns[0].name, "step");
    const tile = page.locator("#summary .tile", {has: page.locator(".name:text-is('Steps')")});
    assert.strictEqual(await tile.innerText(), `Steps\n1 step\nnumber ${step}, complete on all 3 ranks`);
    await close();
  },
};

withRun(cases, "rankscope_overview_", ["--ranks", "4", "--missing-ranks", "3", "--steps", "1", "--events", "6000"]);
