// The plots of the layout, the pipeline and the experts against the tables that they are drawn of.
"use strict";

const assert = require("assert");

const schedule = "[data-plot='Schedule of the pipeline']";
const overLayout = "[data-plot='Metric over the layout']";

function rowsOf(report, name) {
  const {columns, rows} = report.tables[name];
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column.name, row[i]])));
}

// A pass is a box from its begin to its end in the row of its stage, in the colour of its direction.
async function scheduleIsTrue(page, report) {
  const passes = rowsOf(report, "pipeline_schedule");
  assert.strictEqual(Number(await page.getAttribute(schedule, "data-items")), passes.length);
  const boxes = await page.$$eval(`${schedule} path.transfer`, (paths) =>
    paths.flatMap((path) =>
      Array.from(path.getAttribute("d").matchAll(/M([-\d.]+) ([-\d.]+)h([-\d.]+)v/g), (box) => ({
        colour: path.style.fill,
        left: Number(box[1]),
        right: Number(box[1]) + Number(box[3]),
        top: Number(box[2]),
      })),
    ),
  );
  assert.strictEqual(boxes.length, passes.length);
  const begin = Math.min(...passes.map((pass) => pass.start_ns));
  const lastBegin = Math.max(...passes.map((pass) => pass.start_ns));
  const left = Math.min(...boxes.map((box) => box.left));
  const right = Math.max(...boxes.map((box) => box.left));
  const x = (time) => left + ((time - begin) / (lastBegin - begin)) * (right - left);
  const tops = [...new Set(boxes.map((box) => box.top))].sort((a, b) => a - b);
  const stages = [...new Set(passes.map((pass) => pass.stage))].sort((a, b) => a - b);
  assert.strictEqual(tops.length, stages.length, "stages do not have a row each");
  for (const pass of passes) {
    const end = x(pass.start_ns + pass.duration_ns);
    assert(
      boxes.some(
        (box) =>
          Math.abs(box.left - x(pass.start_ns)) < 0.2 &&
          Math.abs(box.right - end) < 1.2 &&
          box.top === tops[stages.indexOf(pass.stage)] &&
          box.colour === `var(--${pass.pass})`,
      ),
      `no box of ${JSON.stringify(pass)}`,
    );
  }
  const numbers = await page.$$eval(`${schedule} text[text-anchor=middle]`, (texts) =>
    texts.map((text) => text.textContent).filter((text) => /^\d+$/.test(text)),
  );
  return {passes: passes.length, stages: stages.length, numbers: numbers.length};
}

// A micro-batch is followed through the stages; zoomed in, numbers appear.
async function scheduleWorks(page, report) {
  const stages = new Set(rowsOf(report, "pipeline_schedule").map((pass) => pass.stage)).size;
  const plot = await page.$(schedule);
  await plot.scrollIntoViewIfNeeded();
  await page.mouse.move(2, 2);
  await plot.focus();
  await page.keyboard.press("Home");
  assert.strictEqual(await page.textContent(".tip b"), "forward, micro-batch 0, stage 0");
  assert.strictEqual((await page.getAttribute(`${schedule} .join`, "points")).split(" ").length, stages);
  await page.keyboard.press("ArrowDown");
  assert.strictEqual(await page.textContent(".tip b"), "forward, micro-batch 0, stage 1");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.textContent(".tip b"), /^(forward, micro-batch 1|backward, micro-batch 0), stage 1$/);
  await page.keyboard.press("Escape");
  const whole = await page.getAttribute(schedule, "data-view");
  await page.keyboard.press("+");
  assert.notStrictEqual(await page.getAttribute(schedule, "data-view"), whole);
  await page.click("#pipeline button:text('whole step')");
  assert.strictEqual(await page.getAttribute(schedule, "data-view"), whole);
  await page.evaluate(() => document.activeElement.blur());
}

// Bars are as high as their shares, and the dashed line stands at what the ideal bubble leaves.
async function stagesAreTrue(page, report) {
  const stages = rowsOf(report, "pipeline");
  const plot = "[data-plot='Time of stages']";
  const base = stages.map(() => 0);
  let scale = 0;
  let ground = 0;
  for (const part of ["compute_pct", "inside_pct", "warm_up_pct", "steady_pct", "cool_down_pct"]) {
    const d = await page.getAttribute(`${plot} path[data-part=${part}]`, "d");
    const boxes = [...d.matchAll(/M[\d.]+ ([\d.]+)V([\d.]+)/g)].map((box) => [Number(box[1]), Number(box[2])]);
    const drawn = stages.map((stage, i) => i).filter((i) => stages[i][part] > 0);
    assert.strictEqual(boxes.length, drawn.length, part);
    drawn.forEach((i, at) => {
      const [from, to] = boxes[at];
      scale = scale || (from - to) / stages[i][part];
      ground = ground || from;
      assert(
        Math.abs(from - to - stages[i][part] * scale) < 0.05 && Math.abs(from - (ground - base[i] * scale)) < 0.1,
        `${part} of stage ${stages[i].stage}`,
      );
      base[i] += stages[i][part];
    });
  }
  const lines = [...(await page.getAttribute(`${plot} .reach`, "d")).matchAll(/M[\d.]+ ([\d.]+)h/g)].map((line) =>
    Number(line[1]),
  );
  assert.strictEqual(lines.length, stages.length);
  lines.forEach((line, i) =>
    assert(
      Math.abs(line - (ground - (100 - stages[i].ideal_pct) * scale)) < 0.15,
      `the ideal of stage ${stages[i].stage}`,
    ),
  );
}

// What the page holds of a metric by rank.
function valuesOf(report, id) {
  const joined = {
    wait_ns: "collective_ranks",
    lead_ns: "collective_ranks",
    caused_wait_ns: "collective_ranks",
    load: "expert_ranks",
  };
  if (id === "bubble_pct") {
    const byStage = new Map(rowsOf(report, "pipeline").map((row) => [row.stage, row.bubble_pct]));
    return new Map(rowsOf(report, "layout_ranks").map((row) => [row.rank, byStage.get(row.pp)]));
  }
  if (joined[id]) return new Map(rowsOf(report, joined[id]).map((row) => [row.rank, row[id]]));
  return new Map(
    rowsOf(report, "rank_metrics")
      .filter((row) => row.metric === id && row.value !== null)
      .map((row) => [row.rank, row.value]),
  );
}

function numberOf(text) {
  const [, number, unit] = /^(-?[\d,.]+) ?(.*)$/.exec(text);
  const scale = {"": 1, "%": 1, ns: 1, "\u00b5s": 1e3, ms: 1e6, s: 1e9, B: 1, kB: 1e3, MB: 1e6, GB: 1e9}[unit];
  assert(scale !== undefined, `the unit of ${text}`);
  return Number(number.replace(/,/g, "")) * scale;
}

// Every cell says the mean of its ranks and names those with most and least; its shade follows the mean.
async function metricIsTrue(page, report, id, rowDimension, columnDimension) {
  await page.selectOption("#layout select[aria-label=Metric]", id);
  await page.selectOption("#layout select[aria-label=Columns]", columnDimension);
  await page.selectOption("#layout select[aria-label=Rows]", rowDimension);
  assert.deepStrictEqual(await page.$$eval("#layout select", (all) => all.map((one) => one.value)), [
    id,
    rowDimension,
    columnDimension,
  ]);
  const values = valuesOf(report, id);
  const cells = new Map();
  for (const place of rowsOf(report, "layout_ranks")) {
    if (values.get(place.rank) === undefined) continue;
    const key = `${rowDimension ? `${rowDimension} ${place[rowDimension]}` : "all ranks"}, ${columnDimension} ${place[columnDimension]}`;
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push({rank: place.rank, value: values.get(place.rank)});
  }
  const mean = (ranks) => ranks.reduce((sum, one) => sum + one.value, 0) / ranks.length;
  const means = [...cells.values()].map(mean);
  const plot = await page.$(overLayout);
  await page.mouse.move(2, 2);
  await plot.focus();
  await page.keyboard.press("Escape");
  const seen = new Set();
  const rows = new Set([...cells.keys()].map((key) => key.split(", ")[0])).size;
  for (let row = 0; row < rows; ++row) {
    await page.keyboard.press(row === 0 ? "Home" : "ArrowDown");
    if (row > 0) await page.keyboard.press("Home");
    for (let i = 0; i <= means.length; ++i) {
      const {title, lines} = await page.$eval(".tip", (tip) => ({
        title: tip.querySelector("b").textContent,
        lines: Array.from(tip.querySelectorAll("tr"), (line) => [
          line.children[1].textContent,
          line.children[2].textContent,
          line.children[2].dataset.cell,
        ]),
      }));
      const ranks = cells.get(title);
      assert(ranks, `a cell "${title}"`);
      if (seen.has(title)) break;
      seen.add(title);
      const close = (text, value) => Math.abs(numberOf(text) - value) <= Math.max(Math.abs(value) * 0.006, 0.0501);
      assert(close(lines[0][1], mean(ranks)), `${title} shows ${lines[0][1]} for ${mean(ranks)}`);
      if (ranks.length > 1) {
        assert.strictEqual(lines[0][0], `mean of ${ranks.length} ranks`);
        const by = new Map(ranks.map((one) => [`rank ${one.rank}`, one.value]));
        if (Math.max(...by.values()) === Math.min(...by.values())) assert.strictEqual(lines[1][0], "each of them");
        else assert.strictEqual(by.get(lines[1][0].replace("most, ", "")), Math.max(...by.values()));
        if (lines.length > 2) assert.strictEqual(by.get(lines[2][0].replace("least, ", "")), Math.min(...by.values()));
      }
      await page.keyboard.press("ArrowRight");
    }
  }
  assert.strictEqual(seen.size, cells.size, "not all cells can be reached");
  await page.keyboard.press("Escape");
  // Shades: fifths of the largest distance from the median.
  const shades = await page.$$eval(`${overLayout} path[data-shade]`, (paths) =>
    paths.map((path) => [Number(path.dataset.shade), path.getAttribute("d").split("M").length - 1]),
  );
  const [low, high] = [Math.min(...means), Math.max(...means)];
  const median = [...means].sort((a, b) => a - b)[Math.floor(means.length / 2)];
  const expected = new Map();
  const isFlat = !(
    high - low >
    ((shades.length && rowsOf(report, "rank_metrics").some((row) => row.metric === id && row.unit === "%")) ||
    id.endsWith("_pct")
      ? 1
      : 0.01 * high)
  );
  for (const value of means) {
    const far = Math.max(high - median, median - low);
    const shade = isFlat
      ? 0
      : Math.sign(value - median) * Math.min(4, Math.floor((Math.abs(value - median) / far) * 5)) || 0;
    expected.set(shade, (expected.get(shade) || 0) + 1);
  }
  assert.deepStrictEqual(
    new Map(shades.sort(([a], [b]) => a - b)),
    new Map([...expected].sort(([a], [b]) => a - b)),
    `shades of ${id}`,
  );
  return {cells: cells.size, shades: shades.length};
}

// The rank with most load of every exchange has the one cell of its column and group.
async function expertsAreTrue(page, report) {
  const exchanges = rowsOf(report, "expert_load");
  const hottest = new Map();
  for (const row of exchanges) hottest.set(`rank ${row.hottest_rank}, exchange ${row.exchange}`, row);
  const shades = await page.$$eval("[data-plot='Fullest ranks of experts'] path[data-shade]", (paths) =>
    paths.map((path) => [Number(path.dataset.shade), path.getAttribute("d").split("M").length - 1]),
  );
  const level = (load) => [1.1, 1.25, 1.5, 2].filter((border) => load >= border).length;
  for (const [shade, count] of shades)
    assert.strictEqual(
      count,
      exchanges.filter((row) => level(row.max_over_mean) === shade).length,
      `exchanges of shade ${shade}`,
    );
  assert.strictEqual(
    shades.reduce((sum, [, count]) => sum + count, 0),
    hottest.size,
  );
  await page.focus("[data-plot='Fullest ranks of experts']");
  for (const key of ["Home", "ArrowRight", "ArrowDown", "End"]) {
    await page.keyboard.press(key);
    const title = await page.textContent(".tip b");
    assert(hottest.has(title), `the tooltip of "${title}"`);
  }
  await page.keyboard.press("Escape");
  const ranks = rowsOf(report, "expert_ranks");
  const d = await page.getAttribute("[data-plot='Load of experts by rank'] path[data-part=load]", "d");
  const heights = [...d.matchAll(/M[\d.]+ ([\d.]+)V([\d.]+)/g)].map((box) => Number(box[1]) - Number(box[2]));
  const scale = heights[0] / ranks[0].load;
  ranks.forEach((row, i) => assert(Math.abs(heights[i] - row.load * scale) < 0.1, `the load of rank ${row.rank}`));
  return exchanges.length;
}

// A group's matrix, source by destination, shaded by the distance from an even share.
async function matrixIsTrue(page, report) {
  const sends = rowsOf(report, "all_to_all");
  const byFirst = new Map(); // group by its first member
  for (const row of sends) {
    const first = Math.min(
      ...sends
        .filter((other) => other.groups === row.groups && other.source_rank === row.source_rank)
        .map((other) => other.destination_rank),
    );
    const key = `from rank ${first} on`;
    if (!byFirst.has(key)) byFirst.set(key, []);
    byFirst.get(key).push(row);
  }
  const plot = "[data-plot='All-to-all matrix']";
  for (const [label, rows] of byFirst) {
    if (byFirst.size > 1) await page.click(`section button:text('${label}')`);
    assert.strictEqual(Number(await page.getAttribute(plot, "data-cells")), rows.length);
    const even = 100 / Math.sqrt(rows.length);
    const shadeOf = (row) => {
      const away = 100 * (row.share_pct / even - 1);
      return Math.sign(away) * [5, 10, 25, 50].filter((border) => Math.abs(away) >= border).length || 0;
    };
    const shades = await page.$$eval(`${plot} path[data-shade]`, (paths) =>
      paths.map((path) => [Number(path.dataset.shade), path.getAttribute("d").split("M").length - 1]),
    );
    for (const [shade, count] of shades)
      assert.strictEqual(count, rows.filter((row) => shadeOf(row) === shade).length, `${label}, shade ${shade}`);
    await page.focus(plot);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    const ranks = [...new Set(rows.map((row) => row.source_rank))].sort((a, b) => a - b);
    assert.strictEqual(await page.textContent(".tip b"), `rank ${ranks[1]} to, rank ${ranks[0]}`);
    const sent = rows.find((row) => row.source_rank === ranks[1] && row.destination_rank === ranks[0]).bytes;
    assert.strictEqual(await page.getAttribute(".tip [data-cell]", "data-value"), String(sent));
    await page.keyboard.press("Escape");
  }
  return byFirst.size;
}

// What the page makes of the ranks at a place is what by_layout says.
async function metricIsThatOfTheTable(page, rows, metric) {
  await page.selectOption("#layout select[aria-label=Metric]", metric);
  await page.selectOption("#layout select[aria-label=Rows]", "dp");
  await page.selectOption("#layout select[aria-label=Columns]", "pp");
  const texts = await page.$$eval(`${overLayout} text.strong[text-anchor=middle]`, (nodes) =>
    nodes.map((node) => node.textContent),
  );
  assert.strictEqual(texts.length, rows.length);
  rows.forEach((row, i) =>
    assert(
      Math.abs(numberOf(texts[i]) - row.mean) <= Math.max(0.006 * Math.abs(row.mean), 0.0501),
      `dp ${row.row}, pp ${row.column} shows ${texts[i]} for ${row.mean}`,
    ),
  );
}

module.exports = {
  metricIsThatOfTheTable,
  scheduleIsTrue,
  scheduleWorks,
  stagesAreTrue,
  metricIsTrue,
  expertsAreTrue,
  matrixIsTrue,
};
