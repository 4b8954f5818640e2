// How much of communication computing hides, a bar per rank.

import {CellSpan} from "../../draw/cells";
import {Legend} from "../../draw/legend";
import {type Bar, StackedBars} from "../../draw/stacked_bars";
import type {TipLine} from "../../draw/tips";
import {distinct, sorted} from "../../model/order";
import type {Cell, CellValue, Report} from "../../model/report";
import {differenceOf} from "../by_rank/view";
import {leastShare, shareOfJob} from "../job_time/view";
import {type Column, Details} from "../shared/data_table";
import {RangeTables} from "../shared/range_table";
import type {Section} from "../shared/section";

// The rows of rank_metrics by metric and rank.
function metricRows(report: Report, metric: CellValue) {
  const source = report.table("rank_metrics");
  return new Map(source.where("metric", metric).map((row) => [source.get(row, "rank"), row]));
}

interface RankBar extends Bar {
  readonly rank: CellValue;
  readonly more: readonly TipLine[];
}
function tipOf(share: Cell | undefined): readonly TipLine[] {
  return share === undefined ? [] : [["", "hidden share", share]];
}

export function overlapSection(report: Report): Section | null {
  const source = report.table("rank_metrics");
  const hiddenRows = metricRows(report, "communication_hidden_time");
  const exposedRows = metricRows(report, "communication_exposed_time");
  const shareRows = metricRows(report, "communication_hidden");
  const ranks = distinct([...hiddenRows.keys(), ...exposedRows.keys()]);
  const known = ranks.filter((rank) =>
    [hiddenRows, exposedRows].some((rows) => source.amount(rows.get(rank) ?? -1, "value") > 0),
  );
  if (known.length === 0) return null;
  const cell = (rows: ReadonlyMap<CellValue, number>, rank: CellValue): Cell | undefined => {
    const row = rows.get(rank);
    return row === undefined ? undefined : source.cell(row, "value", source.text(row, "unit"));
  };
  const bars = ranks.map(
    (rank): RankBar => ({
      rank,
      label: String(rank),
      title: `Rank ${rank}, communication per step`,
      cells: {hidden: cell(hiddenRows, rank), exposed: cell(exposedRows, rank)},
      more: tipOf(cell(shareRows, rank)),
    }),
  );
  const two = [
    {id: "hidden", label: "hidden behind computing", colour: "compute"},
    {id: "exposed", label: "not hidden", colour: "exposed_communication"},
  ];
  // The rank whose communication is hidden least.
  const [least] = sorted(
    ranks.filter((rank) => source.number(exposedRows.get(rank) ?? -1, "value") !== null),
    (rank) => source.number(exposedRows.get(rank) ?? -1, "value"),
    true,
  );
  const longest = least === undefined ? undefined : cell(exposedRows, least);
  const nothing: Cell = {value: null, unit: "", type: "double", id: ""};
  const columns: Column<RankBar>[] = [
    {label: "rank", cell: (bar) => source.cell(hiddenRows.get(bar.rank) ?? exposedRows.get(bar.rank) ?? -1, "rank")},
    ...two.map((part) => ({label: part.label, cell: (bar: RankBar) => bar.cells[part.id] ?? nothing})),
    {label: "hidden share", cell: (bar) => bar.more[0]?.[2] ?? nothing},
  ];
  const spread = (analysis: string, heading: string) => {
    const rows = report.table("over_ranks").where("analysis", analysis);
    return rows.length ? (
      <>
        <h3>{heading}</h3>
        <RangeTables report={report} rows={rows} keyLabel="classes" main={["time"]} />
      </>
    ) : null;
  };
  const node = {
    id: "overlap",
    title: "Communication and computing",
    tables: ["overlap", "exposed_communication", "exposed_by_group"],
    answer:
      longest === undefined || longest.value === 0 ? null : (
        <>
          at most <CellSpan cell={longest} /> of a step not hidden, on rank {least}
        </>
      ),
    how: "Time of communication kernels per step: the lower part runs while something computes and costs nothing, the upper part is what the step waits for. Waiting for a slower rank shows as communication, too.",
    body: (
      <>
        <Legend entries={two.map((part) => [part.colour, part.label])} />
        <StackedBars
          name="Communication by rank"
          axis="rank"
          bars={bars}
          parts={two}
          unit="ns"
          sorts={two.map((part) => ({label: part.label, key: (bar: Bar) => bar.cells[part.id]?.value ?? null}))}
          difference={differenceOf(bars, two)}
        />
        <Details source={report.table("rank_metrics")} columns={columns} rows={bars} />
        {spread("overlap", "Over all ranks")}
        {spread("class_overlap", "What runs at the same time")}
      </>
    ),
  };
  return (shareOfJob(report, "exposed_communication") ?? 0) < leastShare
    ? {...node, folded: "Exposed communication takes less than 1% of device time."}
    : node;
}
