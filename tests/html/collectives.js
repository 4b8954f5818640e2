// The plots of collectives over ranks against the tables that they are drawn of.
"use strict";

const assert = require("assert");

const timeline = "[data-plot='Timeline of collectives']";

function rowsOf(report, name) {
  const {columns, rows} = report.tables[name];
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column.name, row[i]])));
}

// The boxes of a plot's paths: [{part, left, right, top}].
function boxesOf(page, selector) {
  return page.$$eval(`${selector} path`, (paths) =>
    paths.flatMap((path) =>
      Array.from(path.getAttribute("d").matchAll(/M([-\d.]+) ([-\d.]+)h([-\d.]+)v([-\d.]+)h[-\d.]+z/g), (box) => ({
        part: path.getAttribute("class"),
        left: Number(box[1]),
        right: Number(box[1]) + Number(box[3]),
        top: Number(box[2]),
      })),
    ),
  );
}

function viewOf(page) {
  return page.getAttribute(timeline, "data-view").then((text) => text.split(" ").map(Number));
}

// Every part of a collective is a box from its begin to its end, divided where waiting ends, in the row of its rank.
async function timelineIsTrue(page, report) {
  const parts = rowsOf(report, "collective_timeline");
  assert.strictEqual(Number(await page.getAttribute(timeline, "data-items")), parts.length);
  const boxes = await boxesOf(page, timeline);
  const transfers = boxes.filter((box) => box.part === "transfer");
  const waits = boxes.filter((box) => box.part === "wait");
  assert.strictEqual(transfers.length, parts.filter((part) => part.wait_ns !== null).length);
  // Left edges give the scale: right ones end before the next box.
  const begin = Math.min(...parts.map((part) => part.start_ns));
  const lastTransfer = Math.max(
    ...parts.filter((part) => part.wait_ns !== null).map((part) => part.start_ns + part.wait_ns),
  );
  const left = Math.min(...boxes.map((box) => box.left));
  const right = Math.max(...transfers.map((box) => box.left));
  const x = (time) => left + ((time - begin) / (lastTransfer - begin)) * (right - left);
  const ranks = [...new Set(parts.map((part) => part.rank))].sort((a, b) => a - b);
  const kinds = new Set(parts.map((part) => part.groups));
  const tops = [...new Set(boxes.map((box) => box.top))].sort((a, b) => a - b);
  assert(tops.length <= ranks.length * kinds.size);
  // Of one kind of groups each rank has one lane.
  const laneOf = kinds.size === 1 ? (part) => tops[ranks.indexOf(part.rank)] : null;
  for (const part of parts.filter((one) => one.wait_ns !== null)) {
    const from = x(part.start_ns + part.wait_ns);
    const fits = (box) => Math.abs(box.left - from) < 0.2 && (!laneOf || box.top === laneOf(part));
    assert(
      transfers.some(
        (box) => fits(box) && Math.abs(box.right - Math.max(x(part.start_ns + part.duration_ns), from + 0.7)) < 1.2,
      ),
      `no transfer at ${JSON.stringify(part)}`,
    );
    if (x(part.start_ns) > from - 1) continue;
    assert(
      waits.some(
        (box) =>
          Math.abs(box.left - x(part.start_ns)) < 0.2 &&
          Math.abs(box.right - from) < 1.2 &&
          (!laneOf || box.top === laneOf(part)),
      ),
      `no waiting at ${JSON.stringify(part)}`,
    );
  }
  const arrivals = await page.$$eval(`${timeline} .arrival`, (paths) =>
    paths.map((path) => path.getAttribute("d").split("M").length - 1),
  );
  return {parts: parts.length, waits: waits.length, arrivals: arrivals.length ? arrivals[0] : 0};
}

// Keys walk to the other members of a collective, which a line joins; what is shown is zoomed and panned.
async function timelineWorks(page, report) {
  const parts = rowsOf(report, "collective_timeline");
  const plot = await page.$(timeline);
  await plot.scrollIntoViewIfNeeded();
  await page.mouse.move(2, 2);
  await plot.focus();
  await page.keyboard.press("Home");
  const first = await page.textContent(".tip b");
  const key = parts.find((part) => part.rank === parts[0].rank).collective;
  const members = parts.filter((part) => part.collective === key);
  const points = await page.getAttribute(`${timeline} .join`, "points");
  assert.strictEqual(points.split(" ").length, members.length, "the line does not join the members");
  await page.keyboard.press("ArrowDown");
  const second = await page.textContent(".tip b");
  assert.notStrictEqual(second, first);
  assert.strictEqual(
    second.replace(/rank \d+$/, ""),
    first.replace(/rank \d+$/, ""),
    "down is not the same collective",
  );
  await page.keyboard.press("ArrowUp");
  assert.strictEqual(await page.textContent(".tip b"), first);
  await page.keyboard.press("Escape");
  assert.strictEqual(await page.$(`${timeline} .join`), null);

  const whole = await viewOf(page);
  const span = ([from, to]) => to - from;
  await page.keyboard.press("+");
  const zoomed = await viewOf(page);
  assert(Math.abs(span(zoomed) - span(whole) / 2) <= 2, "plus does not show half");
  // Dragging to the right shows what was before.
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 300, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 360, box.y + 60, {steps: 4});
  await page.mouse.up();
  const panned = await viewOf(page);
  assert(
    panned[0] < zoomed[0] && Math.abs(span(panned) - span(zoomed)) <= 2,
    `${zoomed} is not panned by dragging: ${panned}`,
  );
  await page.keyboard.press("0");
  assert.deepStrictEqual(await viewOf(page), whole);
  // With the focus the wheel zooms at the pointer; without it scrolls the page.
  await page.mouse.wheel(0, -200);
  await page.waitForFunction(
    ([selector, before]) => document.querySelector(selector).dataset.view !== before,
    [timeline, whole.join(" ")],
  );
  await page.evaluate(() => document.activeElement.blur());
  const wheeled = await viewOf(page);
  const scrolled = await page.evaluate(() => scrollY);
  await page.mouse.wheel(0, 120);
  await page.waitForFunction((before) => scrollY !== before, scrolled);
  assert.deepStrictEqual(await viewOf(page), wheeled);
  await page.click("#across button:text('whole step')");
  assert.deepStrictEqual(await viewOf(page), whole);
}

// One kind of groups alone, and colours by op.
async function timelineIsFiltered(page, report) {
  const parts = rowsOf(report, "collective_timeline");
  const kinds = [...new Set(parts.map((part) => part.groups))];
  assert(kinds.length > 1);
  for (const kind of kinds) {
    await page.click(`#across button:text-is('${kind}')`);
    assert.strictEqual(
      Number(await page.getAttribute(timeline, "data-items")),
      parts.filter((part) => part.groups === kind).length,
    );
  }
  await page.click("#across button:text-is('all groups')");
  const coloured = () =>
    page.$$eval(`${timeline} .transfer`, (paths) => new Set(paths.map((path) => path.style.fill)).size);
  assert.strictEqual(await coloured(), Math.min(7, kinds.length));
  await page.click("#across button:text-is('op')");
  assert.strictEqual(await coloured(), new Set(parts.map((part) => part.op)).size);
  await page.click("#across button:text-is('groups')");
}

// Points stand at (bytes, bus bandwidth), the fits go where latency and bandwidth say, peaks where links have theirs.
async function bandwidthIsTrue(page, report) {
  const sizes = rowsOf(report, "collective_sizes")
    .filter((row) => row.bytes >= 1000 && row.bus_bandwidth > 0)
    .sort((a, b) => b.device_ns - a.device_ns);
  const {circles, roofs, curves} = await page.$eval("[data-plot='Bandwidth by size'] svg", (picture) => ({
    circles: Array.from(picture.querySelectorAll("circle:not(.cursor)"), (one) =>
      ["cx", "cy"].map((name) => Number(one.getAttribute(name))),
    ),
    roofs: Array.from(picture.querySelectorAll(".roof"), (one) => [
      Number(one.dataset.roof),
      Number(one.getAttribute("y1")),
    ]),
    curves: Array.from(picture.querySelectorAll(".curve"), (one) =>
      Array.from(one.getAttribute("d").matchAll(/[ML]([\d.]+) ([\d.]+)/g), (place) => [
        Number(place[1]),
        Number(place[2]),
      ]),
    ),
  }));
  assert.strictEqual(circles.length, sizes.length);
  // A line through the logarithms of two rows that differ.
  const scale = (values, places) => {
    const low = values.indexOf(Math.min(...values));
    const high = values.indexOf(Math.max(...values));
    const slope = (places[high] - places[low]) / Math.log(values[high] / values[low]);
    return {
      at: (value) => places[low] + slope * Math.log(value / values[low]),
      back: (place) => values[low] * Math.exp((place - places[low]) / slope),
    };
  };
  const x = scale(
    sizes.map((row) => row.bytes),
    circles.map(([cx]) => cx),
  );
  const y = scale(
    sizes.map((row) => row.bus_bandwidth),
    circles.map(([, cy]) => cy),
  );
  sizes.forEach((row, i) =>
    assert(
      Math.abs(circles[i][0] - x.at(row.bytes)) < 0.1 && Math.abs(circles[i][1] - y.at(row.bus_bandwidth)) < 0.1,
      `${row.op} of ${row.bytes} bytes stands elsewhere`,
    ),
  );
  assert.deepStrictEqual(
    roofs.map(([peak]) => peak),
    [...new Set(sizes.map((row) => row.link_peak).filter((peak) => peak !== null))],
  );
  for (const [peak, place] of roofs) assert(Math.abs(place - y.at(peak)) < 0.2, `the link of ${peak}`);
  const fitted = [
    ...new Map(
      sizes.filter((row) => row.fit_bus_bandwidth !== null).map((row) => [`${row.groups}/${row.op}`, row]),
    ).values(),
  ];
  assert.strictEqual(curves.length, fitted.length);
  // Curves stand in the order of their kinds' device time.
  const timeOf = (one) =>
    sizes.filter((row) => row.groups === one.groups && row.op === one.op).reduce((sum, row) => sum + row.device_ns, 0);
  fitted
    .sort((a, b) => timeOf(b) - timeOf(a))
    .forEach((row, i) => {
      const factor = (row.bus_bandwidth * row.median_transfer_ns) / 1e9 / row.bytes;
      for (const [px, py] of curves[i]) {
        const onBus = x.back(px) * factor;
        const rate = onBus / ((Math.max(0, row.fit_latency_ns) + (onBus / row.fit_bus_bandwidth) * 1e9) / 1e9);
        assert(Math.abs(py - y.at(rate)) < 0.5, `the fit of ${row.op} at ${px}`);
      }
    });
  return {points: circles.length, roofs: roofs.length, curves: curves.length};
}

// Below the axis bars are as long as the waiting that ranks cause.
async function causedWaitingIsTrue(page, report) {
  const rows = rowsOf(report, "collective_ranks")
    .filter((row) => row.caused_wait_ns > 0)
    .sort((a, b) => a.rank - b.rank);
  const d = await page.getAttribute("[data-plot='Waiting by rank'] path[data-part=caused]", "d");
  const lengths = [...d.matchAll(/M[\d.]+ ([\d.]+)V([\d.]+)/g)].map((box) => Number(box[2]) - Number(box[1]));
  assert.strictEqual(lengths.length, rows.length);
  const scale = Math.max(...lengths) / Math.max(...rows.map((row) => row.caused_wait_ns));
  rows.forEach((row, i) =>
    assert(Math.abs(lengths[i] - row.caused_wait_ns * scale) < 0.05, `rank ${row.rank} has ${lengths[i]}`),
  );
}

// Who comes late: bars by what they are blamed for, the most first, as high as that; rows of the table in the same order.
async function latenessIsTrue(page, report) {
  const {columns, rows} = report.tables.blame;
  // Each colour of the bars is named.
  assert((await page.$$("#blame .legend li")).length > 0, "the causes have no legend");
  const at = (name) => columns.findIndex((column) => column.name === name);
  const sums = new Map();
  for (const row of rows) sums.set(row[at("ranks")], (sums.get(row[at("ranks")]) || 0) + row[at("blamed_ns")]);
  const highest = Math.max(...sums.values());
  const expected = Array.from(sums.values())
    .filter((sum) => sum >= 0.01 * highest)
    .sort((a, b) => b - a)
    .slice(0, 64);
  const heights = await page.$$eval("[data-plot='Lateness by rank'] path[data-part]", (paths) => {
    const found = new Map();
    for (const path of paths)
      for (const [, x, from, to] of path.getAttribute("d").matchAll(/M([\d.]+) ([\d.]+)V([\d.]+)/g))
        found.set(Number(x), (found.get(Number(x)) || 0) + Number(from) - Number(to));
    return Array.from(found)
      .sort(([a], [b]) => a - b)
      .map(([, height]) => height);
  });
  assert.strictEqual(heights.length, expected.length);
  assert(expected.length >= 2);
  expected.forEach((sum, i) =>
    assert(Math.abs(heights[i] / heights[0] - sum / highest) < 0.01, `bar ${i} is ${heights[i]} high for ${sum}`),
  );
  const shown = await page.$$eval(
    "#blame > .scroll td[data-cell$='/blamed_ns'], #blame .fold > .scroll td[data-cell$='/blamed_ns']",
    (cells) => cells.map((cell) => Number(cell.dataset.value)),
  );
  const large = rows
    .filter((row) => row[at("share_pct")] >= 1 || row[at("step_pct")] >= 1)
    .map((row) => row[at("blamed_ns")])
    .sort((a, b) => b - a)
    .slice(0, 8);
  assert.deepStrictEqual(shown, large);
}

module.exports = {
  latenessIsTrue,
  timelineIsTrue,
  timelineWorks,
  timelineIsFiltered,
  bandwidthIsTrue,
  causedWaitingIsTrue,
};
