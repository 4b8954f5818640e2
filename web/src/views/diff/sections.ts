// What changed between two jobs: what it comes to, and the tables that show it side by side.

import {el, swatch} from "../../draw/dom";
import {sideBars} from "../../draw/side_bars";
import {grouped, words} from "../../model/format";
import {sorted} from "../../model/order";
import {type Table, diff, table} from "../../model/report";
import {capitalised, inMicros, partById, parts} from "../../model/vocabulary";
import {dataTable, plain} from "../shared/data_table";
import {section} from "../shared/section";
import {cellSpan, tile} from "../shared/tiles";

const mostDiffRows = 40;
const mostPathRows = 15;

// The columns that all tables of differences have behind their names.
function sumColumns(source: Table) {
  const change = plain(source, "change_ns", "change");
  return [
    plain(source, "base_ns", "BASE"),
    plain(source, "test_ns", "TEST"),
    {...change, node: (row: number) => changeSpan(source, row)},
    plain(source, "of_step_pct", "of BASE's step"),
    plain(source, "change_pct", "of itself"),
    plain(source, "base_count", "count in BASE"),
    plain(source, "test_count", "in TEST"),
    {
      label: "more than noise",
      doc: (source.columns.get("significant") || {}).doc,
      kind: "word",
      cell: (row: number) => source.cell(row, "significant"),
      text: (row: number) => (source.get(row, "significant") ? "yes" : "no"),
      unknown: "(not tested)",
    },
  ].filter((column) => column.node || column.kind === "word" || source.has(column.cell(0).id.split("/")[2]));
}

// Signed, and in the colour of its direction where it is more than noise.
function changeSpan(source: Table, row: number) {
  const cell = source.cell(row, "change_ns");
  const value = cell.value === null ? null : Number(cell.value);
  const span = el("span", {}, value !== null && value > 0 ? "+" : null, cellSpan(cell));
  const isNoise = source.get(row, "significant") === false;
  if (value && !isNoise && Math.abs(source.number(row, "of_step_pct") || 0) >= 1)
    span.classList.add(value > 0 ? "slower" : "faster");
  if (isNoise) span.classList.add("noise");
  return span;
}

// A table of differences by its `names` columns: {column, label, text(row)}.
interface NameColumn {
  readonly column: string;
  readonly label: string;
  readonly kind?: string;
  readonly text?: (source: Table, row: number) => string;
}
export function diffSection(
  id: string,
  title: string,
  how: string | null,
  tableName: string,
  names: readonly NameColumn[],
) {
  const source = table(tableName);
  if (source.empty) return null;
  const columns = [
    ...names.map(({column, label, kind = "name", text}) => ({
      ...plain(source, column, label, kind),
      text: text ? (row: number) => text(source, row) : undefined,
    })),
    ...sumColumns(source),
  ];
  const rows = source
    .rows()
    .filter((row) => source.number(row, "base_ns") !== 0 || source.number(row, "test_ns") !== 0);
  if (rows.length === 0) return null;
  const rest =
    rows.length > mostDiffRows || source.total > source.count
      ? el(
          "p",
          {class: "note"},
          `The ${grouped(Math.min(mostDiffRows, rows.length))} largest changes of ${grouped(source.total)} rows. The whole table: `,
          el("code", {}, source.command),
        )
      : null;
  return section(id, title, how, dataTable(columns, rows, mostDiffRows), rest);
}

function partOfRow(source: Table, row: number) {
  const id = source.get(row, "part");
  return partById.get(id) || {label: words(id), colour: "idle_gap"};
}
export const partColumn = {
  column: "part",
  label: "part",
  kind: "word",
  text: (source: Table, row: number) => partOfRow(source, row).label,
};

export function diffOverview() {
  const job = table("diff_job");
  const unit = job.get(0, "unit");
  const percent = job.cell(0, "change_pct");
  const slower = job.amount(0, "change_ns") > 0;
  const chance = job.get(0, "significant");
  return section(
    "overview",
    "What changed",
    null,
    el("p", {class: "lead"}, inMicros(diff.headline)),
    el(
      "div",
      {class: "tiles"},
      tile(`BASE, a ${unit}`, cellSpan(job.cell(0, "base_ns")), diff.base),
      tile(`TEST, a ${unit}`, cellSpan(job.cell(0, "test_ns")), diff.test),
      tile(
        "Change",
        [slower ? "+" : null, cellSpan(percent)],
        chance === null
          ? "whether it is noise is not known"
          : chance
            ? "more than the steps differ among themselves"
            : "no more than the steps differ among themselves",
      ),
    ),
    diff.reasons.length
      ? el(
          "ul",
          {class: "headlines"},
          diff.reasons.map((text) => el("li", {}, inMicros(capitalised(text)))),
        )
      : null,
    diff.notes.length
      ? [
          el("h3", {}, "Not the same in both"),
          el(
            "ul",
            {class: "warnings"},
            diff.notes.map((text) => el("li", {}, inMicros(capitalised(text)))),
          ),
        ]
      : null,
  );
}

export function partsSection() {
  const source = table("diff_parts");
  const order = new Map(parts.map((part, i) => [part.id, i]));
  const rank = (row: number) =>
    order.has(source.text(row, "part")) ? order.get(source.text(row, "part")) : parts.length;
  const rows = sorted(
    source.rows().filter((row) => source.number(row, "base_ns") !== 0 || source.number(row, "test_ns") !== 0),
    rank,
    false,
  );
  if (rows.length === 0) return null;
  const columns = [
    {
      label: "part",
      kind: "word",
      node: (row: number) =>
        el("span", {class: "label"}, swatch(partOfRow(source, row).colour), partOfRow(source, row).label),
    },
    ...sumColumns(source),
  ];
  return section(
    "parts",
    "Where a device's time goes",
    "A step of one device, the mean over steps and devices; the parts add up to the step, and their changes to its change.",
    sideBars(source, rows, "Parts of BASE and TEST", (row: number) => partOfRow(source, row)),
    dataTable(columns, rows),
  );
}

const findingStates: Readonly<Record<string, string>> = {
  appeared: "appeared",
  gone: "gone",
  changed: "changed",
  same: "the same",
  small: "small, on one side alone",
};
export function findingsDiffSection() {
  const source = table("diff_findings");
  if (source.empty) return null;
  const columns = [
    {
      ...plain(source, "state", "what", "word"),
      text: (row: number) => findingStates[source.text(row, "state")] ?? source.text(row, "state"),
    },
    plain(source, "id", "finding", "word"),
    plain(source, "base_gain_pct", "gain in BASE"),
    plain(source, "test_gain_pct", "in TEST"),
    plain(source, "base_who", "where in BASE", "text"),
    plain(source, "test_who", "in TEST", "text"),
    plain(source, "title", "finding", "text"),
  ];
  return section(
    "findings-diff",
    "Findings before and after",
    "What rankscope analyze says of each. A finding that is on one side alone counts as appeared or gone from 2 % of gain on.",
    dataTable(columns, source.rows()),
  );
}

export function pathSection() {
  const source = table("diff_path");
  const rows = source.rows().filter((row) => Math.abs(source.number(row, "of_step_pct") || 0) >= 0.05);
  if (rows.length === 0) return null;
  const columns = [
    plain(source, "part", "part", "word"),
    plain(source, "name", "op, call or range", "name"),
    plain(source, "base_ns", "BASE"),
    plain(source, "test_ns", "TEST"),
    {...plain(source, "change_ns", "change"), node: (row: number) => changeSpan(source, row)},
    plain(source, "of_step_pct", "of BASE's step"),
  ];
  return section(
    "path",
    "What decides the step",
    "The critical path through all ranks, of a mean step: what the others wait for is not on it. What changed by less than 0.05 % of the step is left out.",
    dataTable(columns, rows, mostPathRows),
  );
}

export function ranksDiffSection() {
  const source = table("diff_ranks");
  if (source.empty) return null;
  const rows = sorted(
    source.rows().filter((row) => source.number(row, "change_ns") !== 0),
    (row) => Math.abs(source.amount(row, "change_ns")),
    true,
  );
  if (rows.length === 0) return null;
  const columns = [
    plain(source, "rank"),
    {...plain(source, "part", "part", "word"), text: (row: number) => partOfRow(source, row).label},
    plain(source, "base_ns", "BASE"),
    plain(source, "test_ns", "TEST"),
    {...plain(source, "change_ns", "change"), node: (row: number) => changeSpan(source, row)},
    plain(source, "of_step_pct", "of BASE's step"),
  ];
  return section(
    "ranks",
    "By rank",
    "Means over the steps of each rank; the largest changes first.",
    dataTable(columns, rows, mostDiffRows),
  );
}
