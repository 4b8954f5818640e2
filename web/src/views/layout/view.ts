// The parallel dimensions of the job, and any metric of its ranks over two of them.

import {el, front} from "../../draw/dom";
import {type HeatCell, type HeatData, type HeatLine, heatMap, shadesAround} from "../../draw/heat_map";
import {legend} from "../../draw/legend";
import type {TipLine} from "../../draw/tooltip";
import {grouped, human} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import {type Cell, type CellValue, report, type Table, table} from "../../model/report";
import {metricLabel, parts} from "../../model/vocabulary";
import {dataTable, details, plain} from "../shared/data_table";
import {section} from "../shared/section";

const dimensionWords: Readonly<Record<string, string>> = {
  tp: "tensor parallel",
  cp: "context parallel",
  ep: "expert parallel",
  pp: "pipeline stage",
  dp: "data parallel",
  host: "host",
  role: "role",
};
const sourceWords: Readonly<Record<string, string>> = {
  names: "names of process groups",
  traffic: "what groups exchange",
  rest: "what the others leave",
  absent: "no such group was seen",
};
// The dimension with this many places and no other one is broken into rows.
const mostInARow = 48;

export function layoutSection() {
  const dimensions = table("layout");
  const ranks = table("layout_ranks");
  if (dimensions.empty || report.job.ranks < 2) return null;
  const warnings = report.sentences.layout_warnings;
  return section(
    "layout",
    "Layout",
    "How the ranks share the work: the model's matrices over tensor (tp) and context (cp) ranks, its layers over pipeline stages (pp), its experts over expert ranks (ep, a part of dp), the data over dp.",
    report.sentences.layout.map((role) => el("p", {class: "said"}, role)),
    warnings.length
      ? el(
          "ul",
          {class: "warnings"},
          warnings.map((warning) => el("li", {}, warning)),
        )
      : null,
    dimensionTable(dimensions),
    metricOverLayout(ranks),
  );
}

function dimensionTable(dimensions: Table) {
  const hasRoles = distinct(dimensions.rows().map((row) => dimensions.get(row, "role"))).length > 1;
  const present = dimensions
    .rows()
    .filter(
      (row) =>
        dimensions.amount(row, "degree") > 1 ||
        dimensions.amount(row, "groups") > 0 ||
        dimensions.get(row, "conflicts") !== null,
    );
  const columns = [
    ...(hasRoles ? [plain(dimensions, "role", "role", "word")] : []),
    {
      ...plain(dimensions, "dimension", "dimension", "word"),
      text: (row: number) =>
        `${dimensions.get(row, "dimension")}: ${dimensionWords[dimensions.text(row, "dimension")] ?? ""}`,
    },
    plain(dimensions, "degree"),
    {
      ...plain(dimensions, "source", "known from", "word"),
      text: (row: number) => sourceWords[dimensions.text(row, "source")] ?? dimensions.text(row, "source"),
    },
    plain(dimensions, "confidence"),
    plain(dimensions, "groups"),
    plain(dimensions, "traffic", "its groups exchange", "text"),
    plain(dimensions, "ranks_seen", "ranks seen"),
    plain(dimensions, "ranks", "of"),
  ];
  const conflicts = present.some((row: number) => dimensions.get(row, "conflicts") !== null)
    ? [plain(dimensions, "conflicts", "what speaks against it", "text")]
    : [];
  return [
    present.length ? dataTable([...columns, ...conflicts], present) : null,
    details(
      "layout",
      [...columns, plain(dimensions, "conflicts", "what speaks against it", "text")],
      dimensions.rows(),
      "All dimensions",
    ),
  ];
}

interface RankMetric {
  readonly id: string;
  readonly label: string;
  readonly unit: string;
  readonly asked: string | undefined;
  readonly cells: Map<number, Cell>;
}

// What is known of ranks: {id, label, unit, cells: rank -> cell, asked: what by_layout calls it, if it has it}.
function metricsOfRanks(ranks: Table): RankMetric[] {
  const found = new Map<string, RankMetric>();
  const add = (id: string, label: string, unit: string, rank: number | null, cell: Cell, asked?: string) => {
    if (cell.value === null || rank === null) return;
    let metric = found.get(id);
    if (metric === undefined) found.set(id, (metric = {id, label, unit, asked, cells: new Map()}));
    metric.cells.set(rank, cell);
  };
  const metrics = table("rank_metrics");
  for (const row of metrics.rows()) {
    const [metric, unit] = [metrics.text(row, "metric"), metrics.text(row, "unit")];
    add(metric, metricLabel(metric, unit), unit, metrics.number(row, "rank"), metrics.cell(row, "value", unit), metric);
  }
  const waits = table("collective_ranks");
  for (const row of waits.rows()) {
    if (!(waits.amount(row, "collectives") > 0)) continue;
    const rank = waits.number(row, "rank");
    add("wait_ns", "waits in collectives", "ns", rank, waits.cell(row, "wait_ns"), "collective_ranks.wait_ns");
    add(
      "lead_ns",
      "comes later than the next, in collectives",
      "ns",
      rank,
      waits.cell(row, "lead_ns"),
      "collective_ranks.lead_ns",
    );
    add(
      "caused_wait_ns",
      "others wait for it, in collectives",
      "ns",
      rank,
      waits.cell(row, "caused_wait_ns"),
      "collective_ranks.caused_wait_ns",
    );
  }
  const stages = table("pipeline");
  const stageOf = new Map(stages.rows().map((row) => [stages.get(row, "stage"), row]));
  if (stageOf.size) {
    for (const row of ranks.rows()) {
      const stage = stageOf.get(ranks.get(row, "pp"));
      if (stage !== undefined)
        add(
          "bubble_pct",
          "pipeline bubble of its stage",
          "%",
          ranks.number(row, "rank"),
          stages.cell(stage, "bubble_pct"),
        );
    }
  }
  const experts = table("expert_ranks");
  for (const row of experts.rows())
    add(
      "load",
      "load of its experts, against the mean",
      "",
      experts.number(row, "rank"),
      experts.cell(row, "load"),
      "expert_ranks.load",
    );
  return Array.from(found.values());
}

// Where ranks stand: {rows, columns: [{label, title}], axis, ranks(r, c)}. Without a second dimension there is one row, or several of a long one.
interface Places {
  readonly axis: string;
  readonly rows: readonly HeatLine[];
  readonly columns: readonly HeatLine[];
  readonly ranks: (row: number, column: number) => readonly number[]; // rows of the layout
}
function placesOf(ranks: Table, rowDimension: string | null, columnDimension: string): Places {
  const valuesOf = (dimension: string) => {
    const values = distinct(ranks.rows().map((row) => ranks.get(row, dimension)));
    return sorted(values, (value) => value, false);
  };
  const placeName = (dimension: string, value: CellValue) =>
    value === null
      ? `${dimension} unknown`
      : dimension === "host" || dimension === "role"
        ? String(value)
        : `${dimension} ${value}`;
  const columnValues = valuesOf(columnDimension);
  const held = new Map<string, number[]>();
  const put = (row: number, r: number, c: number) => {
    const key = `${r}/${c}`;
    const those = held.get(key);
    if (those) those.push(row);
    else held.set(key, [row]);
  };
  const ranksAt = (r: number, c: number) => held.get(`${r}/${c}`) ?? [];
  const axis = nameOf(columnDimension);
  const columnPlace = new Map(columnValues.map((value, i) => [value, i]));
  if (rowDimension === null && columnValues.length > mostInARow) {
    const wide = 32;
    for (const row of ranks.rows()) {
      const i = columnPlace.get(ranks.get(row, columnDimension)) ?? 0;
      put(row, Math.floor(i / wide), i % wide);
    }
    const first = (i: number) => placeName(columnDimension, columnValues[i * wide]);
    return {
      axis: `${axis}, ${wide} in a row`,
      columns: Array.from({length: wide}, (_, i) => ({label: `+${i}`, title: `+${i}`})),
      ranks: ranksAt,
      rows: Array.from({length: Math.ceil(columnValues.length / wide)}, (_, i) => ({
        label: `${first(i)}\u2026`,
        title: first(i),
      })),
    };
  }
  const rowValues = rowDimension === null ? [] : valuesOf(rowDimension);
  const rowPlace = new Map(rowValues.map((value, i) => [value, i]));
  for (const row of ranks.rows())
    put(
      row,
      rowDimension === null ? 0 : (rowPlace.get(ranks.get(row, rowDimension)) ?? 0),
      columnPlace.get(ranks.get(row, columnDimension)) ?? 0,
    );
  const isName = columnDimension === "host" || columnDimension === "role";
  return {
    axis,
    ranks: ranksAt,
    rows:
      rowDimension === null
        ? [{label: "all ranks", title: "all ranks"}]
        : rowValues.map((value) => ({
            label: front(placeName(rowDimension, value), 60),
            title: placeName(rowDimension, value),
          })),
    columns: columnValues.map((value) => ({
      label: value === null ? "?" : isName ? front(value, 16) : String(value),
      title: placeName(columnDimension, value),
    })),
  };
}

// "pp: pipeline stage".
function nameOf(dimension: string) {
  return `${dimension}${dimensionWords[dimension] === dimension ? "" : `: ${dimensionWords[dimension]}`}`;
}

// A number that the page makes of cells.
function madeCell(value: number, unit: string) {
  return {value, unit, type: "double", id: ""};
}

// What a metric is at a place: its mean over the ranks there, and the ranks with least and most.
interface RankCell {
  readonly rank: number;
  readonly cell: Cell;
}
function meanAt(metric: RankMetric, ranks: Table, rows: readonly number[]) {
  const known = rows.flatMap((row): RankCell[] => {
    const rank = ranks.amount(row, "rank");
    const cell = metric.cells.get(rank);
    return cell === undefined ? [] : [{rank, cell}];
  });
  if (known.length === 0) return null;
  const number = (one: RankCell) => Number(one.cell.value);
  const by = (better: (a: number, b: number) => boolean) =>
    known.reduce((best, one) => (better(number(one), number(best)) ? one : best));
  return {
    mean: known.reduce((sum, one) => sum + number(one), 0) / known.length,
    count: known.length,
    least: by((a, b) => a < b),
    most: by((a, b) => a > b),
  };
}

function metricOverLayout(ranks: Table) {
  const metrics = metricsOfRanks(ranks);
  const counts = new Map(
    Object.keys(dimensionWords).map((dimension) => [
      dimension,
      distinct(
        ranks
          .rows()
          .map((row) => ranks.get(row, dimension))
          .filter((value) => value !== null),
      ).length,
    ]),
  );
  const dimensions = Array.from(counts.keys()).filter((dimension) => (counts.get(dimension) ?? 0) > 1);
  if (metrics.length === 0 || dimensions.length === 0) return null;

  let [rowDimension, columnDimension] = defaultDimensions(ranks, dimensions, counts);
  const spread = (metric: RankMetric) => {
    const places = placesOf(ranks, rowDimension, columnDimension);
    const means = places.rows
      .flatMap((_, r) => places.columns.map((__, c) => meanAt(metric, ranks, places.ranks(r, c))))
      .filter((one) => one !== null)
      .map((one) => one.mean);
    const [low, high] = [Math.min(...means), Math.max(...means)];
    return metric.unit === "%" ? (high - low) / 100 : high > 0 ? (high - low) / high : 0;
  };
  const isShare = (metric: RankMetric) =>
    parts.some((part) => part.id === metric.id && !part.idle) || metric.id === "idle" || metric.id === "bubble_pct";
  const stepTime = metrics.find((metric) => metric.id === "step_time");
  let metric =
    stepTime && spread(stepTime) >= 0.05
      ? stepTime
      : sorted(metrics.filter(isShare), spread, true)[0] || stepTime || metrics[0];

  const key = el("div");
  const command = el("p", {class: "note"});
  // The choosers are not on paper.
  const chosen = el("p", {class: "metric on-paper"});
  const note = el("p", {class: "note"});
  const view = (): HeatData => {
    const places = placesOf(ranks, rowDimension, columnDimension);
    const found = places.rows.map((_, r) => places.columns.map((__, c) => meanAt(metric, ranks, places.ranks(r, c))));
    const means = found
      .flat()
      .filter((one) => one !== null)
      .map((one) => one.mean);
    // What differs by less than 1 % of the largest, or of time, is no news.
    const shades = shadesAround(
      means,
      metric.unit === "%" ? 1 : 0.01 * means.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
    );
    const isMean = found.flat().some((one) => one !== null && one.count > 1);
    const hasBlanks = means.length < places.rows.length * places.columns.length;
    key.replaceChildren(
      legend([
        ...shades.legend((value: number) => human(value, metric.unit)),
        ...(hasBlanks ? [["", "blank: no rank there, or unknown"] as const] : []),
      ]),
    );
    const byWhat =
      rowDimension === null ? nameOf(columnDimension) : `${nameOf(rowDimension)} and ${nameOf(columnDimension)}`;
    chosen.textContent = `${metric.label}, by ${byWhat}`;
    command.replaceChildren(
      ...(rowDimension === null || !metric.asked
        ? []
        : [
            "As a table: ",
            el(
              "code",
              {},
              `rankscope table by_layout PATH --set rows=${rowDimension} --set columns=${columnDimension} --set metric=${metric.asked}`,
            ),
          ]),
    );
    const range = means.length
      ? `: ${human(Math.min(...means), metric.unit)} to ${human(Math.max(...means), metric.unit)}`
      : "";
    note.textContent = `${isMean ? "A cell is the mean over its ranks; its tooltip names the ranks with least and most." : "A cell is one rank."}${shades.isFlat ? ` The cells hardly differ${range}; they have no shades.` : ""}`;
    return {
      axis: places.axis,
      rows: places.rows,
      columns: places.columns,
      ranksAt: (r: number, c: number) => places.ranks(r, c).map((row) => ranks.amount(row, "rank")),
      cell: (r: number, c: number): HeatCell | null => {
        const one = found[r]?.[c] ?? null;
        if (one === null) return null;
        const ends: TipLine[] =
          one.most.cell.value === one.least.cell.value
            ? [["", "each of them", one.most.cell]]
            : [
                ["", `most, rank ${one.most.rank}`, one.most.cell],
                ["", `least, rank ${one.least.rank}`, one.least.cell],
              ];
        const lines: TipLine[] =
          one.count === 1
            ? [["", `rank ${one.most.rank}`, one.most.cell]]
            : [["", `mean of ${grouped(one.count)} ranks`, madeCell(one.mean, metric.unit)], ...ends];
        return {value: madeCell(one.mean, metric.unit), shade: shades.of(one.mean), mark: false, lines};
      },
    };
  };
  const plot = heatMap({name: "Metric over the layout", rowLabelWidth: 110, ...view()});
  const choosers = new Map<HTMLSelectElement, () => string>();
  const chooser = (
    label: string,
    options: readonly (readonly [id: string, text: string])[],
    value: () => string,
    take: (value: string) => void,
  ) => {
    const select = el(
      "select",
      {
        "aria-label": label,
        onchange: () => {
          take(select.value);
          for (const [other, current] of choosers) other.value = current();
          plot.change(view());
        },
      },
      options.map(([id, text]) => el("option", {value: id}, text)),
    );
    select.value = value();
    choosers.set(select, value);
    return el("label", {}, label, " ", select);
  };
  const ones = dimensions.map((dimension) => [dimension, nameOf(dimension)] as const);
  const tools = el(
    "div",
    {class: "tools"},
    chooser(
      "Metric",
      metrics.map((one) => [one.id, one.label] as const),
      () => metric.id,
      (id) => {
        metric = metrics.find((one) => one.id === id) ?? metric;
      },
    ),
    // Of two alike choices the other one gives way.
    chooser(
      "Rows",
      [["", "none"], ...ones],
      () => rowDimension || "",
      (id) => {
        if (id === columnDimension && rowDimension === null && dimensions.length < 2) return;
        if (id === columnDimension)
          columnDimension = rowDimension || dimensions.find((one) => one !== id) || columnDimension;
        rowDimension = id || null;
      },
    ),
    chooser(
      "Columns",
      ones,
      () => columnDimension,
      (id) => {
        if (id === rowDimension) rowDimension = columnDimension;
        columnDimension = id;
      },
    ),
  );
  const columns = ["rank", "host", "role", "tp", "cp", "ep", "pp", "dp"].map((name) =>
    plain(ranks, name, name, name === "host" || name === "role" ? "word" : undefined),
  );
  return [
    el("h3", {}, "A metric over the layout"),
    el(
      "p",
      {class: "how"},
      "Choose what to see, and the two dimensions to see it over. A row or a column that stands out names the dimension in which a cause lies; a single cell names the ranks.",
    ),
    tools,
    chosen,
    key,
    plot,
    note,
    command,
    ranks.count < ranks.total
      ? el("p", {class: "note"}, `The first ${grouped(ranks.count)} of ${grouped(ranks.total)} ranks.`)
      : null,
    details("layout_ranks", columns, ranks.rows(), "Where each rank stands"),
  ];
}

// Rows and columns to begin with: roles, which do different work; else the first two dimensions, in this order, that leave few cells blank (experts divide the data parallel ranks,
// hosts often hold a part of another dimension); else one alone. Many places go into columns, which are narrow.
function defaultDimensions(
  ranks: Table,
  dimensions: readonly string[],
  counts: ReadonlyMap<string, number>,
): [rows: string | null, columns: string] {
  const count = (dimension: string) => counts.get(dimension) ?? 0;
  const order = ["role", "dp", "pp", "tp", "ep", "cp", "host"].filter((dimension) => dimensions.includes(dimension));
  const largest = sorted(
    order.filter((dimension) => dimension !== "role"),
    count,
    true,
  )[0];
  if (order[0] === "role" && largest) return ["role", largest];
  for (const [i, first] of order.entries()) {
    for (const second of order.slice(i + 1)) {
      const cells = new Set(ranks.rows().map((row) => `${ranks.get(row, first)}/${ranks.get(row, second)}`));
      if (cells.size < 0.7 * count(first) * count(second)) continue;
      return count(first) > 32 && count(first) > count(second) ? [second, first] : [first, second];
    }
  }
  return [null, largest || order[0] || "dp"];
}
