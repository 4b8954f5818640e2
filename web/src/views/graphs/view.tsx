// What runs inside CUDA graphs, by the ops and modules that were captured.

import type {Report} from "../../model/report";
import {moduleLabel} from "../ops_and_modules/view";
import {DataTable, Details, plain} from "../shared/data_table";
import {timeBar} from "../shared/range_table";
import type {Section} from "../shared/section";

const graphRowsShown = 20;

export function graphsSection(report: Report): Section | null {
  const graphs = report.table("graphs");
  const ops = report.table("graph_ops");
  if (graphs.empty || ops.empty) return null;
  const rows = ops.rows();
  const all = graphs.rows();
  const isOwned = (row: number) => graphs.get(row, "owners_by") === "names" || graphs.get(row, "owners_by") === "order";
  const advice = all.every(isOwned) ? null : (
    <p class="note">
      Of a graph without a capture only the kernels are known: record the capture under the profiler, too, and give its
      trace together with this one.
    </p>
  );
  const byOp = [
    {label: "op", kind: "name", cell: (row: number) => ops.cell(row, "op"), unknown: "(no capture)"},
    {
      label: "module",
      kind: "name",
      cell: (row: number) => ops.cell(row, "module"),
      text: (row: number) => moduleLabel(ops.text(row, "module")),
    },
    plain(ops, "device_ns", "device"),
    timeBar(ops, rows, "device_ns", "compute"),
    plain(ops, "share_pct", "share"),
    plain(ops, "count", "runs"),
    plain(ops, "mean_ns", "mean"),
    plain(ops, "nodes"),
  ];
  const byGraph = [
    {label: "graph", kind: "word", cell: (row: number) => graphs.cell(row, "graph")},
    plain(graphs, "launches"),
    plain(graphs, "kernels"),
    plain(graphs, "copies"),
    plain(graphs, "memsets"),
    plain(graphs, "device_ns", "device"),
    timeBar(graphs, all, "device_ns", "compute"),
    plain(graphs, "share_pct", "share"),
    plain(graphs, "mean_span_ns", "mean span"),
    plain(graphs, "busy_pct", "busy"),
    {label: "owners by", kind: "word", cell: (row: number) => graphs.cell(row, "owners_by")},
  ];
  return {
    id: "graphs",
    title: "CUDA graphs",
    tables: ["graphs", "graph_ops"],
    how: "Device work of graph launches by the op and module that were captured. Busy: the part of a launch, from its first kernel to its last, in which anything runs.",
    body: (
      <>
        <DataTable columns={byOp} rows={rows} most={graphRowsShown} />
        <h3>Graph by graph</h3>
        <DataTable columns={byGraph} rows={all} most={graphRowsShown} />
        {advice}
        <Details source={report.table("graph_ops")} columns={byOp} rows={rows} />
        <Details source={report.table("graphs")} columns={byGraph} rows={all} title="Data of the graphs" />
      </>
    ),
  };
}
