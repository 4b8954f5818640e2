// The page of `rankscope memory`: boxes over time with their stack, segments, and who holds the peak.
"use strict";

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const {execFileSync} = require("child_process");
const browser = require("./browser.js");
const jobs = require("./jobs.js");
const numbers = require("./numbers.js");

const writer = path.join(__dirname, "..", "reference");

// A snapshot that a few lines of Python write, and the page and JSON made of it.
function snapshot(folder, name, program) {
  const file = path.join(folder, `${name}.pickle`);
  execFileSync("python3", [
    "-c",
    `import sys; sys.path.insert(0, sys.argv[1]); import pickle\nfrom write_snapshot import *\nout = sys.argv[2]\n${program}`,
    writer,
    file,
  ]);
  return paged(file);
}
function paged(file) {
  const run = (...options) => execFileSync(jobs.binary, ["memory", file, ...options], {maxBuffer: 1 << 28});
  const page = `${file}.html`;
  run("--format", "html", "-o", page);
  return {file: page, report: JSON.parse(run("--format", "json").toString())};
}

async function showsItsNumbers(page, report, least) {
  const cells = (await numbers.cells(page)).filter((cell) => report.tables[cell.id.split("/")[0]]);
  for (const cell of cells) numbers.check(cell, report);
  assert(cells.length >= least, `only ${cells.length} cells are shown`);
}

// Main colours of a plot's canvas, as "r,g,b": how many pixels have them.
function pixels(page, name) {
  return page.$eval(`[data-plot='${name}'] canvas`, (canvas) => {
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const counts = {};
    for (let i = 0; i < data.length; i += 4)
      if (data[i + 3] === 255)
        counts[data.slice(i, i + 3).join(",")] = (counts[data.slice(i, i + 3).join(",")] || 0) + 1;
    return counts;
  });
}

// 40 MB are held for the whole recording and 40 MB for half of it.
async function stackUnderThePointer(chromium, folder) {
  const {file, report} = snapshot(
    folder,
    "two",
    `
a = Allocator()
below, above = [frame("below", "a.py", 1), frame("main", "a.py", 9)], [frame("above", "a.py", 2), frame("main", "a.py", 9)]
a.alloc(40000000, below)
top = a.alloc(40000000, above)
a.time_us += 1000
a.free(top)
a.time_us += 1000
a.alloc(1, below)
pickle.dump(snapshot([a]), open(out, "wb"))`,
  );
  const {page, problems, close} = await browser.open(chromium, file);
  assert.strictEqual((await page.textContent(".lead")).replace(/\u00b5s/g, "us"), report.devices[0].headline);
  await showsItsNumbers(page, report, 40);
  const plot = await page.$("[data-plot='What is held over time']");
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  const at = async (x, y) => {
    await page.mouse.move(box.x + 62 + x * (box.width - 70), box.y + 8 + (1 - y) * (box.height - 32));
    return [
      await page.textContent(".tip b"),
      await page.$$eval(".frames li", (nodes) => nodes.map((node) => node.textContent)),
    ];
  };
  assert.deepStrictEqual(await at(0.25, 0.25), ["below (a.py:1)", ["below (a.py:1)", "main (a.py:9)"]]);
  assert.deepStrictEqual(await at(0.25, 0.75), ["above (a.py:2)", ["above (a.py:2)", "main (a.py:9)"]]);
  assert.deepStrictEqual(await at(0.75, 0.25), ["below (a.py:1)", ["below (a.py:1)", "main (a.py:9)"]]);
  // Nothing is above it then.
  await at(0.75, 0.75);
  assert.strictEqual(await page.$eval(".tip", (node) => node.hidden), true);
  // A click keeps a stack while the pointer goes on; another lets it go.
  await at(0.25, 0.75);
  await page.mouse.down();
  await page.mouse.up();
  await at(0.25, 0.25);
  assert.strictEqual(await page.textContent(".frames .what"), "above (a.py:2)");
  await at(0.25, 0.75);
  await page.mouse.down();
  await page.mouse.up();
  await at(0.25, 0.25);
  assert.strictEqual(await page.textContent(".frames .what"), "below (a.py:1)");
  // By keyboard, and zoomed to the second half, where one box is left.
  await plot.focus();
  await page.keyboard.press("Home");
  assert.strictEqual(await page.textContent(".spoken"), "Nothing is held");
  await page.keyboard.press("End");
  assert.match(await page.textContent(".spoken"), /^below \(a\.py/);
  await page.keyboard.press("Escape");
  await page.mouse.move(box.x + 62 + 0.9 * (box.width - 70), box.y + 100);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -1000);
  await page.keyboard.up("Control");
  assert.strictEqual((await at(0.1, 0.25))[0], "below (a.py:1)");
  await at(0.1, 0.75);
  assert.strictEqual(await page.$eval(".tip", (node) => node.hidden), true);
  await page.click("text=Whole recording");
  assert.strictEqual((await at(0.25, 0.75))[0], "above (a.py:2)");
  assert(Object.keys(await pixels(page, "Segments")).length >= 3, "segments are drawn");
  assert.deepStrictEqual(problems, []);
  await close();
}

async function hostileSnapshot(chromium, folder) {
  const {file, report} = snapshot(
    folder,
    "hostile",
    `
a = Allocator()
evil = "</script><img src=x onerror='window.pwned=1'>\\u202e\\x1b[31m"
for i in range(3):
    a.alloc(1000000 * (i + 1), [frame(evil, evil + ".py", i), frame("<b>" + evil, "", 0)])
a.oom(1 << 40, 0, [frame(evil, evil, 1)])
for event in a.events: event["user_metadata"] = evil
pickle.dump(snapshot([a]), open(out, "wb"))`,
  );
  const {page, problems, close} = await browser.open(chromium, file);
  await showsItsNumbers(page, report, 40);
  for (const stack of await page.$$("details.stack"))
    await stack.evaluate((node) => {
      node.open = true;
    });
  const plot = await page.$("[data-plot='What is held over time']");
  await plot.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  const found = await page.evaluate(() => ({
    pwned: window.pwned,
    scripts: document.scripts.length,
    strange: document.querySelectorAll("img, iframe, object, .frames b").length,
    // eslint-disable-next-line no-control-regex
    hidden: /[\u0000-\u0008\u000b-\u001f\u007f\u200b\u202e\u2066]/.test(document.body.innerText),
  }));
  assert.deepStrictEqual(found, {pwned: undefined, scripts: 2, strange: 0, hidden: false});
  assert.deepStrictEqual(problems, []);
  await close();
}

// A plot of many events is made of few strokes; small allocations are one band.
async function largeSnapshot(chromium, folder) {
  const {file} = snapshot(folder, "large", "write_large(out, 60000)");
  const {page, problems, close} = await browser.open(chromium, file);
  assert.match(await page.textContent("#timeline .legend"), /small ones, summed/);
  const strokes = await page.evaluate(async () => {
    let count = 0;
    const drawing = CanvasRenderingContext2D.prototype;
    for (const name of ["fillRect", "strokeRect", "moveTo", "lineTo", "rect", "fillText", "arc"]) {
      const before = drawing[name];
      drawing[name] = function (...words) {
        ++count;
        return before.apply(this, words);
      };
    }
    // All plots are drawn again in the other colours.
    document.querySelector("button.theme").click();
    await new Promise(requestAnimationFrame);
    return count + document.querySelectorAll("[data-plot] svg *").length;
  });
  assert(strokes > 0 && strokes < 100000, `${strokes} strokes`);
  assert(fs.statSync(file).size < 4e6, "the page is small");
  assert.deepStrictEqual(problems, []);
  await close();
}

async function timelineOfTheProfiler(chromium, folder) {
  const name = path.join(folder, "timeline.raw.json");
  fs.writeFileSync(
    name,
    "[[-1, 1, 1000000, 0], [5000, 2, 3000000, 4], [9000, 3, -3000000, 4], [9000, 3, 3000000, 5], [12000, 4, -3000000, 5]]",
  );
  const {file, report} = paged(name);
  const {page, problems, close} = await browser.open(chromium, file);
  await showsItsNumbers(page, report, 20);
  const plot = await page.$("[data-plot='Memory by category']");
  await plot.scrollIntoViewIfNeeded();
  await plot.focus();
  await page.keyboard.press("Home");
  assert.match(await page.textContent(".spoken"), /activation 3\.00 MB, parameter 1\.00 MB$/);
  assert.deepStrictEqual(problems, []);
  await close();
}

module.exports = {stackUnderThePointer, hostileSnapshot, largeSnapshot, timelineOfTheProfiler};
