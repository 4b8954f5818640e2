// Percentiles over ranks as a table: one row per quantity with its spread drawn small.

// A line from min to max, a box from p25 to p75, a tick at the median, on a scale from 0 to `most`.
function rangeMark(values, most) {
  const width = 120;
  const x = (value) => (most > 0 ? 2 + (width - 4) * Math.max(0, value) / most : 2);
  const {min, p25, median, p75, max} = values;
  const picture = svg("svg", {class: "range", width, height: 14, viewBox: `0 0 ${width} 14`, "aria-hidden": "true"});
  if (min === null || max === null) return picture;
  picture.append(svg("line", {x1: x(min), x2: Math.max(x(max), x(min) + 1), y1: 7, y2: 7}));
  if (p25 !== undefined && p25 !== null && p75 !== null) {
    picture.append(svg("rect", {class: "box", x: x(p25), y: 3, width: Math.max(1, x(p75) - x(p25)), height: 8}));
  }
  if (median !== null) picture.append(svg("line", {class: "median", x1: x(median), x2: x(median), y1: 1, y2: 13}));
  return picture;
}

function barMark(value, most, name) {
  const width = 64;
  const picture = svg("svg", {class: "bar", width, height: 10, viewBox: `0 0 ${width} 10`, "aria-hidden": "true"},
    svg("rect", {x: 0, y: 0, height: 10, width: most > 0 && value > 0 ? Math.max(1, width * value / most) : 0}));
  if (name) picture.style.setProperty("--bar", `var(--${name})`);
  return picture;
}

// `rows` of over_ranks. Rows of one metric share a scale.
function rangeTable(rows, {keyLabel}) {
  const source = table("over_ranks");
  const most = new Map();
  for (const row of rows) {
    const metric = source.get(row, "metric");
    most.set(metric, Math.max(most.get(metric) || 0, source.number(row, "max") || 0));
  }
  const unit = (row) => source.get(row, "unit") || "";
  const numbers = (row) => Object.fromEntries(["min", "p25", "median", "p75", "max"].map((name) => [name, source.number(row, name)]));
  const column = (name, label) => ({label: label || name, cell: (row) => source.cell(row, name, unit(row))});
  const hasKeys = rows.some((row) => source.get(row, "key"));
  const hasTotals = rows.some((row) => source.get(row, "total") !== null);
  return dataTable([
    ...(hasKeys ? [{label: keyLabel || "", kind: "word", cell: (row) => source.cell(row, "key")}] : []),
    {label: "quantity", kind: "word", cell: (row) => source.cell(row, "metric"), text: (row) => metricLabel(source.get(row, "metric"), unit(row))},
    ...(hasTotals ? [column("total", "all ranks")] : []),
    column("median"),
    {label: "min to max over ranks", kind: "mark", node: (row) => rangeMark(numbers(row), most.get(source.get(row, "metric")))},
    column("min"), column("p25"), column("p75"), column("p95"), column("max"),
    {label: "on rank", doc: "the rank with the largest value", cell: (row) => source.cell(row, "max_rank")},
  ], rows);
}

// "busy_pct" -> "busy": the unit stands in the cells; only what it is per belongs to the name.
function metricLabel(metric, unit) {
  const per = unit.includes(" per ") ? ` per ${unit.split(" per ")[1]}` : "";
  return words(metric).replace(/ (ns|pct|bytes per s)$/, "") + per;
}
