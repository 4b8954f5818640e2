// What every page of the server owes everybody, in both themes: no barrier that axe knows, one heading of the first level, a way past
// the links above, colours that differ in grey. node access_test.js RANKSCOPE [FOLDER]
"use strict";

const assert = require("assert");
const {execFileSync} = require("child_process");
const path = require("path");
const {checkRoles} = require("../html/look.js");
const {isAccessible, open, withRun} = require("./pages.js");

// Every page of the app, once it stands.
function pages(run, other) {
  const drawn = () => document.documentElement.dataset.drawn !== undefined;
  return {
    runs: ["/", () => document.querySelector("tr[data-run]") !== null],
    report: [`/runs/${run}`, drawn],
    timeline: [`/runs/${run}/timeline`, () => window.rankscopeTimeline !== undefined],
    rank: [`/runs/${run}/ranks/1`, () => document.querySelector("h1") !== null],
    SQL: [`/runs/${run}/sql`, () => document.querySelectorAll(".schema-list details").length > 20],
    memory: [`/runs/${run}/memory`, drawn],
    comparison: [`/compare?base=${other}&test=${run}`, drawn],
    hosts: ["/hosts", () => document.querySelector("main h1") !== null],
    nothing: ["/foo", () => document.querySelector("main h1") !== null],
  };
}

const cases = {
  async "no barriers, on every page in both themes"({browser, server, run, other}) {
    for (const colorScheme of ["light", "dark"]) {
      for (const [name, [place, isThere]] of Object.entries(pages(run, other()))) {
        const {page, close} = await open(browser, server, place, {colorScheme});
        await page.waitForFunction(isThere);
        if (name === "timeline") await page.evaluate(() => window.rankscopeTimeline.idle());
        await isAccessible(page, `the ${colorScheme} page ${name}`);
        const heads = (await page.locator("h1").allInnerTexts()).filter((text) => text.trim() !== "");
        assert.strictEqual(heads.length, 1, `${name} has the headings ${heads.join(" | ")}`);
        await close();
      }
    }
  },

  async "past the links above every page"({browser, server, run, other}) {
    for (const [name, [place, isThere]] of Object.entries(pages(run, other()))) {
      const {page, close} = await open(browser, server, place);
      await page.waitForFunction(isThere);
      await page.keyboard.press("Tab");
      const box = await page.locator("a.skip").boundingBox();
      assert(box.y >= 0, `${name}: the way past the links is not seen`);
      await page.keyboard.press("Enter");
      assert.strictEqual(await page.evaluate(() => document.activeElement.id), "content", name);
      assert.strictEqual(new URL(page.url()).hash, "");
      // What follows stands in the content.
      await page.keyboard.press("Tab");
      assert(
        await page.evaluate(() => {
          const content = document.getElementById("content");
          const stops = "a[href], button, input, select, summary, [tabindex='0']";
          return content.contains(document.activeElement) || content.querySelector(stops) === null;
        }),
        name,
      );
      await close();
    }
  },

  async "roles differ in grey, and stand out from the ground"({browser, server, run}) {
    for (const colorScheme of ["light", "dark"]) {
      const {page, close} = await open(browser, server, `/runs/${run}/timeline`, {colorScheme});
      await page.waitForFunction(() => window.rankscopeTimeline !== undefined);
      await page.evaluate(() => window.rankscopeTimeline.idle());
      await checkRoles(page, colorScheme);
      // The canvas takes its colours from where the style sheet has them: computing covers most of this picture.
      const share = await page.evaluate(() => {
        const canvas = document.querySelector("canvas.timeline-canvas");
        const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const hex = getComputedStyle(document.documentElement).getPropertyValue("--compute").trim();
        const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
        let count = 0;
        for (let i = 0; i < data.length; i += 4) if (wanted.every((one, c) => data[i + c] === one)) ++count;
        return (4 * count) / data.length;
      });
      assert(share > 0.02, `computing covers ${share} of the ${colorScheme} timeline`);
      await close();
    }
  },
};

let before = "";
void withRun(
  Object.fromEntries(
    Object.entries(cases).map(([name, check]) => [
      name,
      async (given) => {
        const other = () => {
          if (before === "") before = given.server.push(given.job, "before").split("\n").pop().split("/").pop();
          return before;
        };
        await check({...given, other});
      },
    ]),
  ),
  "rankscope_access_",
  ["--job", "3d", "--ranks", "4", "--layout", "tp=2,pp=2", "--steps", "3", "--events", "8000", "--slow-rank", "1"],
  (job) =>
    execFileSync("python3", [
      path.join(__dirname, "..", "reference", "write_snapshot.py"),
      path.join(job, "rank1.pickle"),
      "3000",
    ]),
);
