// What runs inside CUDA graphs, by the ops and modules that were captured.

import {el} from "../../draw/dom";
import {table} from "../../model/report";
import {moduleLabel, timeBar} from "../ops_and_modules/view";
import {dataTable, details, plain} from "../shared/data_table";
import {section} from "../shared/section";

const graphRowsShown = 20;

export function graphsSection() {
  const graphs = table("graphs");
  const ops = table("graph_ops");
  if (graphs.empty || ops.empty) return null;
  const rows = ops.rows();
  const all = graphs.rows();
  const isOwned = (row: number) => graphs.get(row, "owners_by") === "names" || graphs.get(row, "owners_by") === "order";
  const advice = all.every(isOwned)
    ? null
    : el(
        "p",
        {class: "note"},
        "Of a graph without a capture only the kernels are known: record the capture under the profiler, too, and give its trace together with this one.",
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
  return section(
    "graphs",
    "CUDA graphs",
    "Device work of graph launches by the op and module that were captured. Busy: the part of a launch, from its first kernel to its last, in which anything runs.",
    dataTable(byOp, rows, graphRowsShown),
    el("h3", {}, "Graph by graph"),
    dataTable(byGraph, all, graphRowsShown),
    advice,
    details("graph_ops", byOp, rows),
    details("graphs", byGraph, all, "Data of the graphs"),
  );
}
