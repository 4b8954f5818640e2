// What decides how long the steps take: the critical paths of all ranks by cause, and whose work is on them.

import {CellSpan, Swatch} from "../../draw/cells";
import {largestNamed} from "../../model/largest";
import {type Report, type Table} from "../../model/report";
import {moduleLabel} from "../ops_and_modules/view";
import {type Column, DataTable, plain} from "../shared/data_table";
import {timeBar} from "../shared/range_table";
import type {Section} from "../shared/section";
import {ShareBar, ShareTable, sharesIn} from "../shared/share_bar";

const pathRowsShown = 12;

function pathRows(report: Report, source: Table, what: string, label: string, text: ((name: string) => string) | null) {
  if (source.empty) return null;
  const rows = source.rows();
  const part = {
    label: "part",
    doc: source.columns.get("part")?.doc,
    kind: "word",
    node: (row: number) => {
      const words = report.words.pathPartById.get(source.get(row, "part"));
      return (
        <span class="label">
          <Swatch colour={words ? words.colour : "unknown"} />
          {words ? words.label : source.get(row, "part")}
        </span>
      );
    },
  };
  const columns: Column[] = [
    part,
    {
      label,
      kind: "name",
      cell: (row: number) => source.cell(row, what),
      ...(text ? {text: (row: number) => text(source.text(row, what))} : {}),
    },
    plain(source, "time_ns", "on the path"),
    timeBar(source, rows, "time_ns", "accent"),
    plain(source, "share_pct", "share"),
  ];
  if (report.job.ranks > 1)
    columns.push(
      plain(source, "ranks"),
      plain(source, "most_rank", "most on rank"),
      plain(source, "most_ns", "time there"),
    );
  return <DataTable columns={columns} rows={rows} most={pathRowsShown} />;
}

export function criticalPathSection(report: Report): Section | null {
  const source = report.table("job_critical_path");
  if (source.empty || report.table("job_breakdown").empty) return null;
  const rows = source.rows();
  const of = {whole: "the steps", ones: "ranks"};
  const nameOf = (row: number) => report.words.pathPartById.get(source.get(row, "part"))?.label ?? "";
  const first = largestNamed(source, rows, "share_pct", nameOf);
  return {
    id: "critical-path",
    title: "What decides the step time",
    tables: ["job_critical_path", "critical_path_ops", "critical_path_modules", "critical_path_events"],
    answer:
      first === null ? null : (
        <>
          <CellSpan cell={source.cell(first, "share_pct")} /> {nameOf(first)}
        </>
      ),
    how: "The critical path of each rank: the longest chain of dependent work, back from the end of the recording. Only work on it makes the step shorter when it gets faster. Time spent waiting is not part of it; waiting for other ranks counts as communication.",
    body: (
      <>
        <ShareBar
          shares={sharesIn({source, rows, byId: report.words.pathPartById})}
          name="Critical path of the job"
          of={of}
        />
        <ShareTable
          source={source}
          rows={rows.filter((row) => source.amount(row, "share_pct") >= 0.05)}
          byId={report.words.pathPartById}
          of={of}
        />
        <h3>By op</h3>
        {pathRows(report, report.table("critical_path_ops"), "op", "op", null)}
        {report.table("critical_path_modules").empty ? (
          []
        ) : (
          <>
            <h3>By module</h3>
            {pathRows(report, report.table("critical_path_modules"), "module", "module", moduleLabel)}
          </>
        )}
      </>
    ),
  };
}
