// Who comes late and why: the skew of collectives and sends, charged to the rank and the cause in which it began.

import {Legend, type LegendEntry} from "../../draw/legend";
import {type RowBar, StackedBars} from "../../draw/stacked_bars";
import type {TipLine} from "../../draw/tips";
import {sorted} from "../../model/order";
import {numbersOf} from "../../model/ranks";
import {type Cell, type Report, type Table} from "../../model/report";
import {front} from "../../model/text";
import type {Part} from "../../model/vocabulary";
import {DataTable, Details, plain} from "../shared/data_table";
import {timeBar} from "../shared/range_table";
import {SaidLines} from "../shared/said";
import type {Section} from "../shared/section";

// Causes in the order in which they are stacked. What holds up hosts in one piece shares a colour; the tooltip and the table name it.
const lateCauses: readonly (readonly [id: string, colour: string])[] = [
  ["slower kernels", "compute"],
  ["kernels", "compute"],
  ["more work", "compute"],
  ["transfer", "exposed_communication"],
  ["copies", "exposed_copy"],
  ["host", "idle_host"],
  ["input", "idle_data"],
  ["sync", "idle_sync"],
  ["pause", "idle_launch"],
  ["gc", "idle_launch"],
  ["compiling", "idle_launch"],
  ["checkpoint", "idle_launch"],
  ["allocator", "idle_launch"],
  ["usual work", "idle_gap"],
  ["unexplained", "unknown"],
];
const causeLabels: Readonly<Record<string, string>> = {
  kernels: "kernels (shapes are not known)",
  gc: "garbage collection",
  input: "waiting for input",
  sync: "sync calls",
  transfer: "transfers of other groups",
  "usual work": "usual work (more than the rank that comes first has)",
};
// Without what stands in brackets.
function causeName(cause: string) {
  return causeLabel(cause).replace(/ \(.*/, "");
}
function causeLabel(cause: string) {
  return causeLabels[cause] || cause;
}
// Below this share of the steps, in percent, nobody is said to be late.
const leastLateness = 1;
// Rows of less than this share of all lateness, and bars of less than this part of the highest, are in the data only.
const leastLateShare = 1;
const leastOfLargest = 0.01;

// One entry per colour.
function causesLegend(present: readonly Part[]) {
  const byColour = new Map<string, string[]>();
  for (const {colour: name, label} of present) byColour.set(name, [...(byColour.get(name) || []), label]);
  return <Legend entries={Array.from(byColour, ([name, labels]): LegendEntry => [name, labels.join(", ")])} />;
}

interface BlameBar extends RowBar {
  readonly all: number;
}

function blameBars(source: Table, rows: readonly number[], present: readonly Part[]): BlameBar[] {
  const found = new Map<string, RowBar & {readonly cells: Record<string, Cell>; readonly more: TipLine[]}>();
  for (const row of rows) {
    const who = source.text(row, "ranks");
    const isOne = source.get(row, "rank") !== null;
    let bar = found.get(who);
    if (bar === undefined)
      found.set(
        who,
        (bar = {
          row,
          ranks: numbersOf(who),
          label: front(who, 12),
          title: `${isOne ? "Rank" : "Ranks"} ${front(who, 60)}${isOne ? "" : ", together"}`,
          cells: {},
          more: [],
        }),
      );
    bar.cells[source.text(row, "cause")] = source.cell(row, "blamed_ns");
    const pattern = source.get(row, "pattern");
    if (pattern !== null)
      bar.more.push(["", `${causeName(source.text(row, "cause"))}: pattern`, source.cell(row, "pattern")]);
  }
  const all = (bar: RowBar) => present.reduce((sum, part) => sum + Number(bar.cells[part.id]?.value ?? 0), 0);
  const bars = sorted(Array.from(found.values()), all, true).map((bar) => ({...bar, all: all(bar)}));
  return bars.filter((bar) => bar.all >= leastOfLargest * (bars[0]?.all ?? 0));
}

export function blameSection(report: Report): Section | null {
  const source = report.table("blame");
  const collectives = report.table("collective_ranks");
  if (
    !report.has("blame") ||
    report.job.ranks < 2 ||
    !collectives.rows().some((row) => collectives.amount(row, "collectives") > 0)
  )
    return null;
  const title = "Who comes late, and why";
  if (source.empty) return {...{id: "blame", title: title}, folded: "No rank comes later than the clocks leave open."};
  const rows = source.rows();
  const present = lateCauses
    .map(([id, name]) => ({id, label: causeLabel(id), colour: name}))
    .filter((part) => rows.some((row) => source.get(row, "cause") === part.id && source.amount(row, "blamed_ns") > 0));
  // A part that nobody would see has no place in the legend.
  const sum = (part: Part) =>
    rows.reduce((all, row) => all + (source.get(row, "cause") === part.id ? source.amount(row, "share_pct") : 0), 0);
  const bars = blameBars(source, rows, present);
  const columns = [
    plain(source, "ranks", "rank", "word"),
    plain(source, "peers", "compared with", "word"),
    {...plain(source, "cause", "cause", "word"), text: (row: number) => causeName(source.text(row, "cause"))},
    plain(source, "op", "mostly in", "text"),
    plain(source, "blamed_ns", "blamed"),
    timeBar(source, rows, "blamed_ns", "series-6"),
    plain(source, "share_pct", "of all lateness"),
    plain(source, "step_pct", "of a step"),
    plain(source, "steps", "in steps"),
    plain(source, "of_steps", "of"),
    plain(source, "pattern", "pattern", "word"),
    plain(source, "late_arrivals", "late arrivals"),
  ];
  const hasStages = rows.some((row) => source.amount(row, "stage") > 0);
  const more = hasStages ? [...columns.slice(0, 1), plain(source, "stage"), ...columns.slice(1)] : columns;
  const large = sorted(
    rows.filter(
      (row) => source.amount(row, "share_pct") >= leastLateShare || source.amount(row, "step_pct") >= leastLateness,
    ),
    (row) => source.number(row, "blamed_ns"),
    true,
  );
  const isOwn = (row: number) => !["usual work", "unexplained"].includes(source.text(row, "cause"));
  const node = {
    id: "blame",
    title: title,
    tables: ["blame"],
    how: "A rank is often late because another one let it wait. Here each late arrival is followed to where it began, and charged to that rank and cause. Fixed: in at least three of four steps; rotating: in fewer, but some rank of the same peers in three of four; random: in single steps. Lateness of groups adds up here though they wait at the same time; its part of a step does not.",
    body: (
      <>
        <SaidLines report={report} name="blame" />
        {causesLegend(present.filter((part) => sum(part) >= 0.1 * leastLateShare))}
        {bars.length < 2 ? null : (
          <StackedBars
            name="Lateness by rank"
            axis="rank, the most blamed first"
            bars={bars}
            parts={present}
            unit="ns"
            sorts={[
              {
                label: "largest cause",
                key: (bar: BlameBar) => Math.max(...Object.values(bar.cells).map((cell) => Number(cell?.value ?? 0))),
              },
            ]}
            difference={(bar: BlameBar) => bar.all}
            few="most blamed"
          />
        )}
        {large.length ? <DataTable columns={columns} rows={large} most={8} /> : null}
        <Details source={report.table("blame")} columns={more} rows={rows} title="All rows" />
      </>
    ),
  };
  const isLate = rows.some((row) => isOwn(row) && source.amount(row, "step_pct") >= leastLateness);
  return isLate ? node : {...node, folded: "No rank holds the others up by 1% of a step for a cause of its own."};
}
