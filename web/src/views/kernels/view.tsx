// The kernels that take most time, and how they changed over the steps.

import {CellSpan} from "../../draw/cells";
import {type HeatCell, HeatMap, shadeLegend, shadeOf} from "../../draw/heat_map";
import {Legend} from "../../draw/legend";
import {LineChart} from "../../draw/line_chart";
import {words} from "../../model/format";
import {distinct} from "../../model/order";
import type {Report} from "../../model/report";
import {front} from "../../model/text";
import {type Column, DataTable, Details, plain} from "../shared/data_table";
import {BarMark} from "../shared/range_table";
import {SaidLines} from "../shared/said";
import type {Section} from "../shared/section";

const mostKernels = 20;

export function kernelsSection(report: Report): Section | null {
  const source = report.table("kernels_by_name");
  if (source.empty) return null;
  const rows = source.rows();
  const folded = new Set(["max", "mean there", "outliers"]);
  const most = Math.max(...rows.map((row) => source.number(row, "share_pct") || 0));
  const colourOf = (row: number) => (report.words.pathPartById.get(source.get(row, "work")) || {}).colour;
  const optional = (name: string, label: string) => (source.has(name) ? [plain(source, name, label)] : []);
  const columns: Column[] = [
    {
      label: "name",
      kind: "name",
      cell: (row: number) => source.cell(row, "name"),
      text: (row: number) => source.text(row, "short_name"),
    },
    {label: "class", kind: "word", cell: (row: number) => source.cell(row, "class")},
    plain(source, "share_pct", "share"),
    {
      label: "",
      kind: "mark",
      node: (row: number) => <BarMark value={source.amount(row, "share_pct")} most={most} colour={colourOf(row)} />,
    },
    plain(source, "total_ns", "total"),
    plain(source, "count"),
    plain(source, "mean_ns", "mean"),
    ...optional("p50_ns", "p50"),
    ...optional("p99_ns", "p99"),
    plain(source, "max_ns", "max"),
    ...optional("outliers", "outliers"),
    plain(source, "slowest_rank", "slowest rank"),
    plain(source, "slowest_mean_ns", "mean there"),
  ];
  return {
    id: "kernels",
    title: "Top kernels",
    tables: ["kernels_by_name", "kernel_places", "kernels_by_rank"],
    answer: (
      <>
        <CellSpan cell={source.cell(0, "share_pct")} /> of their time in {front(source.text(0, "short_name"), 60)}
      </>
    ),
    how: "Kernels, copies and memsets by summed duration on all ranks; work that overlaps counts more than once. A p99 far above the p50 means that the kernel sometimes waits or is disturbed.",
    body: (
      <>
        <SaidLines report={report} name="unknown_kernels" />
        <DataTable columns={columns.filter((column) => !folded.has(column.label))} rows={rows} most={mostKernels} />
        <Details source={report.table("kernels_by_name")} columns={columns} rows={rows} />
      </>
    ),
  };
}

export function kernelStepsSection(report: Report): Section | null {
  const source = report.table("kernel_steps");
  const names = distinct(source.rows().map((row) => source.text(row, "name")));
  const steps = distinct(source.rows().map((row) => source.amount(row, "step"))).sort((a, b) => a - b);
  if (names.length === 0 || steps.length < 2) return null;
  const place = new Map(source.rows().map((row) => [`${source.get(row, "step")}/${source.get(row, "name")}`, row]));
  const shortOf = new Map(source.rows().map((row) => [source.text(row, "name"), source.text(row, "short_name")]));
  const rowOf = (name: string | undefined, step: number | undefined) => place.get(`${step}/${name}`);
  const borders = [5, 10, 25, 50];
  const cell = (r: number, c: number): HeatCell | null => {
    const row = rowOf(names[r], steps[c]);
    if (row === undefined) return null;
    return {
      value: source.cell(row, "change_pct"),
      shade: shadeOf(source.number(row, "change_pct"), borders),
      mark: false,
      lines: [
        ["", "against its median step", source.cell(row, "change_pct")],
        ["", "time per rank", source.cell(row, "mean_per_rank_ns")],
        ["", "count", source.cell(row, "count")],
        ["", "ranks", source.cell(row, "ranks")],
      ],
    };
  };
  const lines = names.slice(0, 5).map((name, i) => ({
    label: front(shortOf.get(name) ?? "", 40),
    colour: `series-${i + 1}`,
    width: 1.75,
    values: steps.map((step) => {
      const row = rowOf(name, step);
      return row === undefined ? null : source.number(row, "mean_per_rank_ns");
    }),
    cell: (i2: number) => {
      const row = rowOf(name, steps[i2]);
      return row === undefined ? null : source.cell(row, "mean_per_rank_ns");
    },
  }));
  const columns: Column[] = ["step", "ranks", "count", "total_ns", "mean_per_rank_ns", "change_pct"].map((name) =>
    plain(source, name, words(name.replace(/_(ns|pct)$/, ""))),
  );
  columns.splice(1, 0, {
    label: "name",
    kind: "name",
    cell: (row) => source.cell(row, "name"),
    text: (row) => source.text(row, "short_name"),
  });
  const node = {
    id: "kernel-steps",
    title: "What changed over steps",
    tables: ["kernel_steps"],
    how: "The time of the largest kernels in each step, averaged over the ranks. Flat lines are steady; a line that steps or climbs shows which kernel made the steps slower.",
    body: (
      <>
        <Legend entries={lines.map((line) => [line.colour, line.label])} />
        <LineChart
          name="Kernel time over steps"
          unit="ns"
          title={(i: number) => `Step ${steps[i]}, time per rank`}
          x={{label: "step", whole: true, values: steps, format: (value: number) => String(value)}}
          series={lines}
        />
        <h3>Change against the median step</h3>
        <p class="how">
          A row per kernel, a column per step: how much more or less time it took than in its own median step.
        </p>
        <Legend entries={shadeLegend(borders, "%", "less", "more")} />
        <HeatMap
          name="Kernel change by step"
          axis="step"
          rowLabelWidth={330}
          cell={cell}
          rows={names.map((name) => ({label: shortOf.get(name) ?? name, title: shortOf.get(name) ?? name}))}
          columns={steps.map((step) => ({label: String(step), title: `step ${step}`}))}
        />
        <Details source={report.table("kernel_steps")} columns={columns} rows={source.rows()} />
      </>
    ),
  };
  const isSteady = source.rows().every((row) => Math.abs(source.number(row, "change_pct") || 0) < leastKernelChange);
  return isSteady
    ? {...node, folded: `No large kernel took ${leastKernelChange}% more or less than in its median step.`}
    : node;
}
// In percent, as the sentences have it.
const leastKernelChange = 25;
