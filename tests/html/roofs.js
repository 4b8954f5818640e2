// The roofline of a page against the table that it is drawn of.
"use strict";

const assert = require("assert");

// a + b * log(value) through two pairs [value, place].
function scale([v1, p1], [v2, p2]) {
  const b = (p2 - p1) / Math.log(v2 / v1);
  return (value) => p1 + b * Math.log(value / v1);
}

async function rooflineIsTrue(page, report) {
  const {columns, rows} = report.tables.roofline;
  const at = (name) => columns.findIndex((column) => column.name === name);
  const points = rows
    .filter((row) => row[at("op")] !== null && row[at("flop_per_byte")] > 0 && row[at("flops_per_s")] > 0)
    .map((row) => ({
      x: row[at("flop_per_byte")],
      y: row[at("flops_per_s")],
      size: row[at("device_ns")],
      peak: row[at("peak_flops_per_s")],
      memory: row[at("peak_bytes_per_s")],
      above: row[at("above_roof")],
    }))
    .sort((a, b) => b.size - a.size);
  const {circles, roofs} = await page.$eval(".roofline svg", (picture) => ({
    circles: Array.from(picture.querySelectorAll("circle:not(.cursor)"), (one) => ({
      x: Number(one.getAttribute("cx")),
      y: Number(one.getAttribute("cy")),
      r: Number(one.getAttribute("r")),
      marked: one.classList.contains("marked"),
    })),
    roofs: Array.from(picture.querySelectorAll(".roof"), (one) => ({
      roof: one.dataset.roof,
      x1: Number(one.getAttribute("x1")),
      x2: Number(one.getAttribute("x2")),
      y1: Number(one.getAttribute("y1")),
      y2: Number(one.getAttribute("y2")),
    })),
  }));
  assert.strictEqual(circles.length, points.length);
  const extreme = (key) => [
    points.reduce((a, b) => (a[key] <= b[key] ? a : b)),
    points.reduce((a, b) => (a[key] >= b[key] ? a : b)),
  ];
  const placeOf = (point) => circles[points.indexOf(point)];
  const x = scale(...extreme("x").map((point) => [point.x, placeOf(point).x]));
  const y = scale(...extreme("y").map((point) => [point.y, placeOf(point).y]));
  assert(extreme("x")[0].x < extreme("x")[1].x && x(10) > x(1) && y(10) < y(1));
  points.forEach((point, i) => {
    const circle = circles[i];
    assert(
      Math.abs(circle.x - x(point.x)) < 0.1 && Math.abs(circle.y - y(point.y)) < 0.1,
      `point ${i} is not at ${point.x}, ${point.y}`,
    );
    assert.strictEqual(circle.marked, point.above === true);
    const radius = circles[0].r * Math.sqrt(point.size / points[0].size);
    assert(Math.abs(circle.r - Math.max(2.5, radius)) < 0.02, `point ${i} has radius ${circle.r}, not ${radius}`);
  });
  // Each roof is flat at its peak from where the memory's slope reaches it.
  const peaks = [...new Set(rows.map((row) => row[at("peak_flops_per_s")]).filter((peak) => peak !== null))];
  assert.deepStrictEqual(
    roofs
      .filter((roof) => roof.roof !== "memory")
      .map((roof) => Number(roof.roof))
      .sort((a, b) => a - b),
    peaks.sort((a, b) => a - b),
  );
  const memory = points[0].memory;
  for (const roof of roofs) {
    if (roof.roof === "memory") {
      const top = Math.max(...peaks);
      assert(
        Math.abs(roof.x2 - x(top / memory)) < 0.2 && Math.abs(roof.y2 - y(top)) < 0.2,
        "the slope does not end at the highest roof",
      );
      // Slope one in both logarithms.
      assert(Math.abs((roof.x2 - roof.x1) / (x(10) - x(1)) - (roof.y2 - roof.y1) / (y(10) - y(1))) < 0.01);
    } else {
      const peak = Number(roof.roof);
      assert(
        Math.abs(roof.y1 - y(peak)) < 0.2 && roof.y1 === roof.y2 && Math.abs(roof.x1 - x(peak / memory)) < 0.2,
        `the roof of ${peak}`,
      );
    }
  }
  return {points: points.length, roofs: roofs.length};
}

module.exports = {rooflineIsTrue};
