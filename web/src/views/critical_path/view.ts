// What decides how long the steps take: the critical paths of all ranks by cause, and whose work is on them.

import {el, swatch} from "../../draw/dom";
import {type Table, report, table} from "../../model/report";
import {pathPartById} from "../../model/vocabulary";
import {moduleLabel, timeBar} from "../ops_and_modules/view";
import {type Column, dataTable, plain} from "../shared/data_table";
import {section} from "../shared/section";
import {shareBar, shareTable} from "../shared/share_bar";

const pathRowsShown = 12;

function pathRows(source: Table, what: string, label: string, text: ((name: string) => string) | null) {
  if (source.empty) return null;
  const rows = source.rows();
  const part = {
    label: "part",
    doc: source.columns.get("part")?.doc,
    kind: "word",
    node: (row: number) => {
      const words = pathPartById.get(source.get(row, "part"));
      return el(
        "span",
        {class: "label"},
        swatch(words ? words.colour : "unknown"),
        words ? words.label : source.get(row, "part"),
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
  return dataTable(columns, rows, pathRowsShown);
}

export function criticalPathSection() {
  const source = table("job_critical_path");
  if (source.empty || table("job_breakdown").empty) return null;
  const rows = source.rows();
  const of = {whole: "the steps", ones: "ranks"};
  return section(
    "critical-path",
    "What decides the step time",
    "The critical path of each rank: the chain of work that nothing could have overtaken, back from the end of the recording. Only what is on it is worth making faster. Waiting is never on it; waiting for other ranks is inside communication.",
    shareBar(source, rows, "Critical path of the job", pathPartById, of),
    shareTable(
      source,
      rows.filter((row) => source.amount(row, "share_pct") >= 0.05),
      pathPartById,
      of,
    ),
    el("h3", {}, "By op"),
    pathRows(table("critical_path_ops"), "op", "op", null),
    ...(table("critical_path_modules").empty
      ? []
      : [el("h3", {}, "By module"), pathRows(table("critical_path_modules"), "module", "module", moduleLabel)]),
  );
}
