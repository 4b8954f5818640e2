// Memory snapshots of a run in a real browser: node memory_test.js RANKSCOPE [FOLDER], which gets pictures of them.
"use strict";

const assert = require("assert");
const {execFileSync} = require("child_process");
const path = require("path");
const {isAccessible, open, withRun} = require("./pages.js");

const writer = path.join(__dirname, "..", "reference", "write_snapshot.py");

const drawn = (page) => page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined);

// Of spaces and signs that only look better there are others on the page.
const plain = (text) =>
  text
    .replace(/[\u00a0\u2009\u202f]/g, " ")
    .replace(/\u00b5/g, "u")
    .trim();

const cases = {
  async "from the run to who holds the memory, and what grew"({browser, server, run, job, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}`);
    await drawn(page);
    await page.click("nav.run-pages a:text-is('Memory')");
    await page.waitForURL("**/memory");
    await drawn(page);
    const told = JSON.parse(server.run("memory", path.join(job, "rank0.pickle"), "--format", "json"));
    assert.strictEqual(plain(await page.locator(".lead").first().innerText()), plain(told.devices[0].headline));
    assert.deepStrictEqual(await page.locator("header select >> nth=0").locator("option").allInnerTexts(), [
      "rank0.pickle",
      "rank1.pickle",
      "rank10.pickle",
    ]);
    await isAccessible(page, "the memory of a rank");
    await page.screenshot({path: path.join(pictures, "memory.png"), fullPage: true});
    await page.selectOption("header select >> nth=1", "rank10.pickle");
    await page.waitForURL("**/memory?file=rank0.pickle&later=rank10.pickle");
    await page.waitForSelector("#leaks");
    const grown = JSON.parse(
      server.run("memory", path.join(job, "rank0.pickle"), path.join(job, "rank10.pickle"), "--format", "json"),
    );
    assert.strictEqual(
      await page.locator("#leaks tbody tr").count(),
      Math.min(40, grown.tables.snapshot_leaks.rows.length),
    );
    await page.goBack();
    await drawn(page);
    assert.strictEqual(await page.locator("#leaks").count(), 0);
    assert.deepStrictEqual(problems, []);
    await close();
  },

  async "narrow and dark, and snapshots that are none"({browser, server, run, pictures}) {
    const {page, problems, close} = await open(browser, server, `/runs/${run}/memory?file=rank1.pickle`, {
      viewport: {width: 390, height: 844},
      colorScheme: "dark",
    });
    await page.waitForSelector("text=The snapshot cannot be shown");
    assert((await page.locator("main").innerText()).includes("rank1.pickle"), await page.locator("main").innerText());
    await page.goto(`${server.address}/runs/${run}/memory?file=nowhere.pickle`);
    await page.waitForSelector("text=has no memory snapshot");
    problems.splice(0, problems.length, ...problems.filter((one) => !/status of 4(04|22)/.test(one)));
    await page.goto(`${server.address}/runs/${run}/memory?file=rank10.pickle`);
    await drawn(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(wide <= 390, `the page is ${wide} px wide`);
    await isAccessible(page, "the narrow, dark memory of a rank");
    await page.screenshot({path: path.join(pictures, "memory-narrow.png")});
    assert.deepStrictEqual(problems, []);
    await close();
  },
};

void withRun(cases, "rankscope_memory_", ["--ranks", "2", "--steps", "3", "--events", "3000"], (job) => {
  execFileSync("python3", [writer, path.join(job, "rank0.pickle"), "2000"]);
  execFileSync("python3", [writer, path.join(job, "rank10.pickle"), "4000"]);
  require("fs").writeFileSync(path.join(job, "rank1.pickle"), "no pickle.");
});
