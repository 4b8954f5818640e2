// Which code takes the time: call stacks of all ranks as a flame graph.

import {type FlameFrame, FlameGraph, type FlameWeight} from "../../draw/flame_graph";
import {Legend, type LegendEntry} from "../../draw/legend";
import {words} from "../../model/format";
import {shortFrame} from "../../model/frame_names";
import {sorted} from "../../model/order";
import {type Report, type Table} from "../../model/report";
import {front} from "../../model/text";
import {Details, plain} from "../shared/data_table";
import type {Section} from "../shared/section";

const frameKinds: readonly (readonly [id: string, label: string, colour: string])[] = [
  ["python", "Python", "frame-python"],
  ["module", "module", "frame-module"],
  ["op", "op", "frame-op"],
  ["annotation", "annotation", "frame-annotation"],
  ["call", "call of the device API", "frame-call"],
  ["kernel", "kernel", "compute"],
  ["communication", "communication", "exposed_communication"],
  ["copy", "copy", "frame-copy"],
];

function frameLabel(source: Table, row: number) {
  if (source.get(row, "short_name") !== null) return source.text(row, "short_name");
  return shortFrame(source.text(row, "name"));
}

export function callStacksSection(report: Report): Section | null {
  const source = report.table("flame_graph");
  const title = "Call stacks";
  if (source.empty) {
    if (!report.has("flame_graph")) return null;
    return {
      id: "call-stacks",
      title: title,
      body: <p class="empty">No ops, annotations or Python functions were recorded.</p>,
    };
  }
  const rows = source.rows();
  const place = new Map(rows.map((row) => [source.get(row, "frame"), row]));
  const frames = rows.map(
    (row): FlameFrame => ({
      parent: source.get(row, "parent") === null ? null : (place.get(source.get(row, "parent")) ?? null),
      name: source.text(row, "name"),
      label: frameLabel(source, row),
      kind: source.get(row, "kind") === null ? null : source.text(row, "kind"),
      isRest: source.get(row, "kind") === null && source.get(row, "name") === "(others)",
    }),
  );
  const weights = (
    [
      ["device", "device time"],
      ["host", "host time"],
    ] as const
  )
    .map(([id, label]): FlameWeight => {
      const totals = rows.map((row) => source.amount(row, `${id}_total_ns`));
      return {
        label,
        total: (row) => totals[row] ?? 0,
        lines: (row) => [
          ["", label, source.cell(row, `${id}_total_ns`)],
          ["", "of that its own", source.cell(row, `${id}_self_ns`)],
          ["", "calls", source.cell(row, "count")],
        ],
      };
    })
    .filter((weight) => weight.total(0) > 0);
  if (weights.length === 0)
    return {id: "call-stacks", title: title, body: <p class="empty">What was recorded takes no time.</p>};
  const present = frameKinds.filter(([id]) => frames.some((frame) => frame.kind === id));
  const hasPython = present.some(([id]) => id === "python");
  const heaviest = (id: string) => (row: number) => source.number(row, `${id}_self_ns`);
  const byTime = sorted(rows.slice(1), heaviest("host"), true);
  const columns = [
    {
      label: "frame",
      kind: "name",
      cell: (row: number) => source.cell(row, "name"),
      text: (row: number) => front(frames[row]?.label ?? "", 200),
    },
    plain(source, "kind", "kind", "word"),
    ...["device_total_ns", "device_self_ns", "host_total_ns", "host_self_ns", "count"].map((name) =>
      plain(source, name, words(name.replace("_ns", ""))),
    ),
  ];
  return {
    id: "call-stacks",
    title: title,
    tables: ["flame_graph", "stacks"],
    how: "Each box is a frame, as wide as its share of the time; what it calls stands below it, the heaviest first. Time is summed over ranks, threads and steps. Device time is that of the kernels and copies launched inside; host time is that of the threads. A click makes a box fill the width.",
    body: (
      <>
        {hasPython ? null : (
          <p class="note">
            {"No Python functions were recorded: "}
            <code>profile(with_stack=True)</code>
            {" adds the lines of code."}
          </p>
        )}
        <Legend
          entries={[
            ...present.map(([, label, colourName]): LegendEntry => [colourName, label]),
            ["frame-none", "(others): what is smaller, folded"],
          ]}
        />
        <FlameGraph
          name="Flame graph"
          frames={frames}
          kinds={Object.fromEntries([
            ...frameKinds.map(([id, , colourName]) => [id, colourName]),
            ["none", "frame-none"],
          ])}
          weights={weights}
        />
        <Details
          source={report.table("flame_graph")}
          columns={columns}
          rows={sorted(byTime, heaviest("device"), true)}
          title="Heaviest frames"
        />
      </>
    ),
  };
}
