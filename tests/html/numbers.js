// What a page shows against the JSON report: every shown cell names the table, row and column that it is from.
"use strict";

const assert = require("assert");

const scales = {
  ns: 1,
  "\u00b5s": 1e3,
  ms: 1e6,
  s: 1e9,
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  PB: 1e15,
  "%": 1,
  "B/s": 1,
  "kB/s": 1e3,
  "MB/s": 1e6,
  "GB/s": 1e9,
  "TB/s": 1e12,
  "FLOP/byte": 1,
};
["", "k", "M", "G", "T", "P", "E"].forEach((prefix, i) => {
  for (const unit of ["FLOP", "FLOP/s"]) scales[prefix + unit] = 1e3 ** i;
});

// "23.8 ms" -> {value: 23.8e6, step: 0.1e6}, `step` being one of the last digit.
function parsed(text) {
  const found = /^(-?[\d,]+)(\.\d+)?(e[-+]?\d+)? ?([^\d ]*)$/.exec(text);
  if (!found) return null;
  const scale = found[4] === "" ? 1 : scales[found[4]];
  if (scale === undefined) return null;
  const digits = found[2] ? found[2].length - 1 : 0;
  return {
    value: Number(found[1].replace(/,/g, "") + (found[2] || "") + (found[3] || "")) * scale,
    step: scale * 10 ** -digits,
  };
}

// Every cell that stands anywhere on the page.
function cells(page, selector = "[data-cell]") {
  return page.$$eval(selector, (nodes) =>
    nodes
      .filter((node) => node.dataset.cell)
      .map((node) => ({id: node.dataset.cell, value: node.dataset.value, text: node.textContent})),
  );
}

function check(found, report) {
  const [name, row, column] = found.id.split("/");
  const table = report.tables[name];
  assert(table, `${found.id}: the report has no such table`);
  const index = table.columns.findIndex((one) => one.name === column);
  assert(index >= 0 && table.rows[row], `${found.id}: the report has no such cell`);
  const expected = table.rows[row][index];
  assert.strictEqual(
    found.value,
    expected === null ? "" : String(expected),
    `${found.id}: the page has another value than the report`,
  );
  if (expected === null)
    return assert.match(found.text, /^(\u2013|\(.+\))$/, `${found.id}: unknown is not shown as such`);
  if (typeof expected !== "number") return undefined;
  const shown = parsed(found.text);
  assert(shown, `${found.id}: "${found.text}" is no number with a unit`);
  // Rounded to what is shown, with some room for halves.
  assert(
    Math.abs(shown.value - expected) <= shown.step * 0.51 + Math.abs(expected) * 1e-9 ||
      Math.abs(shown.value - expected) <= Math.abs(expected) * 0.0051,
    `${found.id}: shows "${found.text}" for ${expected}`,
  );
  return undefined;
}

module.exports = {cells, check};
