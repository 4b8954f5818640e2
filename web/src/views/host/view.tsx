// Jobs without device work: what the host threads did.

import {Legend} from "../../draw/legend";
import {type RowBar, StackedBars} from "../../draw/stacked_bars";
import {words} from "../../model/format";
import {sorted} from "../../model/order";
import type {Report} from "../../model/report";
import {Details, plain} from "../shared/data_table";
import type {Section} from "../shared/section";

export function hostSection(report: Report): Section | null {
  const source = report.table("host_breakdown");
  if (source.empty || !report.table("job_breakdown").empty) return null;
  // The threads and windows in which most was recorded.
  const recorded = (row: number) => source.amount(row, "duration_ns") - source.amount(row, "other_ns");
  const rows = sorted(source.rows(), recorded, true).slice(0, 64);
  const step = (row: number) =>
    source.get(row, "step") === null ? "outside of steps" : `step ${source.get(row, "step")}`;
  const bars = rows.map(
    (row, i): RowBar => ({
      row,
      rank: source.get(row, "rank"),
      label: String(i + 1),
      title: `Rank ${source.get(row, "rank")}, thread ${source.get(row, "thread")}, ${step(row)}`,
      cells: Object.fromEntries(report.words.hostParts.map((part) => [part.id, source.cell(row, `${part.id}_ns`)])),
    }),
  );
  const place = new Map(rows.map((row, i) => [row, i + 1]));
  const columns = [
    {label: "bar", cell: (row: number) => ({value: place.get(row) ?? null, unit: "", type: "", id: ""})},
    ...["rank", "thread", "step", "duration_ns"].map((name) => plain(source, name, words(name.replace("_ns", "")))),
    ...report.words.hostParts.map((part) => plain(source, `${part.id}_ns`, part.label)),
  ];
  return {
    id: "host",
    title: "What host threads did",
    tables: ["host_breakdown"],
    how: "No device time is known. Each bar is one thread in one step (or outside of the steps), those with most recorded time first; the parts sum to the window.",
    body: (
      <>
        <Legend entries={report.words.hostParts.map((part) => [part.colour, part.label])} />
        <StackedBars
          name="Host threads"
          axis="thread and step, by recorded time"
          bars={bars}
          parts={report.words.hostParts}
          unit="ns"
          sorts={[]}
        />
        <Details source={report.table("host_breakdown")} columns={columns} rows={rows} />
      </>
    ),
  };
}
