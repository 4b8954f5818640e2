// Percentiles over ranks as tables: a row per kernel class, direction, phase, ... with its spread drawn small.

import {type Child, el, svg} from "../../draw/dom";
import {baseUnit, grouped} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import {type CellValue, type Table, report, table} from "../../model/report";
import {metricDoc} from "../../model/metric_docs";
import {metricLabel, metricName} from "../../model/vocabulary";
import {type Column, dataTable, details} from "./data_table";

// A line from min to max, a box from p25 to p75, a tick at the median, on a scale from 0 to `most`.
interface Spread {
  readonly min: number | null;
  readonly p25: number | null;
  readonly median: number | null;
  readonly p75: number | null;
  readonly max: number | null;
}

export function rangeMark(values: Spread, most: number): SVGElement {
  const width = 120;
  const x = (value: number) => (most > 0 ? 2 + ((width - 4) * Math.max(0, value)) / most : 2);
  const {min, p25, median, p75, max} = values;
  const picture = svg("svg", {class: "range", width, height: 14, viewBox: `0 0 ${width} 14`, "aria-hidden": "true"});
  if (min === null || max === null) return picture;
  picture.append(svg("line", {x1: x(min), x2: Math.max(x(max), x(min) + 1), y1: 7, y2: 7}));
  if (p25 !== null && p75 !== null) {
    picture.append(svg("rect", {class: "box", x: x(p25), y: 3, width: Math.max(1, x(p75) - x(p25)), height: 8}));
  }
  if (median !== null) picture.append(svg("line", {class: "median", x1: x(median), x2: x(median), y1: 1, y2: 13}));
  return picture;
}

export function barMark(value: number, most: number, name?: string): SVGElement {
  const width = 64;
  const picture = svg(
    "svg",
    {class: "bar", width, height: 10, viewBox: `0 0 ${width} 10`, "aria-hidden": "true"},
    svg("rect", {x: 0, y: 0, height: 10, width: most > 0 && value > 0 ? Math.max(1, (width * value) / most) : 0}),
  );
  if (name) picture.style.setProperty("--bar", `var(--${name})`);
  return picture;
}

// The columns for `rows` of over_ranks that have one metric, or that have no keys.
function rangeColumns(source: Table, rows: readonly number[], first: Column): Column[] {
  const isOneRank = report.job.ranks === 1;
  const unit = (row: number) => source.text(row, "unit");
  const numbers = (row: number): Spread => {
    const of = (name: string) => source.number(row, name);
    return {min: of("min"), p25: of("p25"), median: of("median"), p75: of("p75"), max: of("max")};
  };
  const most = new Map<string, number>();
  const mostOf = (row: number) => most.get(unit(row)) ?? 0;
  for (const row of rows) most.set(unit(row), Math.max(most.get(unit(row)) || 0, source.number(row, "max") || 0));
  const column = (name: string) => ({label: name, cell: (row: number) => source.cell(row, name, unit(row))});
  const hasTotals = rows.some((row) => source.get(row, "total") !== null);
  const sum = hasTotals
    ? [
        {
          label: "sum",
          doc: "over all counted steps of all ranks",
          cell: (row: number) => source.cell(row, "total", baseUnit(unit(row))),
        },
      ]
    : [];
  if (isOneRank) {
    const bars =
      most.size === 1 && rows.length > 1
        ? [{label: "", kind: "mark", node: (row: number) => barMark(source.amount(row, "median"), mostOf(row))}]
        : [];
    return [first, {...column("median"), label: "value"}, ...bars, ...sum];
  }
  return [
    first,
    column("median"),
    {
      label: "spread over ranks",
      doc: "a line from the least to the greatest rank, a box from the 25th to the 75th percentile, a tick at the median",
      kind: "mark",
      node: (row) => rangeMark(numbers(row), mostOf(row)),
    },
    column("min"),
    column("p25"),
    column("p75"),
    column("p95"),
    column("max"),
    {label: "max on rank", doc: "the rank with the largest value", cell: (row) => source.cell(row, "max_rank")},
    ...sum,
  ];
}

const mostKeys = 8;

// `rows` of one analysis in over_ranks. With keys: a table per metric, the keys by size; `main` are the metrics that are not folded.
export function rangeTables(
  rows: readonly number[],
  {keyLabel = "", main}: {keyLabel?: string; main: readonly string[]},
): Child {
  const source = table("over_ranks");
  if (!rows.some((row) => source.get(row, "key"))) {
    return dataTable(
      rangeColumns(source, rows, {
        label: "quantity",
        kind: "word",
        cell: (row) => source.cell(row, "metric"),
        text: (row) => metricLabel(source.get(row, "metric"), source.text(row, "unit")),
        about: (row) => metricDoc(source.get(row, "metric")),
      }),
      rows,
    );
  }
  const tableOf = (metric: CellValue) => {
    const those = sorted(
      rows.filter((row) => source.get(row, "metric") === metric),
      (row) => source.number(row, "median"),
      true,
    );
    const label = metricLabel(metric, source.text(those[0] ?? -1, "unit"));
    const columns = rangeColumns(source, those, {
      label: keyLabel,
      kind: "word",
      cell: (row) => source.cell(row, "key"),
    });
    const isLong = those.length > mostKeys + 2;
    return el(
      "div",
      {},
      el("p", {class: "metric", title: metricDoc(metric)}, label),
      dataTable(columns, isLong ? those.slice(0, mostKeys) : those),
      isLong ? details("over_ranks", columns, those, `All ${grouped(those.length)}`) : null,
    );
  };
  const metrics = distinct(rows.map((row) => source.get(row, "metric")));
  // What is 0 everywhere is no news.
  const isZero = (metric: CellValue) =>
    rows.every((row) => source.get(row, "metric") !== metric || source.number(row, "max") === 0);
  const first = metrics.filter((metric) => main.includes(String(metric)) && !isZero(metric));
  const rest = metrics.filter((metric) => !first.includes(metric));
  const folded = el("details", {}, el("summary", {}, `More: ${rest.map((metric) => metricName(metric)).join(", ")}`));
  folded.addEventListener("toggle", () => {
    if (folded.open && folded.children.length === 1) folded.append(...rest.map(tableOf));
  });
  return [first.map(tableOf), rest.length ? folded : null];
}
