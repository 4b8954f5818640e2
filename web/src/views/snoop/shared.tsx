// What the sections of windows of snoop and offcpu have alike: which window is shown, and flame graphs of its stacks.

import type {ComponentChildren} from "preact";
import {useMemo, useState} from "preact/hooks";
import {FlameGraph} from "../../draw/flame_graph";
import {Legend} from "../../draw/legend";
import {human} from "../../model/format";
import {distinct} from "../../model/order";
import type {Report, Table} from "../../model/report";
import {front} from "../../model/text";
import {ChoiceButtons} from "../shared/choice_buttons";
import {treeOf, type WeighedStack} from "./stack_tree";

const mostButtons = 24;

// "rank 3, 10.0 s", by the number of the window.
function nameOf(report: Report, number: number): string {
  const windows = report.table("snoop_windows");
  const row = windows.where("window", number)[0] ?? -1;
  const rank = windows.get(row, "rank");
  const whose =
    rank !== null ? `rank ${rank}` : `pid ${windows.text(row, "pid")} of ${front(windows.text(row, "host"), 60)}`;
  return `${whose}, ${human(windows.get(row, "window_ns"), "ns")}`;
}

// Buttons of the windows that have rows in the table, and what is shown of the chosen one.
export function ByWindow({
  report,
  source,
  children,
}: {
  readonly report: Report;
  readonly source: Table;
  readonly children: (rows: readonly number[], window: number) => ComponentChildren;
}) {
  const [chosen, choose] = useState(0);
  const numbers = distinct(source.rows().map((row) => source.number(row, "window") ?? 0));
  const shown = numbers.slice(0, mostButtons);
  const window = shown[chosen] ?? shown[0] ?? 0;
  const windows = report.table("snoop_windows");
  const of = windows.where("window", window)[0] ?? -1;
  return (
    <>
      {shown.length > 1 ? (
        <div class="tools">
          <ChoiceButtons labels={shown.map((one) => nameOf(report, one))} chosen={chosen} choose={choose} />
          {numbers.length > shown.length ? (
            <span class="muted">{`${shown.length} of ${numbers.length} windows; the tables have all`}</span>
          ) : null}
        </div>
      ) : null}
      {windows.get(of, "cut") === null ? null : (
        <p class="note">{`The window was cut: ${front(windows.text(of, "cut"), 300)}.`}</p>
      )}
      {windows.get(of, "late_libraries") === null ? null : (
        <p class="note">
          {`Loaded within the window, and not looked at: ${front(windows.text(of, "late_libraries"), 300)}.`}
        </p>
      )}
      {windows.amount(of, "lost") > 0 ? (
        <p class="note">{`${windows.text(of, "lost")} events, stacks or sums found no room: numbers by stack are low.`}</p>
      ) : null}
      <div key={window}>{children(source.where("window", window), window)}</div>
    </>
  );
}

// Of these rows of a table, each as wide as its weight.
export function StackFlames({
  name,
  source,
  rows,
  weight,
  unit,
  label,
  last = "",
  lastLabel = "",
}: {
  readonly name: string;
  readonly source: Table;
  readonly rows: readonly number[];
  readonly weight: string;
  readonly unit: string;
  readonly label: string;
  readonly last?: string; // the column of what stands below a stack
  readonly lastLabel?: string;
}) {
  const tree = useMemo(
    () =>
      treeOf(
        rows.map(
          (row): WeighedStack => ({
            stack: source.text(row, "stack"),
            weight: source.amount(row, weight),
            last: last === "" ? "" : source.text(row, last),
          }),
        ),
      ),
    [source, rows.join(","), weight, last],
  );
  if ((tree.totals[0] ?? 0) <= 0) return null;
  const cell = (value: number) => ({value, unit, type: "int64", id: ""});
  const weights = [
    {
      label,
      total: (frame: number) => tree.totals[frame] ?? 0,
      lines: (frame: number) =>
        [
          ["", label, cell(tree.totals[frame] ?? 0)],
          ["", "of that its own", cell(tree.own[frame] ?? 0)],
        ] as const,
    },
  ];
  return (
    <>
      <Legend
        entries={[
          ["frame-python", "Python"],
          ["frame-op", "native"],
          ...(last === "" ? [] : [["frame-call", lastLabel] as const]),
        ]}
      />
      <FlameGraph
        name={name}
        frames={tree.frames}
        kinds={{python: "frame-python", native: "frame-op", last: "frame-call", none: "frame-none"}}
        weights={weights}
      />
    </>
  );
}

export function innermost(text: string): string {
  return front(text.slice(text.lastIndexOf(";") + 1), 120);
}
