// What processes called in windows of snoop: how often a second, and from which stacks.

import {useMemo} from "preact/hooks";
import {Legend} from "../../draw/legend";
import {type Line, LineChart} from "../../draw/line_chart";
import {human} from "../../model/format";
import {distinct, sorted} from "../../model/order";
import type {Report, Table} from "../../model/report";
import {DataTable, Details, plain} from "../shared/data_table";
import type {Section} from "../shared/section";
import {ByWindow, StackFlames} from "./shared";

const lineColours = ["series-1", "series-2", "series-3", "series-4"];

// Calls a second of the kinds that are called most, over the window.
function Rates({report, window}: {readonly report: Report; readonly window: number}) {
  const source = report.table("snoop_rates");
  const made = useMemo(() => {
    // What is called at a level is seen again below: of each kind the highest level, which comes first.
    const levelOf = new Map<string, string>();
    const calls = report.table("snoop_calls");
    for (const row of calls.where("window", window)) {
      const kind = calls.text(row, "kind");
      if (!levelOf.has(kind)) levelOf.set(kind, calls.text(row, "level"));
    }
    const rows = source
      .where("window", window)
      .filter((row) => (levelOf.get(source.text(row, "kind")) ?? "") === source.text(row, "level"));
    const nameOf = (row: number) => `${source.text(row, "kind")}, ${source.text(row, "level")}`;
    const sums = new Map<string, number>();
    for (const row of rows) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + source.amount(row, "calls"));
    const names = sorted([...sums.keys()], (name) => sums.get(name) ?? 0, true).slice(0, lineColours.length);
    const times = distinct(rows.map((row) => source.amount(row, "ts_ns"))).sort((a, b) => a - b);
    const series = names.map((name, i): Line => {
      const at = new Map(
        rows.filter((row) => nameOf(row) === name).map((row) => [source.amount(row, "ts_ns"), row] as const),
      );
      const rowAt = (point: number) => at.get(times[point] ?? 0);
      return {
        label: name,
        colour: lineColours[i] ?? "series-1",
        width: 1.5,
        stepped: true,
        // A second without calls of a kind has no row.
        values: times.map((time) => {
          const row = at.get(time);
          return row === undefined ? 0 : source.number(row, "calls_per_s");
        }),
        cell: (point) => {
          const row = rowAt(point);
          return row === undefined ? null : source.cell(row, "calls_per_s");
        },
      };
    });
    return {times, series};
  }, [report, source, window]);
  if (made.times.length < 2) return null;
  return (
    <>
      <h4>Calls a second</h4>
      <Legend entries={made.series.map((line) => [line.colour ?? "series-1", line.label])} />
      <LineChart
        name="Calls a second"
        unit="1/s"
        title={(i) => `from ${human(made.times[i] ?? null, "ns")}`}
        series={made.series}
        x={{label: "time from the job's origin", values: made.times, format: (value) => human(value, "ns")}}
      />
    </>
  );
}

function usesColumns(source: Table) {
  return [
    plain(source, "rank"),
    plain(source, "count", "how often"),
    plain(source, "time_ns", "waited"),
    plain(source, "bytes", "bytes"),
    plain(source, "kind", "kind", "word"),
    plain(source, "call", "call", "word"),
    plain(source, "function", "function", "name"),
    plain(source, "place", "place", "name"),
  ];
}

export function snoopCallsSection(report: Report): Section | null {
  const calls = report.table("snoop_calls");
  if (calls.empty) return null;
  const uses = report.table("snoop_uses");
  const columns = [
    plain(calls, "rank"),
    plain(calls, "call", "call", "name"),
    plain(calls, "kind", "kind", "word"),
    plain(calls, "calls", "calls"),
    plain(calls, "calls_per_s", "a second"),
    plain(calls, "failed", "failed"),
    plain(calls, "bytes", "bytes"),
    plain(calls, "time_ns", "waited"),
    plain(calls, "level", "level", "word"),
  ];
  return {
    id: "snoop-calls",
    title: "Calls, seen from outside",
    tables: ["snoop_calls", "snoop_uses"],
    how: "Calls of the CUDA runtime, its driver and HIP while rankscope-agent snoop looked, counted in the kernel. A call of the runtime that calls the driver is seen at both levels.",
    body: (
      <ByWindow report={report} source={calls}>
        {(rows, window) => {
          const outer = uses.where("window", window).filter((row) => uses.get(row, "inner") !== true);
          const launches = outer.filter((row) => uses.get(row, "kind") === "launch");
          return (
            <>
              <DataTable columns={columns} rows={sorted(rows, (row) => calls.number(row, "calls"), true)} most={12} />
              <Rates report={report} window={window} />
              {launches.length === 0 ? null : (
                <>
                  <h4>Launches by stack</h4>
                  <StackFlames
                    name="Launches by stack"
                    source={uses}
                    rows={launches}
                    weight="count"
                    unit=""
                    label="launches"
                    last="function"
                    lastLabel="kernel"
                  />
                </>
              )}
              <Details
                source={uses}
                title="Launches, waits and copies by stack"
                columns={[...usesColumns(uses), plain(uses, "stack", "stack", "text")]}
                rows={outer}
              />
            </>
          );
        }}
      </ByWindow>
    ),
  };
}
