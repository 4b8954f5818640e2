// Percentiles over ranks as tables: a row per kernel class, direction, phase, ... with its spread drawn small.

import {useState} from "preact/hooks";
import {fillOf} from "../../draw/axes";
import {baseUnit, grouped} from "../../model/format";
import {metricDoc} from "../../model/metric_docs";
import {distinct, sorted} from "../../model/order";
import type {CellValue, Report, Table} from "../../model/report";
import {type Column, DataTable, Details} from "./data_table";

// A line from min to max, a box from p25 to p75, a tick at the median, on a scale from 0 to `most`.
interface Spread {
  readonly min: number | null;
  readonly p25: number | null;
  readonly median: number | null;
  readonly p75: number | null;
  readonly max: number | null;
}

export function RangeMark({
  values: {min, p25, median, p75, max},
  most,
}: {
  readonly values: Spread;
  readonly most: number;
}) {
  const width = 120;
  const x = (value: number) => (most > 0 ? 2 + ((width - 4) * Math.max(0, value)) / most : 2);
  return (
    <svg class="range" width={width} height={14} viewBox={`0 0 ${width} 14`} aria-hidden="true">
      {min === null || max === null ? null : (
        <>
          <line x1={x(min)} x2={Math.max(x(max), x(min) + 1)} y1={7} y2={7} />
          {p25 === null || p75 === null ? null : (
            <rect class="box" x={x(p25)} y={3} width={Math.max(1, x(p75) - x(p25))} height={8} />
          )}
          {median === null ? null : <line class="median" x1={x(median)} x2={x(median)} y1={1} y2={13} />}
        </>
      )}
    </svg>
  );
}

export function BarMark({
  value,
  most,
  colour,
}: {
  readonly value: number;
  readonly most: number;
  readonly colour?: string | undefined;
}) {
  const width = 64;
  return (
    <svg class="bar" width={width} height={10} viewBox={`0 0 ${width} 10`} aria-hidden="true">
      <rect
        x={0}
        y={0}
        height={10}
        width={most > 0 && value > 0 ? Math.max(1, (width * value) / most) : 0}
        style={colour ? fillOf(colour) : undefined}
      />
    </svg>
  );
}

// A share bar behind a column of times, on the scale of the largest.
export function timeBar(source: Table, rows: readonly number[], name: string, colour: string): Column {
  const most = Math.max(...rows.map((row) => source.number(row, name) || 0));
  return {
    label: "",
    kind: "mark",
    node: (row) => <BarMark value={source.number(row, name) || 0} most={most} colour={colour} />,
  };
}

// The columns for `rows` of over_ranks that have one metric, or that have no keys.
function rangeColumns(report: Report, source: Table, rows: readonly number[], first: Column): Column[] {
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
  const sum: Column[] = hasTotals
    ? [
        {
          label: "sum",
          doc: "over all counted steps of all ranks",
          cell: (row) => source.cell(row, "total", baseUnit(unit(row))),
        },
      ]
    : [];
  if (isOneRank) {
    const bars: Column[] =
      most.size === 1 && rows.length > 1
        ? [
            {
              label: "",
              kind: "mark",
              node: (row) => <BarMark value={source.amount(row, "median")} most={mostOf(row)} />,
            },
          ]
        : [];
    return [first, {...column("median"), label: "value"}, ...bars, ...sum];
  }
  const spread: Column = {
    label: "spread over ranks",
    doc: "a line from the least to the greatest rank, a box from the 25th to the 75th percentile, a tick at the median",
    kind: "mark",
    node: (row) => <RangeMark values={numbers(row)} most={mostOf(row)} />,
  };
  return [
    first,
    column("median"),
    spread,
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
interface RangeTables {
  readonly report: Report;
  readonly rows: readonly number[];
  readonly keyLabel?: string | undefined;
  readonly main: readonly string[];
}
export function RangeTables({report, rows, keyLabel = "", main}: RangeTables) {
  const [isMade, setMade] = useState(false);
  const source = report.table("over_ranks");
  const {words} = report;
  if (!rows.some((row) => source.get(row, "key"))) {
    const first: Column = {
      label: "quantity",
      kind: "word",
      cell: (row) => source.cell(row, "metric"),
      text: (row) => words.metricLabel(source.get(row, "metric"), source.text(row, "unit")),
      about: (row) => metricDoc(source.get(row, "metric")),
    };
    return <DataTable columns={rangeColumns(report, source, rows, first)} rows={rows} />;
  }
  const metrics = distinct(rows.map((row) => source.get(row, "metric")));
  // What is 0 everywhere is no news.
  const isZero = (metric: CellValue) =>
    rows.every((row) => source.get(row, "metric") !== metric || source.number(row, "max") === 0);
  const first = metrics.filter((metric) => main.includes(String(metric)) && !isZero(metric));
  const rest = metrics.filter((metric) => !first.includes(metric));
  const tables = (those: readonly CellValue[]) =>
    those.map((metric) => <MetricTable key={metric} report={report} rows={rows} metric={metric} keyLabel={keyLabel} />);
  return (
    <>
      {tables(first)}
      {rest.length === 0 ? null : (
        <details onToggle={() => setMade(true)}>
          <summary>{`More: ${rest.map((metric) => words.metricName(metric)).join(", ")}`}</summary>
          {isMade ? tables(rest) : null}
        </details>
      )}
    </>
  );
}

function MetricTable({
  report,
  rows,
  metric,
  keyLabel,
}: {
  readonly report: Report;
  readonly rows: readonly number[];
  readonly metric: CellValue;
  readonly keyLabel: string;
}) {
  const source = report.table("over_ranks");
  const those = sorted(
    rows.filter((row) => source.get(row, "metric") === metric),
    (row) => source.number(row, "median"),
    true,
  );
  const columns = rangeColumns(report, source, those, {
    label: keyLabel,
    kind: "word",
    cell: (row) => source.cell(row, "key"),
  });
  const isLong = those.length > mostKeys + 2;
  return (
    <div>
      <p class="metric" title={metricDoc(metric) ?? undefined}>
        {report.words.metricLabel(metric, source.text(those[0] ?? -1, "unit"))}
      </p>
      <DataTable columns={columns} rows={isLong ? those.slice(0, mostKeys) : those} />
      {isLong ? (
        <Details source={source} columns={columns} rows={those} title={`All ${grouped(those.length)}`} />
      ) : null}
    </div>
  );
}
