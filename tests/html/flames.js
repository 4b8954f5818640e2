// The flame graph of a page against the table that it is drawn of.
"use strict";

const assert = require("assert");
const numbers = require("./numbers.js");

const rowHeight = 18;

// The frames of the report: [{parent, name, device, host, children}].
function framesOf(report) {
  const {columns, rows} = report.tables.flame_graph;
  const at = (name) => columns.findIndex((column) => column.name === name);
  const frames = rows.map((row) => ({
    parent: row[at("parent")],
    level: row[at("level")],
    name: row[at("name")],
    isRest: row[at("kind")] === null && row[at("name")] === "(others)",
    device: row[at("device_total_ns")],
    host: row[at("host_total_ns")],
    deviceSelf: row[at("device_self_ns")],
    hostSelf: row[at("host_self_ns")],
    children: [],
  }));
  frames.forEach((frame, i) => {
    if (frame.parent !== null) frames[frame.parent].children.push(i);
  });
  return frames;
}

// What a frame calls, the heaviest first, the folded rest last.
function inside(frames, frame, weight) {
  return frames[frame].children
    .filter((child) => frames[child][weight] > 0)
    .sort((a, b) => frames[a].isRest - frames[b].isRest || frames[b][weight] - frames[a][weight]);
}

// Totals are sums, and the root is everything: the table's sums are exact.
function sumsAreExact(frames) {
  for (const weight of ["device", "host"]) {
    for (const frame of frames) {
      const ofChildren = frame.children.reduce((sum, child) => sum + frames[child][weight], 0);
      assert.strictEqual(frame[weight], frame[`${weight}Self`] + ofChildren, `${weight} of ${frame.name.slice(0, 60)}`);
    }
  }
}

// What is drawn: boxes {x, y, width} in units of the picture, and its width.
function drawn(page) {
  return page.$eval(".flames svg", (picture) => ({
    width: picture.viewBox.baseVal.width,
    boxes: Array.from(picture.querySelectorAll("path"), (path) =>
      Array.from(path.getAttribute("d").matchAll(/M([\d.]+) ([\d.]+)h([\d.]+)/g), (found) => ({
        kind: path.dataset.kind,
        x: Number(found[1]),
        y: Number(found[2]),
        width: Number(found[3]),
      })),
    ).flat(),
  }));
}

// Every frame of at least a pixel has its box, where the sums of the frames before it put it; nothing else is drawn.
async function boxesAreWhereTheyBelong(page, frames, weight, zoom) {
  const {width, boxes} = await drawn(page);
  const expected = [];
  for (let around = frames[zoom].parent; around !== null; around = frames[around].parent)
    expected.push({frame: around, x: 0, width});
  const open = [{frame: zoom, x: 0, width}];
  while (open.length > 0) {
    const box = open.pop();
    expected.push(box);
    let x = box.x;
    for (const child of inside(frames, box.frame, weight)) {
      const wide = (width * frames[child][weight]) / frames[zoom][weight];
      open.push({frame: child, x, width: wide});
      x += wide;
    }
  }
  const sure = expected.filter((box) => box.width >= 1);
  for (const box of sure) {
    const y = frames[box.frame].level * rowHeight + 1;
    const gap = box.width > 3 ? 1 : 0;
    assert(
      boxes.some(
        (one) =>
          Math.abs(one.x - box.x) < 0.02 && one.y === y && Math.abs(one.width - Math.max(box.width - gap, 0.5)) < 0.02,
      ),
      `${frames[box.frame].name.slice(0, 80)} has no box at ${box.x} ${y} ${box.width}`,
    );
  }
  assert(
    boxes.length >= sure.length && boxes.length <= expected.filter((box) => box.width >= 0.49).length,
    `${boxes.length} boxes for ${expected.length} frames`,
  );
  return {width, expected};
}

async function status(page) {
  return page.textContent("#call-stacks .result");
}

// The share of the frames whose name has `text` in it, inside of `zoom`.
function foundShare(frames, weight, zoom, text) {
  let sum = 0;
  let count = 0;
  const open = [[zoom, false]];
  while (open.length > 0) {
    const [at, isInside] = open.pop();
    const isFound = at !== 0 && frames[at].name.toLowerCase().includes(text.toLowerCase());
    if (isFound) ++count;
    if (isFound && !isInside) sum += frames[at][weight];
    for (const child of frames[at].children) if (frames[child][weight] > 0) open.push([child, isInside || isFound]);
  }
  return {count, share: (100 * sum) / frames[zoom][weight]};
}

async function search(page, frames, weight, zoom, text) {
  await page.fill("#call-stacks input", text);
  const {count, share} = foundShare(frames, weight, zoom, text);
  const said = await status(page);
  if (count === 0) return assert.strictEqual(said, "no frame found");
  const parsed = /^([\d,]+) frames?: ([\d.]+)% of (device|host) time( here)?$/.exec(said);
  assert(parsed, said);
  assert.deepStrictEqual(
    [Number(parsed[1].replace(/,/g, "")), parsed[3], Boolean(parsed[4])],
    [count, weight, zoom !== 0],
  );
  assert(Math.abs(Number(parsed[2]) - share) <= 0.051, `${said}, not ${share}`);
  const found = (await drawn(page)).boxes.filter((box) => box.kind === "found");
  assert(found.length > 0 && found.length <= count, `${found.length} of ${count} are highlighted`);
  return undefined;
}

// By pointer: tooltip, zoom, the way back, search, the other weight.
async function flameGraphWorks(page, report, words) {
  const frames = framesOf(report);
  sumsAreExact(frames);
  const plot = await page.$(".flames");
  await plot.scrollIntoViewIfNeeded();
  const {width, expected} = await boxesAreWhereTheyBelong(page, frames, "device", 0);
  // A frame in the middle that holds some, but not all.
  const target = expected.find(
    (box) =>
      frames[box.frame].level >= 2 &&
      box.width > 40 &&
      box.width < width * 0.9 &&
      frames[box.frame].children.length > 0,
  );
  assert(target, "no frame to zoom into");
  const place = await plot.boundingBox();
  const y = place.y + frames[target.frame].level * rowHeight + 9;
  await page.mouse.move(place.x + target.x + target.width / 2, y);
  assert.strictEqual(await page.textContent(".tip b"), frames[target.frame].name.slice(0, 300));
  for (const cell of await numbers.cells(page, ".tip [data-cell]")) numbers.check(cell, report);
  const share = /share of all([\d.]+)%/.exec(await page.textContent(".tip"));
  assert(Math.abs(Number(share[1]) - (100 * frames[target.frame].device) / frames[0].device) <= 0.051);
  await page.mouse.click(place.x + target.x + target.width / 2, y);
  assert.strictEqual(await plot.getAttribute("data-zoom"), String(target.frame));
  await boxesAreWhereTheyBelong(page, frames, "device", target.frame);
  assert.strictEqual((await plot.boundingBox()).y, place.y, "the picture moves below the pointer");
  for (const word of words) await search(page, frames, "device", target.frame, word);
  await page.click("#call-stacks .way button:text('(all)')");
  assert.strictEqual(await plot.getAttribute("data-zoom"), "0");
  for (const word of [...words, "no such frame anywhere"]) await search(page, frames, "device", 0, word);
  await page.fill("#call-stacks input", "");
  assert.strictEqual(await status(page), "");
  await page.click("#call-stacks button:text('host time')");
  await boxesAreWhereTheyBelong(page, frames, "host", 0);
  for (const word of words) await search(page, frames, "host", 0, word);
  await page.fill("#call-stacks input", "");
  await page.click("#call-stacks button:text('device time')");
  await boxesAreWhereTheyBelong(page, frames, "device", 0);
  await byKeyboard(page, frames, plot);
}

// Arrow keys walk, Enter zooms, Escape zooms out.
async function byKeyboard(page, frames, plot) {
  await page.mouse.move(2, 2);
  await plot.focus();
  const title = () => page.textContent(".tip b");
  const heaviest = (frame) => inside(frames, frame, "device");
  const press = async (key, frame) => {
    await page.keyboard.press(key);
    assert.strictEqual(await title(), frames[frame].name.slice(0, 300), `after ${key}`);
  };
  await press("Home", 0);
  let at = 0;
  // Down to where there is more than one.
  while (heaviest(at).length === 1) await press("ArrowDown", (at = heaviest(at)[0]));
  const [first, second] = heaviest(at);
  await press("ArrowDown", first);
  await press("ArrowRight", second);
  await press("ArrowRight", heaviest(at)[2] ?? second);
  await press("ArrowLeft", heaviest(at)[2] === undefined ? first : second);
  await press("Home", 0);
  while (at !== 0) at = frames[at].parent;
  while (heaviest(at).length === 1) await press("ArrowDown", (at = heaviest(at)[0]));
  await press("ArrowDown", first);
  await press("Enter", first);
  assert.strictEqual(await plot.getAttribute("data-zoom"), String(first));
  await boxesAreWhereTheyBelong(page, frames, "device", first);
  await press("ArrowUp", at);
  let leaf = at;
  while (heaviest(leaf).length > 0) leaf = heaviest(leaf)[0];
  await press("End", leaf);
  assert((await page.textContent(".spoken")).length > 10, "nothing is said to screen readers");
  await page.keyboard.press("Escape");
  assert.strictEqual(await plot.getAttribute("data-zoom"), "0");
  assert(!(await page.isVisible(".tip")));
}

module.exports = {flameGraphWorks, framesOf, sumsAreExact};
