// The parallel dimensions of the job, and any metric of its ranks over two of them.

import {useMemo, useState} from "preact/hooks";
import {type HeatCell, type HeatData, type HeatLine, HeatMap, shadesAround} from "../../draw/heat_map";
import {Legend, type LegendEntry} from "../../draw/legend";
import type {TipLine} from "../../draw/tips";
import {grouped, human} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import {type Cell, type CellValue, type Report, type Table} from "../../model/report";
import {front} from "../../model/text";
import {DataTable, Details, plain} from "../shared/data_table";
import type {Section} from "../shared/section";

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

export function layoutSection(report: Report): Section | null {
  const dimensions = report.table("layout");
  const ranks = report.table("layout_ranks");
  if (dimensions.empty || report.job.ranks < 2) return null;
  const warnings = report.sentences.layout_warnings;
  return {
    id: "layout",
    title: "Layout",
    tables: ["layout", "layout_ranks"],
    how: "How the ranks share the work: the model's matrices over tensor (tp) and context (cp) ranks, its layers over pipeline stages (pp), its experts over expert ranks (ep, a part of dp), the data over dp.",
    body: (
      <>
        {report.sentences.layout.map((role) => (
          <p class="said">{role}</p>
        ))}
        {warnings.length ? (
          <ul class="warnings">
            {warnings.map((warning) => (
              <li>{warning}</li>
            ))}
          </ul>
        ) : null}
        {dimensionTable(report, dimensions)}
        {metricOverLayout(report, ranks)}
      </>
    ),
  };
}

function dimensionTable(report: Report, dimensions: Table) {
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
  return (
    <>
      {present.length ? <DataTable columns={[...columns, ...conflicts]} rows={present} /> : null}
      <Details
        source={report.table("layout")}
        columns={[...columns, plain(dimensions, "conflicts", "what speaks against it", "text")]}
        rows={dimensions.rows()}
        title="All dimensions"
      />
    </>
  );
}

interface RankMetric {
  readonly id: string;
  readonly label: string;
  readonly unit: string;
  readonly asked: string | undefined;
  readonly cells: Map<number, Cell>;
}

// What is known of ranks: {id, label, unit, cells: rank -> cell, asked: what by_layout calls it, if it has it}.
function metricsOfRanks(report: Report, ranks: Table): RankMetric[] {
  const found = new Map<string, RankMetric>();
  const add = (id: string, label: string, unit: string, rank: number | null, cell: Cell, asked?: string) => {
    if (cell.value === null || rank === null) return;
    let metric = found.get(id);
    if (metric === undefined) found.set(id, (metric = {id, label, unit, asked, cells: new Map()}));
    metric.cells.set(rank, cell);
  };
  const metrics = report.table("rank_metrics");
  for (const row of metrics.rows()) {
    const [metric, unit] = [metrics.text(row, "metric"), metrics.text(row, "unit")];
    add(
      metric,
      report.words.metricLabel(metric, unit),
      unit,
      metrics.number(row, "rank"),
      metrics.cell(row, "value", unit),
      metric,
    );
  }
  const waits = report.table("collective_ranks");
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
  const stages = report.table("pipeline");
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
  const experts = report.table("expert_ranks");
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
    const first = (i: number) => placeName(columnDimension, columnValues[i * wide] ?? null);
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

// What the reader sees over the layout, and over which of its dimensions.
interface Asked {
  readonly metric: RankMetric;
  readonly rows: string | null;
  readonly columns: string;
}

function knownMeans(ranks: Table, {metric, rows, columns}: Asked) {
  const places = placesOf(ranks, rows, columns);
  const found = places.rows.map((_, r) => places.columns.map((__, c) => meanAt(metric, ranks, places.ranks(r, c))));
  return {places, found, means: found.flat().flatMap((one) => (one === null ? [] : [one.mean]))};
}

function firstAsked(
  report: Report,
  ranks: Table,
  metrics: readonly RankMetric[],
  rows: string | null,
  columns: string,
): RankMetric | undefined {
  const spread = (metric: RankMetric) => {
    const {means} = knownMeans(ranks, {metric, rows, columns});
    const [low, high] = [Math.min(...means), Math.max(...means)];
    return metric.unit === "%" ? (high - low) / 100 : high > 0 ? (high - low) / high : 0;
  };
  const isShare = ({id}: RankMetric) =>
    report.words.parts.some((part) => part.id === id && !part.idle) || id === "idle" || id === "bubble_pct";
  const stepTime = metrics.find((metric) => metric.id === "step_time");
  if (stepTime && spread(stepTime) >= 0.05) return stepTime;
  return sorted(metrics.filter(isShare), spread, true)[0] ?? stepTime ?? metrics[0];
}

function metricOverLayout(report: Report, ranks: Table) {
  const metrics = metricsOfRanks(report, ranks);
  const counts = new Map(
    Object.keys(dimensionWords).map((dimension) => {
      const values = ranks.rows().map((row) => ranks.get(row, dimension));
      return [dimension, distinct(values.filter((value) => value !== null)).length];
    }),
  );
  const dimensions = Array.from(counts.keys()).filter((dimension) => (counts.get(dimension) ?? 0) > 1);
  if (dimensions.length === 0) return null;
  const [rows, columns] = defaultDimensions(ranks, dimensions, counts);
  const metric = firstAsked(report, ranks, metrics, rows, columns);
  return metric === undefined ? null : (
    <MetricOverLayout ranks={ranks} metrics={metrics} dimensions={dimensions} first={{metric, rows, columns}} />
  );
}

// A heat map of what is asked, with the words beside it.
function viewOf(ranks: Table, asked: Asked) {
  const {metric} = asked;
  const {places, found, means} = knownMeans(ranks, asked);
  // What differs by less than 1 % of the largest, or of time, is no news.
  const least = metric.unit === "%" ? 1 : 0.01 * means.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const shades = shadesAround(means, least);
  const value = (one: number) => human(one, metric.unit);
  const hasBlanks = means.length < places.rows.length * places.columns.length;
  const entries: LegendEntry[] = [
    ...shades.legend(value),
    ...(hasBlanks ? [["", "blank: no rank there, or unknown"] as const] : []),
  ];
  const range = means.length ? `: ${value(Math.min(...means))} to ${value(Math.max(...means))}` : "";
  const isMean = found.flat().some((one) => one !== null && one.count > 1);
  const whose = isMean
    ? "A cell is the mean over its ranks; its tooltip names the ranks with least and most."
    : "A cell is one rank.";
  const cell = (r: number, c: number): HeatCell | null => {
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
  };
  const ranksAt = (r: number, c: number) => places.ranks(r, c).map((row) => ranks.amount(row, "rank"));
  const data: HeatData = {axis: places.axis, rows: places.rows, columns: places.columns, ranksAt, cell};
  return {
    data,
    entries,
    note: `${whose}${shades.isFlat ? ` The cells hardly differ${range}; they have no shades.` : ""}`,
  };
}

interface Chooser {
  readonly label: string;
  readonly options: readonly (readonly [id: string, text: string])[];
  readonly value: string;
  readonly take: (value: string) => void;
}
function Chooser({label, options, value, take}: Chooser) {
  return (
    <label>
      {label}{" "}
      <select
        aria-label={label}
        value={value}
        onChange={(event) => {
          const taken = event.currentTarget.value;
          // What is taken may not be what was asked for.
          event.currentTarget.value = value;
          take(taken);
        }}
      >
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface MetricOverLayout {
  readonly ranks: Table;
  readonly metrics: readonly RankMetric[];
  readonly dimensions: readonly string[];
  readonly first: Asked;
}
function MetricOverLayout({ranks, metrics, dimensions, first}: MetricOverLayout) {
  const [asked, ask] = useState(first);
  const {metric, rows, columns} = asked;
  const {data, entries, note} = useMemo(() => viewOf(ranks, asked), [ranks, asked]);
  const ones = dimensions.map((dimension) => [dimension, nameOf(dimension)] as const);
  // Of two alike choices the other one gives way.
  const takeRows = (id: string) => {
    if (id !== columns) return ask({...asked, rows: id || null});
    if (rows === null && dimensions.length < 2) return;
    ask({...asked, rows: id || null, columns: rows ?? dimensions.find((one) => one !== id) ?? columns});
  };
  const takeColumns = (id: string) => ask({...asked, rows: id === rows ? columns : rows, columns: id});
  const names = ["rank", "host", "role", "tp", "cp", "ep", "pp", "dp"];
  const layoutColumns = names.map((name) =>
    plain(ranks, name, name, name === "host" || name === "role" ? "word" : undefined),
  );
  const byWhat = rows === null ? nameOf(columns) : `${nameOf(rows)} and ${nameOf(columns)}`;
  return (
    <>
      <h3>A metric over the layout</h3>
      <p class="how">
        Choose what to see, and the two dimensions to see it over. A row or a column that stands out names the dimension
        in which a cause lies; a single cell names the ranks.
      </p>
      <div class="tools">
        <Chooser
          label="Metric"
          options={metrics.map((one) => [one.id, one.label] as const)}
          value={metric.id}
          take={(id) => ask({...asked, metric: metrics.find((one) => one.id === id) ?? metric})}
        />
        <Chooser label="Rows" options={[["", "none"], ...ones]} value={rows ?? ""} take={takeRows} />
        <Chooser label="Columns" options={ones} value={columns} take={takeColumns} />
      </div>
      {/* The choosers are not on paper. */}
      <p class="metric on-paper">{`${metric.label}, by ${byWhat}`}</p>
      <div>
        <Legend entries={entries} />
      </div>
      <HeatMap name="Metric over the layout" rowLabelWidth={110} {...data} />
      <p class="note">{note}</p>
      <p class="note">
        {rows === null || !metric.asked ? null : (
          <>
            As a table:{" "}
            <code>{`rankscope table by_layout PATH --set rows=${rows} --set columns=${columns} --set metric=${metric.asked}`}</code>
          </>
        )}
      </p>
      {ranks.count < ranks.total ? (
        <p class="note">{`The first ${grouped(ranks.count)} of ${grouped(ranks.total)} ranks.`}</p>
      ) : null}
      <Details source={ranks} columns={layoutColumns} rows={ranks.rows()} title="Where each rank stands" />
    </>
  );
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
